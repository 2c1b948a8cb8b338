import OzuSynchronization

/// The limits of the cache, its size and its counts.
extension MemoryCache {
  /// The most bytes that all entries may cost together. A lower value evicts at once.
  public var costLimit: Int {
    @inlinable get { maximumCost.load(ordering: .relaxed) }
    set {
      maximumCost.store(max(0, newValue), ordering: .relaxed)
      shrink(toCost: max(0, newValue), count: .max)
    }
  }

  /// The most entries that the cache may hold. A lower value evicts at once.
  public var countLimit: Int {
    @inlinable get { maximumCount.load(ordering: .relaxed) }
    set {
      maximumCount.store(max(0, newValue), ordering: .relaxed)
      shrink(toCost: .max, count: max(0, newValue))
    }
  }

  /// The cost of all entries together, in bytes.
  @inlinable public var totalCost: Int { heldCost.load(ordering: .relaxed) }

  /// The number of entries, including expired ones that were not looked up since.
  @inlinable public var count: Int { heldCount.load(ordering: .relaxed) }

  /// Evicts the least valuable entries until all together cost at most `cost` bytes. The limit does not change.
  @inlinable
  public func trim(toCost cost: Int) {
    shrink(toCost: max(0, cost), count: .max)
  }

  /// The counts since the cache was made, and its size.
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
      sum.weakHits += part.weakHits
    }
    sum.refusals = refusals.load(ordering: .relaxed)
    sum.pressureEvents = pressureEvents.load(ordering: .relaxed)
    sum.totalCost = totalCost
    sum.count = count
    return sum
  }

  /// Evicts half of the entries on a warning, by cost or, if nothing has a cost, by count; evicts all entries when
  /// memory is critically short. The limits do not change. A cache with `MemoryCacheConfiguration.pressure` calls
  /// this itself.
  public func respond(to pressure: MemoryPressure) {
    pressureEvents.wrappingAdd(1, ordering: .relaxed)
    switch pressure {
    case .warning where totalCost > 0: shrink(toCost: totalCost / 2, count: .max, for: .pressure)
    case .warning: shrink(toCost: .max, count: count / 2, for: .pressure)
    case .critical:
      shrink(toCost: 0, count: 0, for: .pressure)
      // Releases the tables too.
      removeAll()
    }
  }
}
