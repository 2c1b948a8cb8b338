import OzuBase
import OzuHTTP

/// An `HTTPClient` without sockets: answers from a script, waits at gates, and counts.
///
/// ```swift
/// let client = FakeHTTPClient()
/// client.reply(to: url, with: .ok(jpeg).inPieces(of: 1024))
/// client.reply(to: broken, with: [.failure(.connectionLost), .ok(jpeg)])
/// ```
///
/// It keeps the contract of `HTTPClient`: limits on bytes, order of calls, prompt cancellation.
public final class FakeHTTPClient: HTTPClient {
  /// Answers a request, or returns nil for a 404.
  public typealias Handler = @Sendable (HTTPRequest) -> FakeHTTPReply?

  private struct State {
    var replies: [URL: [FakeHTTPReply]] = [:]
    var handler: Handler = { _ in nil }
    var requests: [HTTPRequest] = []
    var activeCount = 0
    var maximumActiveCount = 0
    var cancelledCount = 0
  }

  private let state = Mutex(State())
  private let sent = Atomic(0)

  /// Makes a client that answers 404 to everything.
  public init() {}

  /// Answers requests for a URL with always the same reply.
  public func reply(to url: URL, with reply: FakeHTTPReply) {
    self.reply(to: url, with: [reply])
  }

  /// Answers requests for a URL with these replies in turn; the last one stays.
  public func reply(to url: URL, with replies: [FakeHTTPReply]) {
    state.withLock { $0.replies[url] = replies }
  }

  /// Answers requests for URLs without replies of their own; the answer is 404 when it returns nil.
  public func reply(_ handler: @escaping Handler) {
    state.withLock { $0.handler = handler }
  }

  /// The requests received, oldest first.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// The number of requests that have come for a URL.
  public func requestCount(for url: URL) -> Int { requests.count { $0.url == url } }

  /// The number of requests that are being answered.
  public var activeCount: Int { state.withLock { $0.activeCount } }

  /// The most requests that were being answered at once.
  public var maximumActiveCount: Int { state.withLock { $0.maximumActiveCount } }

  /// The number of requests that were cancelled.
  public var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  /// The number of bytes of all bodies that were passed to sinks.
  public var sentByteCount: Int { sent.load(ordering: .relaxed) }

  /// Plays the reply for the request's URL.
  public func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    let (script, handler) = state.withLock { state in
      state.requests.append(request)
      state.activeCount += 1
      state.maximumActiveCount = max(state.maximumActiveCount, state.activeCount)
      let queued = state.replies[request.url] ?? []
      if queued.count > 1 { state.replies[request.url]?.removeFirst() }
      return (queued.first, state.handler)
    }
    let reply = script ?? handler(request) ?? .status(404)
    defer { state.withLock { $0.activeCount -= 1 } }
    do throws(HTTPError) {
      let counting = CountingSink(sink: sink) { count in _ = self.sent.add(count, ordering: .relaxed) }
      return try await reply.play(request, into: counting)
    } catch {
      if error.reason == .cancelled { state.withLock { $0.cancelledCount += 1 } }
      throw HTTPError(error.reason, url: error.url ?? request.url)
    }
  }
}

/// A sink that counts the bytes that it gets.
private struct CountingSink: HTTPBodySink {
  let sink: any HTTPBodySink
  let count: @Sendable (Int) -> Void

  func begin(_ head: HTTPResponseHead) throws(HTTPError) { try sink.begin(head) }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    count(bytes.byteCount)
    try sink.append(bytes)
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool { sink.isReady(resumption) }
}
