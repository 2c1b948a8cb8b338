#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One HTTP exchange to make: a value, complete before it is sent.
///
/// ```swift
/// var request = HTTPRequest(url: url)
/// request.headers["Accept"] = "image/*"
/// request.maximumBodyByteCount = 20_000_000
/// let (body, response) = try await DefaultHTTPClient.shared.data(for: request)
/// ```
public struct HTTPRequest: Sendable, Hashable {
  /// The absolute `http` or `https` URL.
  public var url: URL
  /// The method; `GET` unless said otherwise.
  public var method: HTTPMethod
  /// The header fields. The transport adds `Host`, `Accept-Encoding`, `User-Agent` and `Content-Length` where
  /// they are missing, and owns the connection's own fields (`Connection`, `Transfer-Encoding`, …).
  ///
  /// A request with its own `Accept-Encoding` or with `Range` gets its body as it was sent, still encoded.
  public var headers: HTTPHeaders
  /// The body to send, if any.
  public var body: Data?
  /// How long each phase may take.
  public var timeouts: HTTPTimeouts
  /// The largest body accepted, in bytes after content decoding; 100 MB unless said otherwise.
  ///
  /// It holds while the body streams in, whatever `Content-Length` says.
  public var maximumBodyByteCount: Int
  /// What becomes of a redirect.
  public var redirectPolicy: HTTPRedirectPolicy
  /// The order in which waiting requests start.
  public var priority: HTTPPriority
  /// A priority that may change while the request waits; it counts in the place of `priority`. Nil by default.
  public var livePriority: HTTPLivePriority?
  /// Whether the request may be made while the user has asked to save data (Low Data Mode on Apple platforms); if
  /// not, it fails then with `constrainedNetwork`. It may, by default. Linux has no such mode.
  public var allowsConstrainedNetworks = true
  /// Whether it has waited for its turn already, where the one who sends it bounds how many there are: then it does not
  /// wait in the client's own queue.
  package var hasPlace = false
  /// What libcurl signs the request with. `URLSession` does not sign: `nil` there.
  package var signature: AWSSignature?

  /// Makes a request; all but the URL have defaults.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil,
    timeouts: HTTPTimeouts = HTTPTimeouts(), maximumBodyByteCount: Int = 100_000_000,
    redirectPolicy: HTTPRedirectPolicy = .follow(maximum: 10), priority: HTTPPriority = .normal
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.timeouts = timeouts
    self.maximumBodyByteCount = maximumBodyByteCount
    self.redirectPolicy = redirectPolicy
    self.priority = priority
  }
}

/// The credentials of a request that is signed with AWS Signature Version 4, by libcurl (`CURLOPT_AWS_SIGV4`).
///
/// libcurl signs what the request says, and adds `X-Amz-Date` and `Authorization`. The sender adds
/// `x-amz-content-sha256`, which S3 demands and libcurl does not send before 8.0, and sorts the query: libcurl signs it as
/// it stands.
package struct AWSSignature: Sendable, Hashable {
  package var accessKey: String
  package var secretKey: String
  package var region: String
  package var service: String

  package init(accessKey: String, secretKey: String, region: String, service: String) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.region = region
    self.service = service
  }
}

/// A request method: a token, compared with its case (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  /// The token as it goes over the wire.
  public let rawValue: String

  /// Makes a method of any token.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// `GET`
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD`: the response has no body.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `POST`
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT`
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `PATCH`
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `DELETE`
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// `OPTIONS`
  public static let options = HTTPMethod(rawValue: "OPTIONS")
}

/// How long the phases of a request may take. None of them runs while the request waits for its turn.
public struct HTTPTimeouts: Sendable, Hashable {
  /// From the start of a hop to a usable connection: name lookup, TCP and TLS. 10 seconds.
  public var connect: Duration
  /// The longest silence on the connection once it stands. 30 seconds.
  public var idle: Duration
  /// From the start to the last byte, all redirects included and, in a cache, all retries. 120 seconds.
  public var total: Duration
  /// How fast an answer has to come at least once it has begun; nil, the default, for any speed.
  public var minimumSpeed: HTTPMinimumSpeed?

  /// Makes a set of limits.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(120),
    minimumSpeed: HTTPMinimumSpeed? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
    self.minimumSpeed = minimumSpeed
  }
}

/// How fast a body has to come: an origin that sends a byte now and then is never silent, and would hold a place for
/// as long as the whole exchange may take.
public struct HTTPMinimumSpeed: Sendable, Hashable {
  /// The bytes of the body, after content decoding, that have to come in a second, on average over a window.
  public var bytesPerSecond: Int
  /// How long each window is. It begins with the response, again with its body, or where the last one ended, or when a
  /// sink that was behind is ready again. 10 seconds.
  public var window: Duration

  /// Makes a limit.
  public init(bytesPerSecond: Int, window: Duration = .seconds(10)) {
    self.bytesPerSecond = bytesPerSecond
    self.window = window
  }
}

/// What a client does with a redirect (301, 302, 303, 307 or 308 with a `Location`).
public enum HTTPRedirectPolicy: Sendable, Hashable {
  /// Follow it, at most this many times in a row. From `https` only to `https`; credentials stay at the
  /// origin they were meant for.
  case follow(maximum: Int)
  /// Hand it to the caller as the response.
  case manual
}

/// The order in which requests start when more wait than may run.
public enum HTTPPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Work nobody waits for.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// What will be on screen next.
  case high
  /// What is on screen.
  case veryHigh

  /// By urgency, the lowest first.
  public static func < (a: HTTPPriority, b: HTTPPriority) -> Bool {
    a.rawValue < b.rawValue
  }
}
