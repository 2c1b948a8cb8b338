import OzuBase
public import OzuHTTP

/// The buckets of an S3 service that pictures may come from, as `s3://bucket/key`.
public struct S3Buckets: Sendable {
  /// How the address of an object names its bucket.
  public enum Style: String, Sendable {
    /// In the path: `https://s3.example.com/bucket/key`.
    case path
    /// In the host: `https://bucket.s3.example.com/key`.
    case host
  }

  /// The address of the service.
  public let endpoint: URL
  /// The names of the buckets.
  public let names: Set<String>
  /// How addresses name buckets.
  public let style: Style
  /// The region for signatures.
  public let region: String
  /// Called before each request, so that temporary credentials can be replaced. Must not block. `nil` for buckets that everybody
  /// may read.
  public var credentials: (@Sendable () -> S3Credentials)?
  /// The settings of the connections: certificate authorities, proxy, and their number per host.
  public var connections = HTTPClientConfiguration()

  /// Makes a list of buckets.
  ///
  /// - Parameters:
  ///   - endpoint: the address of the service; `nil` for that of Amazon in the region.
  ///   - names: the buckets that may be read.
  ///   - style: `nil` for `host` at Amazon, and `path` at other services.
  /// - Throws: `S3Store.InvalidConfiguration` for an endpoint that is no address of a service, and for a name that no bucket can
  ///   have.
  public init(
    endpoint: URL? = nil, names: Set<String>, region: String = "us-east-1", style: Style? = nil,
    credentials: S3Credentials?
  ) throws(S3Store.InvalidConfiguration) {
    guard Self.isLabel(region) else {
      throw S3Store.InvalidConfiguration(description: "\"\(region)\" cannot be the name of a region")
    }
    guard let address = endpoint ?? URL(string: "https://s3.\(region).amazonaws.com"),
      S3Configuration.isService(address)
    else { throw .noService }
    if let name = names.sorted().first(where: { !Self.isBucket($0) }) {
      throw S3Store.InvalidConfiguration(description: "\"\(name)\" cannot be the name of a bucket")
    }
    self.endpoint = address
    self.names = names
    self.region = region
    self.style = style ?? (endpoint == nil ? .host : .path)
    if let credentials { self.credentials = { credentials } }
  }

  /// The web address of an object. `nil` for an address of another scheme, for a bucket that is not in the list, and for a key that
  /// an address cannot name: an empty one, and one with a segment `.` or `..`.
  package func address(of url: URL) -> URL? {
    let text = url.absoluteString
    guard text.prefix(5).lowercased() == "s3://", !text.contains("?"), !text.contains("#") else { return nil }
    let parts = text.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, names.contains(String(parts[0])),
      let key = String(parts[1]).percentDecoded,
      !key.isEmpty, !key.utf8.contains(0)
    else { return nil }
    let segments = key.split(separator: "/", omittingEmptySubsequences: false)
    guard !segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
    return URL(
      string: prefix(of: String(parts[0]))
        + segments.map { S3Requests.escaped(String($0)) }.joined(separator: "/"))
  }

  /// The beginnings of the addresses of all objects.
  package var prefixes: [String] { names.sorted().map(prefix) }

  package var hosts: [String] { Set(prefixes.compactMap { URL(string: $0)?.host() }).sorted() }

  /// A request for an object, complete except for the signature, which libcurl makes; `nil` for another address.
  package func signed(_ request: HTTPRequest) -> HTTPRequest? {
    let text = request.url.absoluteString
    guard prefixes.contains(where: { text.hasPrefix($0) }) else { return nil }
    var request = request
    // Another region would get a signature for this one.
    request.redirectPolicy = .manual
    guard let credentials = credentials?() else { return request }
    // libcurl 7.88 signs `Accept-Encoding` before `Accept`, which no service expects. S3 negotiates nothing.
    request.headers.remove(name: "Accept")
    request.sign(with: credentials, region: region)
    return request
  }

  /// Asks each bucket for an object that does not exist. A service that does not tell readers what is missing may refuse that, and
  /// still answer for what exists.
  ///
  /// - Throws: `S3Error` if the service does not answer, does not have a bucket, or does not accept the credentials.
  public func check(within limit: Duration) async throws(S3Error) {
    let client = DefaultHTTPClient(configuration: connections)
    let refusals: Set = [
      "NoSuchBucket", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed",
      "ExpiredToken",
      "InvalidToken", "PermanentRedirect",
    ]
    for prefix in prefixes {
      guard let url = URL(string: prefix + "ozu-check"), var request = signed(HTTPRequest(url: url)) else {
        continue
      }
      request.timeouts = HTTPTimeouts(connect: limit, idle: limit, total: limit)
      let answer: (body: Data, response: HTTPResponse)
      do throws(HTTPError) {
        answer = try await client.data(for: request)
      } catch {
        throw .transport(error)
      }
      let code = S3Error.code(in: answer.body)
      if refusals.contains(code) || answer.response.status >= 500 {
        throw .refused(status: answer.response.status, code: code)
      }
    }
  }

  private func prefix(of bucket: String) -> String {
    let port = endpoint.port.map { ":\($0)" } ?? ""
    let (scheme, host) = (endpoint.scheme?.lowercased() ?? "https", endpoint.hostInAddress ?? "")
    return switch style {
    case .path: "\(scheme)://\(host)\(port)/\(bucket)/"
    case .host: "\(scheme)://\(bucket).\(host)\(port)/"
    }
  }

  /// A bucket's name may become a part of a host: 3 to 63 small letters, digits, hyphens and single dots.
  private static func isBucket(_ name: String) -> Bool {
    (3...63).contains(name.utf8.count)
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isLabel(String($0)) }
  }

  private static func isLabel(_ text: String) -> Bool {
    !text.isEmpty && text.first != "-" && text.last != "-"
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }
}
