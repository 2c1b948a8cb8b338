import OzuBase
import OzuHTTP
import OzuStandardCodecs

extension ImagePipeline {
  /// The parts and limits of a pipeline, in groups. Each has a default and can be replaced.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline {
  ///   $0.caching.memoryCache.costLimit = 64 << 20
  ///   $0.network.concurrentFetches = 4
  ///   $0.decoding.isolation = .preferred
  ///   $0.log = StandardErrorLog(.info)
  /// }
  /// ```
  public struct Configuration: Sendable {
    /// The caches in memory and on disk, and the rules for what they keep.
    public var caching = Caching()
    /// Downloads: the client, its limits, and the behaviour when the network fails.
    public var network = Network()
    /// Decoding: the codecs, the limits for the cost of a file, and the process that decodes it.
    public var decoding = Decoding()
    /// The clocks and the waiting, which tests replace.
    public var testing = Testing()

    /// The address schemes of the app. `http` and `https` are always known, `file` and `data` unless `readsLocalAddresses`
    /// is off.
    public var sources = ImageSourceRegistry()
    /// Whether `file:` and `data:` addresses are read. On by default. When it is off, such an address is refused without
    /// looking for the file. The app can still read files itself and pass them as `ImageSource.data`.
    public var readsLocalAddresses = true
    /// Whether equal requests at the same time share the work. On by default.
    public var isCoalescingEnabled = true
    /// The longest time that each stage of a load may take. No limits by default. `network` is the time from the request
    /// to the last byte, with the wait in the queue. `wait` is the time until a decoder is free. `decode`, `resize` and
    /// `process` are times on the decoding thread. `total` is the deadline of requests without one of their own. Other
    /// stages have no limits. A request that takes longer fails with `ImageError.Kind.deadlineExceeded`.
    public var stageTimeouts: [ImageStage: Duration] = [:]
    /// Code of the app that runs around each load; the first interceptor is the outermost. None by default.
    public var interceptors: [any ImageInterceptor] = []
    /// Objects that receive every event of requests, stages and caches. None by default.
    public var observers: [any ImagePipelineObserving] = []
    /// The log that lines about events are written to. None by default.
    public var log: (any ImageLogging)?

    /// Makes the default configuration.
    public init() {}
  }
}

extension ImagePipeline.Configuration {
  /// The caches in memory and on disk, and the rules for what they keep.
  public struct Caching: Sendable {
    /// The limits of the memory cache. By default 15 % of the memory that the process may use, 768 MB at most. Memory
    /// pressure of the system halves or empties it.
    public var memoryCache = MemoryCacheConfiguration(pressure: SystemMemoryPressure.shared)
    /// The limits of the separate memory cache of encoded images (`encoded(for:as:)`). By default 16 MB, of which one image
    /// may take an eighth. Memory pressure of the system halves or empties it.
    public var encodedMemoryCache = MemoryCacheConfiguration(
      costLimit: 16 << 20, maximumEntryFraction: 0.125, pressure: SystemMemoryPressure.shared)
    /// A memory cache that replaces the built-in one: one of the app, or one that several pipelines share. `memoryCache`
    /// then has no effect, and observers receive no evictions from memory. `nil` (the default) selects the built-in one.
    public var imageCache: (any ImageCaching)?
    /// Whether memory keeps the latest preview until the picture is finished; `cachedImage(for:)` returns it. On by
    /// default.
    public var isStoringPreviewsInMemoryCache = true

