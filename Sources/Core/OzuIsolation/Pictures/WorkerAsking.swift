#if os(Linux) && canImport(CIsolation)
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Answers requests: a pool of workers, or a fake one in tests.
  package protocol WorkerAsking: Sendable {
    /// Sends a request to a worker and waits for its answer, as `WorkerPool.perform` does.
    func perform<Result>(
      _ request: WorkerRequest, checkpoint: () throws(ImageDecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(ImageDecodingError) -> Result

    var status: WorkerStatus { get }
  }

  extension WorkerPool: WorkerAsking {}
#endif
