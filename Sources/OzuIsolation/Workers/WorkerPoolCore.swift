#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuSynchronization

  /// What the threads of a pool share: who has a turn, which workers wait, the zygote. One lock guards it, and nothing
  /// waits under it. The files beside this one have what is done with it.
  ///
  /// Apart from the pool so that the thread that ends idle workers does not keep the pool alive.
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
      /// How many questions have a turn.
      var turnCount = 0
      var waiters: [Waiter] = []
      var shelf = WorkerShelf<WorkerProcess>()
      var zygote = Zygote.none
      /// Those who wait for the zygote.
      var zygoteWaiters: [Waiter] = []
      /// Zygotes that were told to end, and when they are ended.
      var ending: [(ZygoteProcess, deadline: ContinuousClock.Instant)] = []
      /// Why the helper could not be started, and until when nobody tries again.
      var failure: (reason: String, end: ContinuousClock.Instant)?
      /// Kinds whose workers the system does not confine as is demanded, which does not change.
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

    /// How often a thread that waits looks whether it is still wanted.
    static let tick = DispatchTimeInterval.milliseconds(50)
    static let closedReason = "the pool of workers is closed"

    init(_ options: WorkerPool.Options) {
      precondition(options.workerLimit > 0, "a pool without workers")
      self.options = options
    }

    var status: WorkerStatus {
      state.withLock { state in
        var status = state.status
        status.workerCount = state.turnCount + state.shelf.count
        return status
      }
    }

    func countFailure() { state.withLock { $0.status.failureCount += 1 } }
  }
#endif
