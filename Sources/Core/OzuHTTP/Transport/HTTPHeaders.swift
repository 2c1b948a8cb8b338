/// Header fields in their original order, with case-insensitive names. Repeated lines stay separate.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "image/*"]
/// headers.add(name: "Cache-Control", value: "no-cache")
/// headers["accept"]  // "image/*"
/// ```
///
/// Lookups scan: a message has about a dozen fields, for which a table would cost more than it saves.
///
/// - Complexity: O(count) for every access by name.
public struct HTTPHeaders: Sendable, Hashable {
  /// One line of a header section.
  public struct Field: Sendable, Hashable {
    /// The original name.
    public let name: String
    /// The value without surrounding white space.
    public let value: String

    /// Makes a field. White space around the value is removed.
    public init(name: String, value: String) {
      self.name = name
      self.value = value.trimmingHTTPWhitespace()
    }

    /// Whether the field has one of these names.
    func isNamed(_ names: [String]) -> Bool {
      names.contains { $0.isEqualIgnoringASCIICase(to: name) }
    }

    /// Names are equal without case, values byte for byte (RFC 9110 §5.1).
    public static func == (a: Field, b: Field) -> Bool {
      a.value == b.value && a.name.isEqualIgnoringASCIICase(to: b.name)
    }

    /// Hashes the name without its case.
    public func hash(into hasher: inout Hasher) {
      for byte in name.utf8 { hasher.combine(byte.lowercasedASCII) }
      hasher.combine(value)
    }
  }

  private var fields: [Field] = []

  /// Makes an empty section.
  public init() {}

  /// Makes a section with these fields, in this order.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The values of all lines with this name, joined by `", "` (RFC 9110 §5.3), or nil if there is none.
  ///
  /// Setting a value replaces all lines of the name by one line at the position of the first; setting nil removes
  /// them.
  public subscript(name: String) -> String? {
    get {
      guard let place = firstIndex(of: name) else { return nil }
      let rest = fields[(place + 1)...].lazy.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
      return rest.reduce(fields[place].value) { $0 + ", " + $1.value }
    }
    set {
      guard let newValue else { return remove(name: name) }
      let field = Field(name: name, value: newValue)
      guard let place = firstIndex(of: name) else { return fields.append(field) }
      remove(name: name)
      fields.insert(field, at: place)
    }
  }

  /// The value of each line with this name, in order.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { $0.name.isEqualIgnoringASCIICase(to: name) }.map(\.value)
  }

  /// The value of the first line with this name.
  public func first(_ name: String) -> String? {
    firstIndex(of: name).map { fields[$0].value }
  }

  /// Whether there is a line with this name.
  public func contains(name: String) -> Bool {
    firstIndex(of: name) != nil
  }

  /// Adds a line at the end, even if the name is already present.
  public mutating func add(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes every line with this name.
  public mutating func remove(name: String) {
    fields.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
  }

  /// Removes every line.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    fields.removeAll(keepingCapacity: keepingCapacity)
  }

  /// The section with the fields of a later answer about the same body in place of its own (RFC 9111 §3.2), and without the date and
  /// the age of the former one.
  ///
  /// - Parameter names: the fields that the later answer has about itself alone.
  func updated(by later: HTTPHeaders, except names: [String]) -> HTTPHeaders {
    let fields = later.filter { !$0.isNamed(names) }
    var result = self
    for name in ["Age", "Date"] + fields.map(\.name) { result.remove(name: name) }
    for field in fields { result.add(name: field.name, value: field.value) }
    return result
  }

  /// Appends text to the last line's value: the obsolete line folding of RFC 9112 §5.2, which a receiver reads as a
  /// space.
  mutating func continueLast(with value: String) {
    guard let last = fields.popLast() else { return }
    fields.append(Field(name: last.name, value: last.value + " " + value))
  }

  /// The bytes of all names and values.
  var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

  private func firstIndex(of name: String) -> Int? {
    fields.firstIndex { $0.name.isEqualIgnoringASCIICase(to: name) }
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first line: 0.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last line.
  public var endIndex: Int { fields.endIndex }
  /// The line at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a section from names and values in this order; a name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.lazy.map { Field(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// One `name: value` per line. The values of credential fields are left out, so that it can be logged.
  public var description: String {
    fields.map { field in
      "\(field.name): \(field.isNamed(HTTPHeaders.credentialNames) ? "…" : field.value)"
    }.joined(separator: "\n")
  }

  /// The request fields with credentials. They are not sent to another origin after a redirect.
  static let credentialNames = ["Authorization", "Proxy-Authorization", "Cookie", "Cookie2"]
}

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

  package var isHTTPToken: Bool {
    !isEmpty && everyByte(\.isHTTPTokenByte)
  }

  /// Whether the text may be a field value: it has no byte that would end the line or the string.
  var isHTTPFieldValue: Bool {
    everyByte { $0 != 0x0D && $0 != 0x0A && $0 != 0x00 }
  }

  private func everyByte(_ isRight: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
  }
}
