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
  public var identifier: String {
    do {
      return "canvas" + (try EncodedText.text(of: self))
    } catch {
      // Nothing in a canvas throws when it is encoded as text.
      preconditionFailure("a canvas cannot be encoded: \(error)")
    }
  }

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
  ///
  /// - Throws: `DecodingError`.
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
  ///
  /// - Throws: `DecodingError`.
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
