extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits in lower case, two for each.
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append(Self.digit(byte >> 4))
      text.append(Self.digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
  }
}

extension [UInt8] {
  /// The bytes that a text names with two hexadecimal digits each, in capitals or not; `nil` for other characters and for an odd
  /// number of digits.
  package init?(hexadecimal text: String) {
    var bytes: [UInt8] = []
    var digits = text.utf8.makeIterator()
    while let first = digits.next() {
      guard let high = PercentEncoding.digit(first), let low = digits.next().flatMap(PercentEncoding.digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    self = bytes
  }
}
