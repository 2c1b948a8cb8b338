import Ozu

/// The queues of a pipeline that a test can hold, so that it decides who waits while it looks around.
public enum TestedQueue: Hashable, Sendable, CaseIterable {
  /// Decoding, resizing and processing.
  case decode
  /// Reading files and the disk cache.
  case disk
  /// Encoding renditions and writing to the disk cache.
  case store

  fileprivate var queue: PipelineQueue {
    switch self {
    case .decode: .decode
    case .disk: .disk
    case .store: .store
    }
  }
}

extension ImagePipeline {
  /// Holds back what has not begun on a queue, until `resume(_:)`.
  ///
  /// ```swift
  /// pipeline.suspend(.decode)
  /// let tasks = urls.map { pipeline.task(for: $0) }
  /// await recorder.events(urls.count) { $0.isBegin(of: .wait) }
  /// tasks[2].priority = .veryHigh
  /// pipeline.resume(.decode)
  /// ```
  ///
  /// The network is held by the gates of a `FakeHTTPClient`.
  public func suspend(_ queue: TestedQueue) { setSuspended(true, queue.queue) }

  /// Lets a queue go on.
  public func resume(_ queue: TestedQueue) { setSuspended(false, queue.queue) }

  /// How many pieces of work wait on a queue for a thread.
  public func waitingCount(on queue: TestedQueue) -> Int { queueLength(of: queue.queue) }
}
