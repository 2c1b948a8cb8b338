import OzuBase
import OzuCaching
import OzuHTTP

// Names that users of other libraries try first. The compiler says which name is the right one; `Documentation/first-guesses.md` lists
// them, and is compiled.

extension CachePolicy {
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCache: CachePolicy { .reload }
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCachedData: CachePolicy { .reload }
  /// The name is `cacheOnly`.
  @available(*, unavailable, renamed: "cacheOnly")
  public static var returnCacheDataDontLoad: CachePolicy { .cacheOnly }
}

extension PictureAnimation {
  /// Frames are made when they are asked for: `frameCount` and `frame(at:)`.
  @available(
    *, unavailable, message: "frames are made when they are asked for: use 'frameCount' and 'frame(at:)'"
  )
  public var frames: [Bitmap] { [] }
}

extension LoadProgress {
  /// The name is `receivedByteCount`.
  @available(*, unavailable, renamed: "receivedByteCount")
  public var received: Int { receivedByteCount }
  /// The name is `expectedByteCount`.
  @available(*, unavailable, renamed: "expectedByteCount")
  public var total: Int? { expectedByteCount }
}

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
