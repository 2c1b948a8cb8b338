#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuBase

  // Starting and ending the zygote.
  extension WorkerPoolCore {
    /// How much time a zygote has to end by itself.
    private static let endTime: Duration = .seconds(2)

    /// The zygote; it is started if there is none. One thread starts it, the others wait.
    func waitForZygote(
      _ checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(WorkerPool.StartFailure) -> ZygoteProcess {
      while true {
        let waiter = DispatchSemaphore(value: 0)
        let zygote: ZygoteProcess?? = try state.withLock { (state) throws(WorkerPool.StartFailure) in
          switch state.zygote {
          case .running(let zygote): return .some(zygote)
          case .starting:
            state.zygoteWaiters.append(waiter)
            return .some(nil)
          case .none:
            if let reason = state.failures.reason(of: nil, at: .now) { throw .failed(reason) }
            state.zygote = .starting
            return nil
          }
        }
        switch zygote {
        case .some(.some(let zygote)): return zygote
        case .some(nil):
          while waiter.wait(timeout: .now() + Self.tick) == .timedOut {
            do throws(ImageDecodingError) { try checkpoint() } catch { throw .refused(error) }
          }
        case nil: return try startZygote()
        }
      }
    }

    func startZygote() throws(WorkerPool.StartFailure) -> ZygoteProcess {
      do throws(WorkerPool.StartFailure) {
        let zygote = try ZygoteProcess(options.helper, fontFolders: options.fontFolders)
        finishStart(.running(zygote))
        return zygote
      } catch {
        finishStart(.none)
        if case .failed(let reason) = error { remember(reason) }
        throw error
      }
    }

    func finishStart(_ zygote: Zygote) {
      let waiters = state.withLock { state in
        state.zygote = zygote
        if case .running = zygote { state.status.startedZygoteCount += 1 }
        defer { state.zygoteWaiters = [] }
        return state.zygoteWaiters
      }
      waiters.forEach { $0.signal() }
      startKeeper()
    }

    func discard(_ zygote: ZygoteProcess) {
      state.withLock { state in
        guard case .running(let current) = state.zygote, current === zygote else { return }
        endZygote(&state)
      }
    }

    func endZygote(_ state: inout State) {
      guard case .running(let zygote) = state.zygote else { return }
      state.zygote = .none
      zygote.close()
      state.ending.append((zygote, ContinuousClock.now + Self.endTime))
      keeperSignal.signal()
    }
  }
#endif
