import OzuBase

/// The limits of the cache, its size and its counts, and what makes entries leave.
extension MemoryCache {
  /// The most bytes that all entries may cost together. A lower value evicts at once.
  public var costLimit: Int {
    get { queues.withLock { $0.costLimit } }
    set {
      queues.withLock { $0.limit(cost: newValue) }
      shrink(toCost: max(0, newValue), count: .max)
    }
  }

  /// The most entries that the cache may hold. A lower value evicts at once.
  public var countLimit: Int {
    get { queues.withLock { $0.countLimit } }
    set {
      queues.withLock { $0.limit(count: newValue) }
      shrink(toCost: .max, count: max(0, newValue))
    }
  }

  /// The cost of all entries together, in bytes.
  public var totalCost: Int { queues.withLock { $0.totalCost } }

  /// The number of entries, including expired ones that were not looked up since.
  public var count: Int { queues.withLock { $0.count } }

  /// Evicts the least valuable entries until all together cost at most `cost` bytes. The limit does not change.
  public func trim(toCost cost: Int) {
    shrink(toCost: max(0, cost), count: .max)
  }

  /// The counts since the cache was made, and its size.
  public var statistics: MemoryCacheStatistics {
    var sum = queues.withLock { queues in
      var statistics = queues.statistics
      (statistics.totalCost, statistics.count) = (queues.totalCost, queues.count)
      return statistics
    }
    for number in 0..<Self.partCount {
      let (hits, misses, weakHits) = withTable(number) { ($0.hits, $0.misses, $0.weakHits) }
      sum.hits += hits
      sum.misses += misses
      sum.weakHits += weakHits
    }
    return sum
  }

  /// Evicts half of the entries on a warning, by cost or, if nothing has a cost, by count; evicts all entries when
  /// memory is critically short. The limits do not change. A cache with `MemoryCacheConfiguration.pressure` calls
  /// this itself.
  public func respond(to pressure: MemoryPressure) {
    let (cost, count) = queues.withLock { queues in
      queues.statistics.pressureEvents &+= 1
      return (queues.totalCost, queues.count)
    }
    switch pressure {
    case .warning where cost > 0: shrink(toCost: cost / 2, count: .max, for: .pressure)
    case .warning: shrink(toCost: .max, count: count / 2, for: .pressure)
    case .critical:
      shrink(toCost: 0, count: 0, for: .pressure)
      // Releases the tables too.
      removeAll()
    }
  }

  /// Evicts the least valuable entry. Entries with hits move on in the queues, as long as there are steps.
  @inlinable
  func evict(
    _ queues: inout EvictionQueues, for measure: EvictionQueues.Measure, steps: inout Int,
    into departed: inout DepartedEntries<Key, Value>
  ) -> Bool {
    while let tail = queues.tail(for: measure) {
      let mayStay = steps > 0
      let isEvicted = withTable(of: tail.tag) { table in
        let cell = table.cell(ofNode: tail.node, tail.tag)
        let hits = cell.pointee.hits
        if mayStay, hits >= tail.promotion {
          cell.pointee.hits = tail.isInMain ? hits &- 1 : 0
          return false
        }
        if let live {
          let deadline = queues.deadline(of: tail.node)
          departed.objects += live.note(cell.pointee.value, forKey: cell.pointee.key, deadline: deadline)
        }
        departed.add(table.remove(cell))
        return true
      }
      if isEvicted {
        queues.evict(tail, for: measure)
        return true
      }
      steps &-= 1
      queues.promote(tail.node)
    }
    return false
  }

  /// Evicts until both bounds hold, one entry at a time, so that others get at the cache between.
  ///
  /// - Parameter reason: Counted as the cause of the evictions; nil counts them under the limit that was exceeded.
  private func shrink(toCost cost: Int, count: Int, for reason: EvictionQueues.Measure? = nil) {
    var isDone = false
    while !isDone {
      var departed = DepartedEntries<Key, Value>()
      isDone = queues.withLock { queues in
        guard queues.totalCost > cost || queues.count > count else { return true }
        var steps = 16
        let measure = reason ?? (queues.totalCost > cost ? .cost : .count)
        return !evict(&queues, for: measure, steps: &steps, into: &departed)
      }
      if let onEviction { departed.tell(onEviction) }
    }
  }

  // MARK: Time

  @inlinable
  func isValid(_ deadline: Int64) -> Bool { deadline == .max || deadline > elapsed() }

  /// The nanoseconds on the cache's clock since the cache was made.
  @inlinable
  func elapsed() -> Int64 {
    Self.nanoseconds(0, plus: epoch.duration(to: configuration.now()))
  }

  /// The sum of a time and a duration, clamped to the range of `Int64`.
  @usableFromInline
  static func nanoseconds(_ start: Int64, plus duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let whole = seconds.saturatingProduct(1_000_000_000).saturatingSum(attoseconds / 1_000_000_000)
    return whole.saturatingSum(start)
  }
}
