/// A coding that a body may come in and that is undone here (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
enum ContentCoding: String, CaseIterable, Sendable {
  case gzip, deflate
  case brotli = "br"
  case zstd

  /// What requests offer in `Accept-Encoding`.
  static let offer = allCases.map(\.rawValue).joined(separator: ", ")

  /// The coding of a name in `Content-Encoding`; nil for others.
  init?(name: String) {
    // The older name means the same (RFC 9110 §8.4.1.3).
    let canonical = name.isEqualIgnoringASCIICase(to: "x-gzip") ? "gzip" : name
    guard let coding = Self.allCases.first(where: { $0.rawValue.isEqualIgnoringASCIICase(to: canonical) })
    else { return nil }
    self = coding
  }
}

/// The codings that a response names.
enum ContentCodings: Equatable {
  /// None.
  case none
  /// These, in the order in which they were applied: the last is undone first.
  case known([ContentCoding])
  /// One of them is not known, such as `aws-chunked` or `utf-8`: the body is handed over as it came, as browsers do.
  case unknown

  /// No honest server applies more; each costs memory and time.
  static let maximumCount = 5

  init(_ headers: HTTPHeaders) {
    // Most responses name none, and the list is not made for them.
    guard headers.contains(name: "Content-Encoding") else {
      self = .none
      return
    }
    let names = headers.values(for: "Content-Encoding").flatMap { HTTPList.elements(of: $0) }
      .filter { name in !["identity", "none"].contains { $0.isEqualIgnoringASCIICase(to: name) } }
    let codings = names.compactMap { ContentCoding(name: $0) }
    self = names.isEmpty ? .none : codings.count == names.count ? .known(codings) : .unknown
  }
}
