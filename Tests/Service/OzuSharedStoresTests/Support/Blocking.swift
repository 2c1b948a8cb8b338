import Dispatch

/// Runs blocking code on a thread that may block. The code stays in the caller's task, so that its expectations belong to the
/// test of the caller.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(BlockingThreads.shared) { try body() }
}

/// Threads beside those of the cooperative pool.
private final class BlockingThreads: TaskExecutor {
  static let shared = BlockingThreads()
  private let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
