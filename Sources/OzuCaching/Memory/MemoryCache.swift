import OzuSynchronization

/// A cache in memory with a limit in bytes and a limit on the number of entries. One long scan does not flush it.
///
/// ```swift
/// let pictures = MemoryCache<CacheKey, Picture>(MemoryCacheConfiguration(costLimit: 64 << 20))
/// pictures.store(picture, forKey: key, cost: picture.byteCount)
/// if let hit = pictures.value(forKey: key) { show(hit) }
/// ```
///
/// Room is reserved before an entry goes in, so the limits hold at every moment, with any number of threads.
/// Eviction is an adaptive S3-FIFO (`AdaptiveS3FIFO.swift`). A hit holds one lock for a few dozen instructions,
/// raises two counters and relinks nothing. Values are released outside the locks, so their deinitializers may use
/// the cache.
///
/// - Complexity: O(1) for every operation on one entry; one insertion moves at most sixteen entries besides
///   those that leave.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Shard = MemoryShard<Key, Value>

  /// The shards, each behind its own lock. No shard's lock is taken while another's is held.
  // Unsafe for the compiler only: allocated by `init`, freed by `deinit`, never changed between, and each shard is
  // reached through its lock. An array of objects would count references at every hit.
  @usableFromInline nonisolated(unsafe) let shards: UnsafeMutablePointer<Mutex<Shard>>
  @usableFromInline let shardMask: Int
  /// The seed under which all shards hash keys.
  @usableFromInline let seed = TableSeed()
  @usableFromInline let live: LiveValues<Key, Value>?
  @usableFromInline let configuration: MemoryCacheConfiguration
  @usableFromInline let onEviction: (@Sendable (Key, Value) -> Void)?
  @usableFromInline let epoch: ContinuousClock.Instant
  private let observation = Mutex<MemoryPressureObservation?>(nil)

  /// The cost of all entries, including the room that is reserved for entries on their way in.
  @usableFromInline let heldCost = Atomic<Int>(0)
  @usableFromInline let heldCount = Atomic<Int>(0)
  @usableFromInline let maximumCost: Atomic<Int>
  @usableFromInline let maximumCount: Atomic<Int>
  @usableFromInline let refusals = Atomic<Int>(0)
  @usableFromInline let pressureEvents = Atomic<Int>(0)

  /// Makes a cache with these limits. Negative limits count as zero.
  ///
  /// - Parameter onEviction: Called for each entry that was evicted to make room, after it left, on the thread
  ///     that caused it. It may use the cache. It is not called for entries that were removed, replaced or expired.
  ///     Default: `nil`.
  public init(
    _ configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(),
    onEviction: (@Sendable (Key, Value) -> Void)? = nil
  ) {
    self.configuration = configuration
    self.onEviction = onEviction
    maximumCost = Atomic(max(0, configuration.costLimit))
    maximumCount = Atomic(max(0, configuration.countLimit))
    epoch = configuration.now()
    let shardCount = configuration.shardCount ?? Self.shardCount(for: configuration)
    shards = .allocate(capacity: shardCount)
    for number in 0..<shardCount { (shards + number).initialize(to: Mutex(Shard())) }
    shardMask = shardCount - 1
    live = configuration.findsEvictedAlive ? LiveValues() : nil
    let observation = configuration.pressure?.observe { [weak self] in self?.respond(to: $0) }
    self.observation.withLock { $0 = observation }
  }

  deinit {
    shards.deinitialize(count: shardMask + 1)
    shards.deallocate()
  }

  /// The value of a key, or nil if there is none or it expired.
  @inlinable
  public func value(forKey key: Key) -> Value? {
    withValue(forKey: key) { $0 }
  }

  /// Reads a part of the value of a key without retaining the value; `nil` if there is none or it expired. Counts as
  /// a use, as `value(forKey:)` does.
  ///
  /// - Parameter read: Called under a lock: it must be short and must not use the cache.
  @inlinable
  public func withValue<Result: Sendable>(forKey key: Key, _ read: (Value) -> Result) -> Result? {
    let tag = tag(of: key)
    // Declared before the lock is taken: both are released after unlocking.
    var held: Value?
    var expired: Shard.Departed?
    defer {
      withExtendedLifetime(held) {}
      withExtendedLifetime(expired) {}
    }
    return withShard(of: tag) { shard -> Result? in
      guard let index = shard.find(key, tag: tag) else {
        if live != nil, findLive(key, holding: &held), let held {
          shard.counters.weakHits &+= 1
          return read(held)
        }
        shard.counters.misses &+= 1
        return nil
      }
      let node = shard.node(index)
      if node.pointee.deadline != .max, node.pointee.deadline <= elapsed() {
        expired = remove(index, from: &shard)
        shard.counters.expirations &+= 1
        shard.counters.misses &+= 1
        return nil
      }
      shard.hits &+= 1
      // After a few hits of an entry, further hits write nothing to its node.
      if node.pointee.hits < AdaptiveS3FIFO.mostHits { node.pointee.hits &+= 1 }
      return read(node.pointee.value)
    }
  }

  /// Whether a key has a value that has not expired. Does not count as a use.
  @inlinable
  public func contains(_ key: Key) -> Bool {
    // Declared before the lock is taken: it is released after unlocking.
    var held: Value?
    defer { withExtendedLifetime(held) {} }
    let tag = tag(of: key)
    return withShard(of: tag) { shard in
      guard let index = shard.find(key, tag: tag) else { return findLive(key, holding: &held) }
      let deadline = shard.node(index).pointee.deadline
      return deadline == .max || deadline > elapsed()
    }
  }

  /// Stores a value, replaces the former value of the key, and evicts other entries to keep the limits.
  ///
  /// A value that costs more than `maximumEntryFraction` of the limit is refused. The key then has no value,
  /// because the former value would be out of date.
  ///
  /// - Parameters:
  ///   - cost: The size of the value in bytes. Negative costs count as zero.
  ///   - lifetime: How long the value may be used; nil means the configuration's lifetime.
  /// - Returns: Whether the value was stored.
  @inlinable
  @discardableResult
  public func store(_ value: Value, forKey key: Key, cost: Int, lifetime: Duration? = nil) -> Bool {
    let cost = max(0, cost)
    let deadline = (lifetime ?? configuration.lifetime).map { Self.nanoseconds(elapsed(), plus: $0) } ?? .max
    let limit = costLimit
    guard cost <= limit, countLimit > 0,
      Double(cost) <= Double(limit) * configuration.maximumEntryFraction
    else {
      refusals.wrappingAdd(1, ordering: .relaxed)
      removeValue(forKey: key)
      return false
    }
    let tag = tag(of: key)
    let home = shardNumber(of: tag)
    var steps = 16
    // Declared before the lock is taken: their content is released after unlocking.
    var evicted = RemovedEntries<Key, Value>()
    var former: (key: Key, value: Value)?
    defer { withExtendedLifetime(former) {} }
    while true {
      let lacking = withShard(home) { shard -> Shard.Measure? in
        var index = shard.find(key, tag: tag)
        var credit = Credit()
        while true {
          let formerCost = index.map { shard.node($0).pointee.cost } ?? 0
          guard let measure = reserve(cost: cost &- formerCost, isNew: index == nil, &credit) else {
            live?.forget(key)
            if let index {
              let replaced = shard.replace(index, by: value, cost: cost, deadline: deadline)
              former = (replaced.key, replaced.value)
            } else {
              shard.add(key: key, value: value, tag: tag, cost: cost, deadline: deadline)
            }
            return nil
          }
          guard let victim = shard.evict(for: measure, steps: &steps) else {
            release(credit)
            return measure
          }
          if victim == index { index = nil }
          discard(victim, of: &shard, &credit, into: &evicted)
        }
      }
      guard let lacking else {
        if let onEviction { evicted.forEachEntry(onEviction) }
        return true
      }
      // This shard is empty, and the other shards hold everything: one of them evicts.
      evictAnywhere(after: home, for: lacking, steps: &steps, into: &evicted)
      if countLimit == 0 || cost > costLimit {
        if let onEviction { evicted.forEachEntry(onEviction) }
        return false
      }
    }
  }

  /// Removes the value of a key and returns it.
  @inlinable
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    let tag = tag(of: key)
    let removed = withShard(of: tag) { shard -> Shard.Departed? in
      live?.forget(key)
      guard let index = shard.find(key, tag: tag) else { return nil }
      return remove(index, from: &shard)
    }
    return removed?.value
  }

  /// Removes the values for which the closure returns true. The closure runs under a lock of the cache: it must be
  /// short and must not use the cache.
  ///
  /// - Complexity: O(entries).
  public func removeValues(where shouldRemove: (Key, Value) -> Bool) {
    for number in 0...shardMask {
      let removed = withShard(number) { shard -> [Shard.Departed] in
        var indices: [Int] = []
        for queue in [shard.small, shard.main] {
          var index = Int(queue.head)
          while index >= 0 {
            let node = shard.node(index)
            if shouldRemove(node.pointee.key, node.pointee.value) { indices.append(index) }
            index = Int(node.pointee.next)
          }
        }
        return indices.map { remove($0, from: &shard) }
      }
      // Released here, after the lock: releasing the last reference to a value may run any code.
      _ = consume removed
    }
    live?.forget(where: shouldRemove)
  }

  /// Removes every value.
  public func removeAll() {
    for number in 0...shardMask {
      let taken = withShard(number) { shard -> Shard in
        var taken = Shard()
        taken.counters = shard.counters
        taken.hits = shard.hits
        swap(&taken, &shard)
        heldCost.wrappingSubtract(taken.small.cost &+ taken.main.cost, ordering: .relaxed)
        heldCount.wrappingSubtract(taken.count, ordering: .relaxed)
        return taken
      }
      _ = consume taken
    }
    live?.removeAll()
  }
}
