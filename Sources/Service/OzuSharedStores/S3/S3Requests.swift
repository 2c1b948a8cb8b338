import Ozu
import OzuBase
import OzuHTTP

/// The requests of a store, complete except for their signatures, which libcurl makes.
///
/// Three rules make libcurl's signatures equal to those that S3 computes: `x-amz-content-sha256` is always present,
/// the items of a query are sorted and escaped, and every listed header is also sent.
struct S3Requests: Sendable {
  let configuration: S3Configuration

  func name(of key: ImageStoreKey) -> String { "\(prefix(of: key.kind))\(key.key)" }

  func prefix(of kind: ImageStoreKind) -> String { "\(configuration.keyPrefix)\(kind.identifier)/" }

  func get(_ name: String, byteCount: Int? = nil) -> HTTPRequest {
    var request = request(.get, path: name)
    if let byteCount { request.headers["Range"] = "bytes=0-\(byteCount - 1)" }
    return request
  }

  /// - Parameter tag: the entity tag that the object must have; `nil` for any.
  func delete(_ name: String, ifTagIs tag: String? = nil) -> HTTPRequest {
    var request = request(.delete, path: name)
    if let tag { request.headers["If-Match"] = tag }
    return request
  }

  func put(_ name: String, _ data: Data) -> HTTPRequest {
    var request = request(.put, path: name, body: data)
    request.headers["Content-Type"] = "application/octet-stream"
    return request
  }

  /// Lists at most a thousand objects; the answer has a token for the next page.
  func list(prefix: String, token: String?) -> HTTPRequest {
    let items = [("continuation-token", token), ("list-type", "2"), ("prefix", prefix)]
    let query = items.compactMap { item in item.1.map { "\(item.0)=\(Self.escaped($0))" } }.joined(
      separator: "&")
    return request(.get, path: "", query: query, maximumByteCount: 4 << 20)
  }

  private func request(
    _ method: HTTPMethod, path: String, query: String? = nil, body: Data? = nil, maximumByteCount: Int? = nil
  ) -> HTTPRequest {
    let bucket = configuration.bucket.map { "/\($0)" } ?? ""
    let base = configuration.endpoint.absoluteString
    let address =
      (base.hasSuffix("/") ? String(base.dropLast()) : base) + bucket
      + (path.isEmpty ? (bucket.isEmpty ? "/" : "") : "/\(path)") + (query.map { "?\($0)" } ?? "")
    // All parts were checked when the store was made.
    var request = HTTPRequest(url: URL(string: address) ?? configuration.endpoint, method: method, body: body)
    request.redirectPolicy = .manual
    request.timeouts = HTTPTimeouts(
      connect: configuration.deadline, idle: configuration.deadline, total: configuration.deadline)
    request.maximumBodyByteCount = maximumByteCount ?? configuration.maximumEntryByteCount
    request.sign(with: configuration.credentials(), region: configuration.region)
    return request
  }

  /// Escapes a text for signatures (AWS, "Create a canonical request", `UriEncode`).
  static func escaped(_ text: String) -> String { PercentEncoding.encoded(text, keeping: "-._~") }
}

extension HTTPRequest {
  mutating func sign(with credentials: S3Credentials, region: String) {
    // Sets the field itself, so that the body is returned as it was stored.
    headers["Accept-Encoding"] = "identity"
    // With TLS the body cannot be changed, and the body has checksums of its own. In clear text the signature covers it.
    headers["x-amz-content-sha256"] =
      url.scheme?.lowercased() == "https" ? "UNSIGNED-PAYLOAD" : SHA256.hexDigest(of: body ?? Data())
    if let token = credentials.sessionToken { headers["x-amz-security-token"] = token }
    signature = AWSSignature(
      accessKey: credentials.accessKey, secretKey: credentials.secretKey, region: region, service: "s3")
  }
}

/// A page of a bucket's listing (ListObjectsV2): the keys, and the token of the next page.
///
/// Not an XML parser: the required elements have no attributes and contain only text.
package struct S3Listing {
  package var keys: [String]
  var nextToken: String?

  package init(_ text: String) throws(S3Error) {
    guard text.contains("<ListBucketResult") else { throw .malformedListing("it is not a ListBucketResult") }
    keys = Self.texts(of: "Key", in: text)
    let isTruncated = Self.texts(of: "IsTruncated", in: text).first == "true"
    nextToken = Self.texts(of: "NextContinuationToken", in: text).first
    if isTruncated, nextToken == nil { throw .malformedListing("it has no token for the next page") }
    if !isTruncated { nextToken = nil }
  }

  static func texts(of name: String, in text: String) -> [String] {
    var rest = text[...]
    var texts: [String] = []
    while let begin = rest.firstRange(of: "<\(name)>") {
      rest = rest[begin.upperBound...]
      guard let end = rest.firstRange(of: "</\(name)>") else { break }
      texts.append(unescaped(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return texts
  }

  private static func unescaped(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    var result = String(text)
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ] {
      result = result.replacing(entity, with: character)
    }
    return result
  }
}
