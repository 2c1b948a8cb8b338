#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuBase
  import OzuImaging

  /// The shared state of the threads of a pool: the turns, the idle workers, the zygote. One lock guards it, and no
  /// thread waits under it. The files beside this one have the operations on it.
  ///
  /// Separate from the pool, so that the thread that ends idle workers does not keep the pool alive.
  final class WorkerPoolCore: Sendable {
    enum Zygote {
      case none
      case starting
      case running(ZygoteProcess)
    }

    struct State {
      /// The number of requests that have a turn.
      var turnCount = 0
      /// The threads that wait for a turn.
      var waiters: [DispatchSemaphore] = []
      var idle = IdleWorkers<WorkerProcess>()
      var zygote = Zygote.none
      /// The threads that wait for the zygote.
      var zygoteWaiters: [DispatchSemaphore] = []
      /// Zygotes that were told to end, and the times at which they are killed.
      var ending: [(ZygoteProcess, deadline: ContinuousClock.Instant)] = []
      var failures = StartFailures()
      var hasKeeper = false
      /// When the keeper wakes by itself; nil for never.
      var keeperEnd: ContinuousClock.Instant?
      var isClosed = false
      var status = WorkerStatus()
    }

    let options: WorkerPool.Options
    let state = Mutex(State())
    let keeperSignal = DispatchSemaphore(value: 0)

    /// How often a waiting thread calls its checkpoint.
    static let tick = DispatchTimeInterval.milliseconds(50)
    static let closedReason = "the pool of workers is closed"

    init(_ options: WorkerPool.Options) {
      precondition(options.workerLimit > 0, "a pool without workers")
      self.options = options
    }

    var status: WorkerStatus {
      state.withLock { state in
        var status = state.status
        status.workerCount = state.turnCount + state.idle.count
        return status
      }
    }

    func countFailure() { state.withLock { $0.status.failureCount += 1 } }
  }

  // The keeper: one thread that ends workers after their idle time, and collects the exit status of zygotes.
  extension WorkerPoolCore {
    func startKeeper() {
      let starts = state.withLock { state in
        defer { state.hasKeeper = true }
        return !state.hasKeeper
      }
      guard starts else {
        keeperSignal.signal()
        return
      }
      let isStarted = DetachedThread.start { [self] in
        while let time = keep() { _ = keeperSignal.wait(timeout: time) }
      }
      // The system has no thread now; the next zygote tries again.
      if !isStarted { state.withLock { $0.hasKeeper = false } }
    }

    /// Ends the workers and zygotes whose time has come.
    ///
    /// - Returns: the time of the next work, unless the thread is woken earlier; nil if there will be none.
    private func keep() -> DispatchTime? {
      let now = ContinuousClock.now
      let (expired, ending) = state.withLock { ($0.idle.removeExpired(at: now), $0.ending) }
      withExtendedLifetime(expired) {}
      let reaped = ending.filter { zygote, deadline in
        if deadline <= now { zygote.kill() }
        return zygote.isReaped()
      }
      return state.withLock { state in
        state.ending.removeAll { zygote, _ in reaped.contains { $0.0 === zygote } }
        if !state.ending.isEmpty { return .now() + .milliseconds(10) }
        if state.isClosed, state.turnCount == 0 {
          state.hasKeeper = false
          return nil
        }
        state.keeperEnd = state.idle.nextEnd
        guard let next = state.keeperEnd else { return .distantFuture }
        let wait = max(.milliseconds(1), next - now)
        return .now() + .milliseconds(Int(clamping: min(wait / .milliseconds(1), 1e6)) + 1)
      }
    }
  }

  /// Why workers could not be started, each reason for a while: what the system refuses at one moment, when it has no memory or no
  /// descriptor, it may have at the next.
  struct StartFailures {
    /// How long nothing is started again.
    static let time: Duration = .seconds(5)

    private var failures: [WorkerKind?: (reason: String, end: ContinuousClock.Instant)] = [:]

    /// - Parameter kind: the kind whose workers are not restricted as required; `nil` if the helper itself cannot be started.
    mutating func note(_ reason: String, of kind: WorkerKind?, at now: ContinuousClock.Instant) {
      failures[kind] = (reason, now + Self.time)
    }

    func reason(of kind: WorkerKind?, at now: ContinuousClock.Instant) -> String? {
      failures[kind].flatMap { now < $0.end ? $0.reason : nil }
    }
  }

  /// The idle workers: decides which one gets a request, and which one is ended. A pure value; the pool acts on it.
  struct IdleWorkers<Worker> {
    struct IdleWorker {
      var worker: Worker
      var kind: WorkerKind
      var bodyNumber: UInt64?
      /// The most memory that a request may grant it.
      var memoryByteCount: Int
      /// When its idle time ends.
      var end: ContinuousClock.Instant
    }

    /// In the order in which they were added.
    private(set) var workers: [IdleWorker] = []

    var count: Int { workers.count }

    mutating func put(_ worker: IdleWorker) { workers.append(worker) }

    /// Takes a worker for a request: one that has the body, else the one that was idle for longest, whose body is
    /// the least likely to be asked for again.
    mutating func take(_ kind: WorkerKind, bodyNumber: UInt64, memoryByteCount: Int) -> Worker? {
      let fitting = workers.indices.filter {
        workers[$0].kind == kind && workers[$0].memoryByteCount >= memoryByteCount
      }
      guard let index = fitting.first(where: { workers[$0].bodyNumber == bodyNumber }) ?? fitting.first else {
        return nil
      }
      return workers.remove(at: index).worker
    }

    /// Makes room: removes the workers that were idle for longest until `count` are left.
    mutating func removeAll(butLast count: Int) -> [Worker] {
      let removed = workers.prefix(max(0, workers.count - max(0, count)))
      workers.removeFirst(removed.count)
      return removed.map(\.worker)
    }

    /// Removes the workers whose idle time has ended.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Worker] {
      let expired = workers.filter { $0.end <= now }
      if !expired.isEmpty { workers.removeAll { $0.end <= now } }
      return expired.map(\.worker)
    }

    /// When the idle time of the next worker ends.
    var nextEnd: ContinuousClock.Instant? { workers.map(\.end).min() }
  }
#endif
