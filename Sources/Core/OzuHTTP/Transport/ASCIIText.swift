/// Text in the grammar of the protocol: ASCII, compared without case, and trimmed of spaces and tabs only. The case
/// mapping of the standard library follows Unicode, which is slower and wrong here (`"K"`, the Kelvin sign).
extension UInt8 {
  package var lowercasedASCII: UInt8 {
    self >= 0x41 && self <= 0x5A ? self | 0x20 : self
  }

  /// Whether the byte may be in a token such as a method or field name (RFC 9110 §5.6.2).
  package var isHTTPTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension String {
  package func isEqualIgnoringASCIICase(to other: String) -> Bool {
    let (a, b) = (utf8, other.utf8)
    guard a.count == b.count else { return false }
    // Native strings provide their bytes without a copy; a loop over indices would decode each character.
    return a.withContiguousStorageIfAvailable { a in
      b.withContiguousStorageIfAvailable { b in
        a.indices.allSatisfy { a[$0] == b[$0] || a[$0].lowercasedASCII == b[$0].lowercasedASCII }
      }
    }.flatMap { $0 } ?? zip(a, b).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  package func trimmingHTTPWhitespace() -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isBlank(first) || isBlank(last) else { return self }
    let bytes = utf8.drop(while: isBlank)
    let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
    return String(bytes[..<end]) ?? self
  }

  var isHTTPToken: Bool {
    !isEmpty && everyByte(\.isHTTPTokenByte)
  }

  /// Whether the text may be a field value: it has no byte that would end the line or the string.
  var isHTTPFieldValue: Bool {
    everyByte { $0 != 0x0D && $0 != 0x0A && $0 != 0x00 }
  }

  private func everyByte(_ isRight: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
  }

  /// Decodes header bytes: as UTF-8 if they are valid, otherwise as Latin-1, in which every byte is valid.
  init(httpBytes bytes: UnsafeRawBufferPointer) {
    // Nearly all of them are ASCII, which needs no further check.
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
    } else if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
