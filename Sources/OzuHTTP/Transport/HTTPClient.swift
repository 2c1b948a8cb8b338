#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes HTTP exchanges. The default is `DefaultHTTPClient`; an app may bring its own.
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
  /// Returns when the last byte is in the sink, whatever the status.
  ///
  /// - Throws: `HTTPError` when the exchange did not complete, or what the sink threw.
  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient {
  /// Sends a request and returns the response with its whole body in memory.
  ///
  /// - Throws: `HTTPError` when the exchange did not complete; not for a status like 404.
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
  /// The client used where none is named: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias DefaultHTTPClient = URLSessionClient
#else
  /// The client used where none is named: libcurl on Linux, `URLSession` on Apple platforms.
  public typealias DefaultHTTPClient = CurlClient
#endif

/// What a client is busy with at one moment.
public struct HTTPClientStatistics: Sendable, Hashable {
  /// Requests that run.
  public var activeRequestCount: Int
  /// Requests that wait for their turn.
  public var waitingRequestCount: Int

  /// Makes statistics; for clients and tests.
  public init(activeRequestCount: Int = 0, waitingRequestCount: Int = 0) {
    self.activeRequestCount = activeRequestCount
    self.waitingRequestCount = waitingRequestCount
  }
}