    /// The place of originals and renditions on disk. By default 512 MB in the user's cache folder.
    public var diskStorage = DiskStorage.standard
    /// Whether the disk cache gives its locks back while the app is in the background (`handle(.background)`) and stores
    /// nothing until it is back. `nil` (the default) does so in the container of an app group, which is known by its path; set
    /// it where the app shares the folder in another way, or keeps it for itself all the same.
    public var releasesDiskLocksInBackground: Bool?
    /// Further levels of storage, such as a database, a shared folder or a server. The pipeline asks them in this order
    /// when the disk has no answer. None by default. With `DiskStorage.none` the first of them replaces the disk.
    ///
    /// A load waits for a further level only if no level above it has the answer. Writes to a further level wait in a
    /// queue of its own. See `ImageStoring`.
    public var stores: [any ImageStoring] = []
    /// The longest time that a read from a level below the first may take. After it the load continues as if the level
    /// had no entry. A second by default.
    public var storeReadLimit = Duration.seconds(1)
    /// The bytes of pixels that may wait to be written to disk. When more wait, the next load waits too. 64 MB by default.
    public var storeBacklogByteCount = 64 << 20
    /// The number of reads of finished pictures that run at once, and the same number of reads of whole files. 2 by
    /// default. Files are read before a decoder is free, until 64 MB of them wait.
    public var concurrentDiskOperations = 2
    /// Receives the errors of the disk cache, each kind once; the pipeline continues without the disk. A cache that could not be opened
    /// for want of descriptors or memory is opened some seconds later; `onStoreError` receives what it could not take meanwhile. It is
    /// called on the thread of the error, and no lock of the pipeline is held: it may call the pipeline.
    public var onDiskError: @Sendable (DiskCacheError) -> Void = { _ in }
    /// Receives the errors of the levels of `stores`, from each level the first of each kind of operation; the load
    /// continues as if the level had no entry. It is called on the thread of the error, and no lock of the pipeline is
    /// held: it may call the pipeline.
    public var onStoreError: @Sendable (ImageStoreError) -> Void = { _ in }

    /// The parts of a load that are kept on disk. `.automatic` by default; a request may have a policy of its own.
    public var storagePolicy = StoragePolicy.automatic
    /// The compression quality of opaque renditions on disk, 0 to 1. 0.85 by default; others are lossless.
    public var renditionQuality = 0.85
    /// Chooses how a finished picture is written to disk; if it returns `nil`, the picture is not written. Without a closure
    /// (the default) opaque pictures become JPEG of `renditionQuality`, and others files without loss. Called on the encoding thread.
    public var renditionEncoding: (@Sendable (Picture, ImageRequest) -> RenditionEncoding?)?
    /// The number of finished pictures that are encoded for the disk at once. 1 by default.
    public var concurrentEncodes = 1

    /// The HTTP rules for cached answers: those of RFC 9111 for a private cache. `.ignoring(lifetime:)` keeps each picture
    /// for that time and ignores its origin, unless that forbids to store it (`no-store`).
    ///
    /// A picture counts as fresh for an hour if its origin says neither how long it is fresh nor when it last changed
    /// (`HTTPCachePolicy.images`).
    public var httpPolicy = HTTPCachePolicy.images
    /// The parts of addresses that cache keys leave out: tokens of signed URLs, for example. None by default.
    public var cacheKeyRules: [CacheKeyRule] = []
    /// Whether a picture may be derived from a larger one of the same source that a cache has or another load makes, or
    /// from the same picture without its last processors. On by default; see `ImageResponse.Source.derived`.
    public var isDerivationEnabled = true

    init() {}
  }
}

