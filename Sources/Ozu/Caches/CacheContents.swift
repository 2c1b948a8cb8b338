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

    /// Makes a part.
    public init(entryCount: Int, byteCount: Int, byteLimit: Int) {
      self.entryCount = entryCount
      self.byteCount = byteCount
      self.byteLimit = byteLimit
    }
  }

  /// Decoded pictures in memory. `nil` if the app has a cache of its own (`Configuration.Caching.imageCache`).
  public var memory: Part?
  /// Encoded images in memory.
  public var encodedMemory: Part
  /// Originals, renditions and encoded images on disk; `nil` without a disk cache.
  public var disk: Part?
}

extension ImagePipeline {
  /// The entries and bytes in the caches, and the limits: the one place for "how full is it". Further stores (`caching.stores`) are
  /// not asked.
  ///
  /// The first call opens the disk cache, on a disk thread of the pipeline.
  ///
  /// - Complexity: O(1).
  public func cacheContents() async -> CacheContents {
    let disk = await context.runner.run(on: .disk, priority: .normal) { [caches] in
      caches.stores.disk.map {
        CacheContents.Part(entryCount: $0.count, byteCount: $0.totalByteCount, byteLimit: $0.capacity)
      }
    }
    let caching = configuration.caching
    return CacheContents(
      memory: caching.imageCache == nil
        ? CacheContents.Part(caches.memory.statistics, caching.memoryCache) : nil,
      encodedMemory: CacheContents.Part(caches.encodedMemory.statistics, caching.encodedMemoryCache),
      disk: disk)
  }
}

extension CacheContents.Part {
  fileprivate init(_ statistics: MemoryCacheStatistics, _ configuration: MemoryCacheConfiguration) {
    self.init(
      entryCount: statistics.count, byteCount: statistics.totalCost, byteLimit: configuration.costLimit)
  }
}
