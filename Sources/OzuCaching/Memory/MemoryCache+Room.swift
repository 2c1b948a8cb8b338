import OzuSynchronization

/// Reserves room before an entry goes in, so that the limits hold at every moment.
extension MemoryCache {
  /// Room of evicted entries that was not given back to the totals yet, so that the new entry can take it over. In
  /// a full cache of entries of equal cost, the totals, which all threads share, are not written at all.
  @usableFromInline
  struct Credit {
    @usableFromInline var cost = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}
  }

  /// Takes room for an entry, from the credit first, and gives back the rest of the credit. Returns nil, or the
  /// limit that has no room; then nothing has changed.
  @inlinable @inline(__always)
  func reserve(cost: Int, isNew: Bool, _ credit: inout Credit) -> Shard.Measure? {
    let cost = cost &- credit.cost
    let count = (isNew ? 1 : 0) &- credit.count
    guard Self.add(cost, to: heldCost, limit: costLimit) else { return .cost }
    guard Self.add(count, to: heldCount, limit: countLimit) else {
      heldCost.wrappingSubtract(cost, ordering: .relaxed)
      return .count
    }
    credit = Credit()
    return nil
  }

  @inlinable @inline(__always)
  static func add(_ amount: Int, to total: borrowing Atomic<Int>, limit: Int) -> Bool {
    if amount == 0 { return true }
    if amount < 0 {
      total.wrappingAdd(amount, ordering: .relaxed)
      return true
    }
    var current = total.load(ordering: .relaxed)
    while true {
      if current &+ amount > limit { return false }
      let (done, seen) = total.weakCompareExchange(
        expected: current, desired: current &+ amount, ordering: .relaxed)
      if done { return true }
      current = seen
    }
  }

  @inlinable
  func release(_ credit: Credit) {
    if credit.cost != 0 { heldCost.wrappingSubtract(credit.cost, ordering: .relaxed) }
    if credit.count != 0 { heldCount.wrappingSubtract(credit.count, ordering: .relaxed) }
  }

  /// Frees the node of an evicted entry. Its key and value are kept until all locks are free. If the cache finds
  /// evicted values, a weak reference is kept too.
  @inlinable @inline(__always)
  func discard(
    _ victim: Int, of shard: inout Shard, _ credit: inout Credit,
    into evicted: inout RemovedEntries<Key, Value>
  ) {
    let node = shard.node(victim)
    credit.cost &+= node.pointee.cost
    credit.count &+= 1
    if let live {
      evicted.hold(live.note(node.pointee.value, forKey: node.pointee.key, deadline: node.pointee.deadline))
    }
    let departed = shard.vacate(victim)
    evicted.add(departed.key, departed.value)
  }

  /// Whether the evicted value of a key is alive and not expired. In every case the caller holds the value in
  /// `held` and releases it after unlocking.
  @usableFromInline
  func findLive(_ key: Key, holding held: inout Value?) -> Bool {
    guard let found = live?.find(key) else { return false }
    held = found.value
    return found.deadline == .max || found.deadline > elapsed()
  }

  @inlinable
  func remove(_ index: Int, from shard: inout Shard) -> Shard.Departed {
    heldCost.wrappingSubtract(shard.node(index).pointee.cost, ordering: .relaxed)
    heldCount.wrappingSubtract(1, ordering: .relaxed)
    shard.detach(index)
    return shard.vacate(index)
  }

  /// Evicts one entry from the first shard that has any, beginning after `home`; `home` itself is last.
  @inlinable @inline(never)
  func evictAnywhere(
    after home: Int, for measure: Shard.Measure, steps: inout Int,
    into evicted: inout RemovedEntries<Key, Value>
  ) {
    for offset in 1...(shardMask + 1) {
      let didEvict = withShard((home + offset) & shardMask) { shard in
        guard let victim = shard.evict(for: measure, steps: &steps) else { return false }
        var credit = Credit()
        discard(victim, of: &shard, &credit, into: &evicted)
        release(credit)
        return true
      }
      if didEvict { return }
    }
  }

  /// Evicts from all shards in turn until both bounds hold.
  ///
  /// - Parameter reason: Counted as the cause of the evictions; nil counts them under the limit that was exceeded.
  @inlinable
  func shrink(toCost cost: Int, count: Int, for reason: Shard.Measure? = nil) {
    var next = 0
    while totalCost > cost || self.count > count {
      let measure = reason ?? (totalCost > cost ? .cost : .count)
      var evicted = RemovedEntries<Key, Value>()
      var steps = 16
      evictAnywhere(after: next, for: measure, steps: &steps, into: &evicted)
      if evicted.isEmpty { return }
      if let onEviction { evicted.forEachEntry(onEviction) }
      next = (next + 1) & shardMask
    }
  }

  /// The nanoseconds on the cache's clock since the cache was made.
  @inlinable
  func elapsed() -> Int64 {
    Self.nanoseconds(0, plus: epoch.duration(to: configuration.now()))
  }

  /// The sum of a time and a duration, clamped to the range of `Int64`.
  @inlinable
  static func nanoseconds(_ start: Int64, plus duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds > 0 ? .max : .min }
    let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    let (total, totalOverflow) = sum.addingReportingOverflow(start)
    return sumOverflow || totalOverflow ? (seconds > 0 ? .max : .min) : total
  }
}
