import Dispatch
import Synchronization

/// The border between threads that may block and Swift's cooperative pool.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "ozu.bench.blocking")

  /// Runs a blocking call on a thread of its own.
  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }

  /// Waits for asynchronous work on the calling thread, which is none of the cooperative pool.
  static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    Task.detached {
      do {
        let value = try await work()
        outcome.withLock { $0 = .success(value) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}
