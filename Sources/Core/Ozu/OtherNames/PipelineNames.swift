// The attributes say what comments would.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import OzuBase
import OzuCaching
import OzuHTTP

// Names that users of other libraries try first. The compiler says which name is the right one; `Documentation/first-guesses.md` lists
// them, and is compiled.

extension ImagePipeline {
  @available(*, unavailable, renamed: "task(for:)")
  public func imageTask(with request: ImageRequest) -> ImageTask { task(for: request) }
  @available(*, unavailable, renamed: "task(for:)")
  public func imageTask(with url: URL) -> ImageTask { task(for: url) }
  @available(*, unavailable, message: "use 'await image(for:)', or the sequence 'task(for:).events'")
  public func imagePublisher(with url: URL) -> ImageTask { task(for: url) }
  @available(*, unavailable, message: "use 'await removeAllImages()'")
  public func clearCache() {}
  @available(*, unavailable, message: "use 'await removeAllImages()', which empties memory too")
  public func clearDiskCache() {}
  @available(*, unavailable, renamed: "removeImagesFromMemory()")
  public func clearMemoryCache() { removeImagesFromMemory() }
  @available(*, unavailable, renamed: "image(for:)")
  public func image(from url: URL) async throws(ImageError) -> Picture { try await image(for: url) }
  @available(*, unavailable, renamed: "image(for:)")
  public func image(with url: URL) async throws(ImageError) -> Picture { try await image(for: url) }
  @available(*, unavailable, renamed: "data(for:)")
  public func data(from url: URL) async throws(ImageError) -> Data { try await data(for: url) }
  @available(*, unavailable, message: "use 'await image(for:)', or 'loadImage(for:) { result in … }'")
  public func retrieveImage(with url: URL) {}
  @available(
    *, unavailable, message: "use 'await image(for:)' for the picture, 'await data(for:)' for its bytes"
  )
  public func downloadImage(with url: URL) {}
  @available(
    *, unavailable, message: "use 'start(urls)' of an 'ImagePrefetcher(pipeline: pipeline)' that is kept"
  )
  public func prefetch(_ urls: [URL]) {}
  @available(*, unavailable, message: "use 'cache.contains(url)'")
  public func isCached(_ url: URL) -> Bool { cache.contains(url) }
  @available(*, unavailable, renamed: "removeImage(for:)")
  public func removeCachedImage(for url: URL) {}
  @available(*, unavailable, message: "use 'await image(for: ImageRequest(url: url).resized(to: size))'")
  public func thumbnail(for url: URL, size: PixelSize) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(url: url).resized(to: size))
  }
  @available(*, unavailable, message: "use 'cancel()' of a task, or 'stopAll()' of a prefetcher")
  public func cancelAll() {}
  @available(*, unavailable, message: "a pipeline ends with its last reference; tasks have 'cancel()'")
  public func invalidate() {}
  @available(*, unavailable, message: "use 'await cacheContents()'")
  public var memoryCacheSize: Int { 0 }
  @available(*, unavailable, message: "use 'await cacheContents()'")
  public var diskCacheSize: Int { 0 }
  @available(*, unavailable, message: "use 'observers' and 'interceptors' of the configuration")
  public convenience init(configuration: Configuration = Configuration(), delegate: Any?) {
    self.init(configuration)
  }
}

