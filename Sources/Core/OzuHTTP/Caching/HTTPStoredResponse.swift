import OzuBase

/// A stored response without its body: the facts that the rules of RFC 9111 need.
public struct HTTPStoredResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields that may be stored (§3.1).
  public var headers: HTTPHeaders
  /// The URL that answered, after redirects, as the cache knows it: in one spelling and without the parts that its rules drop. Without
  /// query and credentials in a copy made by `withoutSecrets`.
  public var url: URL
  /// A digest of the whole URL, if `url` lacks parts of it; `nil` otherwise.
  public package(set) var urlDigest: String?
  /// The date when the request for it, or for its last validation, was sent.
  public var requestDate: Date
  /// The date when the response arrived, or was last validated.
  public var responseDate: Date
  /// The request's fields that `Vary` names, as they were sent, without those that were absent.
  public var selectingHeaders: HTTPHeaders
  /// The date until which the redirects that led here may be followed without asking; `nil` if there were none.
  public var redirectsFreshUntil: Date?
  /// The identity of the body: equal bodies have equal identities. It does not detect forgery.
  public var bodyIdentity: String

  /// Makes a stored response.
  public init(
    status: Int, headers: HTTPHeaders, url: URL, requestDate: Date, responseDate: Date,
    selectingHeaders: HTTPHeaders = [:], redirectsFreshUntil: Date? = nil, bodyIdentity: String = ""
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.selectingHeaders = selectingHeaders
    self.redirectsFreshUntil = redirectsFreshUntil
    self.bodyIdentity = bodyIdentity
  }

  /// The reason why no cache can have stored this response; nil if a cache can. Readers of stored responses ask before
  /// they believe one: others may write to the storage, and a number outside its range spoils every calculation.
  package var flaw: String? {
    guard (200..<600).contains(status) else { return "its status is \(status)" }
    guard Self.dates.holds(requestDate), Self.dates.holds(responseDate) else {
      return "its dates are not between 1970 and 2200"
    }
    guard redirectsFreshUntil.map({ Self.deadlines.holds($0) }) ?? true else {
      return "its deadline is no date"
    }
    let isValid = { (fields: HTTPHeaders) in
      fields.allSatisfy { $0.name.isHTTPToken && $0.value.isHTTPFieldValue }
    }
    guard isValid(headers), isValid(selectingHeaders) else { return "it has a field that HTTP cannot have" }
    return nil
  }

  private static let dates = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 7_258_118_400)
  /// The range of `HTTPCachePolicy.freshUntil`.
  package static let deadlines = Date.distantPast...HTTPDate.representable.upperBound

  /// Whether this is the URL that answered, including its query and credentials.
  package func isFrom(_ other: URL) -> Bool {
    guard let urlDigest else { return url.absoluteString == other.absoluteString }
    return urlDigest == SHA256.hexDigest(of: other.absoluteString)
  }

  /// The response without secrets in clear text, in the form in which it may be written to a disk. URLs and
  /// variants can still be told apart. `nil` if the response is useless without the removed parts.
  ///
  /// - The URL loses user, password, query and fragment; a digest (SHA-256) of the whole URL replaces them.
  /// - Fields with credentials are removed, including `Set-Cookie`, and so are `Link` and `Refresh`. The addresses in
  ///   `Location` and `Content-Location` lose the same parts as the URL.
  /// - Of the request's fields that `Vary` names, those that may be secret become digests.
  /// - A redirect whose `Location` would lose a part is `nil`.
  public var withoutSecrets: HTTPStoredResponse? {
    var response = self
    if urlDigest == nil {
      response.url = Redaction.url(url)
      if response.url.absoluteString != url.absoluteString {
        response.urlDigest = SHA256.hexDigest(of: url.absoluteString)
      }
    }
    response.headers = StoredFields.withoutSecrets(headers)
    if (300..<400).contains(status), response.headers["Location"] != headers["Location"] { return nil }
    response.selectingHeaders = StoredFields.comparable(selectingHeaders)
    return response
  }

  package var cacheControl: CacheControl { CacheControl(headers) }

  /// The entity tag as it was sent; `nil` without one.
  public var entityTag: String? { headers.first("ETag").flatMap { $0.isEmpty ? nil : $0 } }

  /// The value of `Last-Modified` as it was sent, if it is a date.
  public var lastModified: String? {
    headers.first("Last-Modified").flatMap { HTTPDate.date(from: $0, now: responseDate) == nil ? nil : $0 }
  }

  /// The date of the response (RFC 9110 §6.6.1): its `Date`, otherwise the date when it arrived.
  public var date: Date {
    headers.first("Date").flatMap { HTTPDate.date(from: $0, now: responseDate) } ?? responseDate
  }
}

