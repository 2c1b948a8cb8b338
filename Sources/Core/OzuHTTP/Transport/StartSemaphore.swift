import OzuBase

/// Starts tasks in the order of a `StartQueue`, for a transport whose own queue knows no priorities.
final class StartSemaphore: Sendable {
  private struct Waiter {
    let continuation: CheckedContinuation<Bool, Never>
    let origin: HTTPOrigin
    let priority: HTTPPriority
  }

  private struct State {
    var queue: StartQueue<UInt64>
    var nextTicket: UInt64 = 0
    /// The tickets of tasks that are not in the queue yet. Cancelling removes the ticket, and the task notices
    /// that.
    var arriving: Set<UInt64> = []
    var waiting: [UInt64: Waiter] = [:]
    var isClosed = false

    mutating func admit() -> [CheckedContinuation<Bool, Never>] {
      var admitted: [CheckedContinuation<Bool, Never>] = []
      while let ticket = queue.next() {
        if let waiter = waiting.removeValue(forKey: ticket) { admitted.append(waiter.continuation) }
      }
      return admitted
    }

    mutating func remove(_ ticket: UInt64) -> CheckedContinuation<Bool, Never>? {
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

  /// Waits for a turn. Returns false if the task is cancelled before, or if the semaphore is closed. After true,
  /// the caller must call `leave`.
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
          return (false, state.admit())
        }
        if isRefused { continuation.resume(returning: false) }
        for next in admitted { next.resume(returning: true) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.arriving.remove(ticket)
        return state.remove(ticket)
      }
      continuation?.resume(returning: false)
    }
  }

  /// Takes a place for a task that waited for its turn elsewhere; returns false if the semaphore is closed.
  func pass(origin: HTTPOrigin) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.queue.start(origin: origin) }
      return !state.isClosed
    }
  }

  /// Frees a place.
  func leave(origin: HTTPOrigin) {
    let admitted = state.withLock { state in
      state.queue.finish(origin: origin)
      return state.admit()
    }
    for next in admitted { next.resume(returning: true) }
  }

  /// Refuses waiting and later tasks.
  func close() {
    let refused = state.withLock { state in
      state.isClosed = true
      return Array(state.waiting.keys).compactMap { state.remove($0) }
    }
    for one in refused { one.resume(returning: false) }
  }
}
