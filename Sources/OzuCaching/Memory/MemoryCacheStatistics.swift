/// Counts since a memory cache was made, and its size now.
public struct MemoryCacheStatistics: Hashable, Sendable {
  /// Lookups that found a live value.
  public var hits = 0
  /// Lookups that found nothing or an expired value.
  public var misses = 0
  /// Lookups that found an evicted value which was still alive elsewhere.
  public var revivals = 0
  /// Values stored under a key that had none.
  public var insertions = 0
  /// Values stored in the place of another.
  public var replacements = 0
  /// Values not stored because they cost more than one entry may.
  public var refusals = 0
  /// Entries that left because the cost limit was reached or lowered, or `trim(toCost:)` asked for it.
  public var costEvictions = 0
  /// Entries that left because the count limit was reached or lowered.
  public var countEvictions = 0
  /// Entries that left because memory was short.
  public var pressureEvictions = 0
  /// Entries found past their lifetime.
  public var expirations = 0
  /// Times the cache shrank because memory was short.
  public var pressureEvents = 0
  /// The cost of the entries held.
  public var totalCost = 0
  /// The number of entries held.
  public var count = 0

  /// Hits, revivals included, over lookups; zero before the first lookup.
  public var hitRatio: Double {
    let found = hits + revivals
    return found + misses == 0 ? 0 : Double(found) / Double(found + misses)
  }

  /// Statistics in which nothing has happened.
  public init() {}
}
