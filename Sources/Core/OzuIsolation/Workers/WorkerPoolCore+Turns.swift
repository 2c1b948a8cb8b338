#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuBase

  // The order in which threads may use a worker.
  extension WorkerPoolCore {
    /// How long a worker with a large body is kept: the next request is often about the same body.
    private static let largeIdleTime: Duration = .seconds(1)

    /// Waits until this thread may use a worker. `endTurn` must follow.
    func waitForTurn(_ checkpoint: () throws(ImageDecodingError) -> Void) throws(WorkerProcess.Failure) {
      let waiter: DispatchSemaphore? = try state.withLock { (state) throws(WorkerProcess.Failure) in
        guard !state.isClosed else { throw .failed(.unavailable(Self.closedReason)) }
        if state.waiters.isEmpty, state.turnCount < options.workerLimit {
          state.turnCount += 1
          return nil
        }
        let waiter = DispatchSemaphore(value: 0)
        state.waiters.append(waiter)
        return waiter
      }
      guard let waiter else { return }
      while waiter.wait(timeout: .now() + Self.tick) == .timedOut {
        do throws(ImageDecodingError) { try checkpoint() } catch {
          if !remove(waiter) { endTurn(nil) }
          throw .refused(error)
        }
      }
      guard !state.withLock({ $0.isClosed }) else {
        endTurn(nil)
        throw .failed(.unavailable(Self.closedReason))
      }
    }

    /// Removes a waiter; `false` if it already has its turn.
    private func remove(_ waiter: DispatchSemaphore) -> Bool {
      state.withLock { state in
        guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
        state.waiters.remove(at: index)
        return true
      }
    }

    /// Passes the turn to the next waiter.
    ///
    /// - Parameter worker: one that has answered; nil if there is none to keep.
    func endTurn(_ worker: WorkerProcess?) {
      let now = ContinuousClock.now
      let next: DispatchSemaphore? = state.withLock { state in
        if let worker {
          state.status.answerCount += 1
          if !state.isClosed, worker.answerCount < options.requestLimit {
            let time = worker.isLarge ? min(Self.largeIdleTime, options.idleTime) : options.idleTime
            state.idle.put(
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
      next?.signal()
    }

    func close() {
      let (workers, waiters) = state.withLock { state in
        state.isClosed = true
        let waiters = state.waiters
        state.waiters = []
        // The waiters have a turn now, which they give back.
        state.turnCount += waiters.count
        if state.turnCount == 0 { endZygote(&state) }
        return (state.idle.removeAll(butLast: 0), waiters)
      }
      withExtendedLifetime(workers) {}
      waiters.forEach { $0.signal() }
      keeperSignal.signal()
    }
  }
#endif
