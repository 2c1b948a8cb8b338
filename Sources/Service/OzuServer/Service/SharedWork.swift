import OzuBase

/// Does work once for all callers that need it at the same time. The work is cancelled when no caller waits for it
/// any more.
///
/// One lock guards the table; nothing is called, resumed or released under it.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let task: Task<Value, Never>
    let number: Int
    var waiterCount = 1
  }

  private struct State {
    var works: [Key: Work] = [:]
    var lastNumber = 0
  }

  /// A waiting caller. It leaves once: when the work is done, or earlier when it is cancelled. One lock guards its state; nothing is
  /// resumed under it.
  private final class Waiter: Sendable {
    private enum State {
      case coming
      case waiting(CheckedContinuation<Value, Never>)
      case left(Value)
    }

    private let hasLeft = Atomic(false)
    private let state = Mutex(State.coming)

    func leaves() -> Bool { !hasLeft.exchange(true, ordering: .relaxed) }

    /// Resumes a continuation with the value of `end`, which may have been called already.
    func wait(_ continuation: CheckedContinuation<Value, Never>) {
      let value = state.withLock { state -> Value? in
        if case .left(let value) = state { return value }
        state = .waiting(continuation)
        return nil
      }
      if let value { continuation.resume(returning: value) }
    }

    /// Called once, after `leaves`.
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
  func waiterCount(for key: Key) -> Int { state.withLock { $0.works[key]?.waiterCount ?? 0 } }

  /// The result of `work`, which is started now, or was started by another caller with the same key.
  ///
  /// - Parameter cancelled: returned at once if this caller is cancelled, also while others wait on.
  func value(
    for key: Key, cancelled: Value, _ work: @escaping @Sendable () async -> Value
  ) async -> Value {
    let waiter = Waiter()
    let (task, number) = join(key, work)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.wait(continuation)
        Task { leave(key, number, waiter, with: await task.value) }
      }
    } onCancel: {
      leave(key, number, waiter, with: cancelled)
    }
  }

  private func join(
    _ key: Key, _ work: @escaping @Sendable () async -> Value
  ) -> (task: Task<Value, Never>, number: Int) {
    state.withLock { state in
      if let known = state.works[key] {
        state.works[key]?.waiterCount += 1
        return (known.task, known.number)
      }
      state.lastNumber += 1
      // The work begins on another thread, outside the lock.
      let task = Task { await work() }
      state.works[key] = Work(task: task, number: state.lastNumber)
      return (task, state.lastNumber)
    }
  }

  private func leave(_ key: Key, _ number: Int, _ waiter: Waiter, with value: Value) {
    guard waiter.leaves() else { return }
    let abandoned = state.withLock { state -> Task<Value, Never>? in
      guard let work = state.works[key], work.number == number else { return nil }
      guard work.waiterCount == 1 else {
        state.works[key]?.waiterCount -= 1
        return nil
      }
      state.works[key] = nil
      return work.task
    }
    // Has no effect if the work is done.
    abandoned?.cancel()
    waiter.end(value)
  }
}
