/// What `DiskCache.verify()` found.
public struct DiskCacheReport: Hashable, Sendable {
  /// An entry that was damaged. It is gone now.
  public struct Damage: Hashable, Sendable {
    /// The entry's key.
    public let key: CacheKey
    /// The entry's partition.
    public let partition: DiskCache.Partition
  }

  /// Entries that are what was stored.
  public var intactEntries = 0
  /// The bytes these take.
  public var intactByteCount = 0
  /// Entries that were damaged.
  public var corruptEntries: [Damage] = []
  /// Segment files.
  public var segments = 0
  /// Bytes of removed and superseded entries, which compaction or eviction will give back.
  public var deadByteCount = 0
  /// Bytes, of those, at damage in a segment that this cache met, where entries have been lost.
  public var unreadableByteCount = 0

  /// Whether nothing is damaged.
  public var isSound: Bool { corruptEntries.isEmpty && unreadableByteCount == 0 }

  /// A report of nothing.
  public init() {}
}

extension DiskCache {
  /// Reads every entry and verifies it; damaged ones are dropped.
  ///
  /// - Complexity: Reads the whole cache. Other operations go on meanwhile.
  public func verify() -> DiskCacheReport {
    store.verify()
  }
}
