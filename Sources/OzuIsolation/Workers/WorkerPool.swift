#if os(Linux) && canImport(CIsolation)
  import OzuImaging
  import OzuSynchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Processes that do work which may crash, hang or be taken over.
  ///
  /// A zygote is started with the first question. It forks workers, each locked down (`ozu_confine`), which get one question
  /// at a time over a socket, and bodies and payloads over shared memory that is kept. Whatever a worker does costs the
  /// question that it has, and never more: it is not asked again, and another worker takes its place.
  ///
  /// Questions get their turn in the order in which they come. The lock in `WorkerPoolCore` is never held while anything
  /// waits or while closures of callers run.
  package final class WorkerPool: Sendable {
    private let core: WorkerPoolCore

    package init(_ options: Options) { core = WorkerPoolCore(options) }

    deinit { core.close() }

    /// Asks a worker and waits for its answer. Blocks the calling thread, which must not be one of Swift's cooperative
    /// pool.
    ///
    /// - Parameters:
    ///   - checkpoint: asked at least every 50 ms while it waits. When it throws, the worker ends, and the error is passed
    ///     on.
    ///   - read: gets the message of the answer, copied, and its payload in place: memory that the worker may still change,
    ///     so it is copied once and not looked at. Valid during the call only. When it throws, the worker ends.
    /// - Throws: `DecodingError.decoderFailed`, and what the closures throw.
    package func perform<Result>(
      _ request: WorkerRequest,
      checkpoint: () throws(DecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(DecodingError) -> Result
    ) throws(DecodingError) -> Result {
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
      _ request: WorkerRequest, _ checkpoint: () throws(DecodingError) -> Void,
      _ read: (Data, UnsafeRawBufferPointer) throws(DecodingError) -> Result
    ) throws(WorkerProcess.Failure) -> Result {
      try core.waitForTurn(checkpoint)
      // A worker that is kept may have ended unnoticed: then nobody got the question, and the next one is asked.
      for _ in 0..<8 {
        let worker: WorkerProcess
        do throws(WorkerProcess.Failure) { worker = try core.worker(for: request, checkpoint) } catch {
          core.endTurn(nil)
          throw error
        }
        do throws(WorkerProcess.Failure) {
          let (result, copiedBody) = try worker.answer(
            request, checkpoint: checkpoint, read: read)
          core.endTurn(worker, copiedBody: copiedBody)
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

    /// What confines the workers, and counters.
    package var status: WorkerStatus { core.status }

    /// Ends all workers and the zygote, each when its work is done; does not wait for that. What waits for its turn or comes
    /// later is `unavailable`.
    package func close() { core.close() }
  }
#endif
