import Dispatch
import OzuSynchronization

/// A level below the first: perhaps slow, perhaps far away, perhaps never answering.
///
/// Changes wait in a queue of its own with a thread of its own, so that nothing else waits for the level. The queue is
/// bounded: a write that finds it full is dropped, counted, and removes what the key had. Removals are never dropped; a
/// level for which more than `removalLimit` changes wait is given up for the life of the process.
///
/// While a change of a key waits, the level counts as having nothing under it. So a removal holds from the moment
/// of the call, however slow the level is, and a former entry is never read in the place of a later one.
///
/// One lock guards the account. The level is called outside of it.
final class FurtherLevel: Sendable {
  /// What may wait at most, in bytes and in changes.
  struct Bounds: Sendable {
    var byteCount = 32 << 20
    var changeCount = 1_000
    var removalLimit = 10_000
  }

  private struct State {
    /// How many changes of a key wait or are under way.
    var changes: [ImageStoreKey: Int] = [:]
    /// The same of many keys at once.
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

  /// - Parameter readLimit: how long a read may take.
  init(_ level: StoreLevel, bounds: Bounds = Bounds(), readLimit: Duration = .seconds(1)) {
    self.level = level
    self.bounds = bounds
    reads = TimedReads(label: "ozu.reads.\(level.store.name)", limit: readLimit)
    thread = DispatchQueue(label: "ozu.store.\(level.store.name)", qos: .utility)
  }

  /// How many writes were dropped.
  var droppedCount: Int { state.withLock { $0.droppedCount } }

  // MARK: Reading

  /// Whether the level may have something under a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { isSettled(key) && level.mayContain(key) }

  /// What the level has under a key. Blocks as long as the level does, within its limit; a read that takes longer is a
  /// miss, which is reported.
  func read<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> Value? {
    guard mayContain(key) else { return nil }
    let answer = reads.value { [level] in level.attempt(.read) { try Value.readFurther(key, from: $0) } ?? nil
    }
    if answer == nil { level.report(.read, nil) }
    // It may have been removed meanwhile.
    guard let value = answer ?? nil, isSettled(key) else { return nil }
    return value
  }

  private func isSettled(_ key: ImageStoreKey) -> Bool {
    state.withLock { $0.changes[key] == nil && $0.wideChangeCount == 0 && !$0.isGivenUp }
  }

  // MARK: Changing

  /// Has a key written some time.
  ///
  /// - Parameters:
  ///   - byteCount: what the work holds in memory while it waits.
  ///   - work: calls the level. When it throws, what the key had is removed.
  func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, byteCount: Int,
    _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    let isQueued = enqueue(key, byteCount: byteCount, mayBeDropped: true) { $0.write(type, key, work) }
    // What the key had is out of date now.
    if !isQueued, level.mayContain(key) { remove(Value.self, key) }
  }

  /// Has a key written some time, unless too much waits or `work` finds no reason.
  func promote(
    _ key: ImageStoreKey, byteCount: Int, _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    enqueue(key, byteCount: byteCount, mayBeDropped: true) { $0.attempt(.write, work) }
  }

  /// Has an entry marked as used some time.
  func touch(_ key: ImageStoreKey) {
    enqueue(nil, isChange: false, byteCount: 0, mayBeDropped: true) { level in
      level.attempt(.write) { _ = try $0.touch(key) }
    }
  }

  /// Has a key removed. The level has nothing under it from now on.
  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) {
    enqueue(key, byteCount: 0, mayBeDropped: false) { $0.remove(type, key) }
  }

  /// Has all entries of a kind removed, or all there are. The level has nothing at all until that is done.
  func removeAll(of kind: ImageStoreKind?) {
    enqueue(nil, byteCount: 0, mayBeDropped: false) { $0.removeAll(of: kind) }
  }

  /// Has those entries removed that a listing shows. The level has nothing at all until that is done.
  func removeListed(of kind: ImageStoreKind?, where isMeant: @escaping @Sendable (ImageStoreKey) -> Bool) {
    enqueue(nil, byteCount: 0, mayBeDropped: false) { $0.removeListed(of: kind, where: isMeant) }
  }

  /// Has the level flush after what waits, and calls `done`.
  func flush(_ done: @escaping @Sendable () -> Void) {
    thread.async { [level] in
      level.attempt(.flush) { try $0.flush() }
      done()
    }
  }

  /// - Parameters:
  ///   - key: `nil` for many keys.
  ///   - isChange: whether reads must not see what was there before.
  /// - Returns: whether it will be done.
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
