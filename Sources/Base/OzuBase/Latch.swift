import Dispatch

/// A flag that one task raises and a thread reads, such as a cancellation.
package final class SharedFlag: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isRaised: Bool { flag.load(ordering: .relaxed) }
  package func raise() { flag.store(true, ordering: .relaxed) }
}

/// Blocks threads until it is opened. It is opened once and stays open. Only for threads that may block, never for
/// those of Swift's tasks.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Releases all threads that wait now or later.
  package func open() { semaphore.signal() }

  /// Returns when it is open.
  package func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  /// Returns when it is open, or after the given time; `false` if it is still not open.
  package func wait(milliseconds: Int) -> Bool {
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
    semaphore.signal()
    return true
  }
}
