import Dispatch
import OzuBase

/// The stores below memory, in order: the first level, normally the disk cache, and the further levels.
///
/// Reads ask the levels in order. A value found in a further level is written to the levels above it, in the
/// background. Writes, removals and touches go to all levels: to the first at once, to the further ones through their
/// own queues (`FurtherLevel`). All functions block as long as the first level does, and `readFurther` as long as the
/// further levels do, so only the pipeline's own threads call them. `mayContain` never waits, and any thread may call
/// it.
///
/// A promoted value must not replace a later one, and must not bring back a removed one. For this, `changes` counts
/// the changes of keys. The order of a change: first the further levels queue it, so that they count as having no
/// entry of the key; then the change is counted; then the first level changes. A promotion reads the count before it
/// reads the value, compares it before and after it writes, and removes the written value if the count has changed.
final class StoreChain: Sendable {
  /// The levels that store a value.
  enum Reach: Sendable {
    case all
    /// Only the first level: for values that mean nothing to another machine.
    case first
  }

  let first: StoreLevel?
  let further: [FurtherLevel]
  private let changes = ChangeCounts()
  private let promotions = PromotionQueue()
  private let now: @Sendable () -> ContinuousClock.Instant
  /// When the first level was last asked whether it has an entry, by its key.
  private let checks = RecentValues<ImageStoreKey, ContinuousClock.Instant>(countLimit: 1024)
  /// The time between two of these questions. A store may need a request to a server for an answer.
  static let checkPause = Duration.seconds(600)

  init(
    first: StoreLevel?, further: [FurtherLevel],
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.first = first
    self.further = further
    self.now = now
  }

  private func further(_ key: ImageStoreKey, _ reach: Reach) -> [FurtherLevel] {
    reach == .first || key.kind == .partial || key.kind == .variants ? [] : further
  }

  var isEmpty: Bool { first == nil && further.isEmpty }

  // MARK: Reading

  /// Whether a level may have an entry of a key that is in all of them. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { mayContainFirst(key) || mayContainFurther(key) }

  /// Whether the first level may have an entry. Never waits.
  func mayContainFirst(_ key: ImageStoreKey) -> Bool { first?.mayContain(key) ?? false }

