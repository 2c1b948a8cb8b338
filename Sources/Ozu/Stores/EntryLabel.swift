import OzuHTTP

/// The label of an entry in listings of a store: its source, then the steps. Labels are stored in clear text, so a
/// URL loses user, password, query and fragment. A hash of the URL replaces them, and distinguishes it from others.
///
/// `https://example.com/a.jpg?… #0123456789abcdef0123456789abcdef resize(…)`
enum EntryLabel {
  /// The label of a source and of steps.
  static func text(ofSource source: String, steps: [String] = []) -> String {
    guard let start = source.firstRange(of: "://")?.upperBound else { return join(source, steps) }
    // The hashes of header fields follow the address.
    let address = String(source[..<(source[start...].firstIndex(of: " ") ?? source.endIndex)])
    let shown = Redaction.address(address)
    guard shown != address else { return join(source, steps) }
    return join("\(shown) #\(CacheKey(address))" + source.dropFirst(address.count), steps)
  }

  private static func join(_ source: String, _ steps: [String]) -> String {
    ([source] + steps).joined(separator: " ")
  }

  /// The key of the source of a label without steps.
  static func key(ofLabel label: String) -> CacheKey {
    let hash = label.suffix(32)
    if label.dropLast(32).hasSuffix(" #"), let key = CacheKey(hexadecimal: hash) { return key }
    return CacheKey(label)
  }
}
