import OzuSynchronization

/// Lets tasks through in the order of a `StartQueue`: for a transport whose own queue knows no priorities.
final class StartTurnstile: Sendable {
  private struct Waiter {
    let continuation: CheckedContinuation<Bool, Never>
    let origin: HTTPOrigin
    let priority: HTTPPriority
  }

  private struct State {
    var queue: StartQueue<UInt64>
    var nextTicket: UInt64 = 0
    /// Tickets of tasks that have not queued yet. Cancelling takes the ticket away, which the task then
    /// notices.
    var arriving: Set<UInt64> = []
    var waiting: [UInt64: Waiter] = [:]
    var isClosed = false

    mutating func letIn() -> [CheckedContinuation<Bool, Never>] {
      var admitted: [CheckedContinuation<Bool, Never>] = []
      while let ticket = queue.next() {
        if let waiter = waiting.removeValue(forKey: ticket) { admitted.append(waiter.continuation) }
      }
      return admitted
    }

    mutating func takeOut(_ ticket: UInt64) -> CheckedContinuation<Bool, Never>? {
      guard let waiter = waiting.removeValue(forKey: ticket) else { return nil }
      queue.remove(ticket: ticket, origin: waiter.origin, priority: waiter.priority)
      return waiter.continuation
    }
  }

  private let state: Mutex<State>

  init(maximumActive: Int, maximumActivePerOrigin: Int) {
    state = Mutex(
      State(queue: StartQueue(maximumActive: maximumActive, maximumActivePerOrigin: maximumActivePerOrigin)))
  }

  var statistics: HTTPClientStatistics {
    state.withLock {
      HTTPClientStatistics(
        activeRequestCount: $0.queue.activeCount, waitingRequestCount: $0.queue.waitingCount)
    }
  }

  /// Waits for a turn. Returns false when the task is cancelled first or the turnstile is closed; after true
  /// the caller owes a `leave`.
  func enter(origin: HTTPOrigin, priority: HTTPPriority) async -> Bool {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      state.arriving.insert(state.nextTicket)
      return state.nextTicket
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isRefused, admitted) = state.withLock { state in
          guard state.arriving.remove(ticket) != nil, !state.isClosed else {
            return (true, [CheckedContinuation<Bool, Never>]())
          }
          state.waiting[ticket] = Waiter(continuation: continuation, origin: origin, priority: priority)
          state.queue.enqueue(ticket, ticket: ticket, origin: origin, priority: priority)
          return (false, state.letIn())
        }
        if isRefused { continuation.resume(returning: false) }
        for next in admitted { next.resume(returning: true) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.arriving.remove(ticket)
        return state.takeOut(ticket)
      }
      continuation?.resume(returning: false)
    }
  }

  /// Gives a place back.
  func leave(origin: HTTPOrigin) {
    let admitted = state.withLock { state in
      state.queue.finish(origin: origin)
      return state.letIn()
    }
    for next in admitted { next.resume(returning: true) }
  }

  /// Turns away who waits and who comes.
  func close() {
    let refused = state.withLock { state in
      state.isClosed = true
      return Array(state.waiting.keys).compactMap { state.takeOut($0) }
    }
    for one in refused { one.resume(returning: false) }
  }
}
