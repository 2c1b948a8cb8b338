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
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var reloadIgnoringLocalCacheData: CachePolicy { .reload }
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var forceRefresh: CachePolicy { .reload }
  /// The name is `cacheOnly`.
  @available(*, unavailable, renamed: "cacheOnly")
  public static var onlyFromCache: CachePolicy { .cacheOnly }
}

extension ImageResponse {
  /// The name is `picture`.
  @available(*, unavailable, renamed: "picture")
  public var image: Picture { picture }
  /// The name is `source`.
  @available(*, unavailable, renamed: "source")
  public var cacheType: Source { source }
}

extension ImageError {
  /// The name is `isCancellation`.
  @available(*, unavailable, renamed: "isCancellation")
  public var isCancelled: Bool { isCancellation }
  /// The name is `underlying`.
  @available(*, unavailable, renamed: "underlying")
  public var underlyingError: (any Error)? { underlying }
}

extension ImagePipeline.Cache {
  /// The name is `image(for:layers:)`.
  @available(*, unavailable, renamed: "image(for:layers:)")
  public func cachedImage(for request: ImageRequest) -> Picture? { image(for: request) }
  /// The name is `contains(_:layers:)`.
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func containsCachedImage(for request: ImageRequest) -> Bool { contains(request) }
  /// The name is `remove(_:layers:)`.
  @available(*, unavailable, renamed: "remove(_:layers:)")
  public func removeCachedImage(for request: ImageRequest) { remove(request) }
}

extension ImagePrefetcher {
  /// The URLs are given to `start`.
  @available(*, unavailable, message: "use 'ImagePrefetcher().start(urls)'")
  public convenience init(urls: [URL]) { self.init() }
  /// The name is `start(_:budget:)`.
  @available(*, unavailable, renamed: "start(_:)")
  public func startPrefetching(with urls: [URL]) { start(urls) }
  /// The name is `start(_:budget:)`.
  @available(*, unavailable, renamed: "start(_:)")
  public func startPrefetching(with requests: [ImageRequest]) { start(requests) }
  /// The name is `stop(_:)`.
  @available(*, unavailable, renamed: "stop(_:)")
  public func stopPrefetching(with urls: [URL]) { stop(urls) }
  /// The name is `stop(_:)`.
  @available(*, unavailable, renamed: "stop(_:)")
  public func stopPrefetching(with requests: [ImageRequest]) { stop(requests) }
  /// The name is `stopAll()`.
  @available(*, unavailable, renamed: "stopAll()")
  public func stopPrefetching() { stopAll() }
  /// The name is `stopAll()`.
  @available(*, unavailable, renamed: "stopAll()")
  public func stop() { stopAll() }
}

extension ImagePrefetcher.Destination {
  /// The name is `memory`.
  @available(*, unavailable, renamed: "memory")
  public static var memoryCache: ImagePrefetcher.Destination { .memory }
  /// The name is `disk`.
  @available(*, unavailable, renamed: "disk")
  public static var diskCache: ImagePrefetcher.Destination { .disk }
}

extension ImageTask {
  /// The state is a part of `status`.
  @available(*, unavailable, renamed: "status.state")
  public var state: Status.State { status.state }
}

extension ImagePresenting {
  /// The name is `setImage(from:)`.
  @available(*, unavailable, renamed: "setImage(from:)")
  public func setImage(with url: URL?) { setImage(from: url) }
}

extension DisplayTransition {
  /// The name is `fade`, and it takes a duration.
  @available(*, unavailable, message: "use 'fade(.milliseconds(200))'")
  public static func fadeIn(duration: Double) -> DisplayTransition { .standard }
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
  /// The name is `fraction`.
  @available(*, unavailable, renamed: "fraction")
  public var fractionCompleted: Double? { fraction }
}

extension ImagePipeline.Configuration {
  /// The disk cache is on by default, and `caching.diskStorage` is its place.
  @available(
    *, unavailable, message: "use 'ImagePipeline.Configuration()', whose 'caching.diskStorage' is on"
  )
  public static var withDataCache: ImagePipeline.Configuration { ImagePipeline.Configuration() }
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
  /// The name is `caching.diskStorage`.
  @available(*, unavailable, message: "use 'caching.diskStorage'; '.none' is no disk cache")
  public var dataCache: DiskStorage? {
    get { caching.diskStorage }
    set { caching.diskStorage = newValue ?? DiskStorage.none }
  }
  /// The name is `caching.imageCache`, and `caching.memoryCache` has the limits of the pipeline's own.
  @available(
    *, unavailable, message: "use 'caching.memoryCache' for limits, 'caching.imageCache' for your own"
  )
  public var imageCache: (any ImageCaching)? {
    get { caching.imageCache }
    set { caching.imageCache = newValue }
  }
  /// The name is `decoding.isProgressiveDecodingEnabled`.
  @available(*, unavailable, renamed: "decoding.isProgressiveDecodingEnabled")
  public var isProgressiveDecodingEnabled: Bool {
    get { decoding.isProgressiveDecodingEnabled }
    set { decoding.isProgressiveDecodingEnabled = newValue }
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
  /// The limit is a part of `diskStorage`.
  @available(*, unavailable, message: "use 'diskStorage = .folder(folder, capacity: …)'")
  public var diskCapacity: Int {
    get { DiskStorage.standardCapacity }
    set { diskStorage = .folder(DiskStorage.standardFolder(for: "ozu"), capacity: newValue) }
  }
  /// The server says how long a picture is fresh, unless a policy gives a time.
  @available(
    *, unavailable, message: "use 'httpPolicy = .ignoring(lifetime: …)'; by default the server says it"
  )
  public var expiration: Duration? {
    get { nil }
    set {}
  }
}

extension ImagePipeline.Configuration.Network {
  /// A request has header fields of its own, and a preparation changes all of them.
  @available(*, unavailable, message: "use 'requestPreparation' for all requests, or 'headers' of a request")
  public var headers: HTTPHeaders {
    get { [:] }
    set {}
  }
  /// The name is `timeouts.total`.
  @available(*, unavailable, renamed: "timeouts.total")
  public var timeout: Duration {
    get { timeouts.total }
    set { timeouts.total = newValue }
  }
  /// The name is `retryPolicy.maximumRetryCount`.
  @available(*, unavailable, renamed: "retryPolicy.maximumRetryCount")
  public var retryCount: Int {
    get { retryPolicy.maximumRetryCount }
    set { retryPolicy.maximumRetryCount = newValue }
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
