import Dispatch

/// Runs blocking calls of the commands away from Swift's cooperative pool.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "ozu.cli.blocking")

  /// - Parameter queue: the queue; one of its own for calls that block for long.
  static func run<Value: Sendable>(
    on queue: DispatchQueue = BlockingWork.queue, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
