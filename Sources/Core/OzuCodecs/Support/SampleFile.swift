import OzuBase
import OzuImaging

/// A decoder of files whose rows are simple to reach. It reads the header, and says who reads the rows.
protocol SampleDecoding: ImageDecoding {
  /// Reads the header.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents
}

extension SampleDecoding {
  /// Opens a file: reads its header.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    SampleFile(data, try contents(data.span))
  }
}

/// What a header says, and a reader that stands before the first row.
struct SampleContents {
  var header: ImageHeader
  var rows: any SampleRowReading
  /// Whether the first row of the file is the lowest one.
  var isBottomUp = false
  var metadata = ImageMetadata()
  var unreadReason: String?
}

/// Reads the rows of a file whose pixels are simple to reach, one after the other.
protocol SampleRowReading: Sendable {
  /// Reads the next row of the file: red, green, blue and alpha of each pixel, in 16 bits, not premultiplied.
  ///
  /// - Parameter row: as many pixels as the picture is wide.
  /// - Returns: `false` if the file ends before the row does.
  /// - Throws: `corrupt`.
  mutating func readRow(
    _ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]
  ) throws(ImageDecodingError) -> Bool

  /// Reads the next row of the file as words of BGRA, not premultiplied, if that is quicker.
  ///
  /// - Parameter row: as many pixels as the picture is wide.
  /// - Returns: `false` if the file ends before the row does; `nil` if the row has to be read by `readRow`.
  mutating func readWords(_ bytes: Span<UInt8>, into row: inout MutableSpan<UInt32>) -> Bool?
}

extension SampleRowReading {
  /// The default: rows are read in 16 bits.
  func readWords(_ bytes: Span<UInt8>, into row: inout MutableSpan<UInt32>) -> Bool? { nil }
}

/// A file of which rows are read: the common part of PNM, QOI, TGA, PSD and icons of Apple.
final class SampleFile: ImageFile {
  private static let rowsPerCheckpoint = 64

  private let data: Data
  private let contents: SampleContents

  var header: ImageHeader { contents.header }

  init(_ data: Data, _ contents: SampleContents) {
    self.data = data
    var contents = contents
    if let reason = contents.unreadReason { contents.header.noteUnread(reason) }
    self.contents = contents
  }

  /// The pixels in the format that the context allows.
  ///
  /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the pixels do, unless the context allows it: then
  ///   the rest is missing.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let reason = contents.unreadReason { throw .unsupportedType(header.type, reason: reason) }
    let (size, format) = (header.storedSize, header.pixelFormat(under: context.pixelFormats))
    try context.limits.checkDecodedByteCount(size.byteCount(as: format))
    var reader = contents.rows
    return try data.withBytes { (file) throws(ImageDecodingError) in
      try Bitmap(
        size: size, format: format, isOpaque: !header.hasAlpha, colorSpace: header.storedColorSpace,
        pool: context.pool
      ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
        // Bounds-checked from here on.
        let bytes = file.bindMemory(to: UInt8.self).span
        var row = [SIMD4<UInt16>](repeating: .zero, count: size.width)
        for index in 0..<size.height {
          if index % Self.rowsPerCheckpoint == 0 { try context.checkpoint() }
          let start = (contents.isBottomUp ? size.height - 1 - index : index) * bytesPerRow
          let target = UnsafeMutableRawBufferPointer(rebasing: pixels[start..<start + bytesPerRow])
          if try read(bytes, with: &reader, &row, to: target, format) {
            premultiply(target, format, context.alpha)
          } else {
            try context.acceptTruncation(of: header.type, stage: "pixels")
            target.fillMissing(isOpaque: !header.hasAlpha, format: format)
          }
        }
      }
    }
  }

  func readMetadata() -> ImageMetadata { contents.metadata }

  /// Reads a row; `false` if the file ends before it does.
  private func read(
    _ bytes: Span<UInt8>, with reader: inout any SampleRowReading, _ row: inout [SIMD4<UInt16>],
    to target: UnsafeMutableRawBufferPointer, _ format: PixelFormat
  ) throws(ImageDecodingError) -> Bool {
    if format == .bgra8 {
      // The pixels of the row, without its padding.
      var words = target.bindMemory(to: UInt32.self).extracting(..<row.count).mutableSpan
      if let isRead = reader.readWords(bytes, into: &words) { return isRead }
    }
    guard try reader.readRow(bytes, into: &row) else { return false }
    store(row, to: target, format)
    return true
  }

  private func premultiply(_ row: UnsafeMutableRawBufferPointer, _ format: PixelFormat, _ alpha: Alpha) {
    guard header.hasAlpha, alpha == .premultiplied, let start = row.baseAddress else { return }
    Premultiplication.apply(to: start, width: header.storedSize.width, format)
  }

  /// Raw memory, because these are the bytes of a bitmap that is being made: `target` is one of its rows, as long as the
  /// pixels of `row` are in that format, and padding.
  private func store(
    _ row: [SIMD4<UInt16>], to target: UnsafeMutableRawBufferPointer, _ format: PixelFormat
  ) {
    precondition(row.count * format.bytesPerPixel <= target.count, "a row outside the bitmap")
    switch format {
    case .rgba16:
      for (x, pixel) in row.enumerated() {
        for channel in 0..<4 {
          target.storeBytes(of: pixel[channel], toByteOffset: x * 8 + channel * 2, as: UInt16.self)
        }
      }
    case .bgra8:
      for (x, pixel) in row.enumerated() {
        let word = PixelCanvas.word(
          red: Self.narrow(pixel.x), green: Self.narrow(pixel.y), blue: Self.narrow(pixel.z),
          alpha: Self.narrow(pixel.w))
        target.storeBytes(of: word.littleEndian, toByteOffset: x * 4, as: UInt32.self)
      }
    case .gray8:
      for (x, pixel) in row.enumerated() { target[x] = Self.narrow(pixel.x) }
    }
  }

  /// The nearest of 8 bits: exactly `value / 257`, rounded, as for all bitmaps.
  private static func narrow(_ value: UInt16) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(value) * 255 + 32_895) >> 16)
  }
}

extension SIMD4<UInt16> {
  init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self = SIMD4(UInt16(red), UInt16(green), UInt16(blue), UInt16(alpha)) &* 257
  }
}
