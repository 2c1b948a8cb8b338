#if os(Linux) && canImport(CIsolation)
  import OzuBase
  import OzuImaging

  /// Processes for work that may crash, hang or be taken over by a hostile file.
  ///
  /// A zygote is started with the first request. It forks workers, each with restrictions (`ozu_confine`). A worker
  /// gets one request at a time over a socket, and bodies and payloads over shared memory that is kept. A failure
  /// of a worker costs only its current request: that request is not repeated, and another worker replaces it.
  ///
  /// Requests are answered in the order in which they come. The lock in `WorkerPoolCore` is never held while a
  /// thread waits or while closures of callers run.
  package final class WorkerPool: Sendable {
    private let core: WorkerPoolCore

    package init(_ options: Options) { core = WorkerPoolCore(options) }

    deinit { core.close() }

    /// Sends a request to a worker and waits for its answer. Blocks the calling thread, which must not be one of
    /// Swift's cooperative pool.
    ///
    /// - Parameters:
    ///   - checkpoint: called at least every 50 ms while waiting. If it throws, the worker is ended and the error
    ///     is passed on.
    ///   - read: receives a copy of the answer's message, and its payload in place. The worker may still change
    ///     that memory, so copy it once, and read only the copy. Valid only during the call. If it throws, the
    ///     worker is ended.
    /// - Throws: `ImageDecodingError.decoderFailed`, and the errors of the closures.
    package func perform<Result>(
      _ request: WorkerRequest,
      checkpoint: () throws(ImageDecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(ImageDecodingError) -> Result {
      precondition(
        request.message.count <= WorkerRequest.messageByteCount, "a message of \(request.message.count) bytes"
      )
      let failure: DecoderFailure
      do throws(WorkerProcess.Failure) {
        return try answer(request, checkpoint, read)
      } catch {
        switch error {
        case .refused(let error): throw error
        case .failed(let reason): failure = reason
        case .gone: failure = .unavailable("workers end before they are asked")
        }
      }
      core.countFailure()
      throw .decoderFailed(request.kind.type, failure)
    }

    private func answer<Result>(
      _ request: WorkerRequest, _ checkpoint: () throws(ImageDecodingError) -> Void,
      _ read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(WorkerProcess.Failure) -> Result {
      try core.waitForTurn(checkpoint)
      // An idle worker may have ended unnoticed. It has not received the request then, and a new one is asked: a file that has
      // taken over all idle ones could otherwise make the pool seem to have no workers, and be decoded without isolation.
      for attempt in 0..<8 {
        let worker: WorkerProcess
        do throws(WorkerProcess.Failure) {
          worker =
            try attempt == 0
            ? core.worker(for: request, checkpoint) : core.newWorker(for: request, checkpoint)
        } catch {
          core.endTurn(nil)
          throw error
        }
        do throws(WorkerProcess.Failure) {
          let result = try worker.answer(request, checkpoint: checkpoint, read: read)
          core.endTurn(worker)
          return result
        } catch .gone {
          continue
        } catch {
          core.endTurn(nil)
          throw error
        }
      }
      core.endTurn(nil)
      throw .gone
    }

    /// The restrictions of the workers, and counters.
    package var status: WorkerStatus { core.status }

    /// Ends all workers and the zygote, each when its work is done; does not wait for that. Requests that wait or
    /// come later fail with `unavailable`.
    package func close() { core.close() }
  }

  extension WorkerPool {
    /// Why there is no worker.
    enum StartFailure: Error {
      /// The zygote has ended; it can be started again.
      case zygoteGone
      case failed(String)
      /// There is no free descriptor now.
      case shortage(String)
      /// The zygote has not made a worker in this time.
      case zygoteHangs(Duration)
      /// A closure of the caller threw.
      case refused(ImageDecodingError)

      /// A system call that failed, with its error number.
      init(_ call: String, _ code: Int32) {
        let reason = "\(call): \(systemMessage(code))"
        self = code == EMFILE || code == ENFILE ? .shortage(reason) : .failed(reason)
      }
    }
  }

  extension WorkerPool {
    /// How workers are made and kept.
    package struct Options: Sendable {
      /// The reaction when the system refuses to restrict a worker.
      package enum Confinement: Sendable {
        /// Workers run anyway, in processes of their own; `status` says what is missing.
        case bestPossible
        /// Nothing runs: the error names the missing call.
        case required
      }

      package var helper: WorkerHelper
      /// The most workers at once, over all kinds; at least one.
      package var workerLimit: Int
      /// The number of requests of one worker; then another one replaces it.
      package var requestLimit = 200
      /// How long an idle worker is kept.
      package var idleTime: Duration = .seconds(30)
      package var confinement: Confinement
      /// The folders that workers which read fonts may read beside the usual ones.
      package var fontFolders: [String] = []

      package init(helper: WorkerHelper, workerLimit: Int, confinement: Confinement = .bestPossible) {
        self.helper = helper
        self.workerLimit = workerLimit
        self.confinement = confinement
      }
    }
  }
#endif
