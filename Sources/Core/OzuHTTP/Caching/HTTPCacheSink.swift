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
    origin.exchange.prefix?.begin(head)
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
        body.expect(byteCount: count.saturatingSum(old?.body.count ?? 0))
      }
      if let old { body.append(old.body) }
    }
    if (200..<300).contains(head.status) { report(head) }
    origin.exchange.observer?.begin(head)
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    try origin.exchange.prefix?.append(bytes)
    let count = bytes.byteCount
    let (head, isDropped, isOver, isContinued) = state.withLock { state in
      state.receivedByteCount += count
      if state.isDropped { state.hasOverflown = state.receivedByteCount > Self.droppedByteLimit }
      return (state.head, state.isDropped, state.hasOverflown, state.isContinued)
    }
    // The client counts the bytes of the rest alone.
    if isContinued, body.byteCount.saturatingSum(count) > hop.maximumBodyByteCount {
      throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount), url: hop.url)
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

/// A body that is arriving: in memory up to a threshold or in its part of the memory that large bodies share, else in a file.
///
/// The transport's thread appends and never waits: it puts pieces into a queue, and the spool's thread writes them
/// to the file. If the queue is too long, `isReady` returns false and the transfer pauses; when the queue is short
/// again, the transfer is resumed. One lock guards the queue. Only the spool's thread uses the file, until `finish`
/// takes over the body.
///
/// The file is closed when the body is mapped, or with the last reference to this object, however the transfer
/// ends.
final class HTTPSpooledBody: Sendable {
  /// A whole body, and its identity if it is already known.
  struct Content: Sendable {
    var data: Data
    var identity: String?
  }

  /// Above the first number of waiting bytes the transfer pauses, below the second it continues.
  static let (maximumWaiting, resumedWaiting) = (1 << 20, 256 << 10)
  private static let pieceByteCount = 256 << 10
  /// The most bytes that an announced length may reserve before any byte has arrived.
  private static let maximumReservation = 16 << 20

  /// When a small body that can be resumed goes to a file, and the facts that the file gets.
  struct Keeping: Sendable {
    var startedAt: ContinuousClock.Instant
    var delay: Duration
    var minimumByteCount: Int
    var now: @Sendable () -> ContinuousClock.Instant
    /// Called on the spool's thread.
    var beginning: @Sendable () -> HTTPPartialBodyRecord?

    func isDue(byteCount: Int) -> Bool {
      byteCount >= minimumByteCount && startedAt.duration(to: now()) >= delay
    }
  }

  private struct State {
    var keeping: Keeping?
    var byteCount = 0
    /// The body, while all of it is in memory.
    var memory = Data()
    /// The memory of a large body that needs no file.
    var part: HTTPBodyMemory.Part?
    /// Writes the body after the threshold is reached; `nil` before.
    var writer: HTTPSpooledBodyWriter?
    /// The queue of pieces that the spool's thread has not taken yet.
    var waiting: [Data] = []
    var waitingByteCount = 0
    var isDraining = false
    var resumption: HTTPBodyResumption?
    var finished: CheckedContinuation<Void, Never>?

    mutating func takeMemory() -> Data {
      defer { (memory, part) = (Data(), nil) }
      return part?.data ?? memory
    }
  }

  private let state = Mutex(State())
  private let spool: HTTPBodySpool?

  init(spool: HTTPBodySpool?) { self.spool = spool }

  /// The number of bytes that have arrived.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Makes the file of the body survive if the process is killed. Called before the first byte.
  func keep(_ keeping: Keeping) {
    guard spool != nil else { return }
    state.withLock { $0.keeping = keeping }
  }

  /// Prepares for at least this many bytes.
  func expect(byteCount: Int) {
    state.withLock { state in
      if let spool, byteCount > spool.threshold {
        state.part = spool.memory.part(byteCount: byteCount)
        if state.part == nil { state.writer = HTTPSpooledBodyWriter(spool: spool) }
      } else {
        state.memory.reserveCapacity(min(byteCount, Self.maximumReservation))
      }
    }
  }

  /// Appends an earlier beginning. If the body goes to a file, the data is kept and not copied.
  func append(_ beginning: Data) {
    beginning.withUnsafeBytes { add($0) { $0.append(beginning) } }
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    add(bytes) { queue in
      if let last = queue.indices.last, queue[last].count + bytes.count <= Self.pieceByteCount {
        queue[last].append(start, count: bytes.count)
      } else {
        queue.append(Data(bytes))
      }
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, toQueue: (inout [Data]) -> Void) {
    let hasWork = state.withLock { state in
      state.byteCount += bytes.count
      if state.writer == nil {
        let isDue = state.keeping?.isDue(byteCount: state.byteCount) == true
        if !isDue, state.part?.append(bytes) == true { return false }
        guard let spool, state.byteCount > spool.threshold || isDue else {
          state.memory.append(contentsOf: bytes)
          return false
        }
        state.writer = HTTPSpooledBodyWriter(spool: spool)
        let beginning = state.takeMemory()
        if !beginning.isEmpty { state.waiting = [beginning] }
        state.waitingByteCount = beginning.count
      }
      toQueue(&state.waiting)
      state.waitingByteCount += bytes.count
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if hasWork { spool?.enqueue { self.drain() } }
  }

  /// Whether the writer keeps up with the transfer.
  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    state.withLock { state in
      guard state.waitingByteCount > Self.maximumWaiting else { return true }
      state.resumption = resumption
      return false
    }
  }

  /// Returns a body that is in memory; `nil` if it went to a file. Called once, after the last piece.
  func takeMemory() -> Content? {
    state.withLock { state in
      guard state.writer == nil else { return nil }
      state.resumption = nil
      return Content(data: state.takeMemory(), identity: nil)
    }
  }

  /// Waits until the body is complete and returns it. Called once, after the last piece.
  ///
  /// - Throws: if the file with the body cannot be read.
  func finish() async throws(HTTPError) -> Content {
    let isDraining = state.withLock { state in
      state.resumption = nil
      return state.isDraining
    }
    // Nothing is appended any more, so nothing starts to drain later.
    if isDraining {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.isDraining { state.finished = continuation }
          return !state.isDraining
        }
        if isDone { continuation.resume() }
      }
    }
    if let memory = takeMemory() { return memory }
    guard let writer = state.withLock({ $0.writer }) else { return Content(data: Data(), identity: nil) }
    return try writer.take()
  }

  // Runs on the spool's thread.
  private func drain() {
    while true {
      let (queue, writer, keeping) = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isDraining = false }
        return (state.waiting, state.writer, state.keeping)
      }
      guard !queue.isEmpty, let writer else { break }
      for piece in queue {
        writer.append(piece, keeping: keeping)
        let resumption = state.withLock { state -> HTTPBodyResumption? in
          state.waitingByteCount -= piece.count
          guard state.waitingByteCount <= Self.resumedWaiting else { return nil }
          defer { state.resumption = nil }
          return state.resumption
        }
        resumption?.resume()
      }
    }
    let finished = state.withLock { state in
      // Another append may have restarted draining in between.
      guard !state.isDraining else { return nil as CheckedContinuation<Void, Never>? }
      defer { state.finished = nil }
      return state.finished
    }
    finished?.resume()
  }
}
