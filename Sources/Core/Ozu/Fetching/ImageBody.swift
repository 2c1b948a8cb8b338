import OzuBase
import OzuHTTP

/// The receiver of a fetcher's file.
///
/// One task at a time may use it: the order of the calls is the order of the bytes. After the fetcher has returned,
/// it accepts nothing more. One lock guards its state; the sink is called outside the lock, by the one call that has
/// marked itself busy.
public final class ImageBody: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    var byteCount = 0
    var isBusy = false
    var isClosed = false
  }

  /// The state of the cached file; `nil` if there is none, or none that can be compared. A fetcher whose file is
  /// unchanged calls `confirm`.
  public let known: KnownImage?
  private let request: HTTPRequest
  private let sink: any HTTPBodySink
  private let state = Mutex(State())

  init(_ request: HTTPRequest, sink: any HTTPBodySink) {
    self.request = request
    self.sink = sink
    let tag = request.headers.first("If-None-Match").flatMap(FetcherHead.tag)
    let date = request.headers.first("If-Modified-Since").flatMap { HTTPDate.date(from: $0) }
    known = tag == nil && date == nil ? nil : KnownImage(entityTag: tag, lastModified: date)
  }

  /// States the facts about the file, before its first bytes. Without this call nothing is known.
  ///
  /// - Throws: `HTTPError` if the file is too large, or if the receiver refuses it.
  public func begin(_ head: ImageBodyHead = ImageBodyHead()) throws {
    if let count = head.byteCount, count > request.maximumBodyByteCount {
      throw HTTPError(.bodyTooLarge(limit: request.maximumBodyByteCount))
    }
    try start(FetcherHead.response(200, head, url: request.url))
  }

  /// States that the known file has not changed, instead of sending it.
  ///
  /// - Throws: `HTTPError` if there is no known file.
  public func confirm(_ head: ImageBodyHead = ImageBodyHead()) throws {
    guard known != nil else { throw HTTPError(.protocolError("there is no earlier version to confirm")) }
    var head = head
    // A confirmation need not repeat the tag and the date.
    head.byteCount = nil
    head.entityTag = head.entityTag ?? known?.entityTag
    head.lastModified = head.lastModified ?? known?.lastModified
    try start(FetcherHead.response(304, head, url: request.url))
  }

  /// Adds the next bytes. Waits while the receiver cannot keep up.
  ///
  /// - Throws: `CancellationError` if no request wants the picture any more; `HTTPError` if the file becomes too
  ///   large.
  public func write(_ data: Data) async throws {
    try beginIfNeeded()
    if Task.isCancelled { throw CancellationError() }
    do throws(HTTPError) {
      try await sink.untilReady()
    } catch {
      throw CancellationError()
    }
    guard !data.isEmpty else { return }
    try turn { state in
      guard state.head?.status == 200 else {
        throw HTTPError(.protocolError("bytes were written after a confirmation"))
      }
      guard data.count <= request.maximumBodyByteCount - state.byteCount else {
        throw HTTPError(.bodyTooLarge(limit: request.maximumBodyByteCount))
      }
      state.byteCount += data.count
    }
    defer { endTurn() }
    try sink.append(data.span.bytes)
  }

  /// Begins a file of which nothing is stated. One without any call of its fetcher is empty.
  func beginIfNeeded() throws {
    if state.withLock({ $0.head == nil }) { try begin() }
  }

  /// Ends the file. Later calls fail.
  ///
  /// - Throws: `HTTPError` if bytes are missing.
  func end() async throws(HTTPError) -> HTTPResponse {
    // A task that the fetcher has started and not awaited may still be writing.
    while state.withLock({ state in
      state.isClosed = true
      return state.isBusy
    }) { await Task.yield() }
    let (head, count) = state.withLock { ($0.head, $0.byteCount) }
    guard let head else { throw HTTPError(.bodyTruncated(received: 0, expected: nil)) }
    if head.status == 200, let expected = head.contentLength, expected != count {
      throw HTTPError(.bodyTruncated(received: count, expected: expected))
    }
    return HTTPResponse(head: head, bodyByteCount: count)
  }

  private func start(_ head: HTTPResponseHead) throws {
    try turn { state in
      guard state.head == nil else { throw HTTPError(.protocolError("the file has begun already")) }
      state.head = head
    }
    defer { endTurn() }
    try sink.begin(head)
  }

  private func turn(_ change: (inout State) throws -> Void) throws {
    try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      guard !state.isBusy else { throw HTTPError(.protocolError("two tasks write at once")) }
      try change(&state)
      state.isBusy = true
    }
  }

  private func endTurn() { state.withLock { $0.isBusy = false } }
}

/// The facts about a fetcher's file as HTTP header fields, so that HTTP's caching rules apply to it.
enum FetcherHead {
  static func response(_ status: Int, _ head: ImageBodyHead, url: URL) -> HTTPResponseHead {
    var headers = HTTPHeaders()
    let seconds = head.lifetime.map { max(0, $0.components.seconds) } ?? longestLifetime
    headers["Cache-Control"] = "max-age=\(min(seconds, longestLifetime))"
    headers["ETag"] = head.entityTag.map(quoted)
    headers["Last-Modified"] = head.lastModified.map(HTTPDate.string)
    headers["Content-Length"] = head.byteCount.map(String.init)
    // A fetcher always starts from the beginning.
    headers["Accept-Ranges"] = "none"
    return HTTPResponseHead(status: status, headers: headers, url: url)
  }

  private static let longestLifetime: Int64 = 315_360_000

  /// An entity tag with the app's text, which may contain any character.
  private static func quoted(_ tag: String) -> String {
    "\"\(PercentEncoding.encoded(tag))\""
  }

  /// The app's text in an entity tag.
  static func tag(_ quoted: String) -> String? {
    guard quoted.hasPrefix("\""), quoted.hasSuffix("\""), quoted.count > 1 else { return nil }
    return quoted.dropFirst().dropLast().percentDecoded
  }
}
