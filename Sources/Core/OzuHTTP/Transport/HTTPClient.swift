import OzuBase

/// Makes HTTP exchanges. The default is `DefaultHTTPClient`; an app may use its own.
///
/// A conforming client
/// - calls the sink in order and never after `send` has returned or thrown,
/// - asks it between pieces whether it is ready, and reads no more until it is,
/// - enforces `HTTPRequest.maximumBodyByteCount` on the bytes it hands to the sink, as they arrive,
/// - treats a body shorter than announced as an error,
/// - throws `HTTPError.Reason.cancelled` promptly when the task is cancelled.
public protocol HTTPClient: Sendable {
  /// Sends a request and streams the response's body into a sink.
  ///
  /// Returns after the last byte is in the sink, for any status.
  ///
  /// - Throws: `HTTPError` if the exchange was not completed, or the error that the sink threw.
  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient {
  /// Sends a request and returns the response with its whole body in memory.
  ///
  /// - Throws: `HTTPError` if the exchange was not completed; not for a status such as 404.
  public func data(
    for request: HTTPRequest
  ) async throws(HTTPError) -> (body: Data, response: HTTPResponse) {
    let sink = DataSink()
    let response = try await send(request, into: sink)
    return (sink.takeData(), response)
  }

  /// Gets a URL with the default settings and returns the response with its whole body in memory.
  public func data(from url: URL) async throws(HTTPError) -> (body: Data, response: HTTPResponse) {
    try await data(for: HTTPRequest(url: url))
  }
}

#if canImport(Darwin)
  /// The default client: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias DefaultHTTPClient = URLSessionClient
#else
  /// The default client: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias DefaultHTTPClient = CurlClient
#endif

/// The requests of a client at one moment.
public struct HTTPClientStatistics: Sendable, Hashable {
  /// The number of requests that run.
  public var activeRequestCount: Int
  /// The number of requests that wait for their turn.
  public var waitingRequestCount: Int

  /// Makes statistics; for clients and tests.
  public init(activeRequestCount: Int = 0, waitingRequestCount: Int = 0) {
    self.activeRequestCount = activeRequestCount
    self.waitingRequestCount = waitingRequestCount
  }
}
