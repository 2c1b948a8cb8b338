import Foundation
import OzuHTTP
import OzuSynchronization

/// An HTTP client that calls a fetcher, so that its file is handled like a download. One lock guards its failure.
final class FetcherClient: HTTPClient {
  private let fetcher: any ImageStreaming
  private let address: URL
  private let events: PipelineEvents?
  private let name: String
  private let lastFailure = Mutex<(any Error)?>(nil)

  /// - Parameter events: receives the events of the fetch; `nil` for none.
  init(_ fetcher: any ImageStreaming, name: String, events: PipelineEvents? = nil) {
    self.fetcher = fetcher
    self.events = events
    self.name = name
    // Never requested. It identifies the fetcher where HTTP caching needs a URL; `.invalid` is reserved (RFC 2606).
    address = URL(string: "http://fetcher.invalid/\(CacheKey(fetcher.key))") ?? URL(filePath: "/")
  }

  /// The failure of the fetcher, as the error of the request.
  var failure: ImageError? {
    switch lastFailure.withLock({ $0 }) {
    case nil: nil
    case let error as ImageError: error
    case let error?: .fetchFailed(name, underlying: error)
    }
  }

  /// The request that represents the fetcher.
  func request(limit: Int) -> HTTPRequest { HTTPRequest(url: address, maximumBodyByteCount: limit) }

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    lastFailure.withLock { $0 = nil }
    let body = ImageBody(request, sink: sink)
    do {
      if let events {
        _ = try await events.observeFetcher(name) {
          try await fetcher.stream(into: body)
          return .data(Data())
        }
      } else {
        try await fetcher.stream(into: body)
      }
    } catch {
      _ = try? await body.end()
      throw transportError(error, request)
    }
    return try await body.end()
  }

  private func transportError(_ error: any Error, _ request: HTTPRequest) -> HTTPError {
    switch error {
    case let error as HTTPError: return HTTPError(error.reason, url: error.url ?? request.url)
    case is CancellationError: return HTTPError(.cancelled, url: request.url)
    default:
      lastFailure.withLock { $0 = error }
      return HTTPError(.refused("its fetcher failed"), url: request.url)
    }
  }
}
