import OzuBase
import OzuImaging

/// Crops a part of a given size, at an anchor or around a point.
struct GravityCrop: ImageProcessing, Hashable {
  private let size: PixelSize
  private let gravity: ImageOptions.Gravity
  private let reached: ReachedDensity?

  /// - Parameters:
  ///   - size: the size of the part; 0 for the whole side.
  ///   - reached: for the crop after a resize: what the offsets of the gravity are scaled by. A picture smaller than the
  ///     size is then cropped to the largest part with the same proportions. `nil` for a crop in pixels of the source,
  ///     which only crops where the source is larger.
  init(_ size: PixelSize, _ gravity: ImageOptions.Gravity, _ reached: ReachedDensity? = nil) {
    self.size = size
    self.gravity = gravity
    self.reached = reached
  }

  var identifier: String { "gravity-crop(\(size),\(gravity),\(reached.map { $0.identifier } ?? "-"))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let whole = bitmap.size
    var part = PixelSize(
      size.width == 0 ? whole.width : min(size.width, whole.width),
      size.height == 0 ? whole.height : min(size.height, whole.height))
    let scale = reached?.value(for: whole) ?? 1
    if reached != nil, part != size {
      let share = min(Double(whole.width) / Double(size.width), Double(whole.height) / Double(size.height))
      part = PixelSize(
        min(
          whole.width, max(1, Int(clamping: Double(size.width) * share, rounded: .toNearestOrAwayFromZero))),
        min(
          whole.height, max(1, Int(clamping: Double(size.height) * share, rounded: .toNearestOrAwayFromZero)))
      )
    }
    let rectangle = PixelRectangle(
      x: Self.origin(of: part.width, in: whole.width, horizontal(scale)),
      y: Self.origin(of: part.height, in: whole.height, vertical(scale)),
      width: part.width, height: part.height)
    return try Crop(.rectangle(rectangle)).process(bitmap, context: context)
  }

  /// The position of the part along an axis.
  private enum AxisPosition {
    case beginning(Int), middle(Int), end(Int)
    case point(Double)
  }

  private static func origin(of part: Int, in whole: Int, _ position: AxisPosition) -> Int {
    let free = whole - part
    let origin =
      switch position {
      case .beginning(let offset): offset
      case .middle(let offset): (free / 2).saturatingSum(offset)
      case .end(let offset): free.saturatingDifference(offset)
      case .point(let fraction):
        Int(clamping: Double(whole) * fraction - Double(part) / 2, rounded: .toNearestOrAwayFromZero)
      }
    return min(max(0, origin), free)
  }

  private func horizontal(_ scale: Double) -> AxisPosition {
    switch gravity.scaled(by: scale) {
    case .anchor(.left, let x, _), .anchor(.topLeft, let x, _), .anchor(.bottomLeft, let x, _): .beginning(x)
    case .anchor(.right, let x, _), .anchor(.topRight, let x, _), .anchor(.bottomRight, let x, _): .end(x)
    case .anchor(_, let x, _): .middle(x)
    case .point(let x, _): .point(x)
    case .attention: .middle(0)
    }
  }

  private func vertical(_ scale: Double) -> AxisPosition {
    switch gravity.scaled(by: scale) {
    case .anchor(.top, _, let y), .anchor(.topLeft, _, let y), .anchor(.topRight, _, let y): .beginning(y)
    case .anchor(.bottom, _, let y), .anchor(.bottomLeft, _, let y), .anchor(.bottomRight, _, let y): .end(y)
    case .anchor(_, _, let y): .middle(y)
    case .point(_, let y): .point(y)
    case .attention: .middle(0)
    }
  }
}

extension ImageOptions.Gravity {
  /// The same with its offsets in pixels of a result.
  fileprivate func scaled(by scale: Double) -> Self {
    guard case .anchor(let anchor, let x, let y) = self else { return self }
    return .anchor(anchor, x: x.scaled(by: scale), y: y.scaled(by: scale))
  }
}

extension Int {
  fileprivate func scaled(by scale: Double) -> Int {
    Int(clamping: Double(self) * scale, rounded: .toNearestOrAwayFromZero)
  }
}

