import Foundation

/// URLs that contain their data (RFC 2397).
enum DataURL {
  /// The data of a `data:` URL; `nil` if it is malformed.
  ///
  /// It is read as browsers do (Fetch Standard, "data: URL processor"): a fragment is no part of the data, base64 needs no padding
  /// and may have white space, and spaces before `base64` may be written as `%20`, as `URL` writes them.
  ///
  /// - Complexity: O(length).
  static func decode(_ text: String) -> Data? {
    let text = text.prefix { $0 != "#" }
    guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ",") else { return nil }
    let parameters = text[..<comma].split(separator: ";").dropFirst()
    guard let content = percentDecoded(text[text.index(after: comma)...]) else { return nil }
    let last = parameters.last.flatMap { percentDecoded($0) }.map { String(decoding: $0, as: UTF8.self) }
    guard last?.trimmingCharacters(in: .whitespaces).lowercased() == "base64" else { return content }
    return base64Decoded(content)
  }

  /// Decodes base64 with or without padding; white space is left out ("forgiving-base64 decode" of the Infra Standard).
  private static func base64Decoded(_ text: Data) -> Data? {
    var digits = text.filter { byte in
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: false
      default: true
      }
    }
    guard digits.count % 4 != 1 else { return nil }
    digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
    return Data(base64Encoded: digits)
  }

  /// Replaces `%41` by its byte. `removingPercentEncoding` cannot be used, because it requires UTF-8.
  private static func percentDecoded(_ text: Substring) -> Data? {
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
