import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

extension PNGFile {
  /// Twenty-four rows of at most four or eight bytes for each pixel: two pieces of the stream, and a group of rows. The passes
  /// of an interlaced file need the memory of all rows, and so does a truncated file.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    DecodingDemand(
      byteCount: (details.bitDepth == 16 ? 192 : 96) * header.storedSize.width,
      deliversRows: offersRows(context))
  }

  private func offersRows(_ context: DecodingContext) -> Bool {
    !details.isInterlaced && !context.allowsTruncation
  }

  /// Delivers the rows with `PNGRowReader`. If it cannot decode the file after all, the closure is called a second
  /// time with the rows of libpng.
  ///
  /// - Throws: the errors of `decode`.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    guard offersRows(context) else { return nil }
    let result = try withReader(context) { (reader, size) throws(ImageDecodingError) -> Result? in
      let rows = CommonPNGRows(reader, size: size, colorSpace: header.storedColorSpace, context: context)
      do throws(ImageDecodingError) {
        let result = try body(rows)
        return rows.endsWell ? result : nil
      } catch {
        guard rows.isForLibrary else { throw error }
        return nil
      }
    }
    if let result { return result }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      let session = try PNGSession(bytes)
      let hasAlpha = try session.open(size: header.storedSize, format: .bgra8, wantsPartial: false).hasAlpha
      return try body(
        LibraryPNGRows(
          session, size: header.storedSize, isOpaque: !hasAlpha, colorSpace: header.storedColorSpace,
          multipliesAlpha: hasAlpha && context.alpha == .premultiplied, context: context))
    }
  }
}

/// The rows of `PNGRowReader`. Used inside one `withBytes`, like the reader.
private final class CommonPNGRows: PixelRowReading {
  let size: PixelSize
  let colorSpace: ColorSpaceTag
  /// Whether libpng has to decode the file after all.
  private(set) var isForLibrary = false
  private let reader: PNGRowReader
  private let context: DecodingContext
  private var rowCount = 0

  init(_ reader: PNGRowReader, size: PixelSize, colorSpace: ColorSpaceTag, context: DecodingContext) {
    self.reader = reader
    self.size = size
    self.colorSpace = colorSpace
    self.context = context
  }

  var isOpaque: Bool { reader.isOpaque }

  /// Whether the data end with the last row and have the right checksum. Only after all rows were read.
  var endsWell: Bool { rowCount < size.height || reader.endsWell() }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    if rowCount % PNGFile.stepRows == 0 { try context.checkpoint() }
    rowCount += 1
    let (width, alpha) = (size.width, context.alpha)
    precondition(row.count == width * 4, "memory for a row")
    // The memory has four bytes for each pixel, by the precondition.
    let isRead = row.withUnsafeMutableBytes { reader.read(into: $0.baseAddress!, width: width, alpha: alpha) }
    guard isRead else {
      isForLibrary = true
      // This error is not shown: libpng decodes the file again, or reports an error of its own.
      throw .corrupt(.png, stage: PNGFile.imageStage, reason: "unusual data")
    }
  }
}

/// The rows of a file that libpng decodes. Used inside one `withBytes`, like its session.
private final class LibraryPNGRows: PixelRowReading {
  let size: PixelSize
  let isOpaque: Bool
  let colorSpace: ColorSpaceTag
  private let session: PNGSession
  private let multipliesAlpha: Bool
  private let context: DecodingContext
  private var rowCount = 0

  init(
    _ session: consuming PNGSession, size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag,
    multipliesAlpha: Bool, context: DecodingContext
  ) {
    self.session = session
    self.size = size
    self.isOpaque = isOpaque
    self.colorSpace = colorSpace
    self.multipliesAlpha = multipliesAlpha
    self.context = context
  }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    if rowCount % PNGFile.stepRows == 0 { try context.checkpoint() }
    rowCount += 1
    let width = size.width
    let status = row.withUnsafeMutableBytes { bytes in
      let rows = PNGRows(
        size: PixelSize(width, 1), pixels: bytes, bytesPerRow: bytes.count, format: .bgra8,
        multipliesAlpha: multipliesAlpha)
      let status = session.readRows(rows, 0..<1, fillsBlocks: false)
      if status == .done { rows.finish(0..<1) }
      return status
    }
    switch status {
    case .done, .more: break
    case .truncated: throw .truncated(.png, stage: PNGFile.imageStage)
    case .failed: throw session.failure(stage: PNGFile.imageStage)
    }
  }
}

/// Inflates with ISA-L.
package final class Inflater: PNGInflating {
  private let stream: OpaquePointer

  package init?() {
    guard let stream = ozu_inflater_new() else { return nil }
    self.stream = stream
  }

  deinit {
    ozu_inflater_free(stream)
  }

  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    ozu_crc32(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  package static func checksum(of bytes: UnsafeRawBufferPointer, after sum: UInt32) -> UInt32 {
    ozu_adler32(sum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  package func inflate(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int, hasEnded: Bool)? {
    var used = 0
    var written = 0
    let status = ozu_inflater_step(
      stream, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count, &used,
      output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count, &written)
    return status == .failed ? nil : (used, written, status == .done)
  }
}
