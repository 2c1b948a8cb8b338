import OzuBase

/// A rectangle of whole pixels.
public struct PixelRectangle: Hashable, Sendable, Codable {
  /// The left edge.
  public var x: Int
  /// The top edge.
  public var y: Int
  /// The width and the height.
  public var size: PixelSize

  /// Makes a rectangle from its top left corner and its size.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    size = PixelSize(width, height)
  }

  /// The rectangle of a whole picture.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// The part that lies inside a picture of `size`; empty if there is none.
  func clamped(to size: PixelSize) -> PixelRectangle {
    let left = min(max(x, 0), size.width)
    let top = min(max(y, 0), size.height)
    // Saturating, so that a huge width cannot overflow.
    let right = min(max(x.saturatingSum(self.size.width), left), size.width)
    let bottom = min(max(y.saturatingSum(self.size.height), top), size.height)
    return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension PixelRectangle {
  /// The part that lies inside a picture of `size`, or else the nearest pixel of the picture.
  ///
  /// - Precondition: `size` is not empty.
  func nearest(in size: PixelSize) -> PixelRectangle {
    let part = clamped(to: size)
    if !part.size.isEmpty { return part }
    return PixelRectangle(
      x: min(part.x, size.width - 1), y: min(part.y, size.height - 1), width: max(1, part.size.width),
      height: max(1, part.size.height))
  }

  /// The smallest rectangle around this one and another one. Both lie inside a picture.
  package func united(with other: PixelRectangle) -> PixelRectangle {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return PixelRectangle(
      x: left, y: top, width: max(x + size.width, other.x + other.size.width) - left,
      height: max(y + size.height, other.y + other.size.height) - top)
  }

  /// Whether any part lies inside a picture of `size`.
  func overlaps(_ size: PixelSize) -> Bool { !clamped(to: size).size.isEmpty }
}

/// A place in a picture: for crops, watermarks and padding.
public enum ImageAnchor: String, Hashable, Sendable, Codable, CaseIterable {
  /// The middle.
  case center
  /// The middle of the top edge.
  case top
  /// The middle of the bottom edge.
  case bottom
  /// The middle of the left edge.
  case left
  /// The middle of the right edge.
  case right
  /// A corner.
  case topLeft
  /// A corner.
  case topRight
  /// A corner.
  case bottomLeft
  /// A corner.
  case bottomRight

  /// The top left corner of a rectangle of `inner` size at this place of one of `outer` size.
  package func origin(of inner: PixelSize, in outer: PixelSize) -> (x: Int, y: Int) {
    let free = PixelSize(outer.width - inner.width, outer.height - inner.height)
    let x =
      switch self {
      case .left, .topLeft, .bottomLeft: 0
      case .right, .topRight, .bottomRight: free.width
      case .center, .top, .bottom: free.width / 2
      }
    let y =
      switch self {
      case .top, .topLeft, .topRight: 0
      case .bottom, .bottomLeft, .bottomRight: free.height
      case .center, .left, .right: free.height / 2
      }
    return (x, y)
  }
}
