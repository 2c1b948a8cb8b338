import OzuSynchronization

/// How much the cache may hold, holds and has held.
extension MemoryCache {
  /// The most that all entries may cost together, in bytes. Lowering it evicts at once.
  public var costLimit: Int {
    @inlinable get { maximumCost.load(ordering: .relaxed) }
    set {
      maximumCost.store(max(0, newValue), ordering: .relaxed)
      shrink(toCost: max(0, newValue), count: .max)
    }
  }

  /// The most entries. Lowering it evicts at once.
  public var countLimit: Int {
    @inlinable get { maximumCount.load(ordering: .relaxed) }
    set {
      maximumCount.store(max(0, newValue), ordering: .relaxed)
      shrink(toCost: .max, count: max(0, newValue))
    }
  }

  /// What all entries cost together, in bytes.
  @inlinable public var totalCost: Int { heldCost.load(ordering: .relaxed) }

  /// How many entries there are, expired ones that nobody asked for included.
  @inlinable public var count: Int { heldCount.load(ordering: .relaxed) }

  /// Evicts entries, those worth least first, until they cost at most `cost` bytes together. The limit stays.
  @inlinable
  public func trim(toCost cost: Int) {
    shrink(toCost: max(0, cost), count: .max)
  }

  /// Counts since the cache was made, and its size.
  public var statistics: MemoryCacheStatistics {
    var sum = MemoryCacheStatistics()
    for number in 0...shardMask {
      let (hits, part) = withShard(number) { ($0.hits, $0.counters) }
      sum.insertions += part.insertions
      sum.replacements += part.replacements
      sum.costEvictions += part.costEvictions
      sum.countEvictions += part.countEvictions
      sum.pressureEvictions += part.pressureEvictions
      sum.expirations += part.expirations
      sum.hits += hits
      sum.misses += part.misses
      sum.revivals += part.revivals
    }
    sum.refusals = refusals.load(ordering: .relaxed)
    sum.pressureEvents = pressureEvents.load(ordering: .relaxed)
    sum.totalCost = totalCost
    sum.count = count
    return sum
  }

  /// Gives back half of the entries, by cost or else by count, on a warning, and everything when memory is critically
  /// short. The limits stay. A cache with `MemoryCacheConfiguration.pressure` does so by itself.
  public func respond(to pressure: MemoryPressure) {
    pressureEvents.wrappingAdd(1, ordering: .relaxed)
    switch pressure {
    case .warning where totalCost > 0: shrink(toCost: totalCost / 2, count: .max, for: .pressure)
    case .warning: shrink(toCost: .max, count: count / 2, for: .pressure)
    case .critical:
      shrink(toCost: 0, count: 0, for: .pressure)
      // The tables go too.
      removeAll()
    }
  }
}
