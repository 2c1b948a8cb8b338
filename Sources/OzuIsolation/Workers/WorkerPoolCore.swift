#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuSynchronization

  /// What the threads of a pool share: who has a turn, which workers wait, the zygote. One lock guards it.
  ///
  /// Apart from the pool so that the thread that ends idle workers does not keep the pool alive.
  final class WorkerPoolCore: Sendable {
    /// A thread that waits for its turn, or for a zygote that another thread starts.
    private final class Waiter: Sendable {
      let signal = DispatchSemaphore(value: 0)
    }

    private enum Zygote {
      case none
      case starting
      case running(ZygoteProcess)
    }

    private struct State {
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

    private let options: WorkerPool.Options
    private let state = Mutex(State())
    /// Wakes the keeper.
    private let keeperSignal = DispatchSemaphore(value: 0)

    /// How often a thread that waits for its turn looks whether it is still wanted.
    private static let tick = DispatchTimeInterval.milliseconds(50)
    /// How long a helper that cannot be started is not tried again.
    private static let failureTime: Duration = .seconds(5)
    /// How long a worker with a large body is kept: the next question is often about the same one.
    private static let largeIdleTime: Duration = .seconds(1)
    /// How long a zygote has to end by itself.
    private static let endTime: Duration = .seconds(2)
    /// The least that a worker's memory is limited to for good, so that one can serve pictures of many sizes.
    private static let leastMemoryByteCount = 1 << 30
    private static let closedReason = "the pool of workers is closed"

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

  // Turns.
  extension WorkerPoolCore {
    /// Waits until this thread may use a worker. `endTurn` must follow.
    func waitForTurn(_ checkpoint: () throws(DecodingError) -> Void) throws(WorkerProcess.Failure) {
      let waiter: Waiter? = try state.withLock { (state) throws(WorkerProcess.Failure) in
        guard !state.isClosed else { throw .failed(.unavailable(Self.closedReason)) }
        if state.waiters.isEmpty, state.turnCount < options.workerLimit {
          state.turnCount += 1
          return nil
        }
        let waiter = Waiter()
        state.waiters.append(waiter)
        return waiter
      }
      guard let waiter else { return }
      while waiter.signal.wait(timeout: .now() + Self.tick) == .timedOut {
        do throws(DecodingError) { try checkpoint() } catch {
          if !remove(waiter) { endTurn(nil) }
          throw .refused(error)
        }
      }
      guard !state.withLock({ $0.isClosed }) else {
        endTurn(nil)
        throw .failed(.unavailable(Self.closedReason))
      }
    }

    /// Whether the waiter had no turn yet.
    private func remove(_ waiter: Waiter) -> Bool {
      state.withLock { state in
        guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
        state.waiters.remove(at: index)
        return true
      }
    }

    /// Hands the turn to the next one.
    ///
    /// - Parameter worker: one that has answered; nil when there is none to be kept.
    func endTurn(_ worker: WorkerProcess?, copiedBody: Bool = false) {
      let now = ContinuousClock.now
      let next: Waiter? = state.withLock { state in
        if let worker {
          state.status.answerCount += 1
          if copiedBody { state.status.copiedBodyCount += 1 }
          if !state.isClosed, worker.answerCount < options.requestLimit {
            let time = worker.isLarge ? min(Self.largeIdleTime, options.idleTime) : options.idleTime
            state.shelf.put(
              .init(
                worker: worker, kind: worker.kind, bodyNumber: worker.bodyNumber,
                memoryByteCount: worker.memoryByteCount, end: now + time))
            if state.keeperEnd.map({ now + time < $0 }) ?? true {
              state.keeperEnd = now + time
              keeperSignal.signal()
            }
          }
        }
        if !state.waiters.isEmpty { return state.waiters.removeFirst() }
        state.turnCount -= 1
        if state.isClosed, state.turnCount == 0 { endZygote(&state) }
        return nil
      }
      next?.signal.signal()
    }
  }

  // Workers.
  extension WorkerPoolCore {
    /// A worker that waits, or a new one. The calling thread has a turn.
    func worker(
      for request: WorkerRequest, _ checkpoint: () throws(DecodingError) -> Void
    ) throws(WorkerProcess.Failure) -> WorkerProcess {
      while let worker = state.withLock({
        $0.shelf.take(
          request.kind, bodyNumber: request.bodyNumber, memoryByteCount: request.memoryByteCount)
      }) {
        if worker.isQuiet { return worker }
      }
      do throws(WorkerPool.StartFailure) {
        return try startWorker(for: request, checkpoint)
      } catch {
        switch error {
        case .refused(let error): throw .refused(error)
        case .failed(let reason): throw .failed(.unavailable(reason))
        case .zygoteGone: throw .failed(.unavailable("\(options.helper.name) has ended"))
        }
      }
    }

    private func startWorker(
      for request: WorkerRequest, _ checkpoint: () throws(DecodingError) -> Void
    ) throws(WorkerPool.StartFailure) -> WorkerProcess {
      if let fault = state.withLock({ $0.faults[request.kind] }) { throw .failed(fault) }
      // The memory of those that make room is unmapped here, not under the lock.
      let evicted = state.withLock { $0.shelf.removeAll(butLast: options.workerLimit - $0.turnCount) }
      withExtendedLifetime(evicted) {}
      // One that has ended since the last question is replaced, and so is one that ends now, once.
      for _ in 0..<3 {
        let zygote = try waitForZygote(checkpoint)
        do throws(WorkerPool.StartFailure) {
          let worker = try WorkerProcess(
            request.kind, memoryByteCount: max(request.memoryByteCount, Self.leastMemoryByteCount),
            zygote: zygote)
          try worker.waitUntilReady(checkpoint: checkpoint)
          try admit(worker)
          return worker
        } catch .zygoteGone {
          discard(zygote)
        }
      }
      let reason = "\(options.helper.name) ends before it has a worker"
      remember(reason)
      throw .failed(reason)
    }

    private func admit(_ worker: WorkerProcess) throws(WorkerPool.StartFailure) {
      state.withLock { state in
        state.status.startedWorkerCount += 1
        if state.status.confinement == nil { state.status.confinement = worker.confinement }
      }
      guard options.confinement == .required, let fault = worker.confinement.fault(for: worker.kind) else {
        return
      }
      let reason = "it cannot be confined: \(fault)"
      state.withLock { $0.faults[worker.kind] = reason }
      throw .failed(reason)
    }

    private func remember(_ reason: String) {
      let end = ContinuousClock.now + Self.failureTime
      state.withLock { $0.failure = (reason, end) }
    }
  }

  // The zygote.
  extension WorkerPoolCore {
    /// The zygote; starts one when there is none. One thread does it, the others wait.
    private func waitForZygote(
      _ checkpoint: () throws(DecodingError) -> Void
    ) throws(WorkerPool.StartFailure) -> ZygoteProcess {
      while true {
        let now = ContinuousClock.now
        let waiter = Waiter()
        let zygote: ZygoteProcess?? = try state.withLock { (state) throws(WorkerPool.StartFailure) in
          switch state.zygote {
          case .running(let zygote): return .some(zygote)
          case .starting:
            state.zygoteWaiters.append(waiter)
            return .some(nil)
          case .none:
            if let failure = state.failure, now < failure.end { throw .failed(failure.reason) }
            state.failure = nil
            state.zygote = .starting
            return nil
          }
        }
        switch zygote {
        case .some(.some(let zygote)): return zygote
        case .some(nil):
          while waiter.signal.wait(timeout: .now() + Self.tick) == .timedOut {
            do throws(DecodingError) { try checkpoint() } catch { throw .refused(error) }
          }
        case nil: return try startZygote()
        }
      }
    }

    private func startZygote() throws(WorkerPool.StartFailure) -> ZygoteProcess {
      do throws(WorkerPool.StartFailure) {
        let zygote = try ZygoteProcess(options.helper)
        finishStart(.running(zygote))
        return zygote
      } catch {
        finishStart(.none)
        if case .failed(let reason) = error { remember(reason) }
        throw error
      }
    }

    private func finishStart(_ zygote: Zygote) {
      let waiters = state.withLock { state in
        state.zygote = zygote
        if case .running = zygote { state.status.startedZygoteCount += 1 }
        defer { state.zygoteWaiters = [] }
        return state.zygoteWaiters
      }
      waiters.forEach { $0.signal.signal() }
      startKeeper()
    }

    /// Forgets a zygote that has ended.
    private func discard(_ zygote: ZygoteProcess) {
      state.withLock { state in
        guard case .running(let current) = state.zygote, current === zygote else { return }
        endZygote(&state)
      }
    }

    private func endZygote(_ state: inout State) {
      guard case .running(let zygote) = state.zygote else { return }
      state.zygote = .none
      zygote.close()
      state.ending.append((zygote, ContinuousClock.now + Self.endTime))
      keeperSignal.signal()
    }

    func close() {
      let (workers, waiters) = state.withLock { state in
        state.isClosed = true
        let waiters = state.waiters
        state.waiters = []
        // They have a turn now, which they give back.
        state.turnCount += waiters.count
        if state.turnCount == 0 { endZygote(&state) }
        return (state.shelf.removeAll(butLast: 0), waiters)
      }
      withExtendedLifetime(workers) {}
      waiters.forEach { $0.signal.signal() }
      keeperSignal.signal()
    }
  }

  // The keeper: one thread that ends what has waited for too long, and takes the status of zygotes.
  extension WorkerPoolCore {
    private func startKeeper() {
      let starts = state.withLock { state in
        defer { state.hasKeeper = true }
        return !state.hasKeeper
      }
      guard starts else {
        keeperSignal.signal()
        return
      }
      startThread { [self] in
        while let time = keep() { _ = keeperSignal.wait(timeout: time) }
      }
    }

    /// Ends what has to end.
    ///
    /// - Returns: until when there is nothing to do, unless it is woken; nil when there is never again.
    private func keep() -> DispatchTime? {
      let now = ContinuousClock.now
      let (expired, ending) = state.withLock { ($0.shelf.removeExpired(at: now), $0.ending) }
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
        state.keeperEnd = state.shelf.nextEnd
        guard let next = state.keeperEnd else { return .distantFuture }
        let wait = max(.milliseconds(1), next - now)
        return .now() + .milliseconds(Int(min(wait / .milliseconds(1), 1e6)) + 1)
      }
    }
  }
#endif