extension ImagePipeline.Cache {
  @available(*, unavailable, message: "use 'await pipeline.removeAllImages()', or 'removeImagesFromMemory()'")
  public func removeAll(caches: ImagePipeline.CacheLayers) {}
  @available(*, unavailable, message: "its limits are those of 'caching.memoryCache' of the configuration")
  public var memoryStorage: MemoryCacheConfiguration { MemoryCacheConfiguration() }
  @available(*, unavailable, message: "its limit is that of 'caching.diskStorage' of the configuration")
  public var diskStorage: DiskStorage { .none }
  @available(*, unavailable, renamed: "image(for:layers:)")
  public func cachedImage(for request: ImageRequest) -> Picture? { image(for: request) }
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func containsCachedImage(for request: ImageRequest) -> Bool { contains(request) }
  @available(*, unavailable, renamed: "remove(_:layers:)")
  public func removeCachedImage(for request: ImageRequest) { remove(request) }
  @available(*, unavailable, renamed: "image(for:layers:)")
  public func cachedImage(for url: URL) -> Picture? { image(for: url) }
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func containsCachedImage(for url: URL) -> Bool { contains(url) }
  @available(*, unavailable, renamed: "remove(_:layers:)")
  public func removeCachedImage(for url: URL) { remove(url) }
  @available(*, unavailable, renamed: "store(_:for:layers:)")
  public func storeCachedImage(_ picture: Picture, for request: ImageRequest) {}
  @available(*, unavailable, renamed: "data(for:)")
  public func cachedData(for request: ImageRequest) -> Data? { data(for: request) }
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func isCached(_ url: URL) -> Bool { contains(url) }
  @available(*, unavailable, message: "use 'contains(ImageRequest(url: url, cacheKey: key))'")
  public func isCached(forKey key: String) -> Bool { false }
  @available(*, unavailable, message: "use 'pipeline.store(_:forKey:)'")
  public func store(_ picture: Picture, forKey key: String) { pipeline.store(picture, forKey: key) }
  @available(
    *, unavailable,
    message: "use 'await pipeline.image(forKey:)', or 'pipeline.cachedImage(forKey:)' for memory alone"
  )
  public func retrieveImage(forKey key: String) -> Picture? { pipeline.cachedImage(forKey: key) }
  @available(*, unavailable, message: "use 'await pipeline.removeImage(forKey:)'")
  public func removeImage(forKey key: String) {}
  @available(*, unavailable, message: "use 'pipeline.removeImagesFromMemory()'")
  public func clearMemoryCache() {}
  @available(*, unavailable, message: "use 'await pipeline.removeAllImages()', which empties memory too")
  public func clearDiskCache() {}
  @available(*, unavailable, message: "use 'await pipeline.cacheContents()'")
  public var totalCost: Int { 0 }
}

extension ImagePipeline.Configuration {
  @available(
    *, unavailable, message: "use 'ImagePipeline.Configuration()', whose 'caching.diskStorage' is on"
  )
  public static var withDataCache: ImagePipeline.Configuration { ImagePipeline.Configuration() }
  @available(*, unavailable, renamed: "caching.memoryCache.costLimit")
  public var memoryCacheLimit: Int {
    get { caching.memoryCache.costLimit }
    set { caching.memoryCache.costLimit = newValue }
  }
  @available(*, unavailable, renamed: "caching.diskStorage")
  public var diskStorage: DiskStorage {
    get { caching.diskStorage }
    set { caching.diskStorage = newValue }
  }
  @available(*, unavailable, renamed: "network.httpClient")
  public var dataLoader: any HTTPClient {
    get { network.httpClient }
    set { network.httpClient = newValue }
  }
  @available(*, unavailable, message: "use 'caching.diskStorage'; '.none' is no disk cache")
  public var dataCache: DiskStorage? {
    get { caching.diskStorage }
    set { caching.diskStorage = newValue ?? DiskStorage.none }
  }
  @available(
    *, unavailable, message: "use 'caching.memoryCache' for limits, 'caching.imageCache' for your own"
  )
  public var imageCache: (any ImageCaching)? {
    get { caching.imageCache }
    set { caching.imageCache = newValue }
  }
  @available(*, unavailable, renamed: "decoding.isProgressiveDecodingEnabled")
  public var isProgressiveDecodingEnabled: Bool {
    get { decoding.isProgressiveDecodingEnabled }
    set { decoding.isProgressiveDecodingEnabled = newValue }
  }
  @available(*, unavailable, message: "use 'network.concurrentFetches', the number of downloads at a time")
  public var dataLoadingQueue: Int {
    get { network.concurrentFetches }
    set {}
  }
  @available(*, unavailable, renamed: "isCoalescingEnabled")
  public var isTaskCoalescingEnabled: Bool {
    get { isCoalescingEnabled }
    set { isCoalescingEnabled = newValue }
  }
  @available(*, unavailable, renamed: "network.isRateLimiterEnabled")
  public var isRateLimiterEnabled: Bool {
    get { network.isRateLimiterEnabled }
    set { network.isRateLimiterEnabled = newValue }
  }
  @available(*, unavailable, renamed: "network.isResumableDataEnabled")
  public var isResumableDataEnabled: Bool {
    get { network.isResumableDataEnabled }
    set { network.isResumableDataEnabled = newValue }
  }
  @available(*, unavailable, renamed: "decoding.isDecompressionEnabled")
  public var isDecompressionEnabled: Bool {
    get { decoding.isDecompressionEnabled }
    set { decoding.isDecompressionEnabled = newValue }
  }
  @available(*, unavailable, renamed: "caching.isStoringPreviewsInMemoryCache")
  public var isStoringPreviewsInMemoryCache: Bool {
    get { caching.isStoringPreviewsInMemoryCache }
    set { caching.isStoringPreviewsInMemoryCache = newValue }
  }
  @available(*, unavailable, renamed: "caching.storagePolicy")
  public var dataCachePolicy: StoragePolicy {
    get { caching.storagePolicy }
    set { caching.storagePolicy = newValue }
  }
  @available(*, unavailable, message: "use 'observers' for events, 'interceptors' for changes")
  public var delegate: (any ImagePipelineObserving)? {
    get { observers.first }
    set {}
  }
}

