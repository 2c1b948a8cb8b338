import OzuBase

/// Writes to the stores in the background, with a bound on the bytes that wait.
///
/// A caller receives its picture before the stores have it. Data that waits to be written holds memory, so when too
/// much waits, the next load waits for its own write. Pictures are first encoded in a station of their own. Writes
/// happen one at a time, in the order in which they were added or encoded. A read of an original waits for the last
/// pending write of it, so that it never returns data that a finished load has replaced. One lock guards the state; that of the
/// runner may be taken before it, and is never taken while it is held.
final class StoreBacklog: Sendable {
  private struct State {
    var byteCount = 0
    var count = 0
    var lastNumber = 0
    /// The last pending write to the original of each source.
    var originals: [CacheKey: StoreWork] = [:]
    var drains: [Drain] = []
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// A caller of `drain`.
  private struct Drain {
    /// The last write that it waits for.
    let last: Int
    /// How many of these writes are not over.
    var count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private let state = Mutex(State())
  private let runner: JobRunner
  private let byteLimit: Int

  /// Makes a backlog in which `byteLimit` bytes may wait.
  init(runner: JobRunner, byteLimit: Int) {
    self.runner = runner
    self.byteLimit = byteLimit
  }

  /// Adds a write, with an optional encoding before it.
  ///
  /// - Parameter source: the source whose original the write changes.
  /// - Returns: the dependence on which the load must wait before it continues; `nil` while there is room.
  func add(
    byteCount: Int, originalOf source: CacheKey? = nil, encode: (@Sendable () -> Data?)? = nil,
    write: @escaping @Sendable (Data?) -> Void
  ) -> JobDependence? {
    let (number, hasRoom) = state.withLock { state in
      state.lastNumber += 1
      state.count += 1
      state.byteCount += byteCount
      return (state.lastNumber, state.byteCount <= byteLimit)
    }
    let work = StoreWork(
      number: number, source: source, byteCount: byteCount, backlog: self, encode: encode, write: write)
    var outdated: StoreWork?
    _ = runner.subscribe(work, to: .store(number), priority: .low) {
      // Together with the making of the job: a reader that found the write before it had a job would make one, by
      // `end`, that does nothing.
      if let source { outdated = state.withLock { $0.originals.updateValue(work, forKey: source) } }
      return JobStart(work, in: work.station)
    }
    // Released outside of the locks.
    withExtendedLifetime(outdated) {}
    return hasRoom ? nil : work.end
  }

  /// Adds a small write that no load waits for.
  func enqueue(byteCount: Int = 0, originalOf source: CacheKey? = nil, _ work: @escaping @Sendable () -> Void)
  {
    _ = add(byteCount: byteCount, originalOf: source) { _ in work() }
  }

  /// The dependence on the last pending write to the original of a source; `nil` if none is pending.
  func writing(originalOf source: CacheKey) -> JobDependence? {
    state.withLock { $0.originals[source] }?.end
  }

  /// The bytes that wait to be written.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Returns when everything that was added before the call is written. Later writes are not waited for: while loads run without a
  /// pause, there may always be some.
  func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.count == 0 { return true }
        state.drains.append(Drain(last: state.lastNumber, count: state.count, continuation: continuation))
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Returns when no more than the allowed bytes wait.
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
      // The caller holds the work, so nothing is released under the lock.
      if let source = work.source, state.originals[source] === work { state.originals[source] = nil }
      var waiters: [CheckedContinuation<Void, Never>] = []
      if state.byteCount <= byteLimit { swap(&waiters, &state.roomWaiters) }
      for index in state.drains.indices where work.number <= state.drains[index].last {
        state.drains[index].count -= 1
        if state.drains[index].count == 0 { waiters.append(state.drains[index].continuation) }
      }
      state.drains.removeAll { $0.count == 0 }
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// One background write. It is its own subscriber, so that it stays in the queue when a waiting load leaves.
///
/// `Sendable`: its mutable member is written by one call of the runner and read by a later one. The lock of the
/// runner is taken between these.
final class StoreWork: JobWork, JobWaiter, @unchecked Sendable {
  fileprivate let number: Int
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

  /// The first station.
  var station: StationID { encode == nil ? .store : .encode }

  /// The dependence on its end. If the write is already over, `make` returns the same work as a new job that ends at
  /// once.
  fileprivate var end: JobDependence { JobDependence(key: .store(number)) { [self] in JobStart(self) } }

  override var awaitedAs: PipelineDiagnostics.Waiting { .backlog }

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    switch job.station {
    case .encode?:
      encoded = encode?()
      if encoded != nil { return .go(.store, size: 0) }
    case .store?: write(encoded)
    // It is over already, and `end` has made a job of it again.
    default: return .finish(succeeded: true)
    }
    backlog.finish(self)
    return .finish(succeeded: true)
  }

  func jobEnded(_ work: JobWork) {}
}
