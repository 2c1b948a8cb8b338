import Dispatch

/// A value that one thread sets and others wait for, before and after that.
///
/// Only for threads that may block, never for one of Swift's cooperative pool.
package final class BlockingAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let end = DispatchSemaphore(value: 0)

  package init() {}

  /// Sets the value, once.
  package func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
    end.signal()
  }

  /// Waits for the value, without a limit.
  package func wait() -> Value? {
    end.wait()
    end.signal()
    return value.withLock { $0 }
  }

  /// Waits for the value, at most for a limit; `nil` if it was not set.
  package func wait(atMost limit: Duration) -> Value? {
    let (seconds, attoseconds) = limit.components
    let time = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    guard end.wait(timeout: time) == .success else { return nil }
    end.signal()
    return value.withLock { $0 }
  }
}
