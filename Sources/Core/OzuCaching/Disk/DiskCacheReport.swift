/// The result of `DiskCache.verify()`.
public struct DiskCacheReport: Hashable, Sendable {
  /// A damaged entry. It was removed.
  public struct Damage: Hashable, Sendable {
    /// The entry's key.
    public let key: CacheKey
    /// The entry's partition.
    public let partition: DiskCache.Partition
  }

  /// The number of entries that are as they were stored.
  public var intactEntries = 0
  /// The bytes that intact entries take.
  public var intactByteCount = 0
  /// The damaged entries.
  public var corruptEntries: [Damage] = []
  /// The number of segment files.
  public var segments = 0
  /// Bytes of removed and superseded entries, which compaction or eviction will give back.
  public var deadByteCount = 0
  /// The part of `deadByteCount` that is damaged, where entries were lost.
  public var unreadableByteCount = 0

  /// Whether no damage was found.
  public var isSound: Bool { corruptEntries.isEmpty && unreadableByteCount == 0 }

  /// Makes an empty report.
  public init() {}
}
