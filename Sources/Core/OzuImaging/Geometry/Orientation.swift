/// How a stored picture is turned and mirrored to be upright: the eight values of the EXIF tag `Orientation`
/// (0x0112, CIPA DC-008 §4.6.5), named for the upright side where the stored top row belongs.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Upside down.
  case down = 3
  /// Upside down and mirrored.
  case downMirrored = 4
  /// Mirrored along the diagonal from top left.
  case leftMirrored = 5
  /// Stored a quarter turn anticlockwise: it is turned clockwise to be upright.
  case right = 6
  /// Mirrored along the diagonal from top right.
  case rightMirrored = 7
  /// Stored a quarter turn clockwise: it is turned anticlockwise to be upright.
  case left = 8

  /// Whether width and height change places.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// The size of the upright picture for a stored size, and the stored size for an upright one.
  public func applied(to size: PixelSize) -> PixelSize {
    swapsAxes ? size.transposed : size
  }

  /// The stored position of (`x`, `y`) in the upright picture. Positions are edges, not pixel centres: they go from
  /// 0 to the width or height.
  func storedPosition(x: Double, y: Double, stored: PixelSize) -> (x: Double, y: Double) {
    let width = Double(stored.width)
    let height = Double(stored.height)
    return switch self {
    case .up: (x, y)
    case .upMirrored: (width - x, y)
    case .down: (width - x, height - y)
    case .downMirrored: (x, height - y)
    case .leftMirrored: (y, x)
    case .right: (y, height - x)
    case .rightMirrored: (width - y, height - x)
    case .left: (width - y, x)
    }
  }

  /// The region of the stored picture that is `region` in the upright one.
  ///
  /// - Parameter stored: the size of the stored picture.
  public func storedRegion(_ region: PixelRegion, stored: PixelSize) -> PixelRegion {
    let a = storedPosition(x: region.x, y: region.y, stored: stored)
    let b = storedPosition(x: region.x + region.width, y: region.y + region.height, stored: stored)
    return PixelRegion(
      x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
  }
}
