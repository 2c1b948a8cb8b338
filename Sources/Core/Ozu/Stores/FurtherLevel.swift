import Dispatch
import OzuBase

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

    /// A change more or less waits or runs.
    mutating func note(_ change: StoreChange, by number: Int) {
      count += number
      byteCount += number * change.byteCount
      if let key = change.key {
        let rest = changes[key, default: 0] + number
        changes[key] = rest == 0 ? nil : rest
      } else if change.changesEntries {
        wideChangeCount += number
      }
    }
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

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  // MARK: Reading

  /// Whether the level may have an entry of a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { isSettled(key) && level.mayContain(key) }

  /// The value of a key. Blocks until the level answers, up to a time limit; a read that takes longer is a miss, and
  /// is reported.
  func read<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> Value? {
    guard mayContain(key) else { return nil }
    let answer = reads.value { [level] in level.attempt(.read) { try Value.read(key, from: $0) } ?? nil
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

  /// Queues a change. As long as it waits, the level counts as having no entry of its key, or of any key.
  func apply(_ change: StoreChange) {
    guard !enqueue(change), let key = change.key, let removal = change.removal, level.mayContain(key) else {
      return
    }
    enqueue(StoreChange(key: key, make: removal))
  }

  /// Flushes the level after all waiting changes, and then calls `done`.
  func flush(_ done: @escaping @Sendable () -> Void) {
    thread.async { [level] in
      level.attempt(.flush) { try $0.flush() }
      done()
    }
  }

  /// - Returns: whether the change was queued.
  @discardableResult
  private func enqueue(_ change: StoreChange) -> Bool {
    let byteCount = change.byteCount
    enum Outcome { case queued, dropped, givenUp, ignored }
    let outcome = state.withLock { state -> Outcome in
      if state.isGivenUp { return .ignored }
      if change.mayBeDropped,
        state.count >= bounds.changeCount || state.count > 0 && state.byteCount + byteCount > bounds.byteCount
      {
        state.droppedCount += 1
        return .dropped
      }
      if state.count >= bounds.removalLimit {
        state.isGivenUp = true
        return .givenUp
      }
      state.note(change, by: 1)
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
        change.make(level)
        state.withLock { $0.note(change, by: -1) }
      }
      return true
    }
  }
}

/// Reads of a level that may be slow or may never answer. Each read has a time limit. While too many reads hang, no
/// further read begins until one of them returns.
///
/// Each read runs on its own thread, and a hanging level takes only these threads. One lock guards the count.
final class TimedReads: Sendable {
  private let limit: Duration
  private let width: Int
  private let threads: DispatchQueue
  private let runningCount = Mutex(0)

  /// - Parameters:
  ///   - limit: the largest duration of a read.
  ///   - width: the largest number of reads at once, hanging ones included.
  init(label: String, limit: Duration, width: Int = 16) {
    self.limit = limit
    self.width = width
    threads = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// The result of a read; `nil` if it took too long, or was not begun. Blocks, for the limit at most.
  func value<Value: Sendable>(_ read: @escaping @Sendable () -> Value) -> Value? {
    let mayBegin = runningCount.withLock { count in
      guard count < width else { return false }
      count += 1
      return true
    }
    guard mayBegin else { return nil }
    let answer = BlockingAnswer<Value>()
    threads.async { [self] in
      let value = read()
      runningCount.withLock { $0 -= 1 }
      answer.set(value)
    }
    return answer.wait(atMost: limit)
  }
}

/// A change of the entries of a level, with the facts that a queue needs. The first level makes it at once, a further one queues it.
struct StoreChange: Sendable {
  /// `nil` for many keys.
  let key: ImageStoreKey?
  /// Whether reads must not see the old entry until the change is made.
  var changesEntries = true
  /// The memory that the change holds while it waits.
  var byteCount = 0
  /// Whether a full queue may drop the change.
  var mayBeDropped = false
  /// The removal of the old entry after that, because it is out of date.
  var removal: (@Sendable (StoreLevel) -> Void)?
  let make: @Sendable (StoreLevel) -> Void
}
