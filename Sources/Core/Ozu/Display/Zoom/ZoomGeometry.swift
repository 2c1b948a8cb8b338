/// The geometry of a picture under a view that shows a part of it: the scale, and the positions of the edges.
///
/// A value of plain arithmetic, in pixels of the picture and pixels of the screen. The picture never leaves the view:
/// on a side on which it is smaller than the view it is centred, otherwise no edge of it comes inside the view. A
/// picture is fitted at first, and stays fitted when the view changes, until it is zoomed.
public struct ZoomGeometry: Hashable, Sendable {
  /// The size of the upright picture, in its pixels.
  public let pictureSize: PixelSize
  /// The size of the view, in pixels of the screen. Changed by `resize(to:)`.
  public private(set) var viewSize: PixelSize
  /// The number of screen pixels for a pixel of the picture, on each side.
  public private(set) var scale = 1.0
  /// The point of the picture that is in the middle of the view, in pixels of the picture.
  public private(set) var center: (x: Double, y: Double) {
    get { (centerX, centerY) }
    set { (centerX, centerY) = newValue }
  }
  private var centerX = 0.0
  private var centerY = 0.0
  /// Whether the picture is fitted to the view.
  public private(set) var isFitted = true

  /// The largest scale.
  public static let largestScale = 16.0

  /// Makes the geometry of a picture that is fitted to a view.
  ///
  /// - Precondition: the picture is not empty.
  public init(pictureSize: PixelSize, viewSize: PixelSize) {
    precondition(!pictureSize.isEmpty, "a picture has pixels")
    self.pictureSize = pictureSize
    self.viewSize = viewSize
    fit()
  }

  /// The scale at which the whole picture is visible; a picture smaller than the view is not enlarged.
  public var fittingScale: Double {
    let sides = PixelSize(max(1, viewSize.width), max(1, viewSize.height))
    return min(
      1, Double(sides.width) / Double(pictureSize.width), Double(sides.height) / Double(pictureSize.height))
  }

  /// Shows the whole picture.
  public mutating func fit() {
    scale = fittingScale
    isFitted = true
    center = (Double(pictureSize.width) / 2, Double(pictureSize.height) / 2)
  }

  /// Changes the size of the view; the middle stays in place.
  public mutating func resize(to size: PixelSize) {
    viewSize = size
    guard !isFitted else { return fit() }
    zoom(to: scale, at: viewCenter)
  }

  /// Sets the scale, between that of the whole picture and `largestScale`. The point of the picture under a point of
  /// the view stays there, as far as the edges of the picture allow it.
  public mutating func zoom(to scale: Double, at point: (x: Double, y: Double)) {
    guard scale.isFinite, point.x.isFinite, point.y.isFinite else { return }
    let held = picturePoint(at: point)
    self.scale = min(max(scale, fittingScale), max(Self.largestScale, fittingScale))
    isFitted = self.scale == fittingScale
    let middle = viewCenter
    center = (held.x - (point.x - middle.x) / self.scale, held.y - (point.y - middle.y) / self.scale)
    keepInside()
  }

  /// Multiplies the scale by a factor.
  public mutating func zoom(by factor: Double, at point: (x: Double, y: Double)) {
    zoom(to: scale * factor, at: point)
  }

  /// Shows a fitted picture at its own pixels, and any other picture fitted. For a double click.
  public mutating func toggle(at point: (x: Double, y: Double)) {
    if isFitted { zoom(to: max(1, 2 * fittingScale), at: point) } else { fit() }
  }

  /// Moves the picture under the view by pixels of the screen; positive numbers move it right and down.
  public mutating func move(by offset: (x: Double, y: Double)) {
    guard offset.x.isFinite, offset.y.isFinite else { return }
    center = (center.x - offset.x / scale, center.y - offset.y / scale)
    keepInside()
  }

  /// Whether the picture is wider than the view, so that it can be moved to the left and right.
  public var isWiderThanView: Bool { Double(pictureSize.width) * scale > Double(viewSize.width) + 0.5 }

  /// Whether the picture is higher than the view, so that it can be moved up and down.
  public var isHigherThanView: Bool { Double(pictureSize.height) * scale > Double(viewSize.height) + 0.5 }

  /// The middle of the view.
  public var viewCenter: (x: Double, y: Double) { (Double(viewSize.width) / 2, Double(viewSize.height) / 2) }

  /// The point of the picture under a point of the view.
  public func picturePoint(at point: (x: Double, y: Double)) -> (x: Double, y: Double) {
    let middle = viewCenter
    return (center.x + (point.x - middle.x) / scale, center.y + (point.y - middle.y) / scale)
  }

  /// The position of a part of the picture in the view, in pixels of the screen.
  public func place(of part: PixelRegion) -> PixelRegion {
    let middle = viewCenter
    return PixelRegion(
      x: (part.x - center.x) * scale + middle.x, y: (part.y - center.y) * scale + middle.y,
      width: part.width * scale, height: part.height * scale)
  }

  /// The visible part of the picture.
  public var visible: PixelRegion {
    let (left, top) = picturePoint(at: (0, 0))
    let (right, bottom) = picturePoint(at: (Double(viewSize.width), Double(viewSize.height)))
    let x = max(0, left)
    let y = max(0, top)
    return PixelRegion(
      x: x, y: y, width: max(0, min(right, Double(pictureSize.width)) - x),
      height: max(0, min(bottom, Double(pictureSize.height)) - y))
  }

  private mutating func keepInside() {
    func inside(_ middle: Double, _ side: Int, _ view: Int) -> Double {
      let half = Double(view) / 2 / scale
      guard Double(side) > 2 * half else { return Double(side) / 2 }
      return min(max(middle, half), Double(side) - half)
    }
    center = (
      inside(center.x, pictureSize.width, viewSize.width),
      inside(center.y, pictureSize.height, viewSize.height)
    )
  }
}
