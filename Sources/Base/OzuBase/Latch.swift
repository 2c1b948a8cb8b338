/// A flag that one task raises and a thread reads, such as a cancellation.
package final class SharedFlag: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isRaised: Bool { flag.load(ordering: .relaxed) }
  package func raise() { flag.store(true, ordering: .relaxed) }
}

/// Suspends tasks until it is opened. It is opened once and stays open. The cancellation of a task does not end its wait.
package final class AsyncLatch: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Resumes all tasks that wait now or later.
  ///
  /// - Returns: whether it was closed.
  @discardableResult
  package func open() -> Bool {
    let (wasOpen, waiters) = state.withLock { state in
      defer { (state.isOpen, state.waiters) = (true, []) }
      return (state.isOpen, state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return !wasOpen
  }

  /// Returns when it is open.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}
