import Foundation

/// URLs that contain their data (RFC 2397).
enum DataURL {
  /// The data of a `data:` URL; `nil` if it is malformed.
  ///
  /// - Complexity: O(length).
  static func decode(_ text: String) -> Data? {
    guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
    let parameters = text[..<comma].split(separator: ";").dropFirst()
    let content = String(text[text.index(after: comma)...])
    let isBase64 = parameters.last.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } == "base64"
    guard isBase64 else { return percentDecoded(content) }
    return percentDecoded(content).flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
  }

  /// Replaces `%41` by its byte. `removingPercentEncoding` cannot be used, because it requires UTF-8.
  private static func percentDecoded(_ text: String) -> Data? {
    var result = Data(capacity: text.utf8.count)
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue) else {
        return nil
      }
      result.append(high << 4 | low)
    }
    return result
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
