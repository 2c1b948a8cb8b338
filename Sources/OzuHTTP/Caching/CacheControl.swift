/// The directives of `Cache-Control` (RFC 9111 §5.2).
///
/// Names are compared without case. A directive that comes twice keeps its first value.
public struct CacheControl: Hashable, Sendable {
  private var directives: [String: String] = [:]

  /// Reads the directives of a message. What is malformed is passed over: the rest still holds.
  public init(_ headers: HTTPHeaders) {
    for value in headers.values(for: "Cache-Control") {
      for part in Self.split(value) { add(part) }
    }
  }

  /// Whether a directive is there, with or without a value.
  public func contains(_ name: String) -> Bool { directives[name.lowercased()] != nil }

  /// The value of a directive without its quotes; empty when it has none, `nil` when it is not there.
  public func value(_ name: String) -> String? { directives[name.lowercased()] }

  private mutating func add(_ part: String) {
    let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0]).trimmingHTTPWhitespace().lowercased()
    guard !name.isEmpty, directives[name] == nil else { return }
    var value = pieces.count > 1 ? String(pieces[1]).trimmingHTTPWhitespace() : ""
    if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
      value = String(value.dropFirst().dropLast())
    }
    directives[name] = value
  }

  /// Splits at commas outside quotes.
  private static func split(_ value: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var isQuoted = false
    for character in value {
      if character == "\"" { isQuoted.toggle() }
      if character == "," && !isQuoted {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    return parts + [part]
  }
}
