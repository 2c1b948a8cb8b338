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
