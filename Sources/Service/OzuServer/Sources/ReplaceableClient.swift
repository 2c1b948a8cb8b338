public import Ozu
import OzuBase
public import OzuHTTP

/// Sends requests with a client that can be replaced: other hosts that may be asked, other credentials. Requests that are under way
/// end with the client that they began with.
public final class ReplaceableClient: HTTPClient {
  private let current: Mutex<any HTTPClient>

  /// Makes a client that sends with another one.
  public init(_ client: any HTTPClient) { current = Mutex(client) }

  /// The client that sends now.
  public var client: any HTTPClient { current.withLock { $0 } }

  /// Sends all further requests with another client.
  public func replace(by client: any HTTPClient) {
    // The old one may end with its last reference, which must not happen under the lock.
    let old = current.withLock { current in
      defer { current = client }
      return current
    }
    _ = consume old
  }

  /// Sends a request with the client of now.
  ///
  /// - Throws: the error of the client.
  public func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    try await client.send(request, into: sink)
  }
}

extension ImagePipeline.Configuration {
  /// Lets the client of the pipeline be replaced, and leaves the hosts that may be asked to it: it checks them at every request
  /// and every redirect.
  public mutating func makeClientReplaceable() -> ReplaceableClient {
    let client = ReplaceableClient(network.httpClient)
    network.httpClient = client
    network.hostRule = .any
    return client
  }
}
