/// The print resolution of a picture: how many pixels make an inch of paper.
public struct ImageResolution: Hashable, Sendable {
  /// Dots per inch from left to right.
  public var horizontal: Double
  /// Dots per inch from top to bottom.
  public var vertical: Double

  /// Makes a resolution, in dots per inch.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// Makes a resolution that is the same on both sides, in dots per inch.
  public init(dotsPerInch: Double) {
    self.init(horizontal: dotsPerInch, vertical: dotsPerInch)
  }

  /// The resolution, or `nil` if no format can store it: not a number, below a hundredth or above 65,535 dots per
  /// inch.
  public var valid: ImageResolution? {
    let range = 0.01...65_535
    return range.contains(horizontal) && range.contains(vertical) ? self : nil
  }
}
