import Foundation
import OzuSynchronization

/// Writes to the caches behind the caller's back, but never without bound.
///
/// A caller gets its picture before the caches have it. What waits to be written holds memory, so when too much waits,
/// the next load waits for its own write. Pictures are encoded in a station of their own first; writes happen one at a
/// time, in the order in which they were added or encoded. One lock guards the account.
final class StoreBacklog: Sendable {
  private struct State {
    var byteCount = 0
    var count = 0
    var lastNumber = 0
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
  /// - Returns: what the load is to wait for before it goes on; `nil` while there is room.
  func add(
    byteCount: Int, encode: (@Sendable () -> Data?)? = nil, write: @escaping @Sendable (Data?) -> Void
  ) -> JobDependence? {
    let work = StoreWork(byteCount: byteCount, backlog: self, encode: encode, write: write)
    let (number, hasRoom) = state.withLock { state in
      state.lastNumber += 1
      state.count += 1
      state.byteCount += byteCount
      return (state.lastNumber, state.byteCount <= byteLimit)
    }
    let key = JobKey.store(number)
    _ = runner.subscribe(work, to: key, priority: .low) { JobStart(work, in: work.station) }
    if hasRoom { return nil }
    // It may be over: then the same work is, once more, a job that ends at once.
    return JobDependence(key: key) { JobStart(work) }
  }

  /// Has small work done in its turn, without anybody waiting for it.
  func enqueue(byteCount: Int = 0, _ work: @escaping @Sendable () -> Void) {
    _ = add(byteCount: byteCount) { _ in work() }
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

  fileprivate func finish(byteCount: Int) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.count -= 1
      state.byteCount -= byteCount
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
  private let byteCount: Int
  private let backlog: StoreBacklog
  private let encode: (@Sendable () -> Data?)?
  private let write: @Sendable (Data?) -> Void
  private var encoded: Data?

  fileprivate init(
    byteCount: Int, backlog: StoreBacklog, encode: (@Sendable () -> Data?)?,
    write: @escaping @Sendable (Data?) -> Void
  ) {
    self.byteCount = byteCount
    self.backlog = backlog
    self.encode = encode
    self.write = write
  }

  /// Where it begins.
  var station: StationID { encode == nil ? .store : .encode }

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep { .finish(succeeded: true) }

  override func run(_ job: RunningJob) -> JobStep {
    if job.station == .encode, let encode {
      encoded = encode()
      if encoded != nil { return .go(.store, size: 0) }
    } else {
      write(encoded)
    }
    backlog.finish(byteCount: byteCount)
    return .finish(succeeded: true)
  }

  func jobEnded(_ work: JobWork) {}
}
