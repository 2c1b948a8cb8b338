/// A picture that is drawn: a ground of a size, and pictures, labels, rectangles and lines on it, in order.
///
/// ```swift
/// var card = Canvas(size: PixelSize(width: 1200, height: 630), background: .color(.white))
/// card.elements = [
///   .picture(
///     Canvas.PictureFrame("https://example.com/ada.jpg", clip: .circle),
///     Placement(x: 60, y: 60, size: PixelSize(width: 200, height: 200))),
///   .label(Label("Ada Lovelace", size: 64, weight: 700), Placement(x: 300, y: 110)),
/// ]
/// ```
///
/// A canvas is a value: it can be stored, compared and read from JSON, and two equal ones have one picture. A pipeline
/// loads its pictures, draws it and caches it like any other: `ImageRequest(canvas:)`.
public struct Canvas: Hashable, Sendable {
  /// The size in pixels.
  public var size: PixelSize
  /// What covers the ground; transparent by default.
  public var background: Paint
  /// What is drawn on it, in order: later elements cover earlier ones.
  public var elements: [Element]

  /// Makes a canvas.
  public init(size: PixelSize, background: Paint = .color(.clear), elements: [Element] = []) {
    self.size = size
    self.background = background
    self.elements = elements
  }

  /// One thing on a canvas.
  public enum Element: Hashable, Sendable {
    /// A picture that is loaded.
    case picture(PictureFrame, Placement)
    /// Text.
    case label(Label, Placement)
    /// A rectangle, with corners that may be round.
    case rectangle(Rectangle)
    /// A straight line.
    case line(Line)
  }

  /// The identity of the picture: equal only for equal canvases, and the same in every run. It contains the
  /// sources of its pictures, not their content.
  public var identifier: String { "canvas" + EncodedText.certainText(of: self) }

  /// A picture that must be loaded before a canvas is drawn.
  public struct NeededPicture: Hashable, Sendable {
    /// The source, as the frame states it.
    public let source: String
    /// The size and the part that are shown; `nil` for the whole picture at its own size. A picture that is loaded in another
    /// size is resized when it is drawn.
    public let resize: Resize?
  }

  /// The pictures that must be loaded, each once.
  public var neededPictures: [NeededPicture] {
    var known: Set<NeededPicture> = []
    return elements.compactMap { element in
      guard case .picture(let frame, let placement) = element else { return nil }
      let needed = frame.needed(at: placement)
      return known.insert(needed).inserted ? needed : nil
    }
  }
}

extension Canvas: Codable {
  private enum CodingKeys: String, CodingKey {
    case size, background, elements
  }

  /// Reads a canvas. Only `size` is needed.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      size: try fields.decode(PixelSize.self, forKey: .size),
      background: try fields.decodeIfPresent(Paint.self, forKey: .background) ?? .color(.clear),
      elements: try fields.decodeIfPresent([Element].self, forKey: .elements) ?? [])
  }
}

extension Canvas.Element: Codable {
  private enum CodingKeys: String, CodingKey {
    case picture, label, rectangle, line, placement
  }

  /// Reads an element: an object with the field `picture`, `label`, `rectangle` or `line`, and for the first two
  /// `placement`, which may be left out.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func placement() throws -> Placement {
      try fields.decodeIfPresent(Placement.self, forKey: .placement) ?? Placement()
    }
    if let frame = try fields.decodeIfPresent(Canvas.PictureFrame.self, forKey: .picture) {
      self = .picture(frame, try placement())
    } else if let label = try fields.decodeIfPresent(Label.self, forKey: .label) {
      self = .label(label, try placement())
    } else if let rectangle = try fields.decodeIfPresent(Canvas.Rectangle.self, forKey: .rectangle) {
      self = .rectangle(rectangle)
    } else if let line = try fields.decodeIfPresent(Canvas.Line.self, forKey: .line) {
      self = .line(line)
    } else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "an element has a picture, a label, a rectangle or a line"))
    }
  }

  /// Writes an object with a field for the kind of the element.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .picture(let frame, let placement):
      try fields.encode(frame, forKey: .picture)
      try fields.encode(placement, forKey: .placement)
    case .label(let label, let placement):
      try fields.encode(label, forKey: .label)
      try fields.encode(placement, forKey: .placement)
    case .rectangle(let rectangle): try fields.encode(rectangle, forKey: .rectangle)
    case .line(let line): try fields.encode(line, forKey: .line)
    }
  }
}

