/// Makes text from others, such as servers, safe to show: on a terminal, some characters are commands.
package enum PrintableText {
  /// The text with all its lines joined to one, and then escaped as by `escaped`.
  package static func oneLine(_ text: String) -> String {
    escaped(text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  /// The text on one line, for names: as `escaped`, and line feeds and tabs are escaped too, so that two names never look the
  /// same.
  package static func name(_ text: String) -> String {
    escaped(text).replacing("\n", with: "\\u000a").replacing("\t", with: "\\u0009")
  }

  /// The text with control characters, and characters that change the direction of writing, replaced by `\u` and
  /// four digits; line feeds and tabs stay. This is the escape of JSON, so JSON stays valid.
  package static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: mayBeginUnsafe), text.unicodeScalars.contains(where: isUnsafe) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      guard isUnsafe(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return result
  }

  // Whether a byte is the first of such a character in UTF-8. In long texts without one, such as bodies in base64, no
  // character is decoded.
  private static func mayBeginUnsafe(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0A: false
    case 0x00..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
    default: false
    }
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00..<0x20, 0x7F..<0xA0: true
    // Directional marks, embeddings, overrides and isolates (Unicode Standard Annex 9 §2), line and paragraph ends.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// An error whose localized description is its description.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
  /// The description.
  public var errorDescription: String? { description }
}

/// The system's message for one of its error numbers.
package func systemMessage(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
