import OzuBase

/// Text with its font, its colours and its layout, to be drawn on a picture or alone.
///
/// ```swift
/// var title = Label("Hello, World!", font: .family("Inter, sans-serif"), size: 48)
/// title.weight = 700
/// title.width = 600
/// title.maximumLineCount = 2
/// title.ellipsis = .end
/// ```
///
/// The text is drawn as it is, whatever characters it has, unless `isMarkup` is set. All lengths are in pixels of the result.
/// A label is a value: it can be stored, compared and read from JSON, in which everything but `text` may be left out. A
/// `LabelDrawing` measures and draws it.
public struct Label: Hashable, Sendable, Codable {
  /// The text. Line breaks begin new lines.
  public var text: String
  /// The font; `sans-serif` by default.
  public var font: Font
  /// The size of the font in pixels: from 1 to 2,000. 16 by default.
  public var size: Double
  /// The weight of the font, from 1 to 1,000; 400, regular, by default. 700 is bold. A font that lacks the weight has its
  /// nearest one.
  public var weight: Int
  /// Whether the font is italic, or oblique where it has no italic. Off by default.
  public var isItalic = false
  /// The colour of the text; black by default.
  public var color: ColorValue
  /// The width at which lines are wrapped, in pixels: between words, and inside a word that is longer than a line. No line is
  /// wider, unless a single character is. `nil` (the default) wraps nothing.
  public var width: Int?
  /// The most lines that are drawn. `nil` (the default) draws all.
  public var maximumLineCount: Int?
  /// Where the text that is left out is marked, if there are more lines than `maximumLineCount`, or if the only line of a
  /// label with `maximumLineCount` 1 is longer than its width. `none` by default: then it is cut off at the end of a line.
  public var ellipsis: Ellipsis = .none
  /// The place of each line between the sides of the longest; `start` by default.
  public var alignment: Alignment = .start
  /// The height of a line, as a multiple of the font's own: from 0.25 to 10. 1 by default.
  public var lineHeight: Double = 1
  /// The direction of the text; `automatic` by default.
  public var direction: Direction = .automatic
  /// The language of the text as a tag of BCP 47, such as `ja` or `zh-Hant`, where fonts have several forms of a character.
  /// `nil` by default.
  public var language: String?
  /// A line around the characters; `nil` by default.
  public var outline: Outline?
  /// A shadow of what is drawn; `nil` by default.
  public var shadow: Shadow?
  /// A box behind the text; `nil` by default.
  public var background: Background?
  /// Whether the text is markup of Pango, such as `<b>bold</b>` and `<span color="red">red</span>`, whose sizes in points are
  /// pixels here. Off by default. Never set it for a text of others: `Label.escaped` makes a part of markup of such a text.
  public var isMarkup = false

  /// Makes a label. Everything else has its default and can be set.
  public init(
    _ text: String, font: Font = .sansSerif, size: Double = 16, weight: Int = 400, color: ColorValue = .black,
    width: Int? = nil
  ) {
    self.text = text
    self.font = font
    self.size = size
    self.weight = weight
    self.color = color
    self.width = width
  }
}

extension Label {
  /// The kind of value with everything that changes a pixel, for keys of caches. A font file counts by its path: a file with
  /// other content needs another name.
  public var identifier: String { "label" + EncodedText.certainText(of: self) }

  /// The characters of the text as code points, which a layout costs by.
  public var characterCount: Int { text.unicodeScalars.count }

  /// A text as a part of markup that shows it as it is.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  /// The same label with all lengths multiplied by a factor, for a screen with more pixels to a point. The width is rounded
  /// down, to a pixel at least.
  public func scaled(by factor: Double) -> Label {
    var label = self
    label.size *= factor
    label.width = width.map { max(min($0, 1), Int(clamping: Double($0) * factor)) }
    label.outline?.width *= factor
    label.shadow?.x *= factor
    label.shadow?.y *= factor
    label.shadow?.blur *= factor
    label.background?.horizontalPadding *= factor
    label.background?.verticalPadding *= factor
    label.background?.cornerRadius *= factor
    return label
  }
}

extension Label {
  private enum CodingKeys: String, CodingKey {
    case text, font, size, weight, isItalic, color, width, maximumLineCount, ellipsis, alignment, lineHeight,
      direction
    case language, outline, shadow, background, isMarkup
  }

  /// Reads a label; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try fields.decode(String.self, forKey: .text))
    func read<Value: Decodable>(_ key: CodingKeys, _ property: inout Value) throws {
      if let value = try fields.decodeIfPresent(Value.self, forKey: key) { property = value }
    }
    try read(.font, &font)
    try read(.size, &size)
    try read(.weight, &weight)
    try read(.isItalic, &isItalic)
    try read(.color, &color)
    try read(.ellipsis, &ellipsis)
    try read(.alignment, &alignment)
    try read(.lineHeight, &lineHeight)
    try read(.direction, &direction)
    try read(.isMarkup, &isMarkup)
    width = try fields.decodeIfPresent(Int.self, forKey: .width)
    maximumLineCount = try fields.decodeIfPresent(Int.self, forKey: .maximumLineCount)
    language = try fields.decodeIfPresent(String.self, forKey: .language)
    outline = try fields.decodeIfPresent(Outline.self, forKey: .outline)
    shadow = try fields.decodeIfPresent(Shadow.self, forKey: .shadow)
    background = try fields.decodeIfPresent(Background.self, forKey: .background)
  }
}
