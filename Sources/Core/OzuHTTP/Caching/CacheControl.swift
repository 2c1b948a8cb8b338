/// The directives of `Cache-Control` (RFC 9111 §5.2), of a response or of a request.
///
/// Names are compared without case. Malformed directives are ignored, and the others still apply. A directive that
/// occurs twice has all its values; of two lifetimes the shorter one applies (§4.2.1).
package struct CacheControl: Hashable, Sendable {
  private struct Directive: Hashable {
    let name: String
    /// Without its quotes; nil if the directive has no argument.
    let argument: String?
  }

  private var directives: [Directive] = []

  /// Reads the directives of a message.
  package init(_ headers: HTTPHeaders) {
    for value in headers.values(for: "Cache-Control") {
      for element in HTTPList.elements(of: value) { add(element) }
    }
  }

  /// Whether a directive is present, with or without an argument.
  package func contains(_ name: String) -> Bool {
    directives.contains { $0.name.isEqualIgnoringASCIICase(to: name) }
  }

  /// The argument of a directive without its quotes: empty if it has none, `nil` if the directive is absent, the
  /// first one if there are several.
  package func value(_ name: String) -> String? {
    directives.first { $0.name.isEqualIgnoringASCIICase(to: name) }.map { $0.argument ?? "" }
  }

  /// The argument of a directive as seconds; `nil` if the directive is absent.
  ///
  /// Of several arguments the smallest. An argument that is not a number counts as 0, so the response is stale, as
  /// the RFC recommends (§4.2.1). A number that is too large counts as 2^31 (§1.2.2).
  package func seconds(_ name: String) -> Int? {
    directives.lazy.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
      .map { $0.argument.flatMap(DeltaSeconds.parse) ?? 0 }.min()
  }

  /// The field names that qualify a directive such as `no-cache="Set-Cookie"`. Empty if the directive occurs
  /// without field names at least once; `nil` if it is absent.
  package func fieldNames(_ name: String) -> [String]? {
    let found = directives.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
    guard !found.isEmpty else { return nil }
    guard found.allSatisfy({ $0.argument?.isEmpty == false }) else { return [] }
    return found.flatMap { HTTPList.elements(of: $0.argument ?? "") }
  }

  /// Whether there is a `no-cache` without field names (RFC 9111 §5.2.2.4).
  var demandsValidation: Bool { fieldNames("no-cache")?.isEmpty == true }

  private mutating func add(_ element: String) {
    let bytes = element.utf8
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    let written = String(element[..<(equals ?? bytes.endIndex)])
    let name = written.trimmingHTTPWhitespace()
    guard name.isHTTPToken else { return }
    var argument: String?
    if let equals {
      // White space around the "=" is not allowed. With it, the name still counts, but not the value.
      let value = element[bytes.index(after: equals)...]
      let isTight =
        name.utf8.count == written.utf8.count && value.utf8.first.map { $0 != 0x20 && $0 != 0x09 } == true
      argument = isTight ? HTTPList.unquoted(String(value)) : ""
    }
    directives.append(Directive(name: name, argument: argument))
  }
}

/// Lists and quoted strings of header fields (RFC 9110 §5.6.1, §5.6.4).
enum HTTPList {
  /// The elements of a comma-separated value, trimmed, without empty ones. Commas in quotes do not separate.
  static func elements(of value: String) -> [String] {
    guard value.utf8.contains(UInt8(ascii: "\"")) else {
      return value.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
        let text = String(Substring(part)).trimmingHTTPWhitespace()
        return text.isEmpty ? nil : text
      }
    }
    var elements: [String] = []
    var element: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    func finish() {
      let text = String(decoding: element, as: UTF8.self).trimmingHTTPWhitespace()
      if !text.isEmpty { elements.append(text) }
      element.removeAll(keepingCapacity: true)
    }
    for byte in value.utf8 {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        finish()
        continue
      }
      element.append(byte)
    }
    finish()
    return elements
  }

  /// The content of a quoted string, or the same text if it is not one.
  static func unquoted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return text
    }
    var content: [UInt8] = []
    var isEscaped = false
    for byte in bytes[1..<(bytes.count - 1)] {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        isEscaped = false
        content.append(byte)
      }
    }
    return String(decoding: content, as: UTF8.self)
  }
}

/// A non-negative number of seconds (RFC 9111 §1.2.2).
enum DeltaSeconds {
  /// The value that stands for all larger numbers.
  static let maximum = 1 << 31

  /// The number, or nil if the text has anything except digits.
  static func parse(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.utf8.reduce(0) { min($0 * 10 + Int($1 - 0x30), maximum) }
  }
}
