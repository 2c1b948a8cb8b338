/// Header fields in the order they were written, with case-insensitive names and repeated lines kept apart.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "image/*"]
/// headers.add(name: "Cache-Control", value: "no-cache")
/// headers["accept"]  // "image/*"
/// ```
///
/// Lookups scan: a message carries a dozen fields, for which a table would cost more than it saves.
///
/// - Complexity: O(count) for every access by name.
public struct HTTPHeaders: Sendable, Hashable {
  /// One line of a header section.
  public struct Field: Sendable, Hashable {
    /// The name as it was written.
    public let name: String
    /// The value, without the white space around it.
    public let value: String

    /// Makes a field from a name and a value; white space around the value is cut off.
    public init(name: String, value: String) {
      self.name = name
      self.value = value.trimmingHTTPWhitespace()
    }

    /// Names are equal in any case, values only byte for byte (RFC 9110 §5.1).
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

  /// Makes a section of these fields, in this order.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The values of all lines of that name joined by `", "` (RFC 9110 §5.3), or nil when there is none.
  ///
  /// Setting replaces all lines of the name by one, at the place of the first; setting nil removes them.
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
      fields[place] = field
      var index = fields.count - 1
      while index > place {
        if fields[index].name.isEqualIgnoringASCIICase(to: name) { fields.remove(at: index) }
        index -= 1
      }
    }
  }

  /// The value of each line of that name, in order.
  public func values(for name: String) -> [String] {
    fields.lazy.filter { $0.name.isEqualIgnoringASCIICase(to: name) }.map(\.value)
  }

  /// The value of the first line of that name.
  public func first(_ name: String) -> String? {
    firstIndex(of: name).map { fields[$0].value }
  }

  /// Whether a line of that name is present.
  public func contains(name: String) -> Bool {
    firstIndex(of: name) != nil
  }

  /// Adds a line at the end, whether or not the name is already present.
  public mutating func add(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes every line of that name.
  public mutating func remove(name: String) {
    fields.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
  }

  /// Removes every line.
  public mutating func removeAll(keepingCapacity: Bool = false) {
    fields.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Continues the last line's value: the obsolete folding of RFC 9112 §5.2, which a receiver reads as a
  /// space.
  mutating func continueLast(with value: String) {
    guard let last = fields.popLast() else { return }
    fields.append(Field(name: last.name, value: last.value + " " + value))
  }

  private func firstIndex(of name: String) -> Int? {
    fields.firstIndex { $0.name.isEqualIgnoringASCIICase(to: name) }
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The place of the first line: 0.
  public var startIndex: Int { fields.startIndex }
  /// The place after the last line.
  public var endIndex: Int { fields.endIndex }
  /// The line at a place.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a section from names and values in the order written; a name may appear more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.lazy.map { Field(name: $0.0, value: $0.1) })
  }
}

extension HTTPHeaders: CustomStringConvertible {
  /// One `name: value` per line. The values of credential fields are left out, so that a log may print it.
  public var description: String {
    fields.map { field in
      let isSecret = HTTPHeaders.credentialNames.contains { $0.isEqualIgnoringASCIICase(to: field.name) }
      return "\(field.name): \(isSecret ? "…" : field.value)"
    }.joined(separator: "\n")
  }

  /// The request fields that carry credentials: they never follow a redirect to another origin.
  static let credentialNames = ["Authorization", "Proxy-Authorization", "Cookie", "Cookie2"]
}
