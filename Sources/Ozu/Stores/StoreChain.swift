import Dispatch
import OzuSynchronization

/// The levels of storage below memory, in order: the first, as a rule the disk, and the further ones.
///
/// Reads ask them in order; what a further level has is written into the levels above it, behind the caller's back.
/// Writes, removals and touches go to all: to the first level at once, to the further ones through queues of their own
/// (`FurtherLevel`). Everything here blocks as long as the first level does, `readFurther` as long as further ones do, and
/// is for the pipeline's own threads; `mayContain` never waits and is for any thread.
///
/// A value that is promoted must not take the place of a later one, nor bring back what was removed: `changes` counts the
/// changes of keys. A change is first noted by the further levels, which then have nothing under the key; then it is
/// counted; then the first level changes. A promotion, which remembers the count from before it read, looks at it before
/// and after it writes, and takes back what it wrote when the count has changed.
final class StoreChain: Sendable {
  /// Which levels a value goes to.
  enum Reach: Sendable {
    case all
    /// The first alone: what means nothing to another machine.
    case first
  }

  let first: StoreLevel?
  let further: [FurtherLevel]
  private let changes = ChangeCounts()
  private let promotions: PromotionQueue

  init(first: StoreLevel?, further: [FurtherLevel], promotions: PromotionQueue = PromotionQueue()) {
    self.first = first
    self.further = further
    self.promotions = promotions
  }

  private func further(_ key: ImageStoreKey, _ reach: Reach) -> [FurtherLevel] {
    reach == .first || key.kind == .partial || key.kind == .relatives ? [] : further
  }

  /// Whether there is no level at all.
  var isEmpty: Bool { first == nil && further.isEmpty }

  // MARK: Reading

  /// Whether a level may have something under a key. Never waits.
  func mayContain(_ key: ImageStoreKey, _ reach: @autoclosure () -> Reach = .all) -> Bool {
    if first?.mayContain(key) ?? false { return true }
    // To tell the reach of a source copies the source.
    return !further.isEmpty && further(key, reach()).contains { $0.mayContain(key) }
  }

  /// What the first level has under a key.
  func readFirst<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> Value? {
    guard let first, !first.hides(key) else { return nil }
    return first.attempt(.read) { try Value.read(key, from: $0) } ?? nil
  }

  /// Whether `readFurther` could find something. Never waits.
  func mayContainFurther(_ key: ImageStoreKey, _ reach: Reach = .all) -> Bool {
    further(key, reach).contains { $0.mayContain(key) }
  }

