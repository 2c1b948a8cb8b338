/// A width and a height in whole pixels.
///
/// The only type for sizes in Ozu: sources, targets, bitmaps and limits use it.
public struct PixelSize: Hashable, Sendable, Codable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Makes a size from a width and a height in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Makes a size from a width and a height in pixels. The short form is for this package alone: a reader cannot see
  /// which number is the width.
  package init(_ width: Int, _ height: Int) {
    self.init(width: width, height: height)
  }

  /// Whether a side is zero or negative: nothing can be drawn at such a size.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The number of pixels, or `Int.max` if the product overflows.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The bytes of all pixels without padding, or `Int.max` if the product overflows.
  public func byteCount(as format: PixelFormat) -> Int {
    let (product, overflow) = pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
    return overflow ? .max : product
  }

  /// The bytes of a bitmap of this size with padded rows, or `Int.max` if the number overflows.
  package func bitmapByteCount(as format: PixelFormat) -> Int {
    guard 0...Int.max / 2 / format.bytesPerPixel ~= width else { return width < 0 ? 0 : .max }
    let bytesPerRow = Bitmap.bytesPerRow(width: width, format: format)
    let (product, overflow) = bytesPerRow.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The same size with width and height exchanged, as after a quarter turn.
  public var transposed: PixelSize { PixelSize(height, width) }
}

extension PixelSize: CustomStringConvertible {
  /// `320x240`.
  public var description: String { "\(width)x\(height)" }
}
