import OzuSynchronization

/// A number of places that tasks take and give back; who finds none waits by priority, then by age.
///
/// For work that suspends instead of blocking, as a download does: it needs a turn, not a thread.
final class Slots: Sendable {
  private struct State {
    var freeCount: Int
    var waiting = PriorityFIFO<CheckedContinuation<Bool, Never>>()
  }

  /// Where one who waits stands. Both values are written and read under the lock of the slots: the cancellation
  /// handler may come before the continuation is there.
  private final class Ticket: Sendable {
    let cancellation = CancellationFlag()
    private let place = Atomic(0)

    var id: Int {
      get { place.load(ordering: .relaxed) }
      set { place.store(newValue, ordering: .relaxed) }
    }
  }

  private let state: Mutex<State>

  /// Makes so many places, at least one.
  init(count: Int) {
    state = Mutex(State(freeCount: max(1, count)))
  }

  /// Runs an operation in a place. `nil` when the task was cancelled while it waited for one.
  func run<Value: Sendable>(
    priority: LivePriority, _ operation: @Sendable () async -> Value
  ) async -> Value? {
    guard await acquire(priority: priority) else { return nil }
    let value = await operation()
    release()
    return value
  }

  /// Runs an operation at an urgency that stays.
  func run<Value: Sendable>(
    priority: ImagePriority, _ operation: @Sendable () async -> Value
  ) async -> Value? {
    await run(priority: .fixed(priority), operation)
  }

  /// How many wait for a place.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private func acquire(priority: LivePriority) async -> Bool {
    let ticket = Ticket()
    let observation: Observation? =
      if case .changing(let cell) = priority { Observation(cell) } else { nil }
    let isAdmitted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if ticket.cancellation.isRaised { return false }
          if state.freeCount > 0 {
            state.freeCount -= 1
            return true
          }
          ticket.id = state.waiting.append(continuation, priority: priority.value)
          return nil
        }
        if let answer { return continuation.resume(returning: answer) }
        observation?.begin { [weak self] in self?.move(ticket, to: priority.value) }
        // What changed before the observation began.
        move(ticket, to: priority.value)
      }
    } onCancel: {
      let continuation = state.withLock { state in
        ticket.cancellation.raise()
        return state.waiting.remove(ticket.id)
      }
      continuation?.resume(returning: false)
    }
    observation?.end()
    return isAdmitted
  }

  private func move(_ ticket: Ticket, to priority: ImagePriority) {
    state.withLock { $0.waiting.move(ticket.id, to: priority) }
  }

  private func release() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if let next = state.waiting.popFirst() { return next }
      state.freeCount += 1
      return nil
    }
    next?.resume(returning: true)
  }
}
