import Dispatch
import OzuSynchronization

/// Reads of a level that may be slow or may never answer. Each read has a time limit. While too many reads hang, no
/// further read begins until one of them returns.
///
/// Each read runs on its own thread, and a hanging level takes only these threads. One lock guards the count.
final class TimedReads: Sendable {
  private let limit: Duration
  private let width: Int
  private let threads: DispatchQueue
  private let runningCount = Mutex(0)

  /// - Parameters:
  ///   - limit: the largest duration of a read.
  ///   - width: the largest number of reads at once, hanging ones included.
  init(label: String, limit: Duration, width: Int = 16) {
    self.limit = limit
    self.width = width
    threads = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// The result of a read; `nil` if it took too long, or was not begun. Blocks, for the limit at most.
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
