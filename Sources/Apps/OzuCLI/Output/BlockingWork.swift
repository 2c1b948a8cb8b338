import Dispatch

/// Runs blocking calls of the commands away from Swift's cooperative pool.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "ozu.cli.blocking")

  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
