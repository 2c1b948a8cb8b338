import OzuBase
import OzuHTTP

/// A fetcher that delivers its file in pieces, and states how long it is valid.
///
/// It has the features of the built-in download: progress, the size and previews of the picture while it arrives,
/// limits on bytes during the transfer, large files that are never whole in memory, a lifetime after which the
/// fetcher is asked whether the file has changed, and the caching that follows from this. Otherwise it is like any
/// `ImageFetching`.
///
/// ```swift
/// struct Scan: ImageStreaming {
///   let key: String
///   func stream(into body: ImageBody) async throws {
///     let object = try await archive.object(key, unlessTag: body.known?.entityTag)
///     guard object.hasChanged else { return try body.confirm(.init(lifetime: .seconds(600))) }
///     try body.begin(.init(byteCount: object.size, lifetime: .seconds(600), entityTag: object.tag))
///     for try await piece in object.pieces { try await body.write(piece) }
///   }
/// }
/// ```
public protocol ImageStreaming: ImageFetching {
  /// Delivers the file piece by piece, or confirms the known one. The end of the function is the end of the file.
  ///
  /// - Throws: any error, as `fetch()`; an `HTTPError` fails the request as that of a download does. Errors that `body` throws must be
  ///   passed on.
  func stream(into body: ImageBody) async throws
}

extension ImageStreaming {
  /// The whole file, for callers that do not need its pieces.
  public func fetch() async throws -> FetchedImage {
    let client = FetcherClient(self, name: key)
    do {
      return .data(
        try await client.data(for: client.request(limit: DecodingLimits.default.encodedByteCount)).body)
    } catch {
      throw client.failure ?? ImageError(error, source: key)
    }
  }
}

/// The facts that a fetcher states about a file before its bytes.
public struct ImageBodyHead: Hashable, Sendable {
  /// The length of the file in bytes; `nil` (the default) if it is not known. Another number of bytes is an error.
  public var byteCount: Int?
  /// How long the file may be used without asking the fetcher again; `nil` (the default) for as long as the caches
  /// keep it. After that the fetcher is called with `ImageBody.known`.
  public var lifetime: Duration?
  /// The identity of this state of the file.
  public var entityTag: String?
  /// When the file last changed, to the second.
  public var lastModified: Date?

  /// Makes a head. Facts that are left out are not known.
  public init(
    byteCount: Int? = nil, lifetime: Duration? = nil, entityTag: String? = nil, lastModified: Date? = nil
  ) {
    self.byteCount = byteCount
    self.lifetime = lifetime
    self.entityTag = entityTag
    self.lastModified = lastModified
  }
}

/// The state of a cached file, for the fetcher to compare.
public struct KnownImage: Hashable, Sendable {
  /// The tag that the fetcher stated.
  public let entityTag: String?
  /// The date that the fetcher stated.
  public let lastModified: Date?
}

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
      try body.beginIfNeeded()
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
