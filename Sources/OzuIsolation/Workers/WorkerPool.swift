import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Processes that do work which may crash, hang or be taken over.
package final class WorkerPool: Sendable {
  /// How workers are made and kept.
  package struct Options: Sendable {
    /// What to do where the system refuses to confine a worker.
    package enum Confinement: Sendable {
      /// Workers run anyway, in a process of their own; `status` says what is missing.
      case bestPossible
      /// Nothing runs: the error names the missing call.
      case required
    }

    /// The program of the workers.
    package var helper: WorkerHelper
    /// The most workers at once, over all kinds.
    package var workerLimit: Int
    /// How many questions a worker gets; then another one takes its place.
    package var requestLimit = 200
    /// How long a worker without work is kept.
    package var idleTime: Duration = .seconds(30)
    package var confinement: Confinement

    package init(helper: WorkerHelper, workerLimit: Int, confinement: Confinement = .bestPossible) {
      self.helper = helper
      self.workerLimit = workerLimit
      self.confinement = confinement
    }
  }

  package init(_ options: Options) { fatalError() }

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
  ) throws(DecodingError) -> Result { fatalError() }

  /// What confines the workers, and counters.
  package var status: WorkerStatus { fatalError() }

  /// Ends all workers and the zygote, each when its work is done. What waits or comes later is `unavailable`.
  package func close() { fatalError() }
}
