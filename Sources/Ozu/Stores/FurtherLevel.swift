import Dispatch
import OzuSynchronization

/// A store below the first one. It may be slow or far away, and may never answer.
///
/// Changes wait in a queue with its own thread, so that nothing else waits for the level. The queue is bounded: a
/// write that finds it full is dropped and counted, and the entry of its key is removed. Removals are never dropped.
/// If more than `removalLimit` changes wait, the level is not used any more until the process ends.
///
/// While a change of a key waits, the level counts as having no entry for it. So a removal takes effect at the call,
/// however slow the level is, and an old entry is never read in place of a newer one.
///
/// One lock guards the state. The level is called outside it.
final class FurtherLevel: Sendable {
  /// The limits of the queue, in bytes and in changes.
  struct Bounds: Sendable {
    var byteCount = 32 << 20
    var changeCount = 1_000
    var removalLimit = 10_000
  }

  private struct State {
    /// The number of changes of each key that wait or run.
    var changes: [ImageStoreKey: Int] = [:]
    /// The number of changes of many keys at once that wait or run.
    var wideChangeCount = 0
    var byteCount = 0
    var count = 0
    var droppedCount = 0
    var isGivenUp = false
  }

  let level: StoreLevel
  private let bounds: Bounds
  private let state = Mutex(State())
  private let thread: DispatchQueue
  private let reads: TimedReads

  /// - Parameter readLimit: the largest duration of a read.
  init(_ level: StoreLevel, bounds: Bounds = Bounds(), readLimit: Duration) {
    self.level = level
    self.bounds = bounds
    reads = TimedReads(label: "ozu.reads.\(level.store.name)", limit: readLimit)
    thread = DispatchQueue(label: "ozu.store.\(level.store.name)", qos: .utility)
  }

  /// The number of dropped writes.
  var droppedCount: Int { state.withLock { $0.droppedCount } }

  // MARK: Reading

  /// Whether the level may have an entry of a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { isSettled(key) && level.mayContain(key) }

  /// The value of a key. Blocks until the level answers, up to a time limit; a read that takes longer is a miss, and
  /// is reported.
  func read<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> Value? {
    guard mayContain(key) else { return nil }
    let answer = reads.value { [level] in level.attempt(.read) { try Value.readFurther(key, from: $0) } ?? nil
    }
    if answer == nil { level.report(.read, nil) }
    // The entry may have been changed or removed meanwhile.
    guard let value = answer ?? nil, isSettled(key) else { return nil }
    return value
  }

  private func isSettled(_ key: ImageStoreKey) -> Bool {
    state.withLock { $0.changes[key] == nil && $0.wideChangeCount == 0 && !$0.isGivenUp }
  }

  // MARK: Changing

  /// Queues a write of a key.
  ///
  /// - Parameters:
  ///   - byteCount: the memory that `work` holds while it waits.
  ///   - work: calls the level. If it throws, the entry of the key is removed.
  func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, byteCount: Int,
    _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    let isQueued = enqueue(key, byteCount: byteCount, mayBeDropped: true) { $0.write(type, key, work) }
    // The old entry of the key is out of date now.
    if !isQueued, level.mayContain(key) { remove(Value.self, key) }
  }

  /// Queues a write of a key, unless the queue is full. `work` may decide not to write.
  func promote(
    _ key: ImageStoreKey, byteCount: Int, _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    enqueue(key, byteCount: byteCount, mayBeDropped: true) { $0.attempt(.write, work) }
  }

  /// Queues a mark that an entry was used.
  func touch(_ key: ImageStoreKey) {
    enqueue(nil, isChange: false, byteCount: 0, mayBeDropped: true) { level in
      level.attempt(.write) { _ = try $0.touch(key) }
    }
  }

  /// Queues the removal of a key. The level counts as having no entry for it from now on.
  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) {
    enqueue(key, byteCount: 0, mayBeDropped: false) { $0.remove(type, key) }
  }

  /// Queues the removal of all entries of a kind; `nil` means all kinds. The level counts as empty until that is
  /// done.
  func removeAll(of kind: ImageStoreKind?) {
    enqueue(nil, byteCount: 0, mayBeDropped: false) { $0.removeAll(of: kind) }
  }

  /// Queues the removal of the entries for which a closure returns true. The level counts as empty until that is
  /// done.
  func removeListed(of kind: ImageStoreKind?, where isMeant: @escaping @Sendable (ImageStoreKey) -> Bool) {
    enqueue(nil, byteCount: 0, mayBeDropped: false) { $0.removeListed(of: kind, where: isMeant) }
  }

  /// Flushes the level after all waiting changes, and then calls `done`.
  func flush(_ done: @escaping @Sendable () -> Void) {
    thread.async { [level] in
      level.attempt(.flush) { try $0.flush() }
      done()
    }
  }

  /// - Parameters:
  ///   - key: `nil` for many keys.
  ///   - isChange: whether reads must not see the old entry meanwhile.
  /// - Returns: whether it was queued.
  @discardableResult
  private func enqueue(
    _ key: ImageStoreKey?, isChange: Bool = true, byteCount: Int, mayBeDropped: Bool,
    _ work: @escaping @Sendable (StoreLevel) -> Void
  ) -> Bool {
    enum Outcome { case queued, dropped, givenUp, ignored }
    let outcome = state.withLock { state -> Outcome in
      if state.isGivenUp { return .ignored }
      if mayBeDropped,
        state.count >= bounds.changeCount || state.count > 0 && state.byteCount + byteCount > bounds.byteCount
      {
        state.droppedCount += 1
        return .dropped
      }
      if state.count >= bounds.removalLimit {
        state.isGivenUp = true
        return .givenUp
      }
      state.count += 1
      state.byteCount += byteCount
      if let key { state.changes[key, default: 0] += 1 } else if isChange { state.wideChangeCount += 1 }
      return .queued
    }
    switch outcome {
    case .dropped:
      level.report(.write, nil)
      return false
    case .givenUp:
      level.report(.remove, nil)
      return false
    case .ignored: return false
    case .queued:
      thread.async { [self] in
        work(level)
        finish(key, isChange: isChange, byteCount: byteCount)
      }
      return true
    }
  }

  private func finish(_ key: ImageStoreKey?, isChange: Bool, byteCount: Int) {
    state.withLock { state in
      state.count -= 1
      state.byteCount -= byteCount
      if let key {
        let rest = (state.changes[key] ?? 1) - 1
        state.changes[key] = rest == 0 ? nil : rest
      } else if isChange {
        state.wideChangeCount -= 1
      }
    }
  }
}
