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
  /// The name is `reload`.
  @available(*, unavailable, renamed: "reload")
  public static var refreshCached: CachePolicy { .reload }
  /// The name is `cacheOnly`.
  @available(*, unavailable, renamed: "cacheOnly")
  public static var fromCacheOnly: CachePolicy { .cacheOnly }
  /// The name is `bypass`.
  @available(*, unavailable, renamed: "bypass")
  public static var fromLoaderOnly: CachePolicy { .bypass }
  /// The name is `useCaches`.
  @available(*, unavailable, renamed: "useCaches")
  public static var useProtocolCachePolicy: CachePolicy { .useCaches }
  /// The name is `useCaches`.
  @available(*, unavailable, renamed: "useCaches")
  public static var returnCacheDataElseLoad: CachePolicy { .useCaches }
  /// The layers that are written are said by `writeLayers`.
  @available(*, unavailable, message: "use 'writeLayers = .memory'")
  public static var cacheMemoryOnly: CachePolicy { .useCaches }
}

extension ImageResponse {
  /// The name is `picture`.
  @available(*, unavailable, renamed: "picture")
  public var image: Picture { picture }
  /// The name is `source`.
  @available(*, unavailable, renamed: "source")
  public var cacheType: Source { source }
  /// The name is `picture`.
  @available(*, unavailable, renamed: "picture")
  public var container: Picture { picture }
  /// The name is `picture.isPreview`.
  @available(*, unavailable, renamed: "picture.isPreview")
  public var isPreview: Bool { picture.isPreview }
  /// A response has no bytes.
  @available(*, unavailable, message: "use 'await pipeline.data(for:)', which asks the caches first")
  public var data: Data? { nil }
  /// Header fields are not kept.
  @available(
    *, unavailable, message: "header fields are not kept; 'httpDecision' says where the answer came from"
  )
  public var urlResponse: (any Sendable)? { nil }
}

extension ImageError {
  /// The name is `isCancellation`.
  @available(*, unavailable, renamed: "isCancellation")
  public var isCancelled: Bool { isCancellation }
  /// The name is `underlying`.
  @available(*, unavailable, renamed: "underlying")
  public var underlyingError: (any Error)? { underlying }
  /// The name is `underlying`.
  @available(*, unavailable, renamed: "underlying")
  public var dataLoadingError: (any Error)? { underlying }
  /// The name is `explanation`.
  @available(*, unavailable, renamed: "explanation")
  public var message: String { explanation }
  /// The name is `kind`.
  @available(*, unavailable, renamed: "kind")
  public var code: Kind { kind }
  /// The name is `source`.
  @available(*, unavailable, renamed: "source")
  public var url: String { source }
  /// A download and a whole load have limits of their own.
  @available(*, unavailable, message: "use 'timedOut' for a download, 'deadlineExceeded' for the whole load")
  public static var timeout: Kind { .timedOut }
  /// A status of a server, and a file that is not there, are two kinds.
  @available(*, unavailable, message: "use 'httpStatus', where 'statusCode' is 404, and 'noSuchFile'")
  public static var notFound: Kind { .httpStatus }
  /// The causes have kinds of their own.
  @available(*, unavailable, message: "use 'corruptData', 'truncatedData', 'notAnImage' or 'unsupportedType'")
  public static var decodingFailed: Kind { .corruptData }
  /// The causes have kinds of their own.
  @available(*, unavailable, message: "use 'transport', 'timedOut', 'nameNotResolved' or 'connectionRefused'")
  public static var dataLoadingFailed: Kind { .transport }
  /// The name is `emptyData`.
  @available(*, unavailable, renamed: "emptyData")
  public static var dataIsEmpty: Kind { .emptyData }
  /// The name is `invalidSource`.
  @available(*, unavailable, renamed: "invalidSource")
  public static var invalidURL: Kind { .invalidSource }
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
  /// The name is `image(for:layers:)`.
  @available(*, unavailable, renamed: "image(for:layers:)")
  public func cachedImage(for url: URL) -> Picture? { image(for: url) }
  /// The name is `contains(_:layers:)`.
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func containsCachedImage(for url: URL) -> Bool { contains(url) }
  /// The name is `remove(_:layers:)`.
  @available(*, unavailable, renamed: "remove(_:layers:)")
  public func removeCachedImage(for url: URL) { remove(url) }
  /// The name is `store(_:for:layers:)`.
  @available(*, unavailable, renamed: "store(_:for:layers:)")
  public func storeCachedImage(_ picture: Picture, for request: ImageRequest) {}
  /// The name is `data(for:)`.
  @available(*, unavailable, renamed: "data(for:)")
  public func cachedData(for request: ImageRequest) -> Data? { data(for: request) }
  /// The name is `contains(_:layers:)`.
  @available(*, unavailable, renamed: "contains(_:layers:)")
  public func isCached(_ url: URL) -> Bool { contains(url) }
  /// A key is the identity of a request.
  @available(*, unavailable, message: "use 'contains(ImageRequest(url: url, cacheKey: key))'")
  public func isCached(forKey key: String) -> Bool { false }
  /// Pictures under keys belong to the pipeline.
  @available(*, unavailable, message: "use 'pipeline.store(_:forKey:)'")
  public func store(_ picture: Picture, forKey key: String) { pipeline.store(picture, forKey: key) }
  /// Pictures under keys belong to the pipeline.
  @available(
    *, unavailable,
    message: "use 'await pipeline.image(forKey:)', or 'pipeline.cachedImage(forKey:)' for memory alone"
  )
  public func retrieveImage(forKey key: String) -> Picture? { pipeline.cachedImage(forKey: key) }
  /// Pictures under keys belong to the pipeline.
  @available(*, unavailable, message: "use 'await pipeline.removeImage(forKey:)'")
  public func removeImage(forKey key: String) {}
  /// The pipeline empties its memory.
  @available(*, unavailable, message: "use 'pipeline.removeImagesFromMemory()'")
  public func clearMemoryCache() {}
  /// The pipeline empties its caches.
  @available(*, unavailable, message: "use 'await pipeline.removeAllImages()', which empties memory too")
  public func clearDiskCache() {}
  /// The pipeline says what its caches hold.
  @available(*, unavailable, message: "use 'await pipeline.cacheContents()'")
  public var totalCost: Int { 0 }
}

