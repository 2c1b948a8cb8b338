#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuBase

  /// The shared state of the threads of a pool: the turns, the idle workers, the zygote. One lock guards it, and no
  /// thread waits under it. The files beside this one have the operations on it.
  ///
  /// Separate from the pool, so that the thread that ends idle workers does not keep the pool alive.
  final class WorkerPoolCore: Sendable {
    /// A thread that waits for its turn, or for a zygote that another thread starts.
    final class Waiter: Sendable {
      let signal = DispatchSemaphore(value: 0)
    }

    enum Zygote {
      case none
      case starting
      case running(ZygoteProcess)
    }

    struct State {
      /// The number of requests that have a turn.
      var turnCount = 0
      var waiters: [Waiter] = []
      var idle = IdleWorkers<WorkerProcess>()
      var zygote = Zygote.none
      /// The threads that wait for the zygote.
      var zygoteWaiters: [Waiter] = []
      /// Zygotes that were told to end, and the times at which they are killed.
      var ending: [(ZygoteProcess, deadline: ContinuousClock.Instant)] = []
      /// Why the helper could not be started, and when it may be tried again.
      var failure: (reason: String, end: ContinuousClock.Instant)?
      /// The kinds whose workers the system does not restrict as required. This does not change.
      var faults: [WorkerKind: String] = [:]
      var hasKeeper = false
      /// When the keeper wakes by itself; nil for never.
      var keeperEnd: ContinuousClock.Instant?
      var isClosed = false
      var status = WorkerStatus()
    }

    let options: WorkerPool.Options
    let state = Mutex(State())
    /// Wakes the keeper.
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
#endif
