// The attributes say what comments would.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import OzuBase
import OzuCaching
import OzuHTTP

// Names that users of other libraries try first. The compiler says which name is the right one; `Documentation/first-guesses.md` lists
// them, and is compiled.

extension CachePolicy {
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCache: CachePolicy { .reload }
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringCachedData: CachePolicy { .reload }
  @available(*, unavailable, renamed: "cacheOnly")
  public static var returnCacheDataDontLoad: CachePolicy { .cacheOnly }
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }
  @available(*, unavailable, renamed: "reload")
  public static var forceRefresh: CachePolicy { .reload }
  @available(*, unavailable, renamed: "cacheOnly")
  public static var onlyFromCache: CachePolicy { .cacheOnly }
}

extension ImageResponse {
  @available(*, unavailable, renamed: "picture")
  public var image: Picture { picture }
  @available(*, unavailable, renamed: "source")
  public var cacheType: Source { source }
}

extension ImageError {
  @available(*, unavailable, renamed: "isCancellation")
  public var isCancelled: Bool { isCancellation }
  @available(*, unavailable, renamed: "underlying")
  public var underlyingError: (any Error)? { underlying }
}

extension ImagePipeline.Cache {
  @available(*, unavailable, renamed: "image(for:layers:)")
  public func cachedImage(for request: ImageRequest) -> Picture? { image(for: request) }
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func containsCachedImage(for request: ImageRequest) -> Bool { contains(request) }
  @available(*, unavailable, renamed: "remove(_:layers:)")
  public func removeCachedImage(for request: ImageRequest) { remove(request) }
}

extension ImagePrefetcher {
  @available(*, unavailable, message: "use 'ImagePrefetcher().start(urls)'")
  public convenience init(urls: [URL]) { self.init() }
  @available(*, unavailable, renamed: "start(_:)")
  public func startPrefetching(with urls: [URL]) { start(urls) }
  @available(*, unavailable, renamed: "start(_:)")
  public func startPrefetching(with requests: [ImageRequest]) { start(requests) }
  @available(*, unavailable, renamed: "stop(_:)")
  public func stopPrefetching(with urls: [URL]) { stop(urls) }
  @available(*, unavailable, renamed: "stop(_:)")
  public func stopPrefetching(with requests: [ImageRequest]) { stop(requests) }
  @available(*, unavailable, renamed: "stopAll()")
  public func stopPrefetching() { stopAll() }
  @available(*, unavailable, renamed: "stopAll()")
  public func stop() { stopAll() }
}

extension ImagePrefetcher.Destination {
  @available(*, unavailable, renamed: "memory")
  public static var memoryCache: ImagePrefetcher.Destination { .memory }
  @available(*, unavailable, renamed: "disk")
  public static var diskCache: ImagePrefetcher.Destination { .disk }
}

extension ImageTask {
  @available(*, unavailable, renamed: "status.state")
  public var state: Status.State { status.state }
}

extension ImagePresenting {
  @available(*, unavailable, renamed: "setImage(from:)")
  public func setImage(with url: URL?) { setImage(from: url) }
}

extension DisplayTransition {
  @available(*, unavailable, message: "use 'fade(.milliseconds(200))'")
  public static func fadeIn(duration: Double) -> DisplayTransition { .standard }
}

extension PictureAnimation {
  @available(
    *, unavailable, message: "frames are made when they are asked for: use 'frameCount' and 'frame(at:)'"
  )
  public var frames: [Bitmap] { [] }
}

extension LoadProgress {
  @available(*, unavailable, renamed: "receivedByteCount")
  public var received: Int { receivedByteCount }
  @available(*, unavailable, renamed: "expectedByteCount")
  public var total: Int? { expectedByteCount }
  @available(*, unavailable, renamed: "fraction")
  public var fractionCompleted: Double? { fraction }
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

extension ImagePipeline.Configuration.Network {
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
