import OzuBase

/// Does work once for all callers that need it at the same time. The work is cancelled when no caller waits for it
/// any more. A caller that is cancelled leaves nothing behind, however long the work goes on for the others.
///
/// One lock guards the table; nothing is called, resumed or released under it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let task: Task<Void, Never>
    /// That of the caller that began it.
    let number: Int
    /// The callers that wait. The function that takes one out of the table resumes it.
    var waiters: [Int: CheckedContinuation<Value, Never>]
  }

  private struct State {
    var works: [Key: Work] = [:]
    var lastNumber = 0
    /// The callers that have no work yet. One that is cancelled by then is taken out.
    var arriving: Set<Int> = []
  }

  private let state = Mutex(State())

  /// The number of works with waiting callers.
  var count: Int { state.withLock { $0.works.count } }

  /// The number of callers that wait for a work; for tests.
  func waiterCount(for key: Key) -> Int { state.withLock { $0.works[key]?.waiters.count ?? 0 } }

  /// The result of `work`, which is started now, or was started by another caller with the same key.
  ///
  /// - Parameter cancelled: returned at once if this caller is cancelled, also while others wait on.
  func value(
    for key: Key, cancelled: Value, _ work: @escaping @Sendable () async -> Value
  ) async -> Value {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.arriving.insert(state.lastNumber)
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if !join(key, number, continuation, work) { continuation.resume(returning: cancelled) }
      }
    } onCancel: {
      leave(key, number, with: cancelled)
    }
  }

  /// - Returns: whether the caller waits; false if it was cancelled before.
  private func join(
    _ key: Key, _ number: Int, _ continuation: CheckedContinuation<Value, Never>,
    _ work: @escaping @Sendable () async -> Value
  ) -> Bool {
    state.withLock { state in
      guard state.arriving.remove(number) != nil else { return false }
      if state.works[key] != nil {
        state.works[key]?.waiters[number] = continuation
        return true
      }
      // The work begins on another thread, outside the lock.
      let task = Task {
        let value = await work()
        self.end(key, number, with: value)
      }
      state.works[key] = Work(task: task, number: number, waiters: [number: continuation])
      return true
    }
  }

  /// Ends a work for those who still wait for it.
  private func end(_ key: Key, _ number: Int, with value: Value) {
    let work = state.withLock { state -> Work? in
      guard state.works[key]?.number == number else { return nil }
      return state.works.removeValue(forKey: key)
    }
    guard let work else { return }
    for waiter in work.waiters.values { waiter.resume(returning: value) }
  }

  /// Ends the wait of a cancelled caller, unless its work has ended.
  private func leave(_ key: Key, _ number: Int, with value: Value) {
    let (waiter, abandoned) = state.withLock {
      state -> (CheckedContinuation<Value, Never>?, Task<Void, Never>?) in
      state.arriving.remove(number)
      guard let waiter = state.works[key]?.waiters.removeValue(forKey: number) else { return (nil, nil) }
      guard state.works[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.works.removeValue(forKey: key)?.task)
    }
    abandoned?.cancel()
    waiter?.resume(returning: value)
  }
}
