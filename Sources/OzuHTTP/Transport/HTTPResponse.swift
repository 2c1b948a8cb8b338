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
  public var contentLength: Int? {
    let values = Set(
      headers.values(for: "Content-Length").flatMap { $0.split(separator: ",") }
        .map { String($0).trimmingHTTPWhitespace() })
    guard values.count == 1, let text = values.first, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    return Int(text)
  }

  /// How many bytes the body will have once decoded: `Content-Length`, unless a content coding makes it
  /// unknown.
  public var expectedByteCount: Int? {
    let coding = headers["Content-Encoding"]?.trimmingHTTPWhitespace() ?? ""
    return coding.isEmpty || coding.isEqualIgnoringASCIICase(to: "identity") ? contentLength : nil
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
