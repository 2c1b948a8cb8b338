import OzuBase
import OzuImaging

/// Brings a picture to a size that depends on its own: for `auto`, for least sides, for a forced side beside an open one, and
/// for two factors of zoom.
///
/// The picture comes reduced to what covers the size, if it was larger.
struct Fitting: ImageProcessing, Hashable {
  let resizing: ImageOptions.Resizing
  /// The size at a density of 1; 0 for an open side.
  let size: PixelSize
  let zoomX: Double
  let zoomY: Double
  /// The least sides at a density of 1; 0 for none.
  let least: PixelSize
  let density: Double
  let enlarges: Bool
  /// Whether an extension follows, which makes up for what a small source lacks.
  let extends: Bool
  let largestSide: Int
  let gravity: ImageOptions.Gravity
  let reached: ReachedDensity

  var identifier: String {
    "fitting(\(resizing),\(size),\(zoomX),\(zoomY),\(least),\(density),\(enlarges),\(extends),\(largestSide),"
      + "\(gravity),\(reached.identifier))"
  }

  /// What a picture is reduced to before this step, in pixels; `nil` where the step needs all of it.
  var cover: PixelSize? {
    guard size.width > 0 || size.height > 0, resizing != .force else { return nil }
    // A picture below its size in points would look like a source that is too small for it.
    let density = max(1, density)
    // The side with the smaller zoom is stretched to it from what the larger zoom needs.
    let zoom = max(zoomX, zoomY) * density
    return PixelSize(
      min(largestSide, max(1, size.width.scaled(by: zoom), least.width.scaled(by: density))),
      min(largestSide, max(1, size.height.scaled(by: zoom), least.height.scaled(by: density))))
  }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let own = bitmap.size
    let (x, y, density) = scales(of: own)
    let target = PixelSize(
      min(largestSide, max(1, own.width.scaled(by: x))), min(largestSide, max(1, own.height.scaled(by: y))))
    let resized =
      target == own
      ? bitmap : try Resize(target, mode: .fill, allowsUpscaling: true).process(bitmap, context: context)
    // A picture that a least side makes larger than the size is cut to it, whatever the kind of resize.
    let box = PixelSize(size.width.scaled(by: zoomX * density), size.height.scaled(by: zoomY * density))
    let keepsProportions = resizing == .fillDown && size.width > 0 && size.height > 0
    return try GravityCrop(
      width: Double(box.width), height: Double(box.height), gravity: gravity, reached: reached,
      keepsProportions: keepsProportions
    ).process(resized, context: context)
  }

  private func covers(_ own: PixelSize) -> Bool {
    guard resizing == .auto else { return resizing != .fit }
    let (width, height) = (
      size.width > 0 ? size.width : own.width, size.height > 0 ? size.height : own.height
    )
    return (own.width >= own.height) == (width >= height)
  }

  /// The factors of both sides, and the density that the picture reaches.
  private func scales(of own: PixelSize) -> (x: Double, y: Double, density: Double) {
    var x = size.width > 0 ? Double(size.width) / Double(own.width) : 1
    var y = size.height > 0 ? Double(size.height) / Double(own.height) : 1
    if resizing != .force {
      if size.width == 0 {
        x = y
      } else if size.height == 0 {
        y = x
      } else {
        x = covers(own) ? max(x, y) : min(x, y)
        y = x
      }
    }
    x *= zoomX
    y *= zoomY
    var density = density
    if !enlarges {
      let largest = max(x, y)
      if largest > 1 {
        x /= largest
        y /= largest
        if !extends { density *= largest }
      }
      density = min(density, 1 / max(x, y))
    }
    let narrow = max(1, Double(least.width) / Double(own.width) / x)
    (x, y) = (x * narrow, y * narrow)
    let low = max(1, Double(least.height) / Double(own.height) / y)
    (x, y) = (x * low, y * low)
    return (x * density, y * density, density)
  }
}
