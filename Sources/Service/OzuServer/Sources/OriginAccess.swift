public import Ozu
import OzuBase
public import OzuHTTP
public import OzuSharedStores

/// What a service needs to ask private origins: header fields with credentials, and buckets of S3.
///
/// ```swift
/// let access = OriginAccess(fields: [try OriginFields("https://private.example/", ["Authorization": "Bearer …"])])
/// var rules = AddressRules()
/// rules.access = access
/// var configuration = ImagePipeline.Configuration.service()
/// configuration.use(access)
/// ```
///
/// Credentials are sent with the request for the address that a picture's address names, and with no other: no redirect, to
/// whichever origin, has them, because the server that redirects chose its target.
public struct OriginAccess: Sendable {
  /// Fields for addresses. An address gets those of all that match it.
  public var fields: [OriginFields]
  /// The buckets that `s3://bucket/key` addresses may name; `nil` for none.
  public var buckets: S3Buckets?

  /// Makes access.
  public init(fields: [OriginFields] = [], buckets: S3Buckets? = nil) {
    self.fields = fields
    self.buckets = buckets
  }

  /// Names the address that its request is for, so that the client can tell that request from one that follows a redirect. The
  /// client removes it.
  static let markName = "Ozu-Source"

  /// The source of an address, as the pipeline loads it.
  func source(_ url: URL) -> ImageSource {
    let address = buckets?.address(of: url) ?? url
    guard address != url || fields.contains(where: { $0.matches(url) }) else { return .url(url) }
    return .request(ImageURLRequest(url: address, headers: [Self.markName: address.absoluteString]))
  }
}

/// The header fields for the addresses that have a beginning.
public struct OriginFields: Sendable, CustomStringConvertible {
  /// The beginning, as in `AddressRules.sources`.
  public let prefix: String
  let headers: HTTPHeaders

  /// Makes fields.
  ///
  /// - Parameter prefix: the beginning of addresses, such as `https://private.example/images/`.
  /// - Throws: `AddressRulesError` for a beginning without a scheme and a host or with a star, and for a field that HTTP does not
  ///   allow. No message contains a value.
  public init(_ prefix: String, _ headers: HTTPHeaders) throws(AddressRulesError) {
    guard let url = URL(string: prefix), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false, !prefix.contains("*")
    else {
      throw AddressRulesError("\(prefix): http:// or https:// and a host are needed, without stars")
    }
    let isValid = headers.allSatisfy { field in
      field.name.isHTTPToken && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
    guard isValid, !headers.isEmpty else {
      throw AddressRulesError("\(prefix): this cannot be a header field")
    }
    self.prefix = prefix
    self.headers = headers
  }

  /// The beginning, without the fields.
  public var description: String { "\(prefix): …" }

  func matches(_ url: URL) -> Bool { HTTPHostRule.addresses([prefix]).allows(url) }
}

/// Sends requests with the credentials of their origins. Requests without any are those of the client inside, with its rules.
struct OriginClient: HTTPClient {
  let inner: any HTTPClient
  let access: OriginAccess
  /// For buckets, which the settings name: neither the host rule nor the network guard is about them.
  private let bucketClient: (any HTTPClient)?

  init(_ inner: any HTTPClient, _ access: OriginAccess) {
    self.inner = inner
    self.access = access
    bucketClient = access.buckets.map { DefaultHTTPClient(configuration: $0.connections) }
  }

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    guard let mark = request.headers[OriginAccess.markName] else {
      return try await inner.send(request, into: sink)
    }
    var request = request
    request.headers.remove(name: OriginAccess.markName)
    // After a redirect the address is another one.
    guard mark == request.url.absoluteString else { return try await inner.send(request, into: sink) }
    if let bucketClient, let signed = access.buckets?.signed(request) {
      return try await bucketClient.send(signed, into: sink)
    }
    for fields in access.fields where fields.matches(request.url) {
      for field in fields.headers { request.headers[field.name] = field.value }
    }
    // This client would follow a redirect with the fields.
    request.redirectPolicy = .manual
    return try await inner.send(request, into: sink)
  }
}

extension ImagePipeline.Configuration {
  /// Lets the pipeline ask private origins: its client sends their credentials, and its host rule allows the buckets.
  public mutating func use(_ access: OriginAccess) {
    guard access.buckets != nil || !access.fields.isEmpty else { return }
    network.httpClient = OriginClient(network.httpClient, access)
    guard let buckets = access.buckets else { return }
    switch network.hostRule {
    case .any: break
    case .only(let hosts): network.hostRule = .only(hosts + buckets.hosts)
    case .addresses(let prefixes): network.hostRule = .addresses(prefixes + buckets.prefixes)
    }
  }
}