  func readFirst<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) -> Value? {
    guard let first, !first.hides(key) else { return nil }
    return first.attempt(.read) { try Value.read(key, from: $0) } ?? nil
  }

  /// Whether `readFurther` may find a value. Never waits.
  func mayContainFurther(_ key: ImageStoreKey, _ reach: Reach = .all) -> Bool {
    further(key, reach).contains { $0.mayContain(key) }
  }

  /// The value of a key in the further levels. It is also written to the levels above.
  ///
  /// - Parameter isUsable: whether a value can be used. An unusable value counts as a miss, and stays in its level.
  func readFurther<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all,
    where isUsable: (Value) -> Bool = { _ in true }
  ) -> Value? {
    let right = changes.right(to: key)
    let levels = further(key, reach)
    for (number, level) in levels.enumerated() {
      guard let value = level.read(type, key), isUsable(value) else { continue }
      for above in levels[..<number] {
        above.apply(
          StoreChange(key: key, byteCount: value.byteCount, mayBeDropped: true) { level in
            level.attempt(.write) { if right.isValid { try value.write(to: $0, for: key) } }
          })
      }
      promoteToFirst(value, key, by: right)
      return value
    }
    return nil
  }

  private func promoteToFirst<Value: StoredValue>(
    _ value: Value, _ key: ImageStoreKey, by right: ChangeCounts.Right
  ) {
    guard let first else { return }
    promotions.enqueue(byteCount: value.byteCount) {
      guard right.isValid, first.attempt(.read, { try $0.contains(key) }) == false else { return }
      right.store {
        first.write(Value.self, key) { try value.write(to: $0, for: key) }
      } takeBack: {
        first.remove(Value.self, key)
      }
    }
  }

  // MARK: Changing

  /// Makes a change: the further levels queue it, it is counted, and the first level makes it.
  private func apply(_ change: StoreChange, _ further: [FurtherLevel]) {
    for level in further { level.apply(change) }
    changes.count(change.key)
    if let first { change.make(first) }
  }

  func write<Value: StoredValue>(_ value: Value, for key: ImageStoreKey, _ reach: Reach = .all) {
    change(Value.self, key, reach, byteCount: value.byteCount) { try value.write(to: $0, for: key) }
  }

  /// Changes the entry of a key in the levels. If that fails in a level, the entry is removed there.
  ///
  /// - Parameter byteCount: the memory that `work` holds.
  func change<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all, byteCount: Int,
    _ work: @escaping @Sendable (any ImageStoring) throws -> Void
  ) {
    apply(
      StoreChange(
        key: key, byteCount: byteCount, mayBeDropped: true, removal: { $0.remove(type, key) },
        make: { $0.write(type, key, work) }),
      further(key, reach))
  }

  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey, _ reach: Reach = .all) {
    apply(StoreChange(key: key) { $0.remove(type, key) }, further(key, reach))
  }

  /// Removes all entries of a kind from all levels or from the first only; `nil` means all kinds.
  func removeAll(of kind: ImageStoreKind?, _ reach: Reach = .all) {
    apply(StoreChange(key: nil) { $0.removeAll(of: kind) }, reach == .all ? further : [])
  }

  /// Removes the entries for which a closure returns true, from listings of one kind or of all.
  func removeListed(
    of kind: ImageStoreKind? = nil, where isMeant: @escaping @Sendable (ImageStoreKey) -> Bool
  ) {
    apply(StoreChange(key: nil) { $0.removeListed(of: kind, where: isMeant) }, further)
  }

  /// Marks an entry as used now.
  ///
  /// - Returns: whether the first level has it, as far as is known: a store that marks no uses is asked from time to time.
  func touch(_ key: ImageStoreKey, _ reach: Reach = .all) -> Bool {
    for level in further(key, reach) where level.mayContain(key) {
      level.apply(
        StoreChange(key: nil, changesEntries: false, mayBeDropped: true) { level in
          level.attempt(.write) { _ = try $0.touch(key) }
        })
    }
    guard let first, first.attempt(.write, { try $0.touch(key) }) == true else { return false }
    let instant = now()
    if let last = checks.value(for: key), last.duration(to: instant) < Self.checkPause { return true }
    checks.insert(instant, for: key)
    return first.attempt(.read) { try $0.contains(key) } != false
  }

  // MARK: Flushing

  func flushFirst() { first?.attempt(.flush) { try $0.flush() } }

  /// Calls `done` when the further levels have written everything that waits, and promotions are done. If a level
  /// never answers, `done` is never called.
  func flushFurther(_ done: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    group.enter()
    // Promotions first: a read that has already returned may have queued one.
    promotions.enqueue(byteCount: 0, mayBeDropped: false) { group.leave() }
    for level in further {
      group.enter()
      level.flush { group.leave() }
    }
    group.notify(queue: .global(qos: .utility), execute: done)
  }

  /// Returns when the further levels have written what waits for them, or after a time limit, because a level may
  /// never answer.
  ///
  /// - Parameter sleep: waits for the given duration.
  func flushFurther(sleep: @escaping @Sendable (Duration) async throws -> Void) async {
    guard !further.isEmpty else { return }
    let end = AsyncLatch()
    let timer = Task {
      try? await sleep(Self.flushLimit)
      end.open()
    }
    flushFurther({ end.open() })
    await end.wait()
    timer.cancel()
  }

  private static let flushLimit = Duration.seconds(10)

  var droppedWriteCount: Int { further.reduce(0) { $0 + $1.droppedCount } }
}

/// Counts the changes of keys, by a few bits of their hashes. Two keys that share a counter can only make a promotion
/// fail.
private final class ChangeCounts: Sendable {
  private static let size = 256
  private let counts = Mutex([Int](repeating: 0, count: size))

  /// The right to promote a value of a key that was read after now. It ends with the next change of the key.
  struct Right: StoreRight {
    fileprivate let changes: ChangeCounts
    fileprivate let slot: Int
    fileprivate let count: Int

    var isValid: Bool { changes.counts.withLock { $0[slot] } == count }
  }

  func right(to key: ImageStoreKey) -> Right {
    let slot = Self.slot(key)
    return Right(changes: self, slot: slot, count: counts.withLock { $0[slot] })
  }

  /// Counts a change of a key; `nil` means of all.
  func count(_ key: ImageStoreKey?) {
    counts.withLock { counts in
      if let key { return counts[Self.slot(key)] += 1 }
      for slot in counts.indices { counts[slot] += 1 }
    }
  }

  private static func slot(_ key: ImageStoreKey) -> Int { Int(key.key.low % UInt64(size)) }
}

/// Writes values of further levels into the first one, one after the other on its own thread. A value that finds the
/// queue full is dropped; the next read of the further level finds it again. One lock guards the state.
private final class PromotionQueue: Sendable {
  private static let byteLimit = 32 << 20
  private let waiting = Mutex(0)
  private let thread = DispatchQueue(label: "ozu.promotions", qos: .utility)