/// The pixels for each point that a result has: those that the address asks for, or fewer if the source is too small
/// and may not be enlarged. Offsets, margins and extensions are scaled by them, so that the picture looks the same at
/// every density.
struct ReachedDensity: Hashable {
  let wanted: Double
  /// The size that the address asks for at a density of 1; 0 for a side that it leaves open.
  let points: PixelSize
  /// Whether the resized picture covers the size; otherwise it is inside of it.
  let covers: Bool
  let enlarges: Bool

  var identifier: String { "\(wanted),\(points),\(covers),\(enlarges)" }

  /// The density without a size to reach.
  var withoutSize: Double { enlarges ? wanted : min(wanted, 1) }

  /// The density of a resized picture.
  func value(for size: PixelSize) -> Double {
    let sides: [(own: Int, wanted: Int)] = [(size.width, points.width), (size.height, points.height)]
    let shares = sides.filter { $0.wanted > 0 }.map { Double($0.own) / Double($0.wanted) }
    guard let share = covers ? shares.min() : shares.max() else { return withoutSize }
    return enlarges ? wanted : min(wanted, max(1, share))
  }
}

/// Scales a picture by a factor, for an address with a density and no size.
struct Rescale: ImageProcessing, Hashable {
  private let factor: Double
  private let largestSide: Int

  init(by factor: Double, largestSide: Int) {
    self.factor = factor
    self.largestSide = largestSide
  }

  var identifier: String { "rescale(\(factor),\(largestSide))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let size = PixelSize(
      min(largestSide, max(1, bitmap.size.width.scaled(by: factor))),
      min(largestSide, max(1, bitmap.size.height.scaled(by: factor))))
    return try Resize(size, mode: .aspectFit, allowsUpscaling: true).process(bitmap, context: context)
  }
}

/// Gives a picture that is smaller than a forced size the proportions of that size, as the source may not be enlarged.
struct ForcedProportions: ImageProcessing, Hashable {
  private let size: PixelSize

  init(_ size: PixelSize) { self.size = size }

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

/// Fills the rest of the size around a picture.
struct Extension: ImageProcessing, Hashable {
  private let reached: ReachedDensity
  private let surround: Surround

  init(_ reached: ReachedDensity, _ surround: Surround) {
    self.reached = reached
    self.surround = surround
  }

  var identifier: String { "extension(\(reached.identifier),\(surround.identifier))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let scale = reached.value(for: bitmap.size)
    // A side that the address leaves open is that of the picture.
    let size = PixelSize(
      reached.points.width.scaled(by: scale), reached.points.height.scaled(by: scale))
    return try Pad(to: size, color: surround.color(for: bitmap)).process(bitmap, context: context)
  }
}

/// Adds a margin around a picture.
struct Padding: ImageProcessing, Hashable {
  /// Top, right, bottom, left, in points.
  private let sides: [Int]
  private let reached: ReachedDensity
  private let surround: Surround

  init(_ sides: [Int], _ reached: ReachedDensity, _ surround: Surround) {
    self.sides = sides
    self.reached = reached
    self.surround = surround
  }

  var identifier: String { "padding(\(sides),\(reached.identifier),\(surround.identifier))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let scale = reached.value(for: bitmap.size)
    let sides = sides.map { $0.scaled(by: scale) }
    let color = surround.color(for: bitmap)
    let inner = PixelSize(
      bitmap.size.width.saturatingSum(sides[3]), bitmap.size.height.saturatingSum(sides[0]))
    let shifted = try Pad(to: inner, color: color, anchor: .bottomRight).process(bitmap, context: context)
    let outer = PixelSize(inner.width.saturatingSum(sides[1]), inner.height.saturatingSum(sides[2]))
    return try Pad(to: outer, color: color, anchor: .topLeft).process(shifted, context: context)
  }
}

/// Draws a colour behind transparent pixels.
struct Backdrop: ImageProcessing, Hashable {
  let color: ColorValue

  var identifier: String { "backdrop(\(color))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    if bitmap.isOpaque { return bitmap }
    return bitmap.map(isOpaque: true, pool: context.pool) { pixel in
      let rest = UInt32(255 - pixel.alpha)
      // Premultiplied values: the pixel, plus the colour in the remaining part.
      func over(_ value: UInt8, _ behind: UInt8) -> UInt8 {
        UInt8(min(255, UInt32(value) + (UInt32(behind) * rest + 127) / 255))
      }
      return Pixel(
        red: over(pixel.red, color.red), green: over(pixel.green, color.green),
        blue: over(pixel.blue, color.blue))
    }
  }
}
