#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known when the header section of the final response has arrived and the body has not.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status code; a redirect's only under `HTTPRedirectPolicy.manual`.
  public var status: Int
  /// The header fields as received, those of a content coding included.
  public var headers: HTTPHeaders
  /// The URL that answered: the last one of a chain of redirects.
  public var url: URL
  /// The protocol version spoken.
  public var version: HTTPVersion

  /// Makes a head; for clients and tests.
  public init(status: Int, headers: HTTPHeaders = [:], url: URL, version: HTTPVersion = .http1_1) {
    self.status = status
    self.headers = headers
    self.url = url
    self.version = version
  }

  /// `Content-Length`, when it is one non-negative number. It counts bytes before content decoding.
  ///
  /// Several lines, or a list, that all say the same number are that number (RFC 9110 §8.6).
  public var contentLength: Int? {
    var length: Int?
    for field in headers where field.name.isEqualIgnoringASCIICase(to: "Content-Length") {
      guard let value = Self.number(field.value), length == nil || length == value else { return nil }
      length = value
    }
    return length
  }

  // Digits, or a list of equal ones, in one pass and without strings: it is asked for with each response.
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

  /// How many bytes the body will have once decoded: `Content-Length`, unless a content coding makes it
  /// unknown.
  public var expectedByteCount: Int? {
    hasContentCoding ? nil : contentLength
  }

  /// Whether the body comes in a content coding that is undone. Others are handed over as they come.
  var hasContentCoding: Bool {
    if case .known = ContentCodings(headers) { return true }
    return false
  }

  /// Whether there is a `Content-Length` that is no number, or several that contradict each other: nobody can tell where
  /// such a body ends (RFC 9112 §6.3).
  var hasMalformedLength: Bool {
    headers.contains(name: "Content-Length") && contentLength == nil
  }

  /// Whether the status alone says that no body follows (RFC 9110 §6.4.1).
  var hasNoBody: Bool {
    (100..<200).contains(status) || status == 204 || status == 304
  }
}

/// A whole exchange after its last byte.
public struct HTTPResponse: Sendable, Hashable {
  /// Status, fields, final URL and version.
  public var head: HTTPResponseHead
  /// How many bytes the sink was given: the body after content decoding.
  public var bodyByteCount: Int
  /// Where the time went.
  public var metrics: HTTPMetrics

  /// Makes a response; for clients and tests.
  public init(head: HTTPResponseHead, bodyByteCount: Int, metrics: HTTPMetrics = HTTPMetrics()) {
    self.head = head
    self.bodyByteCount = bodyByteCount
    self.metrics = metrics
  }

  /// The status code.
  public var status: Int { head.status }
  /// The header fields as received.
  public var headers: HTTPHeaders { head.headers }
  /// The URL that answered.
  public var url: URL { head.url }
  /// The protocol version spoken.
  public var version: HTTPVersion { head.version }
  /// Whether the status is in 200–299.
  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// A version of the protocol.
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

/// Where the time of an exchange went. The first three are zero on a reused connection; with redirects they
/// are those of the last hop.
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
  /// How many redirects were followed.
  public var redirectCount: Int = 0
  /// Whether the last hop found an open connection.
  public var isConnectionReused: Bool = false

  /// Makes metrics of zeros.
  public init() {}
}
