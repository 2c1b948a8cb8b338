/// The limits of a memory cache and the world it lives in.
public struct MemoryCacheConfiguration: Sendable {
  /// The most that all entries may cost together, in bytes. Default: 15 % of the memory this process may use
  /// (`MemoryBudget`), at most 768 MB.
  public var costLimit: Int
  /// The most entries. Default: no limit.
  public var countLimit: Int
  /// How long an entry may be used when its insertion does not say. Default: for ever.
  public var lifetime: Duration?
  /// The largest part of the cost limit that one entry may cost; larger ones are refused. Default: a tenth.
  public var maximumEntryFraction: Double
  /// Whether an evicted value that is still alive elsewhere is found again, at no cost to the limits. For values that are
  /// objects; it has no effect on others. Default: no.
  public var findsEvictedAlive = false
  /// Tells when memory is short: on a warning the cache halves, on critical pressure it empties.
  /// Default: nobody
  /// does; `SystemMemoryPressure.shared` asks the operating system.
  public var pressure: (any MemoryPressureMonitoring)?
  /// The clock for lifetimes. It is not read while no entry has one.
  public var now: @Sendable () -> ContinuousClock.Instant

  /// How many independently locked parts the cache has; nil lets it choose by cores and cost limit.
  var shardCount: Int?

  /// A configuration; every part has a default.
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
