import OzuBase
import OzuImaging

/// Crops a part of a given size, at an anchor, around a point, or where attention falls.
struct GravityCrop: ImageProcessing, Hashable {
  /// The sides of the part in pixels, or below 1 as a fraction; 0 for the whole side.
  let width: Double
  let height: Double
  let gravity: ImageOptions.Gravity
  /// What the offsets of the gravity are scaled by; `nil` for pixels of the source.
  var reached: ReachedDensity?
  /// Whether a picture smaller than the size is cropped to the largest part with the same proportions.
  var keepsProportions = false
  /// The size below which a picture is cut side by side all the same (`Resize.sidesOfSmall`); `nil` for none.
  var sidesOfSmall: PixelSize?

  var identifier: String {
    "gravity-crop(\(width)x\(height),\(gravity),\(reached.map { $0.identifier } ?? "-"),\(keepsProportions)"
      + (sidesOfSmall.map { ",\($0)" } ?? "") + ")"
  }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let whole = bitmap.size
    var part = PixelSize(Self.side(width, of: whole.width), Self.side(height, of: whole.height))
    let scale = reached?.value(for: whole) ?? 1
    let isSmall = width > Double(whole.width) || height > Double(whole.height)
    if isSmall, let sides = sidesOfSmall, sides.width > whole.width || sides.height > whole.height {
      part = PixelSize(min(sides.width, whole.width), min(sides.height, whole.height))
    } else if isSmall, keepsProportions {
      let share = min(Double(whole.width) / width, Double(whole.height) / height)
      part = PixelSize(
        Self.side(max(1, width * share), of: whole.width), Self.side(max(1, height * share), of: whole.height)
      )
    }
    guard part != whole else { return bitmap }
    if gravity == .attention {
      return try Crop(.rectangle(Crop.attentionRectangle(of: part, in: bitmap, context)))
        .process(bitmap, context: context)
    }
    let corner = gravity.corner(of: part, in: whole, scale: scale)
    let rectangle = PixelRectangle(x: corner.x, y: corner.y, width: part.width, height: part.height)
    return try Crop(.rectangle(rectangle)).process(bitmap, context: context)
  }

  private static func side(_ length: Double, of whole: Int) -> Int {
    if length == 0 { return whole }
    let pixels = length < 1 ? Double(whole) * length : length
    return min(whole, max(1, Int(clamping: pixels, rounded: .toNearestOrAwayFromZero)))
  }
}

extension ImageOptions.Gravity {
  /// The corner of a part in a whole that is at least as large, for a crop or an extension.
  ///
  /// - Parameter scale: the pixels for each pixel of an offset.
  func corner(of part: PixelSize, in whole: PixelSize, scale: Double) -> (x: Int, y: Int) {
    func middle(_ fraction: Double, _ part: Int, _ whole: Int) -> Int {
      Int(clamping: Double(whole) * fraction - Double(part) / 2, rounded: .toNearestOrAwayFromZero)
    }
    let corner: (x: Int, y: Int) =
      switch self {
      case .anchor(let anchor, let x, let y):
        anchor.origin(
          of: part, in: whole, x: x.offset(in: whole.width, scale), y: y.offset(in: whole.height, scale))
      case .point(let x, let y): (middle(x, part.width, whole.width), middle(y, part.height, whole.height))
      case .attention: ImageAnchor.center.origin(of: part, in: whole)
      }
    return (
      min(max(0, corner.x), whole.width - part.width), min(max(0, corner.y), whole.height - part.height)
    )
  }
}

extension ImageAnchor {
  /// The corner of a part in a whole, with an offset away from the edge that it is at.
  func origin(of part: PixelSize, in whole: PixelSize, x: Int, y: Int) -> (x: Int, y: Int) {
    let corner = origin(of: part, in: whole)
    let isRight = [.right, .topRight, .bottomRight].contains(self)
    let isBottom = [.bottom, .bottomLeft, .bottomRight].contains(self)
    return (
      isRight ? corner.x.saturatingDifference(x) : corner.x.saturatingSum(x),
      isBottom ? corner.y.saturatingDifference(y) : corner.y.saturatingSum(y)
    )
  }
}