  func enqueue(byteCount: Int, mayBeDropped: Bool = true, _ work: @escaping @Sendable () -> Void) {
    let isQueued = waiting.withLock { waiting in
      guard waiting == 0 || waiting + byteCount <= Self.byteLimit || !mayBeDropped else { return false }
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

/// One level of the stores, with the errors that the pipeline remembers: which were reported, and which entries could
/// not be removed.
///
/// An entry whose removal failed is hidden until it is written or removed with success, or until the process ends. If
/// there are thousands of them, all entries of the kind are hidden until all are removed. One lock guards the state; the
/// level and the app are called outside it.
final class StoreLevel: Sendable {
  private struct State {
    var reported: Set<ImageStoreError.Operation> = []
    var hiddenKeys: Set<ImageStoreKey> = []
    var hiddenKinds: Set<ImageStoreKind> = []
    var hidesAll = false

    mutating func hide(_ key: ImageStoreKey) {
      // Without its label, which would only take memory.
      hiddenKeys.insert(ImageStoreKey(key.kind, key.key))
      guard hiddenKeys.count > StoreLevel.hiddenKeyLimit else { return }
      hiddenKinds.insert(key.kind)
      hiddenKeys = hiddenKeys.filter { $0.kind != key.kind }
    }
  }

  let store: any ImageStoring
  private let state = Mutex(State())
  private let onError: @Sendable (ImageStoreError) -> Void

  static let hiddenKeyLimit = 4096

  init(_ store: any ImageStoring, onError: @escaping @Sendable (ImageStoreError) -> Void) {
    self.store = store
    self.onError = onError
  }

  /// Whether the level may have an entry of a key. Never waits.
  func mayContain(_ key: ImageStoreKey) -> Bool { !hides(key) && store.mayContain(key) }

  /// Whether the level must not be asked for a key, because it may still have an entry that was removed.
  func hides(_ key: ImageStoreKey) -> Bool {
    state.withLock { state in
      state.hidesAll || state.hiddenKeys.contains(key) || state.hiddenKinds.contains(key.kind)
    }
  }

  /// Runs an operation of the level.
  ///
  /// - Returns: `nil` if it threw, which is reported.
  @discardableResult
  func attempt<Value>(
    _ operation: ImageStoreError.Operation, _ work: (any ImageStoring) throws -> Value
  ) -> Value? {
    do {
      return try work(store)
    } catch {
      report(operation, error)
      return nil
    }
  }

  /// Changes the entry of a key. If that fails, removes it.
  func write<Value: StoredValue>(
    _ type: Value.Type, _ key: ImageStoreKey, _ work: (any ImageStoring) throws -> Void
  ) {
    guard attempt(.write, work) != nil else { return remove(type, key) }
    state.withLock { _ = $0.hiddenKeys.remove(key) }
  }

  func remove<Value: StoredValue>(_ type: Value.Type, _ key: ImageStoreKey) {
    let isRemoved = attempt(.remove) { try Value.remove(key, from: $0) } != nil
    state.withLock { state in
      if isRemoved { state.hiddenKeys.remove(key) } else { state.hide(key) }
    }
  }

  /// Removes all entries of a kind; `nil` means all kinds. If that fails, they are hidden until it succeeds.
  func removeAll(of kind: ImageStoreKind?) {
    guard let kind else {
      let areRemoved = attempt(.remove) { try $0.removeAll() } != nil
      state.withLock { state in
        if areRemoved { state = State(reported: state.reported) } else { state.hidesAll = true }
      }
      return
    }
    let areRemoved = attempt(.remove) { try $0.removeAll(of: kind) } != nil
    state.withLock { state in
      if areRemoved { state.hiddenKinds.remove(kind) } else { state.hiddenKinds.insert(kind) }
    }
  }

  /// Removes the entries for which a closure returns true, from a listing of one kind or of all.
  func removeListed(of kind: ImageStoreKind?, where isMeant: (ImageStoreKey) -> Bool) {
    guard let entries = attempt(.list, { try $0.entries(of: kind) }) else {
      // A disk cache may be opened later, with all of them.
      guard store is DiskStore else { return }
      state.withLock { state in
        guard let kind else { return state.hidesAll = true }
        state.hiddenKinds.insert(kind)
      }
      return
    }
    for info in entries where isMeant(info.key) { remove(ImageStoreEntry.self, info.key) }
  }

  /// Reports an error, unless one with the same operation was reported before.
  func report(_ operation: ImageStoreError.Operation, _ error: (any Error)?) {
    guard state.withLock({ $0.reported.insert(operation).inserted }) else { return }
    onError(ImageStoreError(level: store.name, operation: operation, underlying: error))
  }
}
