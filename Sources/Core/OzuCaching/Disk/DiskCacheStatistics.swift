import OzuBase

/// The counts since a disk cache was opened, and its size now.
public struct DiskCacheStatistics: Hashable, Sendable {
  /// Fetches that returned an entry.
  public var hits = 0
  /// Fetches that returned nothing.
  public var misses = 0
  /// Entries stored.
  public var stores = 0
  /// Stores that were refused because the entry is larger than a capacity.
  public var refusals = 0
  /// Stores and removals that were dropped, because another process writes and they could not be handed over to it.
  public var dropped = 0
  /// Entries handed over to the process that writes.
  public var offered = 0
  /// Entries that other processes handed over and this one stored.
  public var adopted = 0
  /// Entries evicted to keep a capacity.
  public var evictions = 0
  /// Entries removed because of their age.
  public var expirations = 0
  /// Entries copied to keep them while their segment was removed.
  public var relocations = 0
  /// Segments rewritten to give back the space of dead entries.
  public var compactions = 0
  /// Damaged entries that were found and dropped. Several in a row with damaged headers count as one.
  public var corruptEntries = 0
  /// Segments with a damaged header of their own, or with a damaged end that was lost.
  public var damagedSegments = 0
  /// Stored indexes that could not be used, so that the index was rebuilt from the segments.
  public var rebuiltIndexes = 0
  /// Calls to the file system that failed.
  public var errors = 0
  /// The bytes of all files.
  public var totalByteCount = 0
  /// The bytes of the live entries.
  public var liveByteCount = 0
  /// The number of entries.
  public var count = 0
  /// Whether this cache may write; false while another process writes.
  public var isWriter = false

  /// The share of fetches that were hits; zero before the first fetch.
  public var hitRatio: Double {
    hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses)
  }

  /// The bytes of all files divided by the bytes of the live entries; one for a cache without entries.
  public var amplification: Double {
    liveByteCount == 0 ? 1 : Double(totalByteCount) / Double(liveByteCount)
  }

  /// Makes statistics in which every count is zero.
  public init() {}
}

/// The counts. Those of fetches are atomic numbers of their own, so that fetches do not wait for each other.
final class DiskCacheCounters: Sendable {
  private let hits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  private let others = Mutex(DiskCacheStatistics())

  func countFetch(isHit: Bool) {
    if isHit { hits.wrappingAdd(1, ordering: .relaxed) } else { misses.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Changes the other counts.
  func count(_ body: (inout DiskCacheStatistics) -> Void) { others.withLock { body(&$0) } }

  var snapshot: DiskCacheStatistics {
    var result = others.withLock { $0 }
    result.hits = hits.load(ordering: .relaxed)
    result.misses = misses.load(ordering: .relaxed)
    return result
  }
}
