#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuBase

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
      startThread { [self] in
        while let time = keep() { _ = keeperSignal.wait(timeout: time) }
      }
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
#endif
