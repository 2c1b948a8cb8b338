import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes Windows icons and cursors: the largest picture in the file, either a bitmap with a mask or a PNG.
public struct ICODecoder: ImageDecoding {
  private let alpha: Alpha
  private let png: (any ImageDecoding)?

  /// Makes a decoder.
  ///
  /// - Parameter png: decodes pictures that are PNG; without it they throw `unsupportedType`.
  public init(png: (any ImageDecoding)? = nil) {
    self.init(alpha: .premultiplied, png: png)
  }

  package init(alpha: Alpha, png: (any ImageDecoding)?) {
    self.alpha = alpha
    self.png = png
  }

  /// ICO, and CUR, which only adds the position of the hot spot.
  public var types: [ImageType] { [.ico] }

  /// Opens a file: reads the directory and the header of the largest picture.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` for a PNG without a decoder for it.
  /// - Complexity: O(pictures), 256 at most.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    do throws(ImageDecodingError) { return try openBest(data, limits) } catch {
      throw error.named(.ico, part: "picture")
    }
  }

  private func openBest(_ data: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    guard let entry = try ICODirectory(data.span).best else {
      throw .corrupt(.ico, stage: ICODirectory.stage, reason: "no pictures")
    }
    let content = data.slice(entry.range)
    guard entry.isPNG else {
      return IconFile(content, try BMPHeader(content.span, in: entry.container), alpha: alpha)
    }
    guard let png else {
      throw .unsupportedType(.ico, reason: "its picture is a PNG, and there is no decoder for PNG here")
    }
    return EnclosedFile(try png.open(content, limits: limits), as: .ico)
  }
}

/// An icon whose picture is a bitmap with a mask.
private final class IconFile: ImageFile {
  private static let imageStage = "pixels"
  private static let rowsPerCheckpoint = 64
  private static let runLengths = "its pixels are run-length coded"

  /// The bytes of the picture.
  private let content: Data
  private let details: BMPHeader
  private let alpha: Alpha
  let header: ImageHeader

  init(_ content: Data, _ details: BMPHeader, alpha: Alpha) {
    self.content = content
    self.details = details
    self.alpha = alpha
    var header = details.imageHeader(type: .ico, of: content.span)
    header.hasAlpha = true
    if details.compression != .none { header.noteUnread(Self.runLengths) }
    self.header = header
  }

  /// Decodes the picture.
  ///
  /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the colours do, unless the context allows it. A
  ///   missing mask hides nothing.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    guard details.compression == .none else {
      throw .unsupportedType(.ico, reason: Self.runLengths)
    }
    try context.limits.checkDecodedByteCount(details.size.byteCount(as: .bgra8))
    return try Bitmap(size: details.size, isOpaque: false, pool: context.pool) {
      (pixels, bytesPerRow) throws(ImageDecodingError) in
      let canvas = PixelCanvas(pixels, bytesPerRow: bytesPerRow, size: details.size)
      // Bounds-checked.
      try read(details, content.span, to: canvas, context)
      if alpha == .premultiplied { canvas.premultiply() }
    }
  }

  private func read(
    _ header: BMPHeader, _ content: Span<UInt8>, to canvas: PixelCanvas, _ context: DecodingContext
  ) throws(ImageDecodingError) {
    let usesAlpha =
      header.bitsPerPixel == 32 && BMPRows(header, masks: .eightBitsWithAlpha).hasAlphaValues(content)
    // Icons from before alpha was supported have the mask instead.
    let rows = BMPRows(header, masks: usesAlpha ? .eightBitsWithAlpha : nil)
    for y in 0..<header.size.height {
      if y % Self.rowsPerCheckpoint == 0 { try context.checkpoint() }
      guard !rows.read(y, content, to: canvas) else { continue }
      try context.acceptTruncation(of: .ico, stage: Self.imageStage)
      canvas.fill(y..<y + 1, with: 0)
    }
    if !usesAlpha { applyMask(header, content, bytesPerRow: rows.bytesPerRow, to: canvas) }
  }

  /// The mask follows the colours, from the bottom up, one bit for each pixel: 1 hides the pixel.
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

extension Data {
  /// A part of a file, without a copy; positions count from the start, whatever the indices of the data are.
  fileprivate func slice(_ range: Range<Int>) -> Data {
    self[startIndex + range.lowerBound..<startIndex + range.upperBound]
  }
}
