import OzuBase

/// The key of a stored response (RFC 9111 §2): the URL without its fragment and in one spelling (RFC 3986 §6.2), and the credentials
/// of the request. So two accounts on one device never see each other's answers.
///
/// It contains credentials in clear text. A storage must hash it before it writes it anywhere.
public struct HTTPCacheKey: Sendable, Hashable {
  /// The URL, or the name that replaces it.
  public let resource: String
  /// The credentials of the request; empty for a request without credentials.
  public let partition: String

  /// The key of a request.
  ///
  /// - Parameters:
  ///   - resource: the name that replaces the URL, if any.
  ///   - rules: which parts of the URL are not part of the key.
  public init(_ request: HTTPRequest, resource: String? = nil, rules: [CacheKeyRule] = []) {
    // A redirect that is returned to the caller and the answer that it leads to have different keys.
    let prefix = request.redirectPolicy == .manual ? "manual " : ""
    self.resource = prefix + (resource ?? Self.text(of: request.url, rules: rules))
    partition = HTTPHeaders.credentialNames.compactMap { name in
      request.headers[name].map { "\(name): \($0)" }
    }.joined(separator: "\n")
  }

  /// The keys under which a URL may be stored, with the credentials of a request and without credentials.
  static func all(for url: URL, credentialsOf request: HTTPRequest, rules: [CacheKeyRule]) -> Set<
    HTTPCacheKey
  > {
    var keys: Set<HTTPCacheKey> = []
    for headers in [request.headers, [:]] {
      for redirects in [request.redirectPolicy, .manual, .follow(maximum: 10)] {
        keys.insert(
          HTTPCacheKey(HTTPRequest(url: url, headers: headers, redirectPolicy: redirects), rules: rules))
      }
    }
    return keys
  }

  /// A URL without its fragment and without the parts that rules drop, in one spelling.
  static func text(of url: URL, rules: [CacheKeyRule]) -> String {
    let whole = WebAddress.canonical(url.absoluteString)
    return rules.first { $0.applies(to: url) }?.applied(to: whole) ?? whole
  }
}

/// Names the parts of one host's URLs that do not change the resource, such as the tokens of signed URLs.
///
/// ```swift
/// CacheKeyRule(host: "*.cdn.example.com", droppingQueryItems: ["X-Amz-Signature", "X-Amz-Date", "expires"])
/// ```
public struct CacheKeyRule: Sendable, Hashable {
  /// The host, or `*.example.com` for every host below it.
  public let host: String
  /// The names of the query items to drop. They are compared as they are written in the URL, without decoding.
  public let droppedQueryItems: Set<String>

  /// Makes a rule.
  public init(host: String, droppingQueryItems names: some Sequence<String>) {
    self.host = host.lowercased()
    droppedQueryItems = Set(names)
  }

  /// Whether the rule applies to a URL.
  package func applies(to url: URL) -> Bool {
    guard let host = url.host()?.lowercased() else { return false }
    return self.host.hasPrefix("*.") ? host.hasSuffix(self.host.dropFirst()) : host == self.host
  }

  /// The text of a URL without the dropped query items.
  package func applied(to text: String) -> String {
    guard let mark = text.firstIndex(of: "?") else { return text }
    let kept = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
      .filter { item in !droppedQueryItems.contains(String(item.prefix { $0 != "=" })) }
    return kept.isEmpty ? String(text[..<mark]) : text[...mark] + kept.joined(separator: "&")
  }
}