extension Double {
  /// The pixels of an offset. Below 1 it is a fraction of the whole.
  func offset(in whole: Int, _ scale: Double) -> Int {
    Int(clamping: abs(self) < 1 ? self * Double(whole) : self * scale, rounded: .toNearestOrAwayFromZero)
  }
}

extension Int {
  func scaled(by scale: Double) -> Int {
    Int(clamping: Double(self) * scale, rounded: .toNearestOrAwayFromZero)
  }
}

/// The pixels for each point that a result has: those that the address asks for, or fewer if the source is too small
/// and may not be enlarged. Offsets, margins and extensions are scaled by them, so that the picture looks the same at
/// every density.
struct ReachedDensity: Hashable {
  let wanted: Double
  /// The size that the address asks for at a density of 1; 0 for a side that it leaves open.
  var points: PixelSize
  /// Whether the resized picture covers the size; otherwise it is inside of it.
  let covers: Bool
  let enlarges: Bool
  let zoom: Double

  var identifier: String { "\(wanted),\(points),\(covers),\(enlarges)" + (zoom == 1 ? "" : ",\(zoom)") }

  /// The density without a size to reach. A result has no more pixels than its source: a zoom below 1 leaves room for a density
  /// above 1, and a zoom above 1 makes up for a density below 1.
  var withoutSize: Double { enlarges ? wanted : min(wanted * max(1, zoom), max(1, 1 / zoom)) }

  func value(for size: PixelSize) -> Double {
    let sides: [(own: Int, wanted: Int)] = [(size.width, points.width), (size.height, points.height)]
    let shares = sides.filter { $0.wanted > 0 }.map { Double($0.own) / Double($0.wanted) }
    guard let share = covers ? shares.min() : shares.max() else { return withoutSize }
    return enlarges ? wanted : min(wanted, max(1, share))
  }

  /// The same for a picture that has its margins by now, which are no part of the size.
  ///
  /// - Parameter margins: top, right, bottom, left, in points.
  func around(_ margins: [Int]) -> ReachedDensity {
    var reached = self
    if points.width > 0 { reached.points.width = points.width.saturatingSum(margins[1] + margins[3]) }
    if points.height > 0 { reached.points.height = points.height.saturatingSum(margins[0] + margins[2]) }
    return reached
  }
}

/// Scales a picture by factors, for an address with a density or a zoom and no size.
struct Rescale: ImageProcessing, Hashable {
  let x: Double
  let y: Double
  let largestSide: Int

  var identifier: String { "rescale(\(x),\(y),\(largestSide))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let size = PixelSize(
      min(largestSide, max(1, bitmap.size.width.scaled(by: x))),
      min(largestSide, max(1, bitmap.size.height.scaled(by: y))))
    return try Resize(size, mode: x == y ? .aspectFit : .fill, allowsUpscaling: true).process(
      bitmap, context: context)
  }
}

/// Gives a picture that is smaller than a forced size the proportions of that size, as the source may not be enlarged.
struct ForcedProportions: ImageProcessing, Hashable {
  let size: PixelSize

  var identifier: String { "forced-proportions(\(size))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let share = min(
      Double(bitmap.size.width) / Double(size.width), Double(bitmap.size.height) / Double(size.height))
    let part = PixelSize(max(1, size.width.scaled(by: share)), max(1, size.height.scaled(by: share)))
    guard part != bitmap.size else { return bitmap }
    return try Resize(part, mode: .fill).process(bitmap, context: context)
  }
}

/// The colour around a picture, or nothing.
struct Surround: Hashable {
  let color: ColorValue?
  /// Whether an opaque picture gets white instead of transparency, because its format may have none.
  let keepsOpaque: Bool

  var identifier: String { "\(color.map { "\($0)" } ?? "-"),\(keepsOpaque)" }

