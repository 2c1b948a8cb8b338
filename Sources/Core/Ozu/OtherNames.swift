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
  @available(*, unavailable, renamed: "reload")
  public static var refreshCached: CachePolicy { .reload }
  @available(*, unavailable, renamed: "cacheOnly")
  public static var fromCacheOnly: CachePolicy { .cacheOnly }
  @available(*, unavailable, renamed: "bypass")
  public static var fromLoaderOnly: CachePolicy { .bypass }
  @available(*, unavailable, renamed: "useCaches")
  public static var useProtocolCachePolicy: CachePolicy { .useCaches }
  @available(*, unavailable, renamed: "useCaches")
  public static var returnCacheDataElseLoad: CachePolicy { .useCaches }
  @available(*, unavailable, message: "use 'writeLayers = .memory'")
  public static var cacheMemoryOnly: CachePolicy { .useCaches }
}

extension ImageResponse {
  @available(*, unavailable, renamed: "picture")
  public var image: Picture { picture }
  @available(*, unavailable, renamed: "source")
  public var cacheType: Source { source }
  @available(*, unavailable, renamed: "picture")
  public var container: Picture { picture }
  @available(*, unavailable, renamed: "picture.isPreview")
  public var isPreview: Bool { picture.isPreview }
  @available(*, unavailable, message: "use 'await pipeline.data(for:)', which asks the caches first")
  public var data: Data? { nil }
  @available(
    *, unavailable, message: "header fields are not kept; 'httpDecision' says where the answer came from"
  )
  public var urlResponse: (any Sendable)? { nil }
}

extension ImageError {
  @available(*, unavailable, renamed: "isCancellation")
  public var isCancelled: Bool { isCancellation }
  @available(*, unavailable, renamed: "underlying")
  public var underlyingError: (any Error)? { underlying }
  @available(*, unavailable, renamed: "underlying")
  public var dataLoadingError: (any Error)? { underlying }
  @available(*, unavailable, renamed: "explanation")
  public var message: String { explanation }
  @available(*, unavailable, renamed: "kind")
  public var code: Kind { kind }
  @available(*, unavailable, renamed: "source")
  public var url: String { source }
  @available(*, unavailable, message: "use 'timedOut' for a download, 'deadlineExceeded' for the whole load")
  public static var timeout: Kind { .timedOut }
  @available(*, unavailable, message: "use 'httpStatus', where 'statusCode' is 404, and 'noSuchFile'")
  public static var notFound: Kind { .httpStatus }
  @available(*, unavailable, message: "use 'corruptData', 'truncatedData', 'notAnImage' or 'unsupportedType'")
  public static var decodingFailed: Kind { .corruptData }
  @available(*, unavailable, message: "use 'transport', 'timedOut', 'nameNotResolved' or 'connectionRefused'")
  public static var dataLoadingFailed: Kind { .transport }
  @available(*, unavailable, renamed: "emptyData")
  public static var dataIsEmpty: Kind { .emptyData }
  @available(*, unavailable, renamed: "invalidSource")
  public static var invalidURL: Kind { .invalidSource }
}

extension ImagePipeline.Cache {
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

extension ImagePrefetcher {
  @available(*, unavailable, message: "use 'start(urls)' of an 'ImagePrefetcher()' that is kept")
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
  @available(*, unavailable, renamed: "start(_:)")
  public func start(with urls: [URL]) { start(urls) }
  @available(*, unavailable, renamed: "start(_:)")
  public func prefetch(_ urls: [URL]) { start(urls) }
  @available(*, unavailable, renamed: "start(_:)")
  public func prefetchURLs(_ urls: [URL]) { start(urls) }
  @available(*, unavailable, renamed: "stop(_:)")
  public func stop(with urls: [URL]) { stop(urls) }
  @available(*, unavailable, renamed: "stopAll()")
  public func cancel() { stopAll() }
  @available(*, unavailable, renamed: "stopAll()")
  public func cancelPrefetching() { stopAll() }
  @available(*, unavailable, message: "use 'isPaused = true'")
  public func pause() { isPaused = true }
  @available(*, unavailable, message: "use 'isPaused = false'")
  public func resume() { isPaused = false }
  @available(*, unavailable, message: "use 'ImagePrefetcher(concurrentRequests: …)'")
  public var maxConcurrentDownloads: Int {
    get { 2 }
    set {}
  }
  @available(*, unavailable, message: "it is 'low'; a lower one is a property of a request")
  public var priority: ImagePriority {
    get { .low }
    set {}
  }
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
  @available(*, unavailable, message: "use 'status.state == .cancelled'")
  public var isCancelled: Bool { status.state == .cancelled }
  @available(*, unavailable, message: "a task runs as soon as it is made")
  public func resume() {}
  @available(*, unavailable, renamed: "request")
  public var originalRequest: ImageRequest { request }
}

extension ImagePresenting {
  @available(*, unavailable, renamed: "setImage(from:)")
  public func setImage(
    with url: URL?, placeholder: DisplayPlaceholder? = nil,
    completionHandler: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) {
    setImage(from: url)
  }
  @available(*, unavailable, renamed: "cancelSetImage()")
  public func cancelDownloadTask() { cancelSetImage() }
}

extension DisplayOptions {
  @available(*, unavailable, message: "use 'DisplayOptions { $0.placeholder = … }'")
  public init(placeholder: DisplayPlaceholder) { self.init() }
  @available(*, unavailable, message: "use 'DisplayOptions { $0.transition = … }'")
  public init(transition: DisplayTransition) { self.init() }
  @available(*, unavailable, renamed: "failurePicture")
  public var failureImage: Picture? {
    get { failurePicture }
    set { failurePicture = newValue }
  }
  @available(*, unavailable, renamed: "showsPreviews")
  public var isProgressiveRenderingEnabled: Bool {
    get { showsPreviews }
    set { showsPreviews = newValue }
  }
  @available(*, unavailable, message: "use 'placeholder = .unchanged'")
  public var keepCurrentImageWhileLoading: Bool {
    get { placeholder.mayKeep }
    set {}
  }
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
  @available(*, unavailable, renamed: "receivedByteCount")
  public var completedUnitCount: Int { receivedByteCount }
  @available(*, unavailable, renamed: "expectedByteCount")
  public var totalUnitCount: Int? { expectedByteCount }
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

extension OutputFormat {
  @available(
    *, unavailable, message: "use 'OutputFormat(.jpeg, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func jpeg(quality: Double) -> OutputFormat { .jpeg }
  @available(
    *, unavailable, message: "use 'OutputFormat(.webp, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func webp(quality: Double) -> OutputFormat { .webp }
  @available(
    *, unavailable, message: "use 'OutputFormat(.avif, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func avif(quality: Double) -> OutputFormat { .avif }
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
