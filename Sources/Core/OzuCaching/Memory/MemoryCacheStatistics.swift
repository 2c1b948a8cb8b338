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