extension ImagePrefetcher {
  /// The URLs are given to `start`.
  @available(*, unavailable, message: "use 'start(urls)' of an 'ImagePrefetcher()' that is kept")
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
  /// The name is `start(_:budget:)`.
  @available(*, unavailable, renamed: "start(_:)")
  public func start(with urls: [URL]) { start(urls) }
  /// The name is `start(_:budget:)`.
  @available(*, unavailable, renamed: "start(_:)")
  public func prefetch(_ urls: [URL]) { start(urls) }
  /// The name is `start(_:budget:)`.
  @available(*, unavailable, renamed: "start(_:)")
  public func prefetchURLs(_ urls: [URL]) { start(urls) }
  /// The name is `stop(_:)`.
  @available(*, unavailable, renamed: "stop(_:)")
  public func stop(with urls: [URL]) { stop(urls) }
  /// The name is `stopAll()`.
  @available(*, unavailable, renamed: "stopAll()")
  public func cancel() { stopAll() }
  /// The name is `stopAll()`.
  @available(*, unavailable, renamed: "stopAll()")
  public func cancelPrefetching() { stopAll() }
  /// A property says whether requests begin.
  @available(*, unavailable, message: "use 'isPaused = true'")
  public func pause() { isPaused = true }
  /// A property says whether requests begin.
  @available(*, unavailable, message: "use 'isPaused = false'")
  public func resume() { isPaused = false }
  /// The number is given to the initializer.
  @available(*, unavailable, message: "use 'ImagePrefetcher(concurrentRequests: …)'")
  public var maxConcurrentDownloads: Int {
    get { 2 }
    set {}
  }
  /// Requests of a prefetcher have the priority `low`, or their own if it is lower.
  @available(*, unavailable, message: "it is 'low'; a lower one is a property of a request")
  public var priority: ImagePriority {
    get { .low }
    set {}
  }
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
  /// The state is a part of `status`.
  @available(*, unavailable, message: "use 'status.state == .cancelled'")
  public var isCancelled: Bool { status.state == .cancelled }
  /// A task runs as soon as it is made.
  @available(*, unavailable, message: "a task runs as soon as it is made")
  public func resume() {}
  /// The name is `request`.
  @available(*, unavailable, renamed: "request")
  public var originalRequest: ImageRequest { request }
}

extension ImagePresenting {
  /// The name is `setImage(from:)`.
  @available(*, unavailable, renamed: "setImage(from:)")
  public func setImage(
    with url: URL?, placeholder: DisplayPlaceholder? = nil,
    completionHandler: ((Result<ImageResponse, ImageError>) -> Void)? = nil
  ) {
    setImage(from: url)
  }
  /// The name is `cancelSetImage()`.
  @available(*, unavailable, renamed: "cancelSetImage()")
  public func cancelDownloadTask() { cancelSetImage() }
}

