import OzuSynchronization

/// A number of places that tasks take and give back; who finds none waits by priority, then by age.
///
/// For work that suspends instead of blocking, as a download does: it needs a turn, not a thread.
final class Slots: Sendable {
  private struct State {
    var freeCount: Int
    var lastID = 0
    var waiting = PriorityFIFO<Int>()
    var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]

    mutating func makeID() -> Int {
      lastID += 1
      return lastID
    }
  }

  private let state: Mutex<State>

  /// Makes so many places, at least one.
  init(count: Int) {
    state = Mutex(State(freeCount: max(1, count)))
  }

  /// Runs an operation in a place. `nil` when the task was cancelled while it waited for one.
  func run<Value: Sendable>(
    priority: ImagePriority, _ operation: @Sendable () async -> Value
  ) async -> Value? {
    guard await acquire(priority: priority) else { return nil }
    let value = await operation()
    release()
    return value
  }

  private func acquire(priority: ImagePriority) async -> Bool {
    let id = state.withLock { $0.makeID() }
    // Raised and read under the lock: the cancellation handler may come before the continuation is there.
    let cancellation = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if cancellation.isRaised { return false }
          if state.freeCount > 0 {
            state.freeCount -= 1
            return true
          }
          state.waiting.append(id, priority: priority)
          state.continuations[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        cancellation.raise()
        return state.continuations.removeValue(forKey: id)
      }
      continuation?.resume(returning: false)
    }
  }

  private func release() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      // Cancelled waiters have left their place in the line without a continuation.
      while let id = state.waiting.popFirst() {
        if let continuation = state.continuations.removeValue(forKey: id) { return continuation }
      }
      state.freeCount += 1
      return nil
    }
    next?.resume(returning: true)
  }
}
