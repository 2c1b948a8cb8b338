import OzuCaching

/// The entries and bytes in the caches of a pipeline at one moment, and the limits.
public struct CacheContents: Hashable, Sendable {
  /// One cache.
  public struct Part: Hashable, Sendable {
    /// The number of entries.
    public var entryCount: Int
    /// Their bytes: of pixels in memory, of files and their metadata on disk.
    public var byteCount: Int
    /// The most bytes that the cache keeps.
    public var byteLimit: Int
    /// The entries that it has evicted since it was opened.
    public var evictionCount: Int

    /// Makes a part.
    public init(entryCount: Int, byteCount: Int, byteLimit: Int, evictionCount: Int = 0) {
      self.entryCount = entryCount
      self.byteCount = byteCount
      self.byteLimit = byteLimit
      self.evictionCount = evictionCount
    }
  }

  /// Decoded pictures in memory. `nil` if the app has a cache of its own (`Configuration.Caching.imageCache`).
  public var memory: Part?
  /// Encoded images in memory.
  public var encodedMemory: Part
  /// Originals, renditions and encoded images on disk; `nil` without a disk cache.
  public var disk: Part?
}

extension CacheContents.Part {
  init(_ statistics: MemoryCacheStatistics, _ configuration: MemoryCacheConfiguration) {
    self.init(
      entryCount: statistics.count, byteCount: statistics.totalCost, byteLimit: configuration.costLimit,
      evictionCount: statistics.evictions)
  }
}
