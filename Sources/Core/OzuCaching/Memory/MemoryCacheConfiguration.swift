/// The limits of a memory cache, its clock and its monitor of memory pressure.
public struct MemoryCacheConfiguration: Sendable {
  /// The most bytes that all entries may cost together. Default: 15 % of the memory that this process may use
  /// (`MemoryBudget`), at most 768 MB.
  public var costLimit: Int
  /// The most entries that the cache may hold. Default: no limit.
  public var countLimit: Int
  /// How long an entry may be used if its insertion gives no lifetime. Default: for ever.
  public var lifetime: Duration?
  /// The largest part of the cost limit that one entry may cost. Larger entries are refused. Default: a tenth.
  public var maximumEntryFraction: Double
  /// Whether a lookup also finds an evicted value that other code still keeps alive. Such values do not count
  /// against the limits. Has no effect unless values are objects. Default: no.
  public var findsEvictedAlive = false
  /// The monitor of memory pressure: on a warning the cache evicts half of its entries, on critical pressure all.
  /// Default: none. `SystemMemoryPressure.shared` reports the pressure of the operating system.
  public var pressure: (any MemoryPressureMonitoring)?
  /// The clock for lifetimes. It is read only if an entry has a lifetime.
  public var now: @Sendable () -> ContinuousClock.Instant

  /// Makes a configuration. Every part has a default.
  public init(
    costLimit: Int = MemoryBudget.system.defaultCostLimit, countLimit: Int = .max, lifetime: Duration? = nil,
    maximumEntryFraction: Double = 0.1, pressure: (any MemoryPressureMonitoring)? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.costLimit = costLimit
    self.countLimit = countLimit
    self.lifetime = lifetime
    self.maximumEntryFraction = maximumEntryFraction
    self.pressure = pressure
    self.now = now
  }
}

/// The counts since a memory cache was made, and its size now.
public struct MemoryCacheStatistics: Hashable, Sendable {
  /// Lookups that found a value that had not expired.
  public var hits = 0
  /// Lookups that found nothing or an expired value.
  public var misses = 0
  /// Weak hits: lookups that found an evicted value that other code still kept alive.
  public var weakHits = 0
  /// Values stored under a key that had none.
  public var insertions = 0
  /// Values that replaced another value of the same key.
  public var replacements = 0
  /// Values that were refused because they cost more than one entry may.
  public var refusals = 0
  /// Entries evicted because the cost limit was reached or lowered, or by `trim(toCost:)`.
  public var costEvictions = 0
  /// Entries evicted because the count limit was reached or lowered.
  public var countEvictions = 0
  /// Entries evicted because memory was short.
  public var pressureEvictions = 0
  /// Entries that a lookup found after their lifetime had ended.
  public var expirations = 0
  /// Times the cache shrank because memory was short.
  public var pressureEvents = 0
  /// The cost of all entries now.
  public var totalCost = 0
  /// The number of entries now.
  public var count = 0

  /// The share of lookups that were hits or weakHits; zero before the first lookup.
  public var hitRatio: Double {
    let found = hits + weakHits
    return found + misses == 0 ? 0 : Double(found) / Double(found + misses)
  }

  /// Makes statistics in which every count is zero.
  public init() {}
}
