import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A body as it comes in: in memory up to a threshold, then in a file.
///
/// The transport's thread appends, and never waits: pieces go into a row that the spool's thread empties into the
/// file. When the row is too long `isReady` says so and the transfer pauses; when it has become short the transfer
/// is told to go on. One lock guards the row; the file belongs to the spool's thread alone, until `finish` takes the
/// body over.
///
/// The file is closed when the body is mapped, or when the last reference to this goes, whichever way the transfer
/// ends.
final class HTTPSpooledBody: Sendable {
  /// A whole body, and what tells it from others where that is known already.
  struct Content: Sendable {
    var data: Data
    var identity: String?
  }

  /// Above this many waiting bytes the transfer pauses, below the other it goes on.
  static let (maximumWaiting, resumedWaiting) = (1 << 20, 256 << 10)
  private static let pieceByteCount = 256 << 10

  /// When a body that can be resumed goes to a file although it is small, and what the file says of it.
  struct Keeping: Sendable {
    var startedAt: ContinuousClock.Instant
    var delay: Duration
    var minimumByteCount: Int
    var now: @Sendable () -> ContinuousClock.Instant
    /// Called on the spool's thread.
    var beginning: @Sendable () -> HTTPBeginning?

    func isDue(byteCount: Int) -> Bool {
      byteCount >= minimumByteCount && startedAt.duration(to: now()) >= delay
    }
  }

  private struct State {
    var keeping: Keeping?
    var byteCount = 0
    /// The body, while all of it is in memory.
    var memory = Data()
    /// Takes the body from the threshold on; `nil` before.
    var writer: Writer?
    /// What the spool's thread has not taken yet.
    var waiting: [Data] = []
    var waitingByteCount = 0
    var isDraining = false
    var resumption: HTTPBodyResumption?
    var finished: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let spool: HTTPBodySpool?

  init(spool: HTTPBodySpool?) { self.spool = spool }

  /// How many bytes have come.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Has the file of the body outlive a process that is killed. Called before the first byte.
  func keep(_ keeping: Keeping) {
    guard spool != nil else { return }
    state.withLock { $0.keeping = keeping }
  }

  /// Makes ready for so many bytes, or more.
  ///
  /// - Parameter maximumReservation: the most memory an announced length may reserve.
  func expect(byteCount: Int, maximumReservation: Int) {
    state.withLock { state in
      if let spool, byteCount > spool.threshold {
        state.writer = Writer(spool: spool)
      } else {
        state.memory.reserveCapacity(min(byteCount, maximumReservation))
      }
    }
  }

  /// Appends a beginning that is already there. Kept as it is, not copied, where the body goes to a file.
  func append(_ beginning: Data) {
    add(byteCount: beginning.count, toMemory: { $0.append(beginning) }, toRow: { $0.append(beginning) })
  }

  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    add(byteCount: bytes.count) {
      $0.append(start, count: bytes.count)
    } toRow: { row in
      if let last = row.indices.last, row[last].count + bytes.count <= Self.pieceByteCount {
        row[last].append(start, count: bytes.count)
      } else {
        row.append(Data(bytes))
      }
    }
  }

  private func add(byteCount: Int, toMemory: (inout Data) -> Void, toRow: (inout [Data]) -> Void) {
    let hasWork = state.withLock { state in
      state.byteCount += byteCount
      if state.writer == nil {
        guard let spool,
          state.byteCount > spool.threshold || state.keeping?.isDue(byteCount: state.byteCount) == true
        else {
          toMemory(&state.memory)
          return false
        }
        state.writer = Writer(spool: spool)
        if !state.memory.isEmpty { state.waiting = [state.memory] }
        state.waitingByteCount = state.memory.count
        state.memory = Data()
      }
      toRow(&state.waiting)
      state.waitingByteCount += byteCount
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if hasWork { spool?.enqueue { self.drain() } }
  }

  /// Whether the writer keeps up.
  func isReady(_ resumption: HTTPBodyResumption) -> Bool {
    state.withLock { state in
      guard state.waitingByteCount > Self.maximumWaiting else { return true }
      state.resumption = resumption
      return false
    }
  }

  /// Returns a body that is in memory; `nil` for one that went to a file. Called once, after the last piece.
  func takeMemory() -> Content? {
    state.withLock { state in
      guard state.writer == nil else { return nil }
      defer { (state.memory, state.resumption) = (Data(), nil) }
      return Content(data: state.memory, identity: nil)
    }
  }

  /// Returns the body when all of it is where it belongs. Called once, after the last piece.
  ///
  /// - Throws: when a file took the body and does not give it back.
  func finish() async throws(HTTPError) -> Content {
    let isDraining = state.withLock { state in
      state.resumption = nil
      return state.isDraining
    }
    // Nobody appends any more, so what does not drain now will not.
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

  // On the spool's thread.
  private func drain() {
    while true {
      let (row, writer, keeping) = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isDraining = false }
        return (state.waiting, state.writer, state.keeping)
      }
      guard !row.isEmpty, let writer else { break }
      for piece in row {
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
      // Somebody may have begun to drain anew.
      guard !state.isDraining else { return nil as CheckedContinuation<Void, Never>? }
      defer { state.finished = nil }
      return state.finished
    }
    finished?.resume()
  }
}

/// The file of a body, or the memory that stands in for it.
///
/// Unchecked Sendable: `append` runs on the spool's one thread, `take` after the last of them, which the lock of
/// `HTTPSpooledBody` orders.
private final class Writer: @unchecked Sendable {
  private let spool: HTTPBodySpool
  private var file: HTTPSpoolFile?
  /// What is kept in memory because no file would take it.
  private var memory: Data?
  private var identity = HTTPBodyIdentity()
  private var failure: HTTPSpoolFile.Failure?

  init(spool: HTTPBodySpool) { self.spool = spool }

  deinit {
    closeFile()
  }

  func append(_ piece: Data, keeping: HTTPSpooledBody.Keeping?) {
    guard failure == nil else { return }
    piece.withUnsafeBytes { identity.update($0) }
    if memory == nil, file == nil {
      file = spool.open(keeping?.beginning())
      if file == nil { memory = Data() }
    }
    if let file {
      do throws(HTTPSpoolFile.Failure) {
        try file.append(piece)
        return file.checkpoint(identity.text)
      } catch {
        // The disk is full, or worse. What it has taken so far comes back.
        takeBack(file)
      }
    }
    memory?.append(piece)
  }

  private func takeBack(_ file: HTTPSpoolFile) {
    do throws(HTTPSpoolFile.Failure) {
      memory = try file.read()
    } catch {
      failure = error
    }
    closeFile()
  }

  func take() throws(HTTPError) -> HTTPSpooledBody.Content {
    defer {
      closeFile()
      memory = nil
    }
    if let failure { throw Self.error(failure) }
    guard memory == nil, let file else {
      return HTTPSpooledBody.Content(data: memory ?? Data(), identity: identity.text)
    }
    do throws(HTTPSpoolFile.Failure) {
      return HTTPSpooledBody.Content(data: try file.mapped(), identity: identity.text)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ failure: HTTPSpoolFile.Failure) -> HTTPError {
    HTTPError(.other(code: Int(failure.code), message: "the file that holds the body cannot be read"))
  }

  private func closeFile() {
    guard file != nil else { return }
    file = nil
    spool.noteClosed()
  }
}
