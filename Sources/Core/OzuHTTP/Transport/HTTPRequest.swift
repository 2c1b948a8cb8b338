import OzuBase

/// One HTTP exchange as a value. It is complete before it is sent.
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
  /// The method. Default: `GET`.
  public var method: HTTPMethod
  /// The header fields. The transport adds `Host`, `Accept-Encoding`, `User-Agent` and `Content-Length` if they are
  /// missing, and sets the fields of the connection itself (`Connection`, `Transfer-Encoding`, …).
  ///
  /// The body of a request with its own `Accept-Encoding` or with `Range` is returned as it was sent, still
  /// encoded.
  public var headers: HTTPHeaders
  /// The body to send, if any.
  public var body: Data?
  /// How long each phase may take.
  public var timeouts: HTTPTimeouts
  /// The largest accepted body, in bytes after content decoding. Default: 100 MB.
  ///
  /// The limit applies while the body arrives, independently of `Content-Length`.
  public var maximumBodyByteCount: Int
  /// How redirects are handled.
  public var redirectPolicy: HTTPRedirectPolicy
  /// The order in which waiting requests start.
  public var priority: HTTPPriority
  /// Whether the request may be made while the user wants to save data (Low Data Mode on Apple platforms). If not,
  /// it then fails with `constrainedNetwork`. Default: true. Linux has no such mode.
  public var allowsConstrainedNetworks = true
  /// Whether the request may use a cellular network. Default: true. Only `URLSession` knows the kind of network.
  public var allowsCellularNetworks = true
  /// Whether the request may use a network that the system takes for expensive, such as cellular ones and hotspots. Default: true.
  /// Only `URLSession` knows the kind of network.
  public var allowsExpensiveNetworks = true
  /// Whether the request has already waited in a queue of the caller. Then it does not wait in the client's own
  /// queue.
  package var hasPlace = false
  /// The credentials with which libcurl signs the request. `URLSession` does not sign: `nil` there.
  package var signature: AWSSignature?

  /// Makes a request. All parts except the URL have defaults.
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

/// The credentials of a request that libcurl signs with AWS Signature Version 4 (`CURLOPT_AWS_SIGV4`).
///
/// libcurl signs the request, and adds `X-Amz-Date` and `Authorization`. The sender adds `x-amz-content-sha256`,
/// which S3 demands and libcurl does not send before 8.0. The sender also sorts the query, because libcurl signs it
/// as it is.
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

/// A request method: a token, compared with case (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  /// The token as it is sent.
  public let rawValue: String

  /// Makes a method from any token.
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

/// Time limits for the phases of a request. None of them runs while the request waits for its turn.
public struct HTTPTimeouts: Sendable, Hashable {
  /// From the start of a hop to a usable connection: name lookup, TCP and TLS. Default: 10 seconds.
  public var connect: Duration
  /// The longest silence after the connection is made. Default: 30 seconds.
  public var idle: Duration
  /// From the start to the last byte, including all redirects and, in a cache, all retries, and there also the turns that a redirect or
  /// a retry waits for. Default: 120 seconds.
  public var total: Duration
  /// The minimum speed of a response after it has begun. Default: nil, any speed.
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

/// The minimum speed of a body. An origin that sends a byte now and then is never silent; without this limit it
/// would occupy a place for the whole time that an exchange may take.
public struct HTTPMinimumSpeed: Sendable, Hashable {
  /// The bytes of the body, after content decoding, that must arrive per second, on average over a window.
  public var bytesPerSecond: Int
  /// The length of a window. A window begins with the response, again with its body, at the end of the previous
  /// window, and when a slow sink is ready again. Default: 10 seconds.
  public var window: Duration

  /// Makes a limit.
  public init(bytesPerSecond: Int, window: Duration = .seconds(10)) {
    self.bytesPerSecond = bytesPerSecond
    self.window = window
  }
}

/// How a client handles a redirect (301, 302, 303, 307 or 308 with a `Location`).
public enum HTTPRedirectPolicy: Sendable, Hashable {
  /// Follow it, at most this many times in a row. Never from `https` to `http`. Credentials are sent only to their
  /// own origin.
  case follow(maximum: Int)
  /// Return it to the caller as the response.
  case manual
}

/// The order in which requests start if more wait than may run.
public enum HTTPPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Work that no user waits for.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// Pictures that will be on screen next.
  case high
  /// Pictures on screen.
  case veryHigh

  /// Compares by urgency; the lowest is first.
  public static func < (a: HTTPPriority, b: HTTPPriority) -> Bool {
    a.rawValue < b.rawValue
  }
}
