import OzuBase

/// Collects the parts of a response that a cache needs: the body of a successful response, after the earlier
/// beginning if a 206 continues it; of other responses only what is requested.
///
/// A large body goes to a file while it arrives. If the disk is slower than the network, the transfer is slowed
/// down (`HTTPSpooledBody`).
///
/// The transport's thread calls it; the cache reads it after the exchange. One lock guards its state.
final class HTTPCacheSink: HTTPBodySink {
  /// Decides when and how the body of a response is kept for another process; returns nil if it cannot be resumed.
  typealias KeepingRule = @Sendable (HTTPResponseHead, _ isContinued: Bool) -> HTTPSpooledBody.Keeping?

  private struct State {
    var head: HTTPResponseHead?
    var isDropped = false
    var isContinued = false
    var rejection: String?
    var receivedByteCount = 0
    var hasOverflown = false
  }

  private let state = Mutex(State())
  private let body: HTTPSpooledBody
  private let partial: HTTPPartialBody?
  private let keepsErrorBodies: Bool
  private let followsRedirects: Bool
  private let onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
  private let keeping: KeepingRule?

  /// The transfer is cut off after this many bytes of a body that is not needed.
  private static let droppedByteLimit = 1 << 16
  /// The most bytes that an announced length may reserve before any byte has arrived.
  private static let maximumReservation = 16 << 20

  /// - Parameter keeping: nil if no body is kept.
  init(
    spool: HTTPBodySpool?, partial: HTTPPartialBody?, keepsErrorBodies: Bool, followsRedirects: Bool,
    onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?,
    keeping: KeepingRule? = nil
  ) {
    self.keeping = keeping
    body = HTTPSpooledBody(spool: spool)
    self.partial = partial
    self.keepsErrorBodies = keepsErrorBodies
    self.followsRedirects = followsRedirects
    self.onProgress = onProgress
  }

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    let isRedirect =
      followsRedirects && [301, 302, 303, 307, 308].contains(head.status)
      && head.headers.contains(name: "Location")
    let isContinued = head.status == 206 && partial != nil
    // No coding is offered with a range, so nothing would decode an encoded whole either.
    let isEncoded = partial != nil && head.status == 200 && head.hasContentCoding
    let rejection = isContinued ? partial?.reasonToReject(head) : isEncoded ? "it is encoded" : nil
    let isDropped =
      isRedirect || head.status == 416 && partial != nil || head.status >= 400 && !keepsErrorBodies
    state.withLock { state in
      state.head = head
      state.isContinued = isContinued
      state.rejection = rejection
      state.isDropped = isDropped
    }
    if let rejection { throw HTTPError(.refused("the rest does not fit: \(rejection)"), url: head.url) }
    if !isDropped {
      let beginning = isContinued ? partial?.body : nil
      if let keeping = keeping?(head, isContinued) { body.keep(keeping) }
      if let count = head.expectedByteCount {
        body.expect(
          byteCount: count.saturatingSum(beginning?.count ?? 0), maximumReservation: Self.maximumReservation)
      }
      if let beginning { body.append(beginning) }
    }
    if (200..<300).contains(head.status) { report(head) }
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    let (head, isDropped, isOver) = state.withLock { state in
      state.receivedByteCount += count
      if state.isDropped { state.hasOverflown = state.receivedByteCount > Self.droppedByteLimit }
      return (state.head, state.isDropped, state.hasOverflown)
    }
    if !isDropped { bytes.withUnsafeBytes { body.append($0) } }
    if isOver { throw HTTPError(.refused("the status is \(head?.status ?? 0)"), url: head?.url) }
    if let head, (200..<300).contains(head.status) { report(head) }
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    body.isReady(resumption)
  }

  private func report(_ head: HTTPResponseHead) {
    guard let onProgress else { return }
    let offset = isContinued ? partial?.body.count ?? 0 : 0
    onProgress(body.byteCount, head.expectedByteCount.map { $0.saturatingSum(offset) })
  }

  /// The head, after it has arrived.
  var head: HTTPResponseHead? { state.withLock { $0.head } }

  /// Whether the sink cut off a body that is not needed: then the exchange counts as complete.
  var hasOverflown: Bool { state.withLock { $0.hasOverflown } }

  /// The reason why the 206 was not accepted.
  var rejection: String? { state.withLock { $0.rejection } }

  /// Whether a 206 continued the earlier beginning.
  var isContinued: Bool { state.withLock { $0.isContinued } }

  /// Returns the body without waiting if all of it is in memory; `nil` if it is in a file. Called once.
  func takeBodyInMemory() -> HTTPSpooledBody.Content? { body.takeMemory() }

  /// Returns the received body, after the earlier beginning if there was one. Called once.
  ///
  /// - Throws: if the file with the body cannot be read.
  func takeBody() async throws(HTTPError) -> HTTPSpooledBody.Content {
    try await body.finish()
  }
}