  func color(for bitmap: BGRABitmap) -> ColorValue {
    color ?? (keepsOpaque && bitmap.isOpaque ? ColorValue(red: 255, green: 255, blue: 255) : .clear)
  }
}

extension Surround {
  /// The colour around a picture that is at a corner of a larger canvas.
  func place(
    _ bitmap: BGRABitmap, x: Int, y: Int, in canvas: PixelSize, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let color = color(for: bitmap)
    let inner = PixelSize(bitmap.size.width.saturatingSum(x), bitmap.size.height.saturatingSum(y))
    let shifted = try Pad(to: inner, color: color, anchor: .bottomRight).process(bitmap, context: context)
    return try Pad(to: canvas, color: color, anchor: .topLeft).process(shifted, context: context)
  }
}

/// Fills the rest of the size, or of its proportions, around a picture.
struct Extension: ImageProcessing, Hashable {
  let reached: ReachedDensity
  let gravity: ImageOptions.Gravity
  let surround: Surround
  /// Whether only the proportions of the size are reached.
  var isProportions = false

  var identifier: String {
    "extension(\(reached.identifier),\(gravity),\(surround.identifier),\(isProportions))"
  }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let scale = reached.value(for: bitmap.size)
    let canvas = isProportions ? proportions(of: bitmap.size) : scaledSize(of: bitmap.size, scale)
    guard canvas != bitmap.size else { return bitmap }
    let corner = gravity.corner(of: bitmap.size, in: canvas, scale: scale)
    return try surround.place(bitmap, x: corner.x, y: corner.y, in: canvas, context: context)
  }

  /// A side that the address leaves open is that of the picture.
  private func scaledSize(of size: PixelSize, _ scale: Double) -> PixelSize {
    PixelSize(
      max(size.width, reached.points.width.scaled(by: scale)),
      max(size.height, reached.points.height.scaled(by: scale)))
  }

  private func proportions(of size: PixelSize) -> PixelSize {
    let (wanted, height) = (Double(reached.points.width), Double(reached.points.height))
    guard wanted > 0, height > 0 else { return size }
    return PixelSize(
      max(size.width, size.height.scaled(by: wanted / height)),
      max(size.height, size.width.scaled(by: height / wanted)))
  }
}

struct Padding: ImageProcessing, Hashable {
  /// Top, right, bottom, left, in points.
  let sides: [Int]
  let reached: ReachedDensity
  let surround: Surround

  var identifier: String { "padding(\(sides),\(reached.identifier),\(surround.identifier))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let scale = reached.value(for: bitmap.size)
    let sides = sides.map { $0.scaled(by: scale) }
    let canvas = PixelSize(
      bitmap.size.width.saturatingSum(sides[3]).saturatingSum(sides[1]),
      bitmap.size.height.saturatingSum(sides[0]).saturatingSum(sides[2]))
    return try surround.place(bitmap, x: sides[3], y: sides[0], in: canvas, context: context)
  }
}

/// Removes a border. Magenta stands for what is transparent, as in imgproxy.
struct BorderTrim: ImageProcessing, Hashable {
  private static let transparencyKey = ColorValue(red: 255, green: 0, blue: 255)

  let tolerance: UInt8
  let color: ColorValue?
  let evenAxes: Trim.Axes

  var identifier: String {
    (color == Self.transparencyKey ? "keyed-" : "")
      + Trim(tolerance: tolerance, color: color, evenAxes: evenAxes).identifier
  }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let isKeyed = color == Self.transparencyKey && !bitmap.isOpaque
    return try Trim(tolerance: tolerance, color: isKeyed ? .clear : color, evenAxes: evenAxes)
      .process(bitmap, context: context)
  }
}

/// Draws a colour behind transparent pixels.
struct Backdrop: ImageProcessing, Hashable {
  let color: ColorValue

  var identifier: String { "backdrop(\(color))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    if bitmap.isOpaque { return bitmap }
    let behind = Pixel(red: color.red, green: color.green, blue: color.blue)
    return bitmap.map(isOpaque: true, pool: context.pool) { $0.over(behind) }
  }
}
