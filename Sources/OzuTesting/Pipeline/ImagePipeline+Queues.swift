import Ozu

extension ImagePipeline {
  /// Suspends queues: work that has not begun waits until they are resumed.
  ///
  /// By this a test decides which work waits, and in which order it runs, without a clock:
  ///
  /// ```swift
  /// pipeline.suspend(.decode)
  /// let tasks = urls.map { pipeline.task(for: $0) }
  /// await pipeline.waiting(urls.count, for: .decode)
  /// tasks[2].priority = .veryHigh
  /// pipeline.resume(.decode)
  /// ```
  public func suspend(_ kinds: QueueKind...) {
    for kind in kinds { setSuspended(true, kind) }
  }

  /// Resumes queues.
  public func resume(_ kinds: QueueKind...) {
    for kind in kinds { setSuspended(false, kind) }
  }

  /// The number of pieces of work that wait in a queue.
  public func waitingCount(on kind: QueueKind) -> Int { waitingCount(kind) }

  /// Returns when at least that many pieces of work wait in a queue.
  public func waiting(_ count: Int, for kind: QueueKind) async {
    while waitingCount(kind) < count { await Task.yield() }
  }
}
