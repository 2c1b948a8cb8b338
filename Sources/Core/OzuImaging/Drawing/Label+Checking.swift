import OzuBase

extension Label {
  /// The most characters of a text, and of its markup. Protects time: a layout looks at each character several times.
  public static let largestCharacterCount = 10_000
  /// The most pixels that all characters may take one after the other: Pango counts to 2,097,151.
  private static let longestLine = 2_000_000.0
  /// How many times as large as the label markup may make a character: by its size, and by its scale.
  private static let largestMarkupFactor = 16.0
  private static let longestName = 256
  private static let longestPath = 4096

  /// Refuses values that cannot be drawn, and a text that costs too much.
  ///
  /// - Throws: `invalid`, `limitExceeded`.
  package func check(_ limits: DecodingLimits) throws(LabelError) {
    let count = characterCount
    guard count <= Self.largestCharacterCount else {
      throw .limitExceeded(
        DecodingLimits.Violation(.characterCount, value: count, limit: Self.largestCharacterCount))
    }
    if text.utf8.contains(0) { throw .invalid("text", reason: "it contains the character U+0000") }
    try check("size", size, 1...2000)
    try check("weight", Double(weight), 1...1000)
    try check("lineHeight", lineHeight, 0.25...10)
    if let width { try check("width", Double(width), 1...Double(max(1, min(limits.side, 65_535)))) }
    if let maximumLineCount, maximumLineCount < 1 {
      throw .invalid("maximumLineCount", reason: "it must be at least 1")
    }
    let length = Double(count) * size * max(1, lineHeight) * (isMarkup ? Self.largestMarkupFactor : 1)
    guard length <= Self.longestLine else {
      let pixels = Int(clamping: length, rounded: .up)
      throw .invalid(
        "size",
        reason:
          "\(count) characters can be \(pixels) pixels long, and at most \(Int(clamping: Self.longestLine)) are drawn"
      )
    }
    try checkFont()
    try checkDecoration()
    if let language, !Self.isTag(language) {
      throw .invalid("language", reason: "\(PrintableText.oneLine(language)) is no tag such as ja or zh-Hant")
    }
  }

  private func checkFont() throws(LabelError) {
    switch font {
    case .family(let text):
      guard text.utf8.count <= Self.longestName, !families.isEmpty,
        !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
      else { throw .invalid("font", reason: "a family has a name of 1 to \(Self.longestName) bytes") }
    case .file(let path):
      guard path.hasPrefix("/"), path.utf8.count <= Self.longestPath, !path.utf8.contains(0) else {
        throw .invalid("font", reason: "a font file is given by its absolute path")
      }
    }
  }

  private func checkDecoration() throws(LabelError) {
    if let outline { try check("outline.width", outline.width, 0...500) }
    if let shadow {
      try check("shadow.x", shadow.x, -4096...4096)
      try check("shadow.y", shadow.y, -4096...4096)
      try check("shadow.blur", shadow.blur, 0...500)
    }
    if let background {
      try check("background.horizontalPadding", background.horizontalPadding, 0...8192)
      try check("background.verticalPadding", background.verticalPadding, 0...8192)
      guard background.cornerRadius >= 0, background.cornerRadius.isFinite else {
        throw .invalid("background.cornerRadius", reason: "it must be a number from 0 on")
      }
    }
  }

  /// A range does not contain NaN.
  private func check(_ name: String, _ value: Double, _ range: ClosedRange<Double>) throws(LabelError) {
    guard range.contains(value) else {
      let (least, most) = (Self.text(range.lowerBound), Self.text(range.upperBound))
      throw .invalid(name, reason: "it is \(Self.text(value)), and must be from \(least) to \(most)")
    }
  }

  private static func text(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  private static func isTag(_ text: String) -> Bool {
    let isPossible = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    return isPossible && 2...35 ~= text.utf8.count
  }
}

extension Label {
  /// The names of the families, without the quotation marks of CSS. Empty for a file.
  package var families: [String] {
    guard case .family(let text) = font else { return [] }
    return text.split(separator: ",").compactMap { part in
      let name = part.filter { $0 != "\"" && $0 != "'" }.drop { $0 == " " }
      let end = name.lastIndex { $0 != " " }
      return end.map { String(name[...$0]) }
    }
  }

  /// Whether one of the families is a name that stands for some font wherever there is one.
  package var hasGenericFamily: Bool { families.contains { Self.genericFamilies.contains($0.lowercased()) } }

  private static let genericFamilies: Set<String> = [
    "sans-serif", "sans", "serif", "monospace", "mono", "cursive", "fantasy", "system-ui", "emoji", "math",
  ]
}

/// Why a label was not drawn or measured.
public enum LabelError: Error, Hashable, Sendable {
  /// A value of the label is impossible: its name, and the reason.
  case invalid(String, reason: String)
  /// The font does not exist, or cannot be read; the reason names what was tried.
  case fontNotFound(reason: String)
  /// The label would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)
  /// Labels cannot be drawn here; the reason says what is missing.
  case unavailable(reason: String)
  /// The process that draws crashed, was stopped, or could not be started.
  case drawingFailed(DecoderFailure)
  /// The work was cancelled.
  case cancelled
}

extension LabelError: DescribedError {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .invalid(let name, let reason): "the \(name) of a label: \(reason)"
    case .fontNotFound(let reason): "the font of a label: \(reason)"
    case .limitExceeded(let violation): "a label is refused: \(violation)"
    case .unavailable(let reason): "labels cannot be drawn: \(reason)"
    case .drawingFailed(let failure): "drawing a label \(failure)"
    case .cancelled: "cancelled"
    }
  }
}
