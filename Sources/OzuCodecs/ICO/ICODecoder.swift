import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes Windows icons and cursors: the largest picture they hold, be it a bitmap with a mask or a PNG.
public struct ICODecoder: ImageDecoding {
  private static let imageStage = "pixels"
  private static let rowsPerCheckpoint = 64
  private let alpha: Alpha
  private let png: (any ImageDecoding)?

  /// Makes a decoder.
  ///
  /// - Parameter png: decodes the pictures that are PNG; without it they end in `unsupportedType`.
  public init(png: (any ImageDecoding)? = nil) {
    self.init(alpha: .premultiplied, png: png)
  }

  package init(alpha: Alpha, png: (any ImageDecoding)?) {
    self.alpha = alpha
    self.png = png
  }

  /// ICO, and CUR, which differs only in that it says where the pointer points.
  public var types: [ImageType] { [.ico] }

  /// Reads the directory and the headers of the pictures.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` for a PNG without a decoder for it.
  /// - Complexity: O(pictures), 256 at most.
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    let entry = try bestEntry(of: data)
    guard entry.isPNG else {
      var header = try BMPHeader(data.span.extracting(entry.range), in: .icon)
        .imageHeader(type: .ico, of: data.span.extracting(entry.range))
      header.hasAlpha = true
      return header
    }
    var header = try pngDecoder().header(of: data.slice(entry.range), limits: limits)
    header.type = .ico
    header.frameCount = 1
    return header
  }

  /// Decodes the largest picture.
  ///
  /// - Throws: `DecodingError`; `truncated` when the file ends before the colours do, unless the context allows
  ///   it. A mask that is missing is taken to hide nothing.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let entry = try bestEntry(of: data)
    if entry.isPNG {
      return try pngDecoder().decode(data.slice(entry.range), header: header, plan: plan, context: context)
    }
    return try data.withBytes { (bytes) throws(DecodingError) in
      // The bytes of the picture, bounds-checked from here on.
      let content = UnsafeRawBufferPointer(rebasing: bytes[entry.range]).bindMemory(to: UInt8.self).span
      let details = try BMPHeader(content, in: .icon)
      guard details.compression == .none else {
        throw .unsupportedType(.ico, reason: "its pixels are run lengths")
      }
      try context.limits.checkDecodedByteCount(details.size.byteCount(as: .bgra8))
      return try Bitmap(size: details.size, isOpaque: false, pool: context.pool) {
        (pixels, bytesPerRow) throws(DecodingError) in
        let canvas = PixelCanvas(pixels, bytesPerRow: bytesPerRow, size: details.size)
        try read(details, content, to: canvas, context)
        if alpha == .premultiplied { canvas.premultiply() }
      }
    }
  }

  private func pngDecoder() throws(DecodingError) -> any ImageDecoding {
    guard let png else {
      throw .unsupportedType(.ico, reason: "its picture is a PNG, and there is no decoder for that here")
    }
    return png
  }

  private func bestEntry(of data: Data) throws(DecodingError) -> ICODirectory.Entry {
    guard let entry = try ICODirectory(data.span).best else {
      throw .corrupt(.ico, stage: ICODirectory.stage, reason: "no pictures")
    }
    return entry
  }

  private func read(
    _ header: BMPHeader, _ content: Span<UInt8>, to canvas: PixelCanvas, _ context: DecodingContext
  ) throws(DecodingError) {
    let usesAlpha = header.bitsPerPixel == 32 && header.hasAlphaValues(content)
    let rows = BMPRows(header, masks: usesAlpha ? .eightBitsWithAlpha : nil)
    for y in 0..<header.size.height {
      if y % Self.rowsPerCheckpoint == 0 { try context.checkpoint() }
      guard !rows.read(y, content, to: canvas) else { continue }
      guard context.allowsTruncation else { throw .truncated(.ico, stage: Self.imageStage) }
      canvas.fill(y..<y + 1, with: 0)
    }
    if !usesAlpha { applyMask(header, content, bytesPerRow: rows.bytesPerRow, to: canvas) }
  }

  /// The mask stands behind the colours, from the bottom up, a bit a pixel: 1 hides.
  private func applyMask(
    _ header: BMPHeader, _ content: Span<UInt8>, bytesPerRow: Int, to canvas: PixelCanvas
  ) {
    let size = header.size
    let start = header.pixelOffset + bytesPerRow * size.height
    let maskBytesPerRow = (size.width + 31) / 32 * 4
    for y in 0..<size.height {
      let row = start + (size.height - 1 - y) * maskBytesPerRow
      for x in 0..<size.width {
        guard let byte = content.byte(at: row + x / 8) else { break }
        if byte >> UInt8(7 - x % 8) & 1 == 1 { canvas[x, y] = 0 }
      }
    }
  }
}

extension BMPHeader {
  /// Whether some pixel of 32 bits has a fourth byte: icons from before there was alpha have none, and their
  /// mask counts.
  fileprivate func hasAlphaValues(_ content: Span<UInt8>) -> Bool {
    let end = min(content.count, pixelOffset + size.width * 4 * size.height)
    return stride(from: pixelOffset + 3, to: max(end, pixelOffset + 3), by: 4).contains { content[$0] != 0 }
  }
}

extension Data {
  /// A part of a file, without a copy; positions count from the start whatever the indices are.
  fileprivate func slice(_ range: Range<Int>) -> Data {
    self[startIndex + range.lowerBound..<startIndex + range.upperBound]
  }
}
