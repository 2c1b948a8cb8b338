import OzuBase

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
  ///
  /// - Parameter maximumReservation: the most memory an announced length may reserve.
  func expect(byteCount: Int, maximumReservation: Int) {
    state.withLock { state in
      if let spool, byteCount > spool.threshold {
        state.part = spool.memory.part(byteCount: byteCount)
        if state.part == nil { state.writer = HTTPSpooledBodyWriter(spool: spool) }
      } else {
        state.memory.reserveCapacity(min(byteCount, maximumReservation))
      }
    }
  }

  /// Appends an earlier beginning. If the body goes to a file, the data is kept and not copied.
  func append(_ beginning: Data) {
    beginning.withUnsafeBytes { add($0) { $0.append(beginning) } }
  }

  /// Appends bytes.
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
