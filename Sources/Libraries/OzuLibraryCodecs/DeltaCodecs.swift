import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Reads delta files, which `DeltaEncoder` writes for the disk cache.
public struct DeltaDecoder: ImageDecoding {
  fileprivate static let headerStage = "header"

  /// Makes a decoder.
  public init() {}

  /// Ozu's own format.
  public var types: [ImageType] { [.ozuDelta] }

  /// Opens a file: reads the header and checks its checksum.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` for a later version.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    DeltaFile(data, try Self.header(data.span))
  }

  private static func header(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> DeltaFormat.Header {
    guard bytes.count > DeltaFormat.headerByteCount else {
      throw .truncated(.ozuDelta, stage: headerStage)
    }
    func corrupt(_ reason: String) -> ImageDecodingError {
      .corrupt(.ozuDelta, stage: headerStage, reason: reason)
    }
    guard bytes.hasBytes("OZUD", at: 0) else { throw corrupt("its signature is missing") }
    guard bytes[4] == DeltaFormat.version else {
      throw .unsupportedType(.ozuDelta, reason: "it is of version \(bytes[4])")
    }
    let checked = bytes.copy(from: 0, byteCount: DeltaFormat.checkedByteCount)
    guard bytes[5] <= 1, let width = bytes.littleEndian(at: 6, bytes: 4),
      let height = bytes.littleEndian(at: 10, bytes: 4),
      bytes.littleEndian(at: DeltaFormat.checkedByteCount, bytes: 4) == Int(ozu_crc32(checked, checked.count))
    else { throw corrupt("its checksum is wrong") }
    guard width > 0, height > 0, width <= Int32.max, height <= Int32.max else {
      throw corrupt("a size of \(width)x\(height)")
    }
    return DeltaFormat.Header(size: PixelSize(width, height), isOpaque: bytes[5] == 1)
  }
}

/// A file of Ozu's own format whose header has been read.
private final class DeltaFile: ImageFile {
  private let data: Data
  private let details: DeltaFormat.Header
  let header: ImageHeader

  init(_ data: Data, _ details: DeltaFormat.Header) {
    self.data = data
    self.details = details
    header = ImageHeader(type: .ozuDelta, storedSize: details.size, hasAlpha: !details.isOpaque)
  }

  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    DecodingDemand(byteCount: details.planeByteCount ?? 0)
  }

  /// Decodes the picture.
  ///
  /// - Throws: `ImageDecodingError`; `corrupt` for a file that is truncated or damaged.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    guard let byteCount = details.planeByteCount else {
      throw .corrupt(.ozuDelta, stage: DeltaDecoder.headerStage, reason: "a size of \(details.size)")
    }
    // The planes are in memory beside the pixels.
    let (sum, overflow) = details.size.byteCount(as: .bgra8).addingReportingOverflow(byteCount)
    try context.limits.checkDecodedByteCount(overflow ? .max : sum)
    try context.checkpoint()
    let memory = context.pool.takeBlock(byteCount: byteCount)
    defer { context.pool.giveBack(memory) }
    let start = memory.bindMemory(to: UInt8.self).baseAddress!
    let isWhole = data.withBytes { bytes in
      let frame = UnsafeRawBufferPointer(rebasing: bytes[DeltaFormat.headerByteCount...])
      return ozu_zstd_decompress(
        frame.baseAddress?.assumingMemoryBound(to: UInt8.self), frame.count, start, byteCount)
    }
    guard isWhole else {
      throw .corrupt(.ozuDelta, stage: "pixels", reason: "its data are damaged")
    }
    try context.checkpoint()
    let planes = DeltaPlanes(size: details.size, planeCount: details.planeCount)
    return Bitmap(size: details.size, isOpaque: details.isOpaque, pool: context.pool) { target, bytesPerRow in
      for y in 0..<details.size.height {
        let row = target.baseAddress! + y * bytesPerRow
        planes.join(row: y, start, to: row.assumingMemoryBound(to: UInt32.self))
        if !details.isOpaque, context.alpha == .straight {
          Premultiplication.undo(row, to: row, width: details.size.width)
        }
      }
    }
  }
}

/// Writes delta files: lossless, alpha included, for the disk cache.
public struct DeltaEncoder: ImageEncoding {
  /// The fastest level that uses all methods of zstd.
  private static let level: Int32 = 1

  /// Makes an encoder.
  public init() {}

  /// Ozu's own format.
  public var type: ImageType { .ozuDelta }

  /// Alpha and the premultiplied values are kept: nothing is lost.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap of 8 bits. No option has an effect on this format.
  ///
  /// - Throws: `failed` if memory is short or the bitmap has another format.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    guard bitmap.format == .bgra8 else {
      throw .failed(.ozuDelta, reason: "the pixels are not BGRA")
    }
    let size = bitmap.size
    let header = DeltaFormat.Header(size: size, isOpaque: bitmap.isOpaque)
    guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height),
      let byteCount = header.planeByteCount
    else { throw .tooLarge(.ozuDelta, size) }
    let planes = DeltaPlanes(size: size, planeCount: header.planeCount)
    let capacity = DeltaFormat.headerByteCount + ozu_zstd_bound(byteCount)
    let memory = PixelBufferPool.shared.takeBlock(byteCount: byteCount)
    defer { PixelBufferPool.shared.giveBack(memory) }
    let start = memory.bindMemory(to: UInt8.self).baseAddress!
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        let row = bytes.baseAddress! + y * bitmap.bytesPerRow
        planes.split(row: y, row.assumingMemoryBound(to: UInt32.self), to: start)
      }
    }
    planes.subtractRows(start)
    var file = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let written = ozu_zstd_compress(
        start, byteCount, buffer.baseAddress! + DeltaFormat.headerByteCount,
        capacity - DeltaFormat.headerByteCount, Self.level)
      buffer[..<DeltaFormat.headerByteCount].initialize(repeating: 0)
      count = written == 0 ? 0 : DeltaFormat.headerByteCount + written
    }
    guard !file.isEmpty else { throw .failed(.ozuDelta, reason: "out of memory") }
    func put(_ value: UInt32, at offset: Int) {
      file.replaceSubrange(offset..<offset + 4, with: value.littleEndianBytes(4))
    }
    file.replaceSubrange(0..<4, with: DeltaFormat.signature)
    file[4] = DeltaFormat.version
    file[5] = header.isOpaque ? 1 : 0
    put(width, at: 6)
    put(height, at: 10)
    put(ozu_crc32(file, DeltaFormat.checkedByteCount), at: DeltaFormat.checkedByteCount)
    return Data(file)
  }
}
