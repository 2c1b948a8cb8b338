#if os(Linux) && canImport(CIsolation)
  import Dispatch
  import OzuImaging
  import OzuBase

  // Taking an idle worker, and starting a new one.
  extension WorkerPoolCore {
    /// The smallest limit on a worker's memory for its whole life, so that one worker can serve pictures of many
    /// sizes.
    private static let leastMemoryByteCount = 1 << 30
    /// How long a request waits for free descriptors: those of connections and other workers come back soon.
    private static let shortageTime: Duration = .seconds(2)

    /// An idle worker, or a new one. The calling thread must have a turn.
    func worker(
      for request: WorkerRequest, _ checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(WorkerProcess.Failure) -> WorkerProcess {
      if let worker = idleWorker(for: request) { return worker }
      return try newWorker(for: request, checkpoint)
    }

    private func idleWorker(for request: WorkerRequest) -> WorkerProcess? {
      while let worker = state.withLock({
        $0.idle.take(
          request.kind, bodyNumber: request.bodyNumber, memoryByteCount: request.memoryByteCount)
      }) {
        if worker.isQuiet, !worker.hasEnded { return worker }
      }
      return nil
    }

    /// A new worker. The calling thread must have a turn.
    func newWorker(
      for request: WorkerRequest, _ checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(WorkerProcess.Failure) -> WorkerProcess {
      let last = ContinuousClock.now + min(request.deadline, Self.shortageTime)
      while true {
        do throws(WorkerPool.StartFailure) {
          return try startWorker(for: request, checkpoint)
        } catch {
          switch error {
          case .refused(let error): throw .refused(error)
          case .failed(let reason): throw .failed(.unavailable(reason))
          case .zygoteHangs(let time): throw .failed(.unavailable("no worker is ready in \(time)"))
          case .zygoteGone: throw .failed(.unavailable("\(options.helper.name) has ended"))
          case .shortage(let reason):
            guard ContinuousClock.now < last else { throw .failed(.unavailable(reason)) }
          }
        }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.tick)
        do throws(ImageDecodingError) { try checkpoint() } catch { throw .refused(error) }
        if let worker = idleWorker(for: request) { return worker }
        // Those of other kinds have descriptors that are needed.
        let evicted = state.withLock { $0.idle.removeAll(butLast: 0) }
        withExtendedLifetime(evicted) {}
      }
    }

    func startWorker(
      for request: WorkerRequest, _ checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(WorkerPool.StartFailure) -> WorkerProcess {
      let fault = state.withLock { $0.failures.reason(of: request.kind, at: .now) }
      if let fault { throw .failed(fault) }
      // The memory of the removed workers is unmapped here, not under the lock.
      let evicted = state.withLock { $0.idle.removeAll(butLast: options.workerLimit - $0.turnCount) }
      withExtendedLifetime(evicted) {}
      // A zygote that has ended since the last request is replaced; so is one that ends now, once.
      for _ in 0..<3 {
        let zygote = try waitForZygote(checkpoint)
        do throws(WorkerPool.StartFailure) {
          let worker = try WorkerProcess(
            request.kind, memoryByteCount: max(request.memoryByteCount, Self.leastMemoryByteCount),
            zygote: zygote)
          try worker.waitUntilReady(deadline: request.deadline, checkpoint: checkpoint)
          try admit(worker)
          return worker
        } catch .zygoteGone {
          discard(zygote)
        } catch .zygoteHangs(let time) {
          // The keeper kills it, and the next request gets another one.
          discard(zygote)
          throw .zygoteHangs(time)
        }
      }
      let reason = "\(options.helper.name) ends before it has a worker"
      remember(reason)
      throw .failed(reason)
    }

    func admit(_ worker: WorkerProcess) throws(WorkerPool.StartFailure) {
      state.withLock { state in
        state.status.startedWorkerCount += 1
        // A restriction of one kind of worker may be missing in that kind alone.
        let known = state.status.confinement?.missing ?? []
        state.status.confinement = state.status.confinement ?? worker.confinement
        state.status.confinement?.missing = known + worker.confinement.missing.filter { !known.contains($0) }
      }
      guard options.confinement == .required, let fault = worker.confinement.fault(for: worker.kind) else {
        return
      }
      let reason = "it cannot be confined: \(fault)"
      remember(reason, of: worker.kind)
      throw .failed(reason)
    }

    func remember(_ reason: String, of kind: WorkerKind? = nil) {
      state.withLock { $0.failures.note(reason, of: kind, at: .now) }
    }
  }
#endif
