import Dispatch
import OzuSynchronization

/// What one thread waits for and another brings.
///
/// For the pipeline's own threads, which may wait; never for a thread of Swift's cooperative pool.
final class BlockingAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let end = DispatchSemaphore(value: 0)

  /// Brings the answer, once.
  func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
    end.signal()
  }

  /// The answer. Waits for it.
  func wait() -> Value? {
    end.wait()
    return value.withLock { $0 }
  }

  /// The answer; `nil` when it does not come within a limit.
  func wait(atMost limit: Duration) -> Value? {
    let (seconds, attoseconds) = limit.components
    let time = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    guard end.wait(timeout: time) == .success else { return nil }
    return value.withLock { $0 }
  }
}
