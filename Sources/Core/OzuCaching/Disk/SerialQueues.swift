import Dispatch
import OzuBase

/// A few serial queues that share work by key. Blocking calls run here instead of on the threads of Swift
/// concurrency. At most as many run at once as there are queues, and calls for one key run in their order.
final class SerialQueues: Sendable {
  private let queues: [DispatchQueue]

  init(count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "ozu.disk-cache.\($0)") }
  }

  /// Runs `work` on the queue of a key.
  func run<Result: Sendable>(_ key: CacheKey? = nil, _ work: @escaping @Sendable () -> Result) async -> Result
  {
    let queue = queues[Int((key?.low ?? 0) % UInt64(queues.count))]
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  /// Runs `work`, which may fail, on the first queue.
  func attempt<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    try await run { Swift.Result { () throws(DiskCacheError) in try work() } }.get()
  }
}
