import Foundation
import OzuSynchronization

/// Writes to the caches behind the caller's back, but never without bound.
///
/// A caller gets its picture before the caches have it. What waits to be written holds memory, so when too much waits,
/// the next load waits for its own write. Pictures are encoded in a station of their own first; writes happen one at a
/// time, in the order in which they were added or encoded. Who reads an original waits for the last write of it, so that
/// nobody is answered with what a finished load has outdated. One lock guards the account.
final class StoreBacklog: Sendable {
  private struct State {
    var byteCount = 0
    var count = 0
    var lastNumber = 0
    /// The last write to the original of each source.
    var originals: [CacheKey: StoreWork] = [:]
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let runner: JobRunner
  private let byteLimit: Int

  /// Makes a backlog that lets `byteLimit` bytes wait.
  init(runner: JobRunner, byteLimit: Int) {
    self.runner = runner
    self.byteLimit = byteLimit
  }

  /// Has something encoded, if it must be, and then written.
  ///
  /// - Parameter source: the source whose original changes by it.
  /// - Returns: what the load is to wait for before it goes on; `nil` while there is room.
  func add(
    byteCount: Int, originalOf source: CacheKey? = nil, encode: (@Sendable () -> Data?)? = nil,
    write: @escaping @Sendable (Data?) -> Void
  ) -> JobDependence? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let work = StoreWork(
      number: number, source: source, byteCount: byteCount, backlog: self, encode: encode, write: write)
    let (hasRoom, outdated) = state.withLock { state in
      state.count += 1
      state.byteCount += byteCount
      let outdated = source.flatMap { state.originals.updateValue(work, forKey: $0) }
      return (state.byteCount <= byteLimit, outdated)
    }
    // Released outside of the lock.
    withExtendedLifetime(outdated) {}
    _ = runner.subscribe(work, to: .store(number), priority: .low) { JobStart(work, in: work.station) }
    return hasRoom ? nil : work.end
  }

  /// Has small work done in its turn, without anybody waiting for it.
  func enqueue(byteCount: Int = 0, originalOf source: CacheKey? = nil, _ work: @escaping @Sendable () -> Void)
  {
    _ = add(byteCount: byteCount, originalOf: source) { _ in work() }
  }

  /// What waits for the last write to the original of a source; `nil` when all are done.
  func writing(originalOf source: CacheKey) -> JobDependence? {
    state.withLock { $0.originals[source] }?.end
  }

  /// The bytes that wait to be written.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Returns when everything that was added is written.
  func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.count == 0 { return true }
        state.drainWaiters.append(continuation)
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Returns when no more waits than may.
  func room() async {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.byteCount <= byteLimit { return true }
        state.roomWaiters.append(continuation)
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  fileprivate func finish(_ work: StoreWork) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.count -= 1
      state.byteCount -= work.byteCount
      // The caller holds it: nothing is released here.
      if let source = work.source, state.originals[source] === work { state.originals[source] = nil }
      var waiters: [CheckedContinuation<Void, Never>] = []
      if state.byteCount <= byteLimit { swap(&waiters, &state.roomWaiters) }
      guard state.count == 0 else { return waiters }
      defer { state.drainWaiters = [] }
      return waiters + state.drainWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// One write behind the caller's back: its own subscriber, so that nobody's leaving takes it out of the queue.
///
/// `Sendable`: what is not constant is written by one call of the runner and read by a later one.
final class StoreWork: JobWork, JobWaiter, @unchecked Sendable {
  private let number: Int
  fileprivate let source: CacheKey?
  fileprivate let byteCount: Int
  private let backlog: StoreBacklog
  private let encode: (@Sendable () -> Data?)?
  private let write: @Sendable (Data?) -> Void
  private var encoded: Data?

  fileprivate init(
    number: Int, source: CacheKey?, byteCount: Int, backlog: StoreBacklog,
    encode: (@Sendable () -> Data?)?, write: @escaping @Sendable (Data?) -> Void
  ) {
    self.number = number
    self.source = source
    self.byteCount = byteCount
    self.backlog = backlog
    self.encode = encode
    self.write = write
  }

  /// Where it begins.
  var station: StationID { encode == nil ? .store : .encode }

  /// What waits for its end. It may be over: then the same work is, once more, a job that ends at once.
  fileprivate var end: JobDependence { JobDependence(key: .store(number)) { [self] in JobStart(self) } }

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep { .finish(succeeded: true) }

  override func run(_ job: RunningJob) -> JobStep {
    if job.station == .encode, let encode {
      encoded = encode()
      if encoded != nil { return .go(.store, size: 0) }
    } else {
      write(encoded)
    }
    backlog.finish(self)
    return .finish(succeeded: true)
  }

  func jobEnded(_ work: JobWork) {}
}
