import OzuSynchronization

/// How room is made and given back: reserved before an entry goes in, so that the limits hold at every instant.
extension MemoryCache {
  /// Takes room for an entry, or says which limit has none left.
  @inlinable
  func reserve(cost: Int, isNew: Bool) -> Shard.Measure? {
    guard Self.add(cost, to: heldCost, limit: costLimit) else { return .cost }
    if isNew, !Self.add(1, to: heldCount, limit: countLimit) {
      heldCost.wrappingSubtract(cost, ordering: .relaxed)
      return .count
    }
    return nil
  }

  @inlinable
  static func add(_ amount: Int, to total: borrowing Atomic<Int>, limit: Int) -> Bool {
    var current = total.load(ordering: .relaxed)
    while true {
      if amount > 0, current &+ amount > limit { return false }
      let (done, seen) = total.weakCompareExchange(
        expected: current, desired: current &+ amount, ordering: .relaxed)
      if done { return true }
      current = seen
    }
  }

  @inlinable
  func release(_ removed: Shard.Removed) {
    heldCost.wrappingSubtract(removed.cost, ordering: .relaxed)
    heldCount.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Keeps what was evicted until all locks are free, and remembers it beyond that if the cache is to.
  @inlinable
  func note(_ victim: Shard.Removed, _ garbage: inout Garbage<Shard.Removed>) {
    garbage.add(victim)
    if let live {
      garbage.objects += live.note(victim.value, forKey: victim.key, deadline: victim.deadline)
    }
  }

  /// Whether the evicted value of a key is alive and not expired. It is held for the caller to let go after unlocking,
  /// whatever the answer.
  @usableFromInline
  func findLive(_ key: Key, holding held: inout Value?) -> Bool {
    guard let found = live?.find(key) else { return false }
    held = found.value
    return found.deadline == .max || found.deadline > elapsed()
  }

  @inlinable
  func remove(_ index: Int, from shard: inout Shard) -> Shard.Removed {
    let removed = shard.removeNode(index)
    release(removed)
    return removed
  }

  /// Evicts one entry of the first shard after `home`, or of `home` last, that has any.
  @inlinable
  func evictAnywhere(
    after home: Int, for measure: Shard.Measure, steps: inout Int, into garbage: inout Garbage<Shard.Removed>
  ) {
    for offset in 1...(shardMask + 1) {
      let victim = shards[(home + offset) & shardMask].withLock { shard in
        let victim = shard.evict(for: measure, steps: &steps)
        if let victim { note(victim, &garbage) }
        return victim
      }
      if let victim {
        release(victim)
        return
      }
    }
  }

  /// Evicts from all shards in turn until both bounds hold.
  @inlinable
  func shrink(toCost cost: Int, count: Int) {
    var next = 0
    while totalCost > cost || self.count > count {
      let measure: Shard.Measure = totalCost > cost ? .cost : .count
      var garbage = Garbage<Shard.Removed>()
      var steps = 16
      evictAnywhere(after: next, for: measure, steps: &steps, into: &garbage)
      if garbage.isEmpty { return }
      next = (next + 1) & shardMask
    }
  }

  /// Nanoseconds on the cache's clock since the cache was made.
  @inlinable
  func elapsed() -> Int64 {
    Self.nanoseconds(0, plus: epoch.duration(to: configuration.now()))
  }

  /// A time after another, saturating.
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