extension ImagePipeline.Configuration {
  /// Downloads: the client, its limits, and the behaviour when the network fails.
  public struct Network: Sendable {
    /// The client that makes the HTTP exchanges.
    public var httpClient: any HTTPClient = DefaultHTTPClient.shared
    /// The hosts that pictures may come from; any by default. The rule is applied before any cache is asked. `httpClient`
    /// applies its own rule to redirects and needs the same one: `untrustedSources(hosts:)` sets both.
    public var hostRule = HTTPHostRule.any
    /// Changes requests just before they are sent, for example to sign them. Cache keys stay the same.
    public var requestPreparation: (any HTTPRequestPreparing)?
    /// The formats that servers may send. By default those that `decoding.codecs` decodes, the smallest files first. A
    /// request may have a list of its own.
    public var acceptance = ImageAcceptance.decodable
    /// The time limits of one download, its retries included: those of `HTTPTimeouts.images`.
    public var timeouts = HTTPTimeouts.images
    /// The rules for trying failed downloads again.
    public var retryPolicy = HTTPRetryPolicy.standard
    /// The number of downloads and fetchers that run at once. 24 by default.
    ///
    /// Of two or more places, downloads of low priority, which is what prefetchers make, leave one free, and one of those
    /// of each origin. So a request of normal priority never waits for them.
    public var concurrentFetches = 24
    /// The number of downloads from one origin (scheme, host and port) that run at once, and of fetchers of one type. 6
    /// by default.
    ///
    /// An origin that does not answer holds these places and no others. With `concurrentFetches` or more, origins are
    /// not told apart, and one that does not answer can hold all places. More downloads at once of an origin without HTTP/2
    /// also need an `httpClient` with more connections to a host (`HTTPClientConfiguration.maximumConnectionsPerHost`).
    public var concurrentFetchesPerOrigin = 6
    /// Whether new downloads wait a moment after many have been started and cancelled in a short time. On by default:
    /// after 25 cancellations in a row at most 80 downloads a second are started. Without cancellations no load waits for
    /// this limit.
    public var isRateLimiterEnabled = true
    /// Whether the beginning of a broken download is kept, and the next request loads only the rest. On by default.
    public var isResumableDataEnabled = true
    /// Bodies of more bytes than this are written to a file during the download, and previews end there. 8 MB by default.
    public var largeBodyByteCount = 8 << 20
    /// Larger bodies stay in memory too, if their length is announced, as long as all of them together have at most this many
    /// bytes there. A quarter of it stays allocated for the next ones. 0 by default.
    public var largeBodyMemoryByteCount = 0
    /// The folder for these files if there is no disk cache; a disk cache keeps them in its own folder, or in the
    /// temporary one if it gives its locks back in the background. Other users must not
    /// be able to write there. The pipeline leaves no files in it. With `nil` (the default) and no disk cache, large bodies
    /// stay in memory.
    public var largeBodyDirectory: String?
    /// Reports when the network is back: views then request the pictures again that failed without it
    /// (`DisplayOptions.restartsWithNetwork`). The monitor of the system by default; with `nil` there are no reports.
    public var networkMonitor: (any NetworkMonitoring)? = SystemNetworkMonitor.shared

    init() {}
  }
}

extension ImagePipeline.Configuration {
  /// Decoding: the codecs, the limits for the cost of a file, and the process that decodes it.
  public struct Decoding: Sendable {
    /// The decoders and encoders.
    public var codecs = CodecRegistry.standard
    /// Whether files are decoded in separate processes, so that a file that crashes its decoder costs only its picture. Off
    /// by default. `preferred` is for the formats of C libraries, `required` for all. It applies to the built-in decoders of
    /// `codecs`; decoders of the app run in the process of the app.
    public var isolation = DecoderIsolation.off
    /// The limits for the cost of one picture. Its `encodedByteCount` also bounds downloads, while they stream.
    public var limits = DecodingLimits.default
    /// The number of pictures that are decoded at once. By default one for each core.
    public var concurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// The memory that all pictures together may take while they are decoded; a decode waits until it has room. By default
    /// one budget for the process.
    public var decodedByteBudget = DecodedByteBudget.shared
    /// The source of memory for pixels.
    public var pixelBufferPool = PixelBufferPool.shared
    /// The treatment of colours that are not sRGB, for requests without their own. On Apple platforms, whose views manage
    /// colours, a profile is kept by default: photographs of a phone are in Display P3. Elsewhere colours are converted. Part of
    /// the identity of pictures, so pipelines with other treatments may share a folder.
    public var colorPolicy = ColorPolicy.standard
    /// Whether the pipeline decodes pictures on its own threads before it returns them. On by default. When it is off, the
    /// pipeline only reads the header of a whole picture and checks its limits. The picture is decoded when its pixels are
    /// first read, on the thread that reads them. That saves work for an app that mostly needs sizes and metadata, or
    /// shows few of the pictures that it loads. A picture that is resized or processed is always decoded. See
    /// `Picture.isDecoded` and `Picture.decode()`.
    public var isDecompressionEnabled = true
    /// Whether the pipeline makes previews of pictures while they are downloaded, if their format allows it. Off by
    /// default, because previews take additional processor time.
    public var isProgressiveDecodingEnabled = false
    /// Makes the bytes of a picture from the bytes of its source: decrypts them, for example, or takes them out of a
    /// container. Called on the decoding threads for sources on the web, files and data, but not for fetchers, which can do
    /// it themselves. Requests that share a download share one call, with the first of them. `data(for:)` returns its
    /// result. If it throws, the request fails. `nil` by default.
    ///
    /// Originals are stored on disk before this transformation, which runs again when they are read. Renditions contain
    /// the result: to store only encrypted bytes, set `caching.storagePolicy` to `.originalData`. No previews are made.
    public var dataTransformation: (@Sendable (Data, ImageRequest) throws -> Data)?

