/// A content coding that the client can decode (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
enum ContentCoding: String, CaseIterable, Sendable {
  case gzip, deflate
  case brotli = "br"
  case zstd

  /// The value of `Accept-Encoding` in requests.
  static let offer = allCases.map(\.rawValue).joined(separator: ", ")

  /// The coding with a name in `Content-Encoding`; nil if it is unknown.
  init?(name: String) {
    // The older name means the same (RFC 9110 §8.4.1.3).
    let canonical = name.isEqualIgnoringASCIICase(to: "x-gzip") ? "gzip" : name
    guard let coding = Self.allCases.first(where: { $0.rawValue.isEqualIgnoringASCIICase(to: canonical) })
    else { return nil }
    self = coding
  }
}

/// The codings of a response.
enum ContentCodings: Equatable {
  /// No coding.
  case none
  /// These codings, in the order in which they were applied. The last one is decoded first.
  case known([ContentCoding])
  /// At least one coding is unknown, such as `aws-chunked` or `utf-8`: the body is returned as it was sent, as
  /// browsers do.
  case unknown

  /// The most codings of one body. Honest servers do not apply more, and each costs memory and time.
  static let maximumCount = 5

  init(_ headers: HTTPHeaders) {
    // Most responses have no coding, so the common case makes no list.
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

extension HTTPHeaders {
  /// Whether they name content codings that the client decodes.
  var hasContentCoding: Bool {
    if case .known = ContentCodings(self) { true } else { false }
  }
}
