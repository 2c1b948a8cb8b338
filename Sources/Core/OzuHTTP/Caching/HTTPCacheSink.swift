import OzuBase

/// Collects the parts of a response that a cache needs: the body of a successful response, after the earlier
/// beginning if a 206 continues it; of other responses only what is requested.
///
/// A large body goes to a file while it arrives. If the disk is slower than the network, the transfer is slowed
/// down (`HTTPSpooledBody`).
///
/// The transport's thread calls it; the cache reads it after the exchange. One lock guards its state.
final class HTTPCacheSink: HTTPBodySink {
  private struct State {
    var head: HTTPResponseHead?
    var isDropped = false
    var isContinued = false
    var rejection: String?
    var receivedByteCount = 0
    var hasOverflown = false
  }

  private let state = Mutex(State())
  /// The body, after the earlier beginning if there was one. It is taken after the exchange.
  let body: HTTPSpooledBody
  private let hop: HTTPRequest
  private let origin: HTTPOriginExchange
  private let partial: HTTPPartialBody?
  private let requestDate: Date

  /// The transfer is cut off after this many bytes of a body that is not needed.
  private static let droppedByteLimit = 1 << 16
  /// The most bytes that an announced length may reserve before any byte has arrived.
  private static let maximumReservation = 16 << 20

  /// - Parameters:
  ///   - hop: the request whose response it receives.
  ///   - partial: the earlier beginning that a 206 continues.
  ///   - requestDate: when the request was sent.
  init(
    for hop: HTTPRequest, of origin: HTTPOriginExchange, continuing partial: HTTPPartialBody?,
    since requestDate: Date
  ) {
    body = HTTPSpooledBody(spool: origin.exchange.cache.spool)
    self.hop = hop
    self.origin = origin
    self.partial = partial
    self.requestDate = requestDate
  }

  private var followsRedirects: Bool {
    if case .follow = origin.exchange.request.redirectPolicy { true } else { false }
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
      isRedirect || head.status == 416 && partial != nil
      || head.status >= 400 && !origin.configuration.keepsErrorBodies
    state.withLock { state in
      state.head = head
      state.isContinued = isContinued
      state.rejection = rejection
      state.isDropped = isDropped
    }
    if let rejection { throw HTTPError(.refused("the rest does not fit: \(rejection)"), url: head.url) }
    if !isDropped {
      let old = isContinued ? partial : nil
      if let keeping = origin.keeping(head, hop, continuing: old, since: requestDate) { body.keep(keeping) }
      if let count = head.expectedByteCount {
        body.expect(
          byteCount: count.saturatingSum(old?.body.count ?? 0), maximumReservation: Self.maximumReservation)
      }
      if let old { body.append(old.body) }
    }
    if (200..<300).contains(head.status) { report(head) }
    origin.exchange.observer?.begin(head)
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
    origin.exchange.observer?.append(bytes)
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    body.isReady(resumption)
  }

  private func report(_ head: HTTPResponseHead) {
    guard let onProgress = origin.exchange.onProgress else { return }
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
}

/// Receives the responses of an exchange while they arrive, on the transport's thread. It must only take the bytes and return.
package protocol HTTPBodyObserving: AnyObject, Sendable {
  /// A response begins; earlier bytes belong to another one.
  func begin(_ head: HTTPResponseHead)

  /// The next bytes of the body. They are valid only during the call.
  func append(_ bytes: RawSpan)
}
