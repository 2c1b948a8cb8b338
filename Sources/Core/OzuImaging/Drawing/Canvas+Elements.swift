extension Canvas {
  /// A frame in which a picture is shown: an avatar, a photograph, a logo.
  ///
  /// Its size is that of the placement; without one the picture has its own size.
  public struct PictureFrame: Hashable, Sendable {
    /// Where the picture comes from: an address or a path for a pipeline, or a name that the app understands.
    public var source: String
    /// How the picture is brought to the size of its frame: it covers it by default, and what is outside is cut off. A
    /// picture that does not fill its frame is in the middle.
    public var mode: ScaleMode
    /// Cuts the picture to a circle, or rounds its corners; `nil` (the default) for neither.
    public var clip: RoundedCorners.Shape?
    /// A line along its edge; `nil` by default.
    public var border: RoundedCorners.Border?

    /// Makes a frame.
    public init(
      _ source: String, mode: ScaleMode = .aspectFill, clip: RoundedCorners.Shape? = nil,
      border: RoundedCorners.Border? = nil
    ) {
      self.source = source
      self.mode = mode
      self.clip = clip
      self.border = border
    }

    /// The picture that must be loaded for a placement.
    func needed(at placement: Placement) -> NeededPicture {
      let resize = placement.size.flatMap {
        mode == .none ? nil : Resize($0, mode: mode, allowsUpscaling: true)
      }
      return NeededPicture(source: source, resize: resize)
    }
  }

  /// A rectangle. Places and lengths are in pixels and need not be whole: edges are antialiased by the covered fraction
  /// of each pixel.
  public struct Rectangle: Hashable, Sendable {
    /// The distance of its left edge from that of the canvas.
    public var x: Double
    /// The distance of its upper edge from that of the canvas.
    public var y: Double
    /// Its width.
    public var width: Double
    /// Its height.
    public var height: Double
    /// What fills it; `nil` for nothing.
    public var fill: Paint?
    /// The radius of its corners, at most half of the shorter side; 0 by default.
    public var cornerRadius: Double
    /// A line along the edge, inside of it; `nil` by default.
    public var border: RoundedCorners.Border?

    /// Makes a rectangle.
    public init(
      x: Double, y: Double, width: Double, height: Double, fill: Paint? = nil, cornerRadius: Double = 0,
      border: RoundedCorners.Border? = nil
    ) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
      self.fill = fill
      self.cornerRadius = cornerRadius
      self.border = border
    }
  }

  /// A straight line. Places and lengths are in pixels and need not be whole.
  public struct Line: Hashable, Sendable {
    /// The horizontal place of its start.
    public var startX: Double
    /// The vertical place of its start.
    public var startY: Double
    /// The horizontal place of its end.
    public var endX: Double
    /// The vertical place of its end.
    public var endY: Double
    /// Its width; 1 by default.
    public var width: Double
    /// Its colour; black by default.
    public var color: ColorValue
    /// Whether its ends are half circles around start and end. Off by default: they are straight.
    public var hasRoundEnds: Bool

    /// Makes a line.
    public init(
      startX: Double, startY: Double, endX: Double, endY: Double, width: Double = 1,
      color: ColorValue = .black,
      hasRoundEnds: Bool = false
    ) {
      self.startX = startX
      self.startY = startY
      self.endX = endX
      self.endY = endY
      self.width = width
      self.color = color
      self.hasRoundEnds = hasRoundEnds
    }
  }
}

// What is impossible in an element, for people.

extension Canvas.Element {
  /// The reason why the element cannot be drawn; `nil` if there is none.
  var flaw: String? {
    switch self {
    case .picture(let frame, let placement): placement.flaw ?? frame.flaw
    case .label(_, let placement): placement.flaw
    case .rectangle(let rectangle): rectangle.flaw
    case .line(let line): line.flaw
    }
  }
}

extension Canvas.PictureFrame {
  fileprivate var flaw: String? {
    if source.isEmpty { return "its source is empty" }
    if case .rectangle(let radius) = clip, !(0...Canvas.farthest).contains(radius) {
      return "the radius of its corners must be \(Canvas.lengths)"
    }
    return border?.flaw
  }
}

extension Canvas.Rectangle {
  fileprivate var flaw: String? {
    let range = -Canvas.farthest...Canvas.farthest
    guard range.contains(x), range.contains(y) else { return "its place must be a number of pixels" }
    guard (0...Canvas.farthest).contains(width), (0...Canvas.farthest).contains(height) else {
      return "its sides must be \(Canvas.lengths)"
    }
    guard (0...Canvas.farthest).contains(cornerRadius) else {
      return "the radius of its corners must be \(Canvas.lengths)"
    }
    return border?.flaw ?? fill?.flaw
  }
}

extension Canvas.Line {
  fileprivate var flaw: String? {
    let range = -Canvas.farthest...Canvas.farthest
    guard [startX, startY, endX, endY].allSatisfy(range.contains) else {
      return "its ends must be numbers of pixels"
    }
    return (0...Canvas.farthest).contains(width) ? nil : "its width must be \(Canvas.lengths)"
  }
}

extension RoundedCorners.Border {
  fileprivate var flaw: String? {
    (0...Canvas.farthest).contains(width) ? nil : "the width of its border must be \(Canvas.lengths)"
  }
}

// Reading from JSON: fields that are left out have their defaults.

extension Canvas.PictureFrame: Codable {
  private enum CodingKeys: String, CodingKey {
    case source, mode, clip, border
  }

  /// Reads a frame. Only `source` is needed; a text stands for a source alone.
  public init(from decoder: any Decoder) throws {
    if let source = try? decoder.singleValueContainer().decode(String.self) {
      self.init(source)
      return
    }
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try fields.decode(String.self, forKey: .source),
      mode: try fields.decodeIfPresent(ScaleMode.self, forKey: .mode) ?? .aspectFill,
      clip: try fields.decodeIfPresent(RoundedCorners.Shape.self, forKey: .clip),
      border: try fields.decodeIfPresent(RoundedCorners.Border.self, forKey: .border))
  }
}

extension Canvas.Rectangle: Codable {
  private enum CodingKeys: String, CodingKey {
    case x, y, width, height, fill, cornerRadius, border
  }

  /// Reads a rectangle. Only its width and its height are needed.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      x: try fields.decodeIfPresent(Double.self, forKey: .x) ?? 0,
      y: try fields.decodeIfPresent(Double.self, forKey: .y) ?? 0,
      width: try fields.decode(Double.self, forKey: .width),
      height: try fields.decode(Double.self, forKey: .height),
      fill: try fields.decodeIfPresent(Canvas.Paint.self, forKey: .fill),
      cornerRadius: try fields.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0,
      border: try fields.decodeIfPresent(RoundedCorners.Border.self, forKey: .border))
  }
}

extension Canvas.Line: Codable {
  private enum CodingKeys: String, CodingKey {
    case startX, startY, endX, endY, width, color, hasRoundEnds
  }

  /// Reads a line. Only its ends are needed.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      startX: try fields.decode(Double.self, forKey: .startX),
      startY: try fields.decode(Double.self, forKey: .startY),
      endX: try fields.decode(Double.self, forKey: .endX),
      endY: try fields.decode(Double.self, forKey: .endY),
      width: try fields.decodeIfPresent(Double.self, forKey: .width) ?? 1,
      color: try fields.decodeIfPresent(ColorValue.self, forKey: .color) ?? .black,
      hasRoundEnds: try fields.decodeIfPresent(Bool.self, forKey: .hasRoundEnds) ?? false)
  }
}
