import OzuSynchronization

/// Starts tasks in the order of a `StartQueue`, for a transport whose own queue knows no priorities.
final class StartSemaphore: Sendable {
  private struct Waiter {
    let continuation: CheckedContinuation<Bool, Never>
    let origin: HTTPOrigin
    var priority: HTTPPriority
    /// Its number in the queue; it gets a new one each time that it is moved.
    var place: UInt64
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
      queue.remove(ticket: waiter.place, origin: waiter.origin, priority: waiter.priority)
      return waiter.continuation
    }

    mutating func enqueue(_ ticket: UInt64, _ waiter: Waiter) {
      nextTicket += 1
      var waiter = waiter
      waiter.place = nextTicket
      waiting[ticket] = waiter
      queue.enqueue(ticket, ticket: nextTicket, origin: waiter.origin, priority: waiter.priority)
    }

    mutating func move(_ ticket: UInt64, to priority: HTTPPriority) {
      guard var waiter = waiting[ticket], waiter.priority != priority else { return }
      queue.remove(ticket: waiter.place, origin: waiter.origin, priority: waiter.priority)
      waiter.priority = priority
      enqueue(ticket, waiter)
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
  ///
  /// - Parameter live: replaces `priority`, and moves the task when it changes.
  func enter(origin: HTTPOrigin, priority: HTTPPriority, live: HTTPLivePriority? = nil) async -> Bool {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      state.arriving.insert(state.nextTicket)
      return state.nextTicket
    }
    let observation = live?.source.observe { [weak self] in
      guard let live else { return }
      self?.state.withLock { $0.move(ticket, to: live.value) }
    }
    defer { if let observation { live?.source.removeObserver(observation) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isRefused, admitted) = state.withLock { state in
          guard state.arriving.remove(ticket) != nil, !state.isClosed else {
            return (true, [CheckedContinuation<Bool, Never>]())
          }
          state.enqueue(
            ticket,
            Waiter(
              continuation: continuation, origin: origin, priority: live?.value ?? priority, place: 0))
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
