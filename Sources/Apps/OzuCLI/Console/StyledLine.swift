import OzuBase

/// A line for people in parts, some of which have a colour where the terminal has colours.
struct StyledLine: Sendable {
  enum Style: Sendable {
    case plain
    /// What matters most: the name of a result.
    case strong
    /// What can be skipped.
    case faint

    /// The number of the attribute (ECMA-48, SGR); `nil` for none.
    fileprivate var attribute: Int? {
      switch self {
      case .plain: nil
      case .strong: 1
      case .faint: 2
      }
    }
  }

  private var parts: [(text: String, style: Style)] = []

  init(_ text: String = "", _ style: Style = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { parts.append((text, style)) }
  }

  mutating func add(_ line: StyledLine) { parts += line.parts }

  /// The columns that it takes on a terminal.
  var columnCount: Int { parts.reduce(0) { $0 + $1.text.columnCount } }

  /// The text, in which control characters of the parts are escaped.
  func text(hasColors: Bool = false) -> String {
    parts.map { part in
      let text = PrintableText.escaped(part.text)
      guard hasColors, let attribute = part.style.attribute else { return text }
      return "\u{1B}[\(attribute)m\(text)\u{1B}[0m"
    }.joined()
  }

  /// A name with its middle left out, if it has more columns: both ends tell most.
  static func shortened(_ name: String, to columns: Int) -> String {
    guard columns > 1, name.columnCount > columns else { return name }
    let end = (columns - 1) * 2 / 3
    return name.prefix(columns: columns - 1 - end) + "…" + name.suffix(columns: end)
  }
}
