/// The limits of one call of a prefetcher. No request begins when a limit is reached. Running requests continue, so a
/// limit may be exceeded by as many pictures as load at once.
public struct PrefetchBudget: Hashable, Sendable {
  /// The largest number of bytes to download; `nil` (the default) means no limit. Pictures from a cache cost nothing.
  public var downloadedByteCount: Int?
  /// The part of the memory cache that prefetched pictures may use together, from 0 to 1. A half by default, because
  /// pictures on screen need room too. Independent of this value, a prefetch to memory ends when the cache has begun
  /// to evict its pictures.
  public var memoryFraction: Double

  /// Makes a budget.
  public init(downloadedByteCount: Int? = nil, memoryFraction: Double = 0.5) {
    self.downloadedByteCount = downloadedByteCount
    self.memoryFraction = memoryFraction
  }
}
