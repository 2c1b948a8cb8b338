/// How much one call of a prefetcher may take. What is over it is not begun; what is under way when a limit is
/// reached goes on, so that it may be passed by as many pictures as are loaded at once.
public struct PrefetchBudget: Hashable, Sendable {
  /// The most bytes to download; `nil` (the default) for no limit. What a cache has costs nothing.
  public var downloadedByteCount: Int?
  /// The part of the memory cache that prefetched pictures may take together, from 0 to 1. A half by default: pictures
  /// on screen need room too. Whatever it is, a prefetch to memory ends when the cache has begun to evict what it
  /// brought.
  public var memoryFraction: Double

  /// Makes a budget.
  public init(downloadedByteCount: Int? = nil, memoryFraction: Double = 0.5) {
    self.downloadedByteCount = downloadedByteCount
    self.memoryFraction = memoryFraction
  }
}