extension HTTPStoredResponse: Codable {
  private enum Key: String, CodingKey {
    case status, headers, url, requestDate, responseDate, selectingHeaders, redirectsFreshUntil
    case bodyIdentity, urlDigest
  }

  /// Reads a response. Dates are seconds since 1970, headers are pairs of names and values.
  ///
  /// - Throws: also for a status, a date or a field that no stored response has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func date(_ key: Key) throws -> Date? {
      try container.decodeIfPresent(Double.self, forKey: key).map { Date(timeIntervalSince1970: $0) }
    }
    func headers(_ key: Key) throws -> HTTPHeaders {
      HTTPHeaders(
        try container.decode([[String]].self, forKey: key).map { pair in
          guard pair.count == 2, let name = pair.first, let value = pair.last else {
            throw damage(key, "a field is not a pair of name and value")
          }
          return HTTPHeaders.Field(name: name, value: value)
        })
    }
    func damage(_ key: Key, _ what: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: what)
    }
    guard let url = URL(string: try container.decode(String.self, forKey: .url)),
      let requestDate = try date(.requestDate), let responseDate = try date(.responseDate)
    else { throw damage(.url, "the record of a response lacks its URL or dates") }
    self.init(
      status: try container.decode(Int.self, forKey: .status), headers: try headers(.headers), url: url,
      requestDate: requestDate, responseDate: responseDate,
      selectingHeaders: try headers(.selectingHeaders), redirectsFreshUntil: try date(.redirectsFreshUntil),
      bodyIdentity: try container.decode(String.self, forKey: .bodyIdentity))
    urlDigest = try container.decodeIfPresent(String.self, forKey: .urlDigest)
    if let flaw { throw damage(.status, flaw) }
  }

  /// Writes the whole response in the form that `init(from:)` reads. To write it to a disk, use `withoutSecrets`
  /// first.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(status, forKey: .status)
    try container.encode(headers.map { [$0.name, $0.value] }, forKey: .headers)
    try container.encode(url.absoluteString, forKey: .url)
    try container.encode(requestDate.timeIntervalSince1970, forKey: .requestDate)
    try container.encode(responseDate.timeIntervalSince1970, forKey: .responseDate)
    try container.encode(selectingHeaders.map { [$0.name, $0.value] }, forKey: .selectingHeaders)
    try container.encodeIfPresent(redirectsFreshUntil?.timeIntervalSince1970, forKey: .redirectsFreshUntil)
    try container.encode(bodyIdentity, forKey: .bodyIdentity)
    try container.encodeIfPresent(urlDigest, forKey: .urlDigest)
  }
}

/// The parts of header fields that may be written to a disk.
enum StoredFields {
  /// Fields of a response whose whole value is a credential, or may be.
  private static let secret = [
    "Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization", "Authentication-Info",
    "X-Auth-Token", "X-Api-Key", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token",
    "X-Goog-Iam-Authorization-Token",
    // Their addresses may be relative, which a text does not show.
    "Link", "Refresh",
  ]
  /// Fields whose value is one address.
  private static let addresses = ["Location", "Content-Location"]

  /// Request fields that describe the abilities of a client, and not its identity.
  private static let harmless = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "device-memory", "downlink", "dpr",
    "ect",
    "origin", "rtt", "save-data", "upgrade-insecure-requests", "user-agent", "viewport-width", "width",
  ]
  private static let digestMark = "sha256:"

  /// The fields of a response without possible secrets.
  static func withoutSecrets(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.compactMap { field in
        if field.isNamed(secret) { return nil }
        return field.isNamed(addresses)
          ? HTTPHeaders.Field(name: field.name, value: Redaction.address(field.value)) : field
      })
  }

  /// The fields that selected a variant, in a form that can be compared: possible secrets become digests. Applying
  /// it twice gives the same result as once.
  static func comparable(_ selecting: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      selecting.map {
        HTTPHeaders.Field(name: $0.name, value: comparable($0.value, name: $0.name.lowercased()))
      })
  }

  private static func comparable(_ value: String, name: String) -> String {
    guard !harmless.contains(name), !name.hasPrefix("sec-ch-"), !value.hasPrefix(digestMark) else {
      return value
    }
    return digestMark + SHA256.hexDigest(of: value)
  }

  /// Whether the value in a request equals the stored one, which may be a digest.
  static func isEqual(_ value: String?, _ stored: String?) -> Bool {
    guard value != stored else { return true }
    guard let value, let stored, stored.hasPrefix(digestMark) else { return false }
    return stored == digestMark + SHA256.hexDigest(of: value)
  }
}
