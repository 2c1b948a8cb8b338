extension Label {
  /// Where glyphs come from.
  public enum Font: Hashable, Sendable {
    /// A font of the system by the name of its family, or several names with commas between them, of which the first that is
    /// installed is used. `sans-serif`, `serif` and `monospace` exist wherever there is a font.
    case family(String)
    /// A font file of the app, by its absolute path. Characters that it lacks come from fonts of the system. Where labels are
    /// drawn in isolation, the file must be in a folder of fonts: `DecoderIsolation.fontFolders`.
    case file(String)

    /// The system's font without serifs.
    public static let sansSerif = Font.family("sans-serif")
  }

  /// Where text that is left out is marked with an ellipsis.
  public enum Ellipsis: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nowhere.
    case none
    /// At the start of the last line.
    case start
    /// In the middle of the last line, as for names of files.
    case middle
    /// At the end of the last line.
    case end
  }

  /// The place of lines between the sides of the longest.
  public enum Alignment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Where the text begins: on the left, for text from right to left on the right.
    case start
    /// In the middle.
    case center
    /// Where the text ends.
    case end
    /// At both sides: spaces are widened, except in the last line of a paragraph. It needs a `width`.
    case justify
  }

  /// The direction of text.
  public enum Direction: String, Hashable, Sendable, Codable, CaseIterable {
    /// That of the first letter of each paragraph.
    case automatic
    /// From left to right, whatever the letters are.
    case leftToRight
    /// From right to left.
    case rightToLeft
  }

  /// A line around characters, outside of their shapes.
  public struct Outline: Hashable, Sendable, Codable {
    /// The width of the line in pixels, at most 500.
    public var width: Double
    /// Its colour.
    public var color: ColorValue

    /// Makes an outline.
    public init(width: Double, color: ColorValue) {
      self.width = width
      self.color = color
    }
  }

  /// A shadow of the text and its outline, or of the background if there is one.
  public struct Shadow: Hashable, Sendable, Codable {
    /// How far it lies to the right of what throws it, in pixels: from -4,096 to 4,096.
    public var x: Double
    /// How far it lies below, in pixels: from -4,096 to 4,096.
    public var y: Double
    /// The standard deviation of its blur in pixels, at most 500; 0 for a sharp shadow.
    public var blur: Double
    /// Its colour.
    public var color: ColorValue

    /// Makes a shadow.
    public init(x: Double = 0, y: Double = 0, blur: Double = 0, color: ColorValue) {
      self.x = x
      self.y = y
      self.blur = blur
      self.color = color
    }
  }

  /// A box behind text.
  public struct Background: Hashable, Sendable, Codable {
    /// The colour of the box.
    public var color: ColorValue
    /// The distance from the text to the left and right sides of the box, in pixels, at most 8,192. Rounded to whole pixels.
    public var horizontalPadding: Double
    /// The distance to its upper and lower sides.
    public var verticalPadding: Double
    /// The radius of its corners in pixels; half of the shorter side at most.
    public var cornerRadius: Double

    /// Makes a background.
    public init(
      color: ColorValue, horizontalPadding: Double = 0, verticalPadding: Double = 0, cornerRadius: Double = 0
    ) {
      self.color = color
      self.horizontalPadding = horizontalPadding
      self.verticalPadding = verticalPadding
      self.cornerRadius = cornerRadius
    }

    /// Makes a background with one distance on all sides.
    public init(color: ColorValue, padding: Double, cornerRadius: Double = 0) {
      self.init(
        color: color, horizontalPadding: padding, verticalPadding: padding, cornerRadius: cornerRadius)
    }
  }
}

extension Label.Font: Codable {
  private enum CodingKeys: CodingKey {
    case file
  }

  /// Reads a font: a text is a family, `{"file": "/path"}` a file.
  public init(from decoder: any Decoder) throws {
    if let family = try? decoder.singleValueContainer().decode(String.self) {
      self = .family(family)
    } else {
      self = .file(try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .file))
    }
  }

  /// Writes a family as a text, and a file as `{"file": "/path"}`.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .family(let family):
      var value = encoder.singleValueContainer()
      try value.encode(family)
    case .file(let path):
      var fields = encoder.container(keyedBy: CodingKeys.self)
      try fields.encode(path, forKey: .file)
    }
  }
}

extension Label.Background {
  private enum CodingKeys: CodingKey {
    case color, padding, horizontalPadding, verticalPadding, cornerRadius
  }

  /// Reads a background. `padding` stands for both distances; what is left out is 0.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    let padding = try fields.decodeIfPresent(Double.self, forKey: .padding) ?? 0
    self.init(
      color: try fields.decode(ColorValue.self, forKey: .color),
      horizontalPadding: try fields.decodeIfPresent(Double.self, forKey: .horizontalPadding) ?? padding,
      verticalPadding: try fields.decodeIfPresent(Double.self, forKey: .verticalPadding) ?? padding,
      cornerRadius: try fields.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0)
  }

  /// Writes all values.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(color, forKey: .color)
    try fields.encode(horizontalPadding, forKey: .horizontalPadding)
    try fields.encode(verticalPadding, forKey: .verticalPadding)
    try fields.encode(cornerRadius, forKey: .cornerRadius)
  }
}

extension Label.Shadow {
  private enum CodingKeys: CodingKey {
    case x, y, blur, color
  }

  /// Reads a shadow; a length that is left out is 0.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      x: try fields.decodeIfPresent(Double.self, forKey: .x) ?? 0,
      y: try fields.decodeIfPresent(Double.self, forKey: .y) ?? 0,
      blur: try fields.decodeIfPresent(Double.self, forKey: .blur) ?? 0,
      color: try fields.decode(ColorValue.self, forKey: .color))
  }
}
