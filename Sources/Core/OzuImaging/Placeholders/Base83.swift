/// Numbers in base 83, with characters that need no escape in JSON, HTML and a shell.
enum Base83 {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

  private static let values: [UInt8: Int] = Dictionary(
    uniqueKeysWithValues: digits.enumerated().map { ($0.element, $0.offset) })

  /// The number of some digits, the most significant first; `nil` if another character is among them.
  static func value(_ text: ArraySlice<UInt8>) -> Int? {
    var result = 0
    for character in text {
      guard let digit = values[character] else { return nil }
      result = result * 83 + digit
    }
    return result
  }

  static func text(_ value: Int, digits count: Int) -> String {
    var rest = value
    var characters: [UInt8] = []
    for _ in 0..<count {
      characters.append(digits[rest % 83])
      rest /= 83
    }
    return String(decoding: characters.reversed(), as: UTF8.self)
  }
}
