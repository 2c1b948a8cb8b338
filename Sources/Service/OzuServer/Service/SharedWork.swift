import OzuBase

/// Does work once for all callers that need it at the same time. The work is cancelled when no caller waits for it
/// any more. A caller that is cancelled leaves nothing behind, however long the work goes on for the others.
///
/// One lock guards the table; nothing is called, resumed or released under it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let task: Task<Void, Never>
    let number: Int
    /// The callers that wait. The function that takes one out of the table resumes it.
    var waiters: [Int: Waiter]
  }

  private struct State {
    var works: [Key: Work] = [:]
    /// The number of the last caller. A work has that of the caller that began it.
    var lastNumber = 0
  }

  /// A waiting caller. One lock guards its state; nothing is resumed under it.
  private final class Waiter: Sendable {
    private enum State {
      case coming
      case waiting(CheckedContinuation<Value, Never>)
      case left(Value)
    }

    private let state = Mutex(State.coming)

    /// Resumes a continuation with the value of `end`, which may have been called already.
    func wait(_ continuation: CheckedContinuation<Value, Never>) {
      let value = state.withLock { state -> Value? in
        if case .left(let value) = state { return value }
        state = .waiting(continuation)
        return nil
      }
      if let value { continuation.resume(returning: value) }
    }

    /// Called once.
    func end(_ value: Value) {
      let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
        defer { state = .left(value) }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      continuation?.resume(returning: value)
    }
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
    let waiter = Waiter()
    let (workNumber, number) = join(key, waiter, work)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
      leave(key, workNumber, number, with: cancelled)
    }
  }

  /// - Returns: the numbers of the work and of the caller.
  private func join(
    _ key: Key, _ waiter: Waiter, _ work: @escaping @Sendable () async -> Value
  ) -> (work: Int, caller: Int) {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      if let known = state.works[key]?.number {
        state.works[key]?.waiters[number] = waiter
        return (known, number)
      }
      // The work begins on another thread, outside the lock.
      let task = Task {
        let value = await work()
        self.end(key, number, with: value)
      }
      state.works[key] = Work(task: task, number: number, waiters: [number: waiter])
      return (number, number)
    }
  }

  /// Ends a work for those who still wait for it.
  private func end(_ key: Key, _ number: Int, with value: Value) {
    let work = state.withLock { state -> Work? in
      guard state.works[key]?.number == number else { return nil }
      return state.works.removeValue(forKey: key)
    }
    guard let work else { return }
    for waiter in work.waiters.values { waiter.end(value) }
  }

  /// Ends the wait of a cancelled caller, unless its work has ended.
  private func leave(_ key: Key, _ workNumber: Int, _ number: Int, with value: Value) {
    let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      guard state.works[key]?.number == workNumber else { return (nil, nil) }
      let waiter = state.works[key]?.waiters.removeValue(forKey: number)
      guard state.works[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.works.removeValue(forKey: key)?.task)
    }
    abandoned?.cancel()
    waiter?.end(value)
  }
}
