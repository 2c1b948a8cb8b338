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

extension ImageRequest {
  @available(*, unavailable, message: "use 'ImageRequest(url: url).resized(to: size)'")
  public init(url: URL, size: PixelSize) { self = ImageRequest(url: url).resized(to: size) }
  @available(*, unavailable, message: "use 'source', and 'source.name' in messages")
  public var url: URL? { source.webURL }
  @available(*, unavailable, message: "use 'cachePolicy', 'readLayers' and 'writeLayers'")
  public var options: [CachePolicy] {
    get { [cachePolicy] }
    set { cachePolicy = newValue.last ?? cachePolicy }
  }
  @available(*, unavailable, message: "use 'cachePolicy', 'readLayers' and 'writeLayers'")
  public init(
    url: URL, processors: [any ImageProcessing] = [], priority: ImagePriority = .normal,
    options: [CachePolicy]
  ) {
    self.init(url: url, processors: processors, priority: priority)
  }
  @available(*, unavailable, message: "use 'resized(to:)': a file is decoded at the size that is asked for")
  public var thumbnail: Resize? {
    get { resize }
    set { resize = newValue }
  }
  @available(*, unavailable, message: "use 'ImageRequest(url: url).resized(width: width)'")
  public init(url: URL, width: Int) { self = ImageRequest(url: url).resized(width: width) }
  @available(*, unavailable, renamed: "headers")
  public var allHTTPHeaderFields: HTTPHeaders {
    get { headers }
    set { headers = newValue }
  }
  @available(*, unavailable, renamed: "headers")
  public var httpHeaders: HTTPHeaders {
    get { headers }
    set { headers = newValue }
  }
  @available(*, unavailable, message: "use 'headers[field] = value'")
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
  @available(*, unavailable, message: "use 'deadline' for the whole load, or 'timeouts' for the download")
  public var timeoutInterval: Double {
    get { 0 }
    set {}
  }
  @available(*, unavailable, message: "use 'headers[field] = value'")
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
  @available(*, unavailable, message: "use 'with { $0.priority = … }'")
  public func with(priority: ImagePriority) -> ImageRequest { with { $0.priority = priority } }
  @available(*, unavailable, message: "use 'processed(by: .roundedCorners(radius: …))'")
  public func rounded(radius: Double) -> ImageRequest { self }
  @available(*, unavailable, message: "use 'processed(by: .gaussianBlur(radius: …))'")
  public func blurred(radius: Double) -> ImageRequest { self }
  @available(*, unavailable, message: "use 'processed(by: .crop(…))'")
  public func cropped(to size: PixelSize) -> ImageRequest { self }
}

extension Picture {
  @available(*, unavailable, message: "use 'await pipeline.image(for: url)' with the URL of a resource")
  public init(named name: String) { fatalError("unavailable") }
}
