import OzuSynchronization

/// Writes to the caches behind the caller's back, but never without bound.
///
/// A caller gets its picture before the caches have it. What waits to be written holds memory, so when too much
/// waits, the next caller waits for its own write. Pictures are encoded on a queue of their own first; writes happen
/// one at a time, in the order in which they were added or encoded. One lock guards the account.
final class StoreBacklog: Sendable {
  private struct State {
    var byteCount = 0
    var count = 0
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let writes: WorkQueue
  private let encodes: WorkQueue
  private let byteLimit: Int

  /// Makes a backlog that lets `byteLimit` bytes wait.
  ///
  /// - Parameter writes: a queue that does one thing at a time.
  init(writes: WorkQueue, encodes: WorkQueue, byteLimit: Int) {
    self.writes = writes
    self.encodes = encodes
    self.byteLimit = byteLimit
  }

  /// Has work done that holds `byteCount` bytes; returns at once while there is room, else when it is done.
  func add(byteCount: Int, _ work: @escaping @Sendable () -> Void) async {
    await add(byteCount: byteCount) { done in
      writes.enqueue(priority: .low) {
        work()
        done()
      }
    }
  }

  /// Has something encoded and then written; returns at once while there is room, else when it is written.
  ///
  /// - Parameters:
  ///   - encode: `nil` when there is nothing to write.
  ///   - write: what becomes of it.
  func add<Encoded: Sendable>(
    byteCount: Int, encode: @escaping @Sendable () -> Encoded?,
    write: @escaping @Sendable (Encoded) -> Void
  ) async {
    await add(byteCount: byteCount) { done in
      encodes.enqueue(priority: .low) { [writes] in
        guard let encoded = encode() else { return done() }
        writes.enqueue(priority: .low) {
          write(encoded)
          done()
        }
      }
    }
  }

  private func add(byteCount: Int, _ start: (_ done: @escaping @Sendable () -> Void) -> Void) async {
    let hasRoom = state.withLock { state in
      state.count += 1
      state.byteCount += byteCount
      return state.byteCount <= byteLimit
    }
    guard !hasRoom else { return start { self.finish(byteCount: byteCount) } }
    await withCheckedContinuation { continuation in
      start {
        self.finish(byteCount: byteCount)
        continuation.resume()
      }
    }
  }

  /// The bytes that wait to be written.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Has small work done in its turn, without anybody waiting for it.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.count += 1 }
    writes.enqueue(priority: .low) {
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
