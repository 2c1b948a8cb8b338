import Dispatch
import OzuSynchronization

/// Reads of a level that may be slow or never answer: nobody waits for one longer than a limit, and of a level in which
/// too many reads hang nothing more is asked until one of them has returned.
///
/// Each read runs on a thread of its own, which is all that a hanging level takes. One lock guards the count.
final class TimedReads: Sendable {
  private let limit: Duration
  private let width: Int
  private let threads: DispatchQueue
  private let runningCount = Mutex(0)

  /// - Parameters:
  ///   - limit: how long a read may take.
  ///   - width: how many run at once at most, hanging ones included.
  init(label: String, limit: Duration, width: Int = 16) {
    self.limit = limit
    self.width = width
    threads = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// What a read brings; `nil` when it took too long, or was not begun. Blocks, for the limit at most.
  func value<Value: Sendable>(_ read: @escaping @Sendable () -> Value) -> Value? {
    let mayBegin = runningCount.withLock { count in
      guard count < width else { return false }
      count += 1
      return true
    }
    guard mayBegin else { return nil }
    let (result, end) = (Result<Value>(), DispatchSemaphore(value: 0))
    threads.async { [self] in
      let value = read()
      result.value.withLock { $0 = value }
      runningCount.withLock { $0 -= 1 }
      end.signal()
    }
    let (seconds, attoseconds) = limit.components
    let time = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    guard end.wait(timeout: time) == .success else { return nil }
    return result.value.withLock { $0 }
  }

  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}
