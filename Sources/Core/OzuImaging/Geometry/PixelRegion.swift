/// A rectangle in pixel coordinates that need not be whole numbers.
///
/// A crop of a picture that is decoded at one eighth rarely begins and ends on a whole decoded pixel. With the
/// fractions the resampler reads exactly the requested area.
public struct PixelRegion: Hashable, Sendable {
  /// The left edge in pixels.
  public var x: Double
  /// The top edge in pixels.
  public var y: Double
  /// The width in pixels.
  public var width: Double
  /// The height in pixels.
  public var height: Double

  /// Makes a region from its top left corner and its extent, in pixels.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The region that covers all of a picture of `size`.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  /// The region of whole pixels.
  public init(_ rectangle: PixelRectangle) {
    self.init(
      x: Double(rectangle.x), y: Double(rectangle.y), width: Double(rectangle.size.width),
      height: Double(rectangle.size.height))
  }

  /// The region this far to the right and below.
  func moved(x: Double, y: Double) -> PixelRegion {
    PixelRegion(x: self.x + x, y: self.y + y, width: width, height: height)
  }

  /// The region in a picture that is `horizontal` times as wide and `vertical` times as high.
  public func scaled(horizontal: Double, vertical: Double) -> PixelRegion {
    PixelRegion(x: x * horizontal, y: y * vertical, width: width * horizontal, height: height * vertical)
  }
}
