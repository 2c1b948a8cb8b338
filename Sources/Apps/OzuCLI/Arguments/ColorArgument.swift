import Ozu

/// A colour as people type it: `#f80`, `#ff8800`, `#ff880080`, or one of a few names.
enum ColorArgument {
  static let notation = "#rgb, #rrggbb, #rrggbbaa, \(names.map(\.0).joined(separator: ", "))"

  private static let names: [(String, ColorValue)] = [
    ("black", .black), ("white", .white), ("clear", .clear),
    ("gray", ColorValue(red: 128, green: 128, blue: 128)), ("red", ColorValue(red: 255, green: 0, blue: 0)),
    ("green", ColorValue(red: 0, green: 128, blue: 0)), ("blue", ColorValue(red: 0, green: 0, blue: 255)),
  ]

  /// The colour of a text; `nil` when the text is not a colour.
  static func color(_ text: some StringProtocol) -> ColorValue? {
    if let named = names.first(where: { $0.0 == text.lowercased() }) { return named.1 }
    guard text.first == "#" else { return nil }
    let digits = text.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    guard digits.count == text.count - 1 else { return nil }
    switch digits.count {
    case 3: return ColorValue(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
    case 6, 8:
      let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
      return ColorValue(
        red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
    default: return nil
    }
  }
}

/// A place in a picture as people type it: `center`, `top`, `bottom-right`.
enum AnchorArgument {
  static let names: [(String, ImageAnchor)] = ImageAnchor.allCases.map { anchor in
    let name = anchor.rawValue.reduce(into: "") { name, letter in
      name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
    }
    return (name, anchor)
  }

  static let notation = names.map(\.0).joined(separator: ", ")

  /// The place of a text; `nil` when the text is not a place.
  static func anchor(_ text: some StringProtocol) -> ImageAnchor? {
    names.first { $0.0 == text.lowercased() }?.1
  }
}