    var makeProgressiveDecoder: (@Sendable (CodecRegistry, Resize?) -> any ProgressiveDecoding)? = {
      IncrementalDecoder(codecs: $0, resize: $1)
    }

    init() {}
  }
}

extension ImagePipeline.Configuration {
  /// The clocks and the waiting, which tests replace. `ImagePipeline.testing` of OzuTesting sets them from one fake clock.
  public struct Testing: Sendable {
    /// The clock of the timings.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock for freshness.
    public var currentDate: @Sendable () -> Date = { Date() }
    /// Waits: before a download is tried again, after many cancellations, and until a deadline.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    init() {}
  }
}

extension ImagePipeline.Configuration {
  var processingContext: ProcessingContext {
    ProcessingContext(pool: decoding.pixelBufferPool, limits: decoding.limits)
  }

  /// The settings of the pipeline's HTTP cache.
  package var httpCache: HTTPCacheConfiguration {
    var settings = HTTPCacheConfiguration()
    settings.policy = caching.httpPolicy
    // The pipeline names its resources itself. By these rules the cache knows a stored answer under another token.
    settings.keyRules = caching.cacheKeyRules
    settings.retryPolicy = network.retryPolicy
    settings.keepsErrorBodies = false
    settings.spooling.threshold = network.largeBodyByteCount
    settings.spooling.sharedMemoryByteCount = network.largeBodyMemoryByteCount
    settings.preparation = network.requestPreparation
    settings.errorText = { $0.oneLine }
    settings.currentDate = testing.currentDate
    settings.now = testing.now
    settings.sleep = testing.sleep
    if !network.isResumableDataEnabled { settings.minimumPartialByteCount = .max }
    if case .none = caching.diskStorage, let directory = network.largeBodyDirectory {
      settings.spooling.directory = directory
      // The beginning of a body is not kept for a later process, which would not look in this folder.
      settings.minimumPartialByteCount = .max
    }
    return settings
  }
}

extension HTTPCachePolicy {
  /// The rules for pictures: those of the RFC, and an hour for an answer without a lifetime or a date of change.
  ///
  /// The RFC lets the cache choose such a lifetime (§4.2.2). Without one, a picture from a server that
  /// sends no cache fields would be fetched again for every view that shows it.
  public static let images: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.defaultLifetime = .seconds(3600)
    return policy
  }()
}

extension HTTPTimeouts {
  /// The limits for pictures: the default ones, and 100 bytes a second on average over 30 seconds.
  ///
  /// A download that is slower fails after these 30 seconds and is not tried again. The slowest mobile networks are ten
  /// times as fast.
  public static let images = HTTPTimeouts(
    minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 100, window: .seconds(30)))
}

