import OzuBase

/// Rounds the corners, or cuts the picture to a circle, with an optional border along the edge.
///
/// Lengths are pixels of the picture, and points where a view asks (`ScaledProcessing`).
public struct RoundedCorners: ImageProcessing, Hashable {
  /// The shape.
  public enum Shape: Hashable, Sendable {
    /// Corners with a radius in pixels, at most half of the shorter side.
    case rectangle(radius: Double)
    /// The largest circle in the middle; the picture is first cropped to a square.
    case circle
  }

  /// A line along the edge.
  public struct Border: Hashable, Sendable, Codable {
    /// Its width in pixels.
    public let width: Double
    /// Its colour.
    public let color: ColorValue

    /// Makes a border.
    public init(width: Double, color: ColorValue) {
      self.width = width
      self.color = color
    }
  }

  /// The shape.
  public let shape: Shape
  /// The line along the edge, if any.
  public let border: Border?

  /// Makes the processor.
  public init(_ shape: Shape, border: Border? = nil) {
    self.shape = shape
    self.border = border
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    let line = border.map { ",\($0.width),\($0.color.identifier)" } ?? ""
    return switch shape {
    case .rectangle(let radius): "rounded(\(radius)\(line))"
    case .circle: "circle(\(line))"
    }
  }

  /// Rounds the corners. Edges are antialiased by the covered fraction of each pixel.
  ///
  /// - Throws: `invalidParameters` for a radius or a border that is negative or not finite.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let width = border?.width ?? 0
    guard width.isFinite, width >= 0 else {
      throw .invalidParameters(identifier, reason: "the width of the border must be zero or more")
    }
    var source = bitmap
    let radius: Double
    switch shape {
    case .rectangle(let asked):
      guard asked.isFinite, asked >= 0 else {
        throw .invalidParameters(identifier, reason: "the radius must be zero or more")
      }
      radius = min(asked, Double(min(bitmap.size.width, bitmap.size.height)) / 2)
    case .circle:
      source = try Crop(.proportions(PixelSize(1, 1), .center)).process(bitmap, context: context)
      radius = Double(source.size.width) / 2
    }
    guard radius > 0 || width > 0 else { return source }
    let edge = RoundedEdge(size: source.size, radius: radius)
    let line = border?.color.pixel
    return source.mapped(isOpaque: source.isOpaque && radius == 0, pool: context.pool) { pixel, x, y in
      let inside = edge.depth(x, y)
      let shown = min(1, max(0, inside + 0.5))
      var result = pixel
      if let line, width > 0, shown > 0, inside < width + 0.5 {
        // The part of what is shown of the pixel: a line may be thinner than a pixel.
        let share = (shown - max(0, inside + 0.5 - width)) / shown
        result = line.covered(by: UInt8((share * 255).rounded())).over(pixel)
      }
      return inside >= 0.5 ? result : result.covered(by: UInt8((shown * 255).rounded()))
    }
  }
}

/// The distance of a pixel's centre from the edge of a rounded rectangle, in pixels; positive inside, negative
/// outside.
private struct RoundedEdge {
  let halfWidth: Double
  let halfHeight: Double
  let radius: Double

  init(size: PixelSize, radius: Double) {
    halfWidth = Double(size.width) / 2
    halfHeight = Double(size.height) / 2
    self.radius = radius
  }

  @inline(__always)
  func depth(_ x: Int, _ y: Int) -> Double {
    // Distances from the centre of the corner's circle; both are positive only in a corner.
    let dx = abs(Double(x) + 0.5 - halfWidth) - (halfWidth - radius)
    let dy = abs(Double(y) + 0.5 - halfHeight) - (halfHeight - radius)
    guard dx > 0, dy > 0 else { return radius - max(dx, dy) }
    return radius - (dx * dx + dy * dy).squareRoot()
  }
}

extension ImageProcessing where Self == RoundedCorners {
  /// Rounds the corners.
  public static func roundedCorners(radius: Double, border: RoundedCorners.Border? = nil) -> Self {
    RoundedCorners(.rectangle(radius: radius), border: border)
  }

  /// Cuts the picture to a circle.
  public static func circle(border: RoundedCorners.Border? = nil) -> Self {
    RoundedCorners(.circle, border: border)
  }
}

extension RoundedCorners: ScaledProcessing {
  /// The same with its radius and the width of its border multiplied by a factor.
  public func scaled(by factor: Double) -> RoundedCorners {
    let line = border.map { Border(width: $0.width * factor, color: $0.color) }
    return switch shape {
    case .rectangle(let radius): RoundedCorners(.rectangle(radius: radius * factor), border: line)
    case .circle: RoundedCorners(.circle, border: line)
    }
  }
}

extension RoundedCorners.Shape: Codable {
  /// Reads a shape: `"circle"`, or the radius of corners as a number.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let radius = try? value.decode(Double.self) {
      self = .rectangle(radius: radius)
      return
    }
    guard try value.decode(String.self) == "circle" else {
      throw DecodingError.dataCorruptedError(
        in: value, debugDescription: "a shape is \"circle\" or the radius of corners as a number")
    }
    self = .circle
  }

  /// Writes `"circle"`, or the radius of the corners.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .circle: try value.encode("circle")
    case .rectangle(let radius): try value.encode(radius)
    }
  }
}
