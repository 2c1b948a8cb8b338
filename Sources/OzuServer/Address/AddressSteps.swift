import OzuImaging
import OzuRecords

/// Crops a part of a given size, at an anchor or around a point.
struct GravityCrop: ImageProcessing, Hashable {
  private let size: PixelSize
  private let gravity: ImageOptions.Gravity
  private let keepsProportions: Bool

  /// - Parameters:
  ///   - size: the size of the part; 0 for the whole side.
  ///   - keepsProportions: whether a picture smaller than the size is cropped to the largest part with the same
  ///     proportions. If not, it is only cropped where it is larger.
  init(_ size: PixelSize, _ gravity: ImageOptions.Gravity, keepsProportions: Bool = false) {
    self.size = size
    self.gravity = gravity
    self.keepsProportions = keepsProportions
  }

  var identifier: String { "gravity-crop(\(size),\(gravity),\(keepsProportions))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let whole = bitmap.size
    var part = PixelSize(
      size.width == 0 ? whole.width : min(size.width, whole.width),
      size.height == 0 ? whole.height : min(size.height, whole.height))
    if keepsProportions, part != size {
      let scale = min(Double(whole.width) / Double(size.width), Double(whole.height) / Double(size.height))
      part = PixelSize(
        min(
          whole.width, max(1, Int(clamping: Double(size.width) * scale, rounded: .toNearestOrAwayFromZero))),
        min(
          whole.height, max(1, Int(clamping: Double(size.height) * scale, rounded: .toNearestOrAwayFromZero)))
      )
    }
    let rectangle = PixelRectangle(
      x: Self.origin(of: part.width, in: whole.width, horizontal),
      y: Self.origin(of: part.height, in: whole.height, vertical),
      width: part.width, height: part.height)
    return try Crop(.rectangle(rectangle)).process(bitmap, context: context)
  }

  /// The position of the part along an axis.
  private enum Place {
    case beginning(Int), middle(Int), end(Int)
    case point(Double)
  }

  private static func origin(of part: Int, in whole: Int, _ place: Place) -> Int {
    let free = whole - part
    let origin =
      switch place {
      case .beginning(let offset): offset
      case .middle(let offset): (free / 2).saturatingSum(offset)
      case .end(let offset): free.saturatingDifference(offset)
      case .point(let fraction):
        Int(clamping: Double(whole) * fraction - Double(part) / 2, rounded: .toNearestOrAwayFromZero)
      }
    return min(max(0, origin), free)
  }

  private var horizontal: Place {
    switch gravity {
    case .anchor(.left, let x, _), .anchor(.topLeft, let x, _), .anchor(.bottomLeft, let x, _): .beginning(x)
    case .anchor(.right, let x, _), .anchor(.topRight, let x, _), .anchor(.bottomRight, let x, _): .end(x)
    case .anchor(_, let x, _): .middle(x)
    case .point(let x, _): .point(x)
    case .attention: .middle(0)
    }
  }

  private var vertical: Place {
    switch gravity {
    case .anchor(.top, _, let y), .anchor(.topLeft, _, let y), .anchor(.topRight, _, let y): .beginning(y)
    case .anchor(.bottom, _, let y), .anchor(.bottomLeft, _, let y), .anchor(.bottomRight, _, let y): .end(y)
    case .anchor(_, _, let y): .middle(y)
    case .point(_, let y): .point(y)
    case .attention: .middle(0)
    }
  }
}

/// Adds a margin around a picture.
struct Padding: ImageProcessing, Hashable {
  /// Top, right, bottom, left.
  private let sides: [Int]
  private let color: ColorValue

  init(_ sides: [Int], _ color: ColorValue) {
    self.sides = sides
    self.color = color
  }

  var identifier: String { "padding(\(sides),\(color))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
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
