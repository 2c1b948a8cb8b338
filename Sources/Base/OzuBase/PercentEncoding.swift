/// Bytes as `%41` in addresses (RFC 3986 §2.1), without the tables of characters of Foundation's own functions.
package enum PercentEncoding {
  /// The bytes of a text, each `%41` as the byte that it stands for; `nil` if two hexadecimal digits are missing somewhere.
  package static func decoded(_ text: Substring) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(digit), let low = bytes.next().flatMap(digit) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// The text with each byte as `%41` that is neither a letter or digit of ASCII nor one of the others that may stay.
  package static func encoded(_ text: String, keeping others: String = "") -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || others.utf8.contains(byte) {
        result.append(byte)
      } else {
        result += escape(of: byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A byte as `%41`.
  package static func escape(of byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// The value of a hexadecimal digit; `nil` for another byte.
  package static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension StringProtocol {
  /// The text with the characters that its `%41` stand for; `nil` if one is incomplete, or if that is not UTF-8.
  package var percentDecoded: String? {
    PercentEncoding.decoded(Substring(self)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The text without the spaces and tabs at both ends; line breaks stay.
  package var trimmed: String {
    let isSpace = { (character: Character) in character.isWhitespace && !character.isNewline }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
