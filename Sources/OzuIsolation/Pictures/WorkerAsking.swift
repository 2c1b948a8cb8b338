#if os(Linux) && canImport(CIsolation)
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Who answers questions: a pool of workers, or a stand-in for one in tests.
  package protocol WorkerAsking: Sendable {
    /// Asks a worker and waits for its answer, as `WorkerPool.perform`.
    func perform<Result>(
      _ request: WorkerRequest, checkpoint: () throws(DecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(DecodingError) -> Result
    ) throws(DecodingError) -> Result

    var status: WorkerStatus { get }
  }

  extension WorkerPool: WorkerAsking {}
#endif
