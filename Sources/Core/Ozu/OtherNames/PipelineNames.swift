import Foundation
import OzuCaching
import OzuHTTP

// Names that users of other libraries try first; see RequestNames.swift.

extension ImagePipeline.Configuration {
  /// The name is `caching.memoryCache.costLimit`.
  @available(*, unavailable, renamed: "caching.memoryCache.costLimit")
  public var memoryCacheLimit: Int {
    get { caching.memoryCache.costLimit }
    set { caching.memoryCache.costLimit = newValue }
  }
  /// The name is `caching.diskStorage`.
  @available(*, unavailable, renamed: "caching.diskStorage")
  public var diskStorage: DiskStorage {
    get { caching.diskStorage }
    set { caching.diskStorage = newValue }
  }
  /// The name is `network.httpClient`.
  @available(*, unavailable, renamed: "network.httpClient")
  public var dataLoader: any HTTPClient {
    get { network.httpClient }
    set { network.httpClient = newValue }
  }
}

extension ImagePipeline.Configuration.Caching {
  /// The name is `memoryCache.costLimit`.
  @available(*, unavailable, renamed: "memoryCache.costLimit")
  public var memoryLimit: Int {
    get { memoryCache.costLimit }
    set { memoryCache.costLimit = newValue }
  }
  /// The name is `memoryCache`; a limit of 0 is no memory cache.
  @available(*, unavailable, message: "use 'memoryCache'; 'memoryCache.costLimit = 0' is no memory cache")
  public var memory: MemoryCacheConfiguration? {
    get { memoryCache }
    set { memoryCache = newValue ?? memoryCache }
  }
  /// The name is `diskStorage`.
  @available(*, unavailable, renamed: "diskStorage")
  public var disk: DiskStorage {
    get { diskStorage }
    set { diskStorage = newValue }
  }
}

extension ImagePipeline.Configuration.Network {
  /// The name is `timeouts.total`.
  @available(*, unavailable, renamed: "timeouts.total")
  public var timeout: Duration {
    get { timeouts.total }
    set { timeouts.total = newValue }
  }
}

extension DiskStorage {
  /// The name of the limit is `capacity`.
  @available(*, unavailable, renamed: "folder(_:capacity:)")
  public static func folder(_ url: URL, limit: Int) -> DiskStorage { .folder(url, capacity: limit) }
}

extension ImagePipeline {
  /// `image(for: ImageRequest(data: …))` decodes a file in memory.
  @available(*, unavailable, message: "use 'image(for: ImageRequest(data: …))'")
  public func image(for data: Data) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(data: data))
  }
  /// `removeImagesFromMemory()` empties it, `cacheContents()` says how full it is, and `configuration.caching.memoryCache` has
  /// its limits.
  @available(
    *, unavailable,
    message: "use 'cache' for entries, 'cacheContents()' for sizes, or 'removeImagesFromMemory()'"
  )
  public var memoryCache: Cache { cache }
}

extension ImagePipeline.Cache {
  /// `removeAllImages()` of the pipeline empties memory and disk.
  @available(
    *, unavailable, message: "use 'await pipeline.removeAllImages()' or 'pipeline.removeImagesFromMemory()'"
  )
  public func removeAll() {}
}

extension PipelineStatistics.Layer {
  /// `cacheContents()` of the pipeline says how full its caches are.
  @available(*, unavailable, message: "use 'await pipeline.cacheContents()' for what the caches hold now")
  public var bytes: Int { 0 }
}

extension PipelineStatistics {
  /// The disk has the layers `renditions`, `originals` and `encoded`.
  @available(
    *, unavailable,
    message:
      "use 'renditions', 'originals' or 'encoded'; 'await pipeline.cacheContents()' for what the disk holds now"
  )
  public var disk: Layer { renditions }
}