  /// What the further levels have under a key. It is written into the levels above.
  ///
  /// - Parameter isUsable: whether a value can be used; one that cannot counts as a miss, and stays where it is.
  func readFurther<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all,
    where isUsable: (Value) -> Bool = { _ in true }
  ) -> Value? {
    let count = changes[key]
    let levels = further(key, reach)
    for (number, level) in levels.enumerated() {
      guard let value = level.read(type, key), isUsable(value) else { continue }
      for above in levels[..<number] {
        above.promote(key, byteCount: value.byteCount) { [changes] store in
          if changes[key] == count { try value.write(to: store, for: key) }
        }
      }
      promoteToFirst(value, key, count)
      return value
    }
    return nil
  }

  private func promoteToFirst<Value: StoredValue>(_ value: Value, _ key: ImageStoreKey, _ count: Int) {
    guard let first else { return }
    promotions.enqueue(byteCount: value.byteCount) { [changes] in
      guard changes[key] == count, first.attempt(.read, { try $0.contains(key) }) == false else { return }
      if first.attempt(.write, { try value.write(to: $0, for: key) }) == nil || changes[key] != count {
        first.remove(Value.self, key)
      }
    }
  }

  // MARK: Changing

  /// Writes a value to all levels.
  func write<Value: StoredValue>(_ value: Value, for key: ImageStoreKey, _ reach: Reach = .all) {
    change(Value.self, key, reach, byteCount: value.byteCount) { try value.write(to: $0, for: key) }
  }

  /// Changes what the levels have under a key. Where that fails the key has nothing.
  ///
  /// - Parameter byteCount: what `work` holds in memory.
  func change<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all, byteCount: Int,
    _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    for level in further(key, reach) { level.write(type, key, byteCount: byteCount, work) }
    changes.count(key)
    first?.write(type, key, work)
  }

  /// Removes what the levels have under a key.
  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all) {
    for level in further(key, reach) { level.remove(type, key) }
    changes.count(key)
    first?.remove(type, key)
  }

  /// Removes all entries of a kind, or all there are, from all levels or from the first alone.
  func removeAll(of kind: ImageStoreKind?, _ reach: Reach = .all) {
    if reach == .all {
      for level in further { level.removeAll(of: kind) }
    }
    changes.countAll()
    first?.removeAll(of: kind)
  }

  /// Removes those entries that listings of the levels show: of a kind, or of all.
  func removeListed(
    of kind: ImageStoreKind? = nil, where isMeant: @escaping @Sendable (ImageStoreKey) -> Bool
  ) {
    for level in further { level.removeListed(of: kind, where: isMeant) }
    changes.countAll()
    first?.removeListed(of: kind, where: isMeant)
  }

  /// Marks an entry as used now.
  ///
  /// - Returns: whether the first level has it.
  func touch(_ key: ImageStoreKey, _ reach: Reach = .all) -> Bool {
    for level in further(key, reach) where level.mayContain(key) { level.touch(key) }
    return first?.attempt(.write) { try $0.touch(key) } ?? false
  }

  // MARK: Upkeep

  /// Makes what the first level has outlast the process.
  func flushFirst() { first?.attempt(.flush) { try $0.flush() } }

  /// Calls `done` when what waits for the further levels is written there, and promotions are done. A level that never
  /// answers never calls it.
  func flushFurther(_ done: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    group.enter()
    // Promotions come first: they may have been begun by a read that is answered already.
    promotions.enqueue(byteCount: 0, mayBeDropped: false) { group.leave() }
    for level in further {
      group.enter()
      level.flush { group.leave() }
    }
    group.notify(queue: .global(qos: .utility), execute: done)
  }

  /// How many writes to further levels were dropped.
  var droppedWriteCount: Int { further.reduce(0) { $0 + $1.droppedCount } }
}

/// How often keys were changed, by a few bits of their hashes: two keys that share a count only cost a promotion.
private final class ChangeCounts: Sendable {
  private static let size = 256
  private let counts = Mutex([Int](repeating: 0, count: size))

  subscript(key: ImageStoreKey) -> Int { counts.withLock { $0[Self.place(key)] } }

  func count(_ key: ImageStoreKey) { counts.withLock { $0[Self.place(key)] += 1 } }

  func countAll() {
    counts.withLock { counts in
      for place in counts.indices { counts[place] += 1 }
    }
  }

  private static func place(_ key: ImageStoreKey) -> Int { Int(key.key.low % UInt64(size)) }
}

/// Writes into the first level what further ones had, on a thread of its own, one after the other. What finds it full is
/// dropped: the next read finds it again. One lock guards the account.
final class PromotionQueue: Sendable {
  private let byteLimit: Int
  private let waiting = Mutex(0)
  private let thread = DispatchQueue(label: "ozu.promotions", qos: .utility)

  init(byteLimit: Int = 32 << 20) { self.byteLimit = byteLimit }

  func enqueue(byteCount: Int, mayBeDropped: Bool = true, _ work: @escaping @Sendable () -> Void) {
    let isQueued = waiting.withLock { waiting in
      guard waiting == 0 || waiting + byteCount <= byteLimit || !mayBeDropped else { return false }
      waiting += byteCount
      return true
    }
    guard isQueued else { return }
    thread.async { [self] in
      work()
      waiting.withLock { $0 -= byteCount }
    }
  }
}
