import OzuBase

/// The facts about a response after its header section has arrived, and before the body.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status code. A redirect's status only with `HTTPRedirectPolicy.manual`.
  public var status: Int
  /// The header fields as received, including those of a content coding.
  public var headers: HTTPHeaders
  /// The URL that answered: the last one in a chain of redirects.
  public var url: URL
  /// The protocol version of the response.
  public var version: HTTPVersion

  /// Makes a head; for clients and tests.
  public init(status: Int, headers: HTTPHeaders = [:], url: URL, version: HTTPVersion = .http1_1) {
    self.status = status
    self.headers = headers
    self.url = url
    self.version = version
  }

  /// The value of `Content-Length`, if it is one non-negative number. It counts bytes before content decoding.
  ///
  /// Several lines, or a list, with the same number count as this number (RFC 9110 §8.6).
  public var contentLength: Int? {
    var length: Int?
    for field in headers where field.name.isEqualIgnoringASCIICase(to: "Content-Length") {
      guard let value = Self.number(field.value), length == nil || length == value else { return nil }
      length = value
    }
    return length
  }

  // Parses digits, or a list of equal numbers, in one pass and without strings, because each response needs it.
  private static func number(_ text: String) -> Int? {
    var (first, value): (Int?, Int?) = (nil, nil)
    var hasEnded = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        hasEnded = value != nil
      case UInt8(ascii: ","):
        guard let element = value, first == nil || first == element else { return nil }
        (first, value, hasEnded) = (element, nil, false)
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !hasEnded:
        let (product, isTooLarge) = (value ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, isTooLargeToo) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
        guard !isTooLarge, !isTooLargeToo else { return nil }
        value = sum
      default:
        return nil
      }
    }
    return first == nil || first == value ? value : nil
  }

  /// The number of bytes of the decoded body: `Content-Length`, unless the body has a content coding.
  public var expectedByteCount: Int? {
    hasContentCoding ? nil : contentLength
  }

  /// Whether the body has content codings that the client decodes. A body with others is returned as it was sent.
  var hasContentCoding: Bool {
    if case .known = ContentCodings(headers) { return true }
    return false
  }

  /// Whether `Content-Length` is not a number, or several values contradict each other: then the end of the body is
  /// unknown (RFC 9112 §6.3).
  var hasMalformedLength: Bool {
    headers.contains(name: "Content-Length") && contentLength == nil
  }

  /// Whether the status means that there is no body (RFC 9110 §6.4.1).
  var hasNoBody: Bool {
    (100..<200).contains(status) || status == 204 || status == 304
  }
}

/// A complete exchange.
public struct HTTPResponse: Sendable, Hashable {
  /// Status, fields, final URL and version.
  public var head: HTTPResponseHead
  /// The number of bytes that the sink got: the body after content decoding.
  public var bodyByteCount: Int
  /// The time of each phase.
  public var metrics: HTTPMetrics

  /// Makes a response; for clients and tests.
  public init(head: HTTPResponseHead, bodyByteCount: Int, metrics: HTTPMetrics = HTTPMetrics()) {
    self.head = head
    self.bodyByteCount = bodyByteCount
    self.metrics = metrics
  }

  /// The status code.
  public var status: Int { head.status }
  /// The name is `status`.
  @available(*, unavailable, renamed: "status")
  public var statusCode: Int { head.status }
  /// The header fields as received.
  public var headers: HTTPHeaders { head.headers }
  /// The URL that answered.
  public var url: URL { head.url }
  /// The protocol version of the response.
  public var version: HTTPVersion { head.version }
  /// Whether the status is within 200–299.
  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A version of HTTP.
public enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
  /// HTTP/1.0
  case http1_0 = "HTTP/1.0"
  /// HTTP/1.1
  case http1_1 = "HTTP/1.1"
  /// HTTP/2
  case http2 = "HTTP/2"
  /// HTTP/3
  case http3 = "HTTP/3"
}

/// The time of each phase of an exchange. The first three are zero for a reused connection. With redirects they are
/// those of the last hop.
public struct HTTPMetrics: Sendable, Hashable {
  /// Looking up the host's name.
  public var nameLookup: Duration = .zero
  /// Opening the TCP connection.
  public var connect: Duration = .zero
  /// The TLS handshake; zero without TLS.
  public var tls: Duration = .zero
  /// From the start of the first hop to the first byte of the final response.
  public var firstByte: Duration = .zero
  /// From the start of the first hop to the last byte.
  public var total: Duration = .zero
  /// Body bytes received over the wire, before content decoding, on the last hop.
  public var receivedByteCount: Int = 0
  /// The number of redirects that were followed.
  public var redirectCount: Int = 0
  /// Whether the last hop used an open connection.
  public var isConnectionReused: Bool = false

  /// Makes metrics that are all zero.
  public init() {}
}