extension Canvas {
  /// What covers an area: a colour, or a gradient between colours.
  ///
  /// Colours between two stops are mixed in the stored values, premultiplied, as in CSS.
  public enum Paint: Hashable, Sendable {
    /// One colour.
    case color(ColorValue)
    /// A gradient along a direction. The angle is in degrees, as in CSS: 0 leads to the top, 90 to the right, 180 to the
    /// bottom. It begins and ends where a line across it touches the corners of the area.
    case linear(angle: Double, stops: [ColorStop])
    /// A gradient from a point to all sides. The point is a fraction of the width and the height of the area. The radius
    /// is a fraction of the distance to its farthest corner.
    case radial(x: Double, y: Double, radius: Double, stops: [ColorStop])

    /// A gradient along a direction, between colours at equal distances.
    public static func linear(angle: Double, _ colors: [ColorValue]) -> Paint {
      .linear(angle: angle, stops: ColorStop.even(colors))
    }

    /// A gradient from the middle to the corners, between colours at equal distances.
    public static func radial(_ colors: [ColorValue]) -> Paint {
      .radial(x: 0.5, y: 0.5, radius: 1, stops: ColorStop.even(colors))
    }
  }

  /// A colour at a place of a gradient.
  public struct ColorStop: Hashable, Sendable, Codable {
    /// The place, from 0 at the start of the gradient to 1 at its end.
    public var offset: Double
    /// The colour there.
    public var color: ColorValue

    /// Makes a stop.
    public init(_ color: ColorValue, at offset: Double) {
      self.offset = offset
      self.color = color
    }

    fileprivate static func even(_ colors: [ColorValue]) -> [ColorStop] {
      colors.enumerated().map { index, color in
        ColorStop(color, at: colors.count < 2 ? 0 : Double(index) / Double(colors.count - 1))
      }
    }
  }

  /// The most stops of a gradient.
  public static let mostStops = 64
}

extension Canvas.Paint {
  /// Whether it covers everything below.
  var isOpaque: Bool {
    switch self {
    case .color(let color): color.alpha == 255
    case .linear(_, let stops), .radial(_, _, _, let stops): stops.allSatisfy { $0.color.alpha == 255 }
    }
  }

  /// The reason why nothing can be painted in this way, for people; `nil` if there is none.
  var flaw: String? {
    switch self {
    case .color: return nil
    case .linear(let angle, let stops):
      return angle.isFinite ? Self.flaw(stops) : "the angle of a gradient must be a number of degrees"
    case .radial(let x, let y, let radius, let stops):
      let range = -1000.0...1000
      guard range.contains(x), range.contains(y), range.contains(radius), radius > 0 else {
        return "the middle and the radius of a gradient are fractions of its area, such as 0.5"
      }
      return Self.flaw(stops)
    }
  }

  private static func flaw(_ stops: [Canvas.ColorStop]) -> String? {
    guard (1...Canvas.mostStops).contains(stops.count) else {
      return "a gradient has from 1 to \(Canvas.mostStops) colours"
    }
    let offsets = stops.map(\.offset)
    guard offsets.allSatisfy((0...1).contains), zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      return "the places of a gradient's colours go up from 0 to 1"
    }
    return nil
  }
}

extension Canvas.Paint: Codable {
  private enum CodingKeys: String, CodingKey {
    case linear, radial
  }

  private struct Linear: Codable {
    var angle: Double?
    var stops: [Canvas.ColorStop]
  }

  private struct Radial: Codable {
    var x: Double?
    var y: Double?
    var radius: Double?
    var stops: [Canvas.ColorStop]
  }

  /// Reads a paint: a text is a colour, `{"linear": {"angle": 135, "stops": […]}}` a gradient. Without an angle it leads
  /// to the bottom.
  public init(from decoder: any Decoder) throws {
    guard let fields = try? decoder.container(keyedBy: CodingKeys.self) else {
      self = .color(try ColorValue(from: decoder))
      return
    }
    if let linear = try fields.decodeIfPresent(Linear.self, forKey: .linear) {
      self = .linear(angle: linear.angle ?? 180, stops: linear.stops)
    } else {
      let radial = try fields.decode(Radial.self, forKey: .radial)
      self = .radial(x: radial.x ?? 0.5, y: radial.y ?? 0.5, radius: radial.radius ?? 1, stops: radial.stops)
    }
  }

  /// Writes a colour as a text, and a gradient as an object.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .color(let color): try color.encode(to: encoder)
    case .linear(let angle, let stops):
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(Linear(angle: angle, stops: stops), forKey: .linear)
    case .radial(let x, let y, let radius, let stops):
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(Radial(x: x, y: y, radius: radius, stops: stops), forKey: .radial)
    }
  }
}
