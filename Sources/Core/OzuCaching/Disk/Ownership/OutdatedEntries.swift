/// The keys whose store failed, with the dates. Entries of these keys that were stored before are out of date.
///
/// An entry that could not be replaced is removed from the index at once, and its record is marked as dead if this
/// cache writes. If another process writes, the record stays alive. Without this list it would come back when the
/// writer moves it, when this cache sees more segments than before, or when this cache takes over.
struct OutdatedEntries {
  /// The name of an entry.
  struct Identity: Hashable {
    let key: CacheKey
    let partition: Partition
  }

  /// The number of keys that are kept; they take about four megabytes.
  static let limit = 65_536

  private var dates: [Identity: Int64] = [:]
  /// All entries, of every key, that were stored up to this date are out of date.
  private(set) var commonDate: Int64?

  var isEmpty: Bool { dates.isEmpty && commonDate == nil }
  var keys: [(key: CacheKey, partition: Partition)] { dates.keys.map { ($0.key, $0.partition) } }

  /// Records that a store of a key failed. If there are too many keys, one date stands for all of them: then more
  /// entries count as out of date, and are stored again.
  mutating func insert(_ key: CacheKey, in partition: Partition, at date: Int64) {
    if dates.count >= Self.limit {
      commonDate = max(commonDate ?? date, date)
      dates = [:]
    } else {
      dates[Identity(key: key, partition: partition)] = date
    }
  }

  /// Records that a key was stored.
  mutating func remove(_ key: CacheKey, in partition: Partition) {
    if !dates.isEmpty { dates[Identity(key: key, partition: partition)] = nil }
  }

  /// Whether an entry was stored before a store of its key failed.
  func contains(_ header: EntryHeader, in partition: Partition, at now: Int64) -> Bool {
    let stored = AgeLimits.order(storedAt: header.stored, at: now)
    if let commonDate, stored <= commonDate { return true }
    guard !dates.isEmpty, let date = dates[Identity(key: header.key, partition: partition)] else {
      return false
    }
    return stored <= date
  }
}