extension ImagePipeline.Configuration.Caching {
  @available(*, unavailable, renamed: "memoryCache.costLimit")
  public var memoryLimit: Int {
    get { memoryCache.costLimit }
    set { memoryCache.costLimit = newValue }
  }
  @available(*, unavailable, message: "use 'memoryCache'; 'memoryCache.costLimit = 0' is no memory cache")
  public var memory: MemoryCacheConfiguration? {
    get { memoryCache }
    set { memoryCache = newValue ?? memoryCache }
  }
  @available(*, unavailable, renamed: "diskStorage")
  public var disk: DiskStorage {
    get { diskStorage }
    set { diskStorage = newValue }
  }
  @available(*, unavailable, message: "use 'diskStorage = .folder(folder, capacity: …)'")
  public var diskCapacity: Int {
    get { DiskStorage.standardCapacity }
    set { diskStorage = .folder(DiskStorage.standardFolder(for: "ozu"), capacity: newValue) }
  }
  @available(
    *, unavailable, message: "use 'httpPolicy = .ignoring(lifetime: …)'; by default the server says it"
  )
  public var expiration: Duration? {
    get { nil }
    set {}
  }
}

extension StoragePolicy {
  @available(*, unavailable, renamed: "originalData")
  public static var storeOriginalData: StoragePolicy { .originalData }
  @available(*, unavailable, renamed: "encodedImages")
  public static var storeEncodedImages: StoragePolicy { .encodedImages }
  @available(*, unavailable, renamed: "all")
  public static var storeAll: StoragePolicy { .all }
}

extension MemoryCacheConfiguration {
  @available(*, unavailable, renamed: "costLimit")
  public var totalCostLimit: Int {
    get { costLimit }
    set { costLimit = newValue }
  }
  @available(*, unavailable, renamed: "lifetime")
  public var expiration: Duration? {
    get { lifetime }
    set { lifetime = newValue }
  }
  @available(*, unavailable, renamed: "lifetime")
  public var ttl: Duration? {
    get { lifetime }
    set { lifetime = newValue }
  }
}

extension ImagePipeline.Configuration.Network {
  @available(*, unavailable, renamed: "concurrentFetches")
  public var maxConcurrentDownloads: Int {
    get { concurrentFetches }
    set { concurrentFetches = newValue }
  }
  @available(*, unavailable, renamed: "timeouts.total")
  public var downloadTimeout: Duration {
    get { timeouts.total }
    set { timeouts.total = newValue }
  }
  @available(*, unavailable, message: "use 'requestPreparation' for all requests, or 'headers' of a request")
  public var headers: HTTPHeaders {
    get { [:] }
    set {}
  }
  @available(*, unavailable, renamed: "timeouts.total")
  public var timeout: Duration {
    get { timeouts.total }
    set { timeouts.total = newValue }
  }
  @available(*, unavailable, renamed: "retryPolicy.maximumRetryCount")
  public var retryCount: Int {
    get { retryPolicy.maximumRetryCount }
    set { retryPolicy.maximumRetryCount = newValue }
  }
}

extension DiskStorage {
  @available(*, unavailable, renamed: "folder(_:capacity:)")
  public static func folder(_ url: URL, limit: Int) -> DiskStorage { .folder(url, capacity: limit) }
}

extension PipelineStatistics.Layer {
  @available(*, unavailable, message: "use 'await pipeline.cacheContents()' for what the caches hold now")
  public var bytes: Int { 0 }
}

extension PipelineStatistics {
  @available(
    *, unavailable,
    message:
      "use 'renditions', 'originals' or 'encoded'; 'await pipeline.cacheContents()' for what the disk holds now"
  )
  public var disk: Layer { renditions }
}
