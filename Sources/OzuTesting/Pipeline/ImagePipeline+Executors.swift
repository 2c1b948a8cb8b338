import Ozu

extension ImagePipeline {
  /// Holds executors back: what has not begun waits until they are resumed.
  ///
  /// So a test arranges who waits for what, in which order, without a clock:
  ///
  /// ```swift
  /// pipeline.suspend(.decode)
  /// let tasks = urls.map { pipeline.task(for: $0) }
  /// await pipeline.waiting(urls.count, for: .decode)
  /// tasks[2].priority = .veryHigh
  /// pipeline.resume(.decode)
  /// ```
  public func suspend(_ kinds: ExecutorKind...) {
    for kind in kinds { setSuspended(true, kind) }
  }

  /// Lets executors go on.
  public func resume(_ kinds: ExecutorKind...) {
    for kind in kinds { setSuspended(false, kind) }
  }

  /// How many pieces of work wait for an executor.
  public func waitingCount(on kind: ExecutorKind) -> Int { waitingCount(kind) }

  /// Returns once that many pieces of work, or more, wait for an executor.
  public func waiting(_ count: Int, for kind: ExecutorKind) async {
    while waitingCount(kind) < count { await Task.yield() }
  }
}