extension DisplayOptions {
  /// Options are set on a value.
  @available(*, unavailable, message: "use 'DisplayOptions { $0.placeholder = … }'")
  public init(placeholder: DisplayPlaceholder) { self.init() }
  /// Options are set on a value.
  @available(*, unavailable, message: "use 'DisplayOptions { $0.transition = … }'")
  public init(transition: DisplayTransition) { self.init() }
  /// The name is `failurePicture`.
  @available(*, unavailable, renamed: "failurePicture")
  public var failureImage: Picture? {
    get { failurePicture }
    set { failurePicture = newValue }
  }
  /// The name is `showsPreviews`.
  @available(*, unavailable, renamed: "showsPreviews")
  public var isProgressiveRenderingEnabled: Bool {
    get { showsPreviews }
    set { showsPreviews = newValue }
  }
  /// The placeholder may leave what the view shows.
  @available(*, unavailable, message: "use 'placeholder = .unchanged'")
  public var keepCurrentImageWhileLoading: Bool {
    get { placeholder.mayKeep }
    set {}
  }
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
  /// The name is `receivedByteCount`.
  @available(*, unavailable, renamed: "receivedByteCount")
  public var completedUnitCount: Int { receivedByteCount }
  /// The name is `expectedByteCount`.
  @available(*, unavailable, renamed: "expectedByteCount")
  public var totalUnitCount: Int? { expectedByteCount }
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
  /// The name is `isCoalescingEnabled`.
  @available(*, unavailable, renamed: "isCoalescingEnabled")
  public var isTaskCoalescingEnabled: Bool {
    get { isCoalescingEnabled }
    set { isCoalescingEnabled = newValue }
  }
  /// The name is `network.isRateLimiterEnabled`.
  @available(*, unavailable, renamed: "network.isRateLimiterEnabled")
  public var isRateLimiterEnabled: Bool {
    get { network.isRateLimiterEnabled }
    set { network.isRateLimiterEnabled = newValue }
  }
  /// The name is `network.isResumableDataEnabled`.
  @available(*, unavailable, renamed: "network.isResumableDataEnabled")
  public var isResumableDataEnabled: Bool {
    get { network.isResumableDataEnabled }
    set { network.isResumableDataEnabled = newValue }
  }
  /// The name is `decoding.isDecompressionEnabled`.
  @available(*, unavailable, renamed: "decoding.isDecompressionEnabled")
  public var isDecompressionEnabled: Bool {
    get { decoding.isDecompressionEnabled }
    set { decoding.isDecompressionEnabled = newValue }
  }
  /// The name is `caching.isStoringPreviewsInMemoryCache`.
  @available(*, unavailable, renamed: "caching.isStoringPreviewsInMemoryCache")
  public var isStoringPreviewsInMemoryCache: Bool {
    get { caching.isStoringPreviewsInMemoryCache }
    set { caching.isStoringPreviewsInMemoryCache = newValue }
  }
  /// The name is `caching.storagePolicy`.
  @available(*, unavailable, renamed: "caching.storagePolicy")
  public var dataCachePolicy: StoragePolicy {
    get { caching.storagePolicy }
    set { caching.storagePolicy = newValue }
  }
  /// Observers are told of events, interceptors change requests and answers.
  @available(*, unavailable, message: "use 'observers' for events, 'interceptors' for changes")
  public var delegate: (any ImagePipelineObserving)? {
    get { observers.first }
    set {}
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

extension OutputFormat {
  /// A quality is one of the options.
  @available(
    *, unavailable, message: "use 'OutputFormat(.jpeg, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func jpeg(quality: Double) -> OutputFormat { .jpeg }
  /// A quality is one of the options.
  @available(
    *, unavailable, message: "use 'OutputFormat(.webp, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func webp(quality: Double) -> OutputFormat { .webp }
  /// A quality is one of the options.
  @available(
    *, unavailable, message: "use 'OutputFormat(.avif, options: EncodingOptions(compressionQuality: …))'"
  )
  public static func avif(quality: Double) -> OutputFormat { .avif }
}

extension StoragePolicy {
  /// The name is `originalData`.
  @available(*, unavailable, renamed: "originalData")
  public static var storeOriginalData: StoragePolicy { .originalData }
  /// The name is `encodedImages`.
  @available(*, unavailable, renamed: "encodedImages")
  public static var storeEncodedImages: StoragePolicy { .encodedImages }
  /// The name is `all`.
  @available(*, unavailable, renamed: "all")
  public static var storeAll: StoragePolicy { .all }
}

extension MemoryCacheConfiguration {
  /// The name is `costLimit`.
  @available(*, unavailable, renamed: "costLimit")
  public var totalCostLimit: Int {
    get { costLimit }
    set { costLimit = newValue }
  }
  /// The name is `lifetime`.
  @available(*, unavailable, renamed: "lifetime")
  public var expiration: Duration? {
    get { lifetime }
    set { lifetime = newValue }
  }
  /// The name is `lifetime`.
  @available(*, unavailable, renamed: "lifetime")
  public var ttl: Duration? {
    get { lifetime }
    set { lifetime = newValue }
  }
}

extension ImagePipeline.Configuration.Network {
  /// The name is `concurrentFetches`.
  @available(*, unavailable, renamed: "concurrentFetches")
  public var maxConcurrentDownloads: Int {
    get { concurrentFetches }
    set { concurrentFetches = newValue }
  }
  /// The name is `timeouts.total`.
  @available(*, unavailable, renamed: "timeouts.total")
  public var downloadTimeout: Duration {
    get { timeouts.total }
    set { timeouts.total = newValue }
  }
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
