import Dispatch

/// Opens once; threads wait for that. For threads that may block, which those of Swift's tasks are not.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Lets go all who wait and who will wait.
  package func open() { semaphore.signal() }

  /// Returns when it is open.
  package func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  /// Returns when it is open, or after some milliseconds; `false` when it is not open.
  package func wait(milliseconds: Int) -> Bool {
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return false }
    semaphore.signal()
    return true
  }
}
