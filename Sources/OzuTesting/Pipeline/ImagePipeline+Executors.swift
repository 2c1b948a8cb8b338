import Ozu

extension ImagePipeline {
  /// Suspends executors: work that has not begun waits until they are resumed.
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
  public func suspend(_ kinds: ExecutorKind...) {
    for kind in kinds { setSuspended(true, kind) }
  }

  /// Resumes executors.
  public func resume(_ kinds: ExecutorKind...) {
    for kind in kinds { setSuspended(false, kind) }
  }

  /// The number of pieces of work that wait for an executor.
  public func waitingCount(on kind: ExecutorKind) -> Int { waitingCount(kind) }

  /// Returns when at least that many pieces of work wait for an executor.
  public func waiting(_ count: Int, for kind: ExecutorKind) async {
    while waitingCount(kind) < count { await Task.yield() }
  }
}
