import OzuSynchronization

/// Writes to the caches behind the caller's back, but never without bound.
///
/// A caller gets its picture before the caches have it. What waits to be written holds memory, so when too much
/// waits, the next caller waits for its own write.
final class StoreBacklog: Sendable {
  private struct State {
    var byteCount = 0
    var count = 0
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let queue: WorkQueue
  private let byteLimit: Int

  /// Makes a backlog that lets `byteLimit` bytes wait.
  init(queue: WorkQueue, byteLimit: Int) {
    self.queue = queue
    self.byteLimit = byteLimit
  }

  /// Has work done that holds `byteCount` bytes; returns at once while there is room, else when it is done.
  func add(byteCount: Int, _ work: @escaping @Sendable () -> Void) async {
    let hasRoom = state.withLock { state in
      state.count += 1
      state.byteCount += byteCount
      return state.byteCount <= byteLimit
    }
    if hasRoom {
      queue.enqueue(priority: .low) {
        work()
        self.finish(byteCount: byteCount)
      }
    } else {
      await queue.run(priority: .normal) { _ in
        work()
        self.finish(byteCount: byteCount)
      }
    }
  }

  /// Has small work done in its turn, without anybody waiting for it.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.count += 1 }
    queue.enqueue(priority: .low) {
      work()
      self.finish(byteCount: 0)
    }
  }

  /// Returns when everything that was added is written.
  func drain() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.count == 0 { return true }
        state.drainWaiters.append(continuation)
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  private func finish(byteCount: Int) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.count -= 1
      state.byteCount -= byteCount
      guard state.count == 0 else { return [] }
      defer { state.drainWaiters = [] }
      return state.drainWaiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