extension ImagePipeline.Configuration {
  /// The configuration of a pipeline that loads URLs of untrusted users: for a server, or for an app that shows
  /// pictures of other people's pages. Everything can be changed afterwards.
  ///
  /// ```swift
  /// let pipeline = ImagePipeline(.untrustedSources(hosts: .only(["*.images.example.com"])))
  /// ```
  ///
  /// | Setting | Here | By default |
  /// |---|---|---|
  /// | hosts | those of `hosts`, judged before any cache is asked and again at each redirect | any |
  /// | addresses connected to | public ones alone (`HTTPNetworkGuard`), no proxy | any |
  /// | `file:` and `data:` addresses | refused, whether there is such a file or not | read |
  /// | bytes of a file | 64 MB | 100 MB |
  /// | pixels of a picture, memory of one decode | 128 million (`DecodingLimits.pixelCount`), 512 MB | the same |
  /// | processor time of one decode | 5 s | 10 s |
  /// | frames of an animation | 1,000 | 16,384 |
  /// | scans of a JPEG | 50 | 100 |
  /// | time to connect, silence, whole download | 5 s, 10 s, 30 s | 10 s, 30 s, 120 s |
  /// | slowest answer | 1,000 bytes a second over 10 s | 100 over 30 s |
  /// | retries | 1 | 2 |
  /// | decoders | in processes of their own, on Linux (`decoding.isolation` is `required`) | in this process |
  /// | pictures of memory cache and disk | those of this pipeline's folder | the same |
  ///
  /// Sources that are not URLs (`ImageSource.data`, fetchers, schemes that the app registers in `sources`) belong to
  /// the app and are not restricted. On Linux `decoding.isolation` is `required`: without a helper beside the program
  /// (`ozu-decode`) no picture is read, and `ImageError.decoderFailed` says so. Set `decoding.isolation.helper` if the helper is
  /// elsewhere. Give the pipeline its own disk folder: entries that another pipeline stored after a redirect were not
  /// checked by these rules.
  ///
  /// `network.httpClient` is a new client for each configuration, so make one configuration and keep it. On Apple platforms
  /// `URLSession` does not reveal the address of a connection, so the client refuses every request: set `network.httpClient`
  /// to one whose `networkGuard` is off, if all hosts are listed and trusted to have public addresses.
  ///
  /// - Parameter hosts: the hosts from which pictures may come. By default any host with a public address; a list is
  ///   safer.
  public static func untrustedSources(hosts: HTTPHostRule = .any) -> ImagePipeline.Configuration {
    var client = HTTPClientConfiguration()
    client.networkGuard = .publicAddressesOnly
    client.hostRule = hosts
    return untrustedSources(client)
  }

  /// The same with the settings of a client, whose host rule applies to the pipeline too.
  package static func untrustedSources(_ client: HTTPClientConfiguration) -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    configuration.network.httpClient = DefaultHTTPClient(configuration: client)
    configuration.restrictToUntrustedSources(hosts: client.hostRule)
    #if os(Linux) && !OZU_CHECK_APPLE
      configuration.decoding.isolation = .required
    #endif
    return configuration
  }

  /// Applies all restrictions except the client and isolation.
  package mutating func restrictToUntrustedSources(hosts: HTTPHostRule) {
    network.hostRule = hosts
    readsLocalAddresses = false
    decoding.limits.encodedByteCount = 64 << 20
    decoding.limits.cpuTime = .seconds(5)
    decoding.limits.frameCount = 1_000
    decoding.limits.scanCount = 50
    network.timeouts = HTTPTimeouts(
      connect: .seconds(5), idle: .seconds(10), total: .seconds(30),
      minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 1_000, window: .seconds(10)))
    network.retryPolicy.maximumRetryCount = 1
  }

  var checksSources: Bool { network.hostRule != .any || !readsLocalAddresses }

  /// Refuses a source that this pipeline does not allow, before any access to it: neither the error nor the time of a
  /// refused request reveals whether the source exists.
  ///
  /// - Throws: an error of the kind `invalidSource`, or `transport` with `hostNotAllowed`.
  func check(_ source: ImageSource) throws(ImageError) {
    guard checksSources else { return }
    let url: URL
    switch source {
    case .url(let address): url = address
    case .request(let request): url = request.url
    case .data, .picture, .fetcher: return
    }
    switch url.scheme?.lowercased() {
    case "http", "https":
      do throws(HTTPError) {
        try network.hostRule.check(url)
      } catch {
        throw ImageError(error, source: source.name)
      }
    case "file", "data", nil:
      guard !readsLocalAddresses, !sources.usesFetcher(source) else { return }
      throw .invalidSource(
        source.name, reason: "only web addresses are read here, no files and no data addresses")
    default: break
    }
  }
}
