import OzuHTTP

/// The field `If-None-Match` of a request (RFC 9110 §13.1.2).
struct EntityTagCondition {
  private let tags: [String]
  private let isAny: Bool

  /// The condition of a request; `nil` for a request without one. A malformed condition matches nothing.
  init?(_ headers: HTTPHeaders) {
    let values = headers.values(for: "If-None-Match")
    guard !values.isEmpty else { return nil }
    isAny = values == ["*"]
    tags = values.flatMap(Self.opaqueTags)
  }

  /// Whether the condition contains a tag, by the weak comparison (§8.8.3.2).
  func matches(_ tag: String) -> Bool {
    isAny || Self.opaqueTags(in: tag).contains(where: tags.contains)
  }

  /// The tags of a list with their quotes and without `W/`. A tag may contain a comma.
  private static func opaqueTags(in value: String) -> [String] {
    var tags: [String] = []
    var start: String.Index?
    for index in value.indices where value[index] == "\"" {
      if let first = start {
        tags.append(String(value[first...index]))
        start = nil
      } else {
        start = index
      }
    }
    return tags
  }
}
