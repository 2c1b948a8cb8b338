import Ozu
import OzuBase
import OzuHTTP

/// The credentials for an S3 service.
public struct S3Credentials: Hashable, Sendable, CustomStringConvertible {
  /// The name of the access key.
  public var accessKey: String
  /// The secret that requests are signed with. It is never sent.
  public var secretKey: String
  /// The token of temporary credentials; `nil` for permanent ones.
  public var sessionToken: String?

  /// Makes credentials.
  public init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// The name of the key, without the secret.
  public var description: String { "\(accessKey):…" }
}

/// The settings of an `S3Store`.
public struct S3Configuration: Sendable {
  /// The address of the service: `https://s3.eu-central-1.amazonaws.com`, `http://minio:9000`.
  public var endpoint: URL
  /// The bucket, which is written in the path. `nil` if the host of the endpoint names it.
  public var bucket: String?
  /// The region for signatures. Services without regions accept `us-east-1`.
  public var region: String
  /// Called before each request, so that temporary credentials can be replaced. Must not block.
  public var credentials: @Sendable () -> S3Credentials
  /// The prefix of all keys: letters, digits, `-`, `_`, `.`, `~` and `/`. Default: `ozu/`.
  public var keyPrefix = "ozu/"
  /// The time limit for a request. Default: 300 milliseconds.
  public var deadline = Duration.milliseconds(300)
  /// The most bytes of an entry. Larger ones are not stored. Default: 32 MB.
  public var maximumEntryByteCount = 32 << 20
  /// Whether originals are stored too. Default: true.
  public var keepsOriginals = true
  /// The secret that entries are authenticated with; `nil`, the default, for none: then whoever can write to the bucket can put
  /// pictures there.
  public var authenticationKey: SharedEntryKey?
  /// When the circuit breaker of the service opens.
  public var breaker = SharedStoreBreakerPolicy()
  /// The settings of the connections: certificate authorities, proxy, and their number per host.
  public var connections = HTTPClientConfiguration()
  /// Called for failures and recoveries, on a queue of its own.
  public var onEvent: @Sendable (SharedStoreEvent) -> Void = { _ in }
  var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

  /// Makes the settings of a store in a bucket.
  public init(endpoint: URL, bucket: String?, region: String, credentials: S3Credentials) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.region = region
    self.credentials = { credentials }
  }

  /// Whether an address is that of a service: http or https with nothing but a host and a port. A login in it would be sent in the
  /// place of the keys.
  static func isService(_ endpoint: URL) -> Bool {
    guard ["http", "https"].contains(endpoint.scheme?.lowercased()), endpoint.host()?.isEmpty == false,
      ["", "/"].contains(endpoint.path()), endpoint.query() == nil, endpoint.fragment() == nil
    else { return false }
    return endpoint.user() == nil
  }

  /// Whether a name can be used in a path unchanged: then nothing is escaped, and signatures cannot differ.
  static func isPlain(_ name: String) -> Bool {
    PercentEncoding.encoded(name, keeping: "-_.~/") == name && !name.contains("//")
      && !name.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }
}

/// The failure of a request to an S3 service. `ImageStoreError.underlying` contains it.
public enum S3Error: Error, Hashable, Sendable {
  /// The exchange was not completed.
  case transport(HTTPError)
  /// The answer did not arrive within the deadline.
  case timedOut(Duration)
  /// The service refused the request; its status and its error code, such as `SlowDown`.
  case refused(status: Int, code: String)
  /// A listing is malformed; says what is wrong.
  case malformedListing(String)
  /// The circuit breaker is open, because the service failed several times in a row.
  case circuitOpen
}

extension S3Error: LocalizedError, CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .transport(let error): error.message
    case .timedOut(let limit): "the service did not answer within \(limit)"
    case .refused(let status, let code): PrintableText.escaped("the service refused: \(status) \(code)")
    case .malformedListing(let what): "the service's listing is malformed: \(what)"
    case .circuitOpen: "the service has failed repeatedly and is not asked for a while"
    }
  }

  /// The description.
  public var errorDescription: String? { description }

  /// The code in the body of a refusal; empty for none.
  static func code(in body: Data) -> String {
    S3Listing.texts(of: "Code", in: String(decoding: body.prefix(4096), as: UTF8.self)).first ?? ""
  }

  /// Whether the service can do nothing at all now, or nothing with these credentials. Other errors are about one
  /// object.
  var isFailure: Bool {
    switch self {
    case .transport(let error): !error.isOfSize
    case .timedOut: true
    case .refused(let status, _): status >= 500 || [401, 403, 408, 429].contains(status)
    case .malformedListing, .circuitOpen: false
    }
  }
}

extension HTTPError {
  /// Whether the object is larger than any entry. The service has answered, so this is about that object.
  var isOfSize: Bool { if case .bodyTooLarge = reason { true } else { false } }
}
