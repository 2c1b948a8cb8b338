import Foundation
import OzuHTTP
import OzuStandardCodecs

extension ImagePipeline {
  /// The parts and limits of a pipeline. Every one has a default and can be replaced.
  public struct Configuration: Sendable {
    /// The decoders and encoders.
    public var codecs = CodecRegistry.standard
    /// Whether files are decoded in processes of their own, so that one that crashes its decoder costs one picture. Off by
    /// default. The decoders of `codecs` that are built in work there then; those of the app do not.
    public var isolation = DecoderIsolation.off
    /// What makes HTTP exchanges.
    public var httpClient: any HTTPClient = DefaultHTTPClient.shared
    /// The limits of the memory cache; by default 15 % of the memory the process may use, 768 MB at most,
    /// and the system's memory pressure halves or empties it.
    public var memoryCache = MemoryCacheConfiguration(pressure: SystemMemoryPressure.shared)
    /// The limits of the memory cache of encoded images (`encoded(for:as:)`), beside that of pictures. 16 MB by default,
    /// of which one may take an eighth; the system's memory pressure halves or empties it.
    public var encodedMemoryCache = MemoryCacheConfiguration(
      costLimit: 16 << 20, maximumEntryFraction: 0.125, pressure: SystemMemoryPressure.shared)
    /// A memory cache of the app's own, or one that several pipelines share, in the place of the built-in one;
    /// `memoryCache` then has no effect, and observers hear of no evictions from memory. `nil` (the default) for the
    /// built-in one.
    public var imageCache: (any ImageCaching)?
    /// Where originals and renditions are kept on disk. By default 512 MB in the user's cache folder.
    public var diskStorage = DiskStorage.standard
    /// Further levels of storage, asked in this order for what the disk does not have: a database, a shared folder, a
    /// server. None by default. With `DiskStorage.none` the first of them takes the place of the disk.
    ///
    /// A further level is never waited for but by loads that nothing above it can answer: what is written to it waits in a
    /// queue of its own. See `ImageStoring`.
    public var stores: [any ImageStoring] = []
    /// What one picture may cost. Its `encodedByteCount` also bounds downloads, while they stream.
    public var limits = DecodingLimits.default
    /// The time limits of one download, its retries included: those of `HTTPTimeouts.images`.
    public var timeouts = HTTPTimeouts.images
    /// The formats that servers may send. By default those that `codecs` decodes, the smallest files first. A request may
    /// say otherwise.
    public var acceptance = ImageAcceptance.decodable
    /// The compression quality of opaque renditions on disk, 0 to 1. 0.85 by default; others are lossless.
    public var renditionQuality = 0.85
    /// What of a load is kept on disk. `.automatic` by default; a request may say otherwise.
    public var storagePolicy = StoragePolicy.automatic
    /// Chooses how a finished picture is written to disk; `nil` as an answer keeps it off the disk. Without a closure
    /// (the default) opaque pictures become JPEG of `renditionQuality` and others PNG. Called on the encoding thread.
    public var renditionEncoding: (@Sendable (Picture, ImageRequest) -> RenditionEncoding?)?
    /// The HTTP rules of what is kept: those of RFC 9111 for a private cache. `.ignoring(lifetime:)` keeps pictures
    /// for so long whatever their origin says.
    ///
    /// A picture whose origin says neither how long it is fresh nor when it last changed counts as fresh for an
    /// hour (`HTTPCachePolicy.images`).
    public var httpPolicy = HTTPCachePolicy.images
    /// Which parts of addresses do not count: tokens of signed URLs, for example. None by default.
    public var cacheKeyRules: [CacheKeyRule] = []
    /// When failed downloads are tried again.
    public var retryPolicy = HTTPRetryPolicy.standard
    /// Changes requests just before they are sent, for example to sign them. Cache keys do not notice.
    public var requestPreparation: (any HTTPRequestPreparing)?
    /// Makes the bytes of a picture from those of its source, before anything reads them: decrypts them, or takes them out
    /// of a container. Called on the decoding threads, for what comes from the web, files and data; not for fetchers,
    /// which can do it themselves; for requests that share a download, with the first of them. `data(for:)` gives what it
    /// returns, an error fails the request. `nil` by default.
    ///
    /// Originals are kept on disk as they came, and transformed again when they are read. Renditions are made of the
    /// result: to keep nothing but encrypted bytes, set `storagePolicy` to `.originalData`. No previews are made.
    public var dataTransformation: (@Sendable (Data, ImageRequest) throws -> Data)?
    /// How many downloads run at once. 6 by default.
    public var concurrentFetches = 6
    /// How many pictures are decoded at once. By default one for each core.
    public var concurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// How many finished pictures are encoded for the disk at once. 1 by default.
    public var concurrentEncodes = 1
    /// How many reads of the disk run at once: of finished pictures, and as many of whole files. 2 by default. Files are read
    /// ahead of the decoders until 64 MB wait for them.
    public var concurrentDiskOperations = 2
    /// Whether requests that want the same at the same time share the work. On by default.
    public var isCoalescingEnabled = true
    /// Whether a picture may be made from a larger one of the same source, if a cache has it or it is being made, and
    /// from itself before its last processors. On by default; see `ImageResponse.Source.derived`.
    public var isDerivationEnabled = true
    /// Whether new downloads wait a moment after many have been started and cancelled in a short time. On by default:
    /// 25 cancellations in a row are free, then 80 downloads a second are started. Loads that nobody cancels are
    /// never held up.
    public var isRateLimiterEnabled = true
    /// Whether the beginning of a broken download is kept and used. On by default.
    public var isResumableDataEnabled = true
    /// Whether pictures are decoded before they are handed over, on the pipeline's own threads. On by default. Off, a
    /// whole picture comes with its header read and its limits checked, and is decoded by whoever first looks at its
    /// pixels, on that thread: for those who mostly want sizes and metadata, or show little of what they load. What is
    /// resized or processed is decoded in any case. See `Picture.isDecoded` and `Picture.decode()`.
    public var isDecompressionEnabled = true
    /// Whether previews are made of pictures while they are downloaded, where their format allows it. Off by default: it
    /// takes processor time that the finished picture does not need.
    public var isProgressiveDecodingEnabled = false
    /// Whether the latest preview is kept in memory until the finished picture is there; `cachedImage(for:)` gives it. On
    /// by default.
    public var isStoringPreviewsInMemoryCache = true
    /// What makes previews.
    var makeProgressiveDecoder: (@Sendable (CodecRegistry, Resize?) -> any ProgressiveDecoding)? = {
      IncrementalDecoder(codecs: $0, resize: $1)
    }
    /// How long single stages of a load may take; none has a limit by default. `network` counts from the question to
    /// the last byte with the wait for a turn, `wait` until a decoder is free, `decode`, `resize` and `process` on
    /// the decoding thread, and `total` is the deadline of requests without one of their own. Other stages have no
    /// limits. What is over fails with `ImageError.deadlineExceeded`.
    public var stageTimeouts: [ImageStage: Duration] = [:]
    /// How many bytes of pixels may wait to be written to disk before the next load waits too. 64 MB.
    public var storeBacklogByteCount = 64 << 20
    /// Bodies of more bytes than this are kept in a file while they come, and read from there. 8 MB.
    public var largeBodyByteCount = 8 << 20
    /// The folder for these files where there is no disk cache, whose folder is taken otherwise. Nobody else may write there;
    /// nothing is left in it. `nil` (the default) keeps large bodies in memory then.
    public var largeBodyDirectory: String?
    /// What pictures may take while they are decoded, all together; who finds no room waits. That of the process by
    /// default.
    public var decodedByteBudget = DecodedByteBudget.shared
    /// Where pixel memory comes from.
    public var pixelBufferPool = PixelBufferPool.shared
    /// The clock of the timings.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock that freshness is told by.
    public var currentDate: @Sendable () -> Date = { Date() }
    /// Waits: before a download is tried again, in a storm of cancellations, and until a deadline.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Told of each trouble with the disk cache, once per kind; the pipeline goes on without it. Called under no lock of
    /// the pipeline, on the thread that met the trouble: it may call the pipeline.
    public var onDiskError: @Sendable (DiskCacheError) -> Void = { _ in }
    /// How long a level below the first may take to answer a read; then the load goes on as if it had nothing. A second by
    /// default.
    public var storeReadLimit = Duration.seconds(1)
    /// Told of each trouble with a level of `stores`, once for each operation; the level counts as having nothing. Called
    /// under no lock of the pipeline, on the thread that met the trouble: it may call the pipeline.
    public var onStoreError: @Sendable (ImageStoreError) -> Void = { _ in }
    /// Tells when the network is back: views then ask again for the pictures that failed without it
    /// (`DisplayOptions.restartsWithNetwork`). The system's by default; `nil` for nobody.
    public var networkMonitor: (any NetworkMonitoring)? = SystemNetworkMonitor.shared
    /// What reads addresses of the app's own kinds; `http` and `https` are always known, `file` and `data` unless
    /// `readsLocalAddresses` is off.
    public var sources = ImageSourceRegistry()
    /// Whether `file:` and `data:` addresses are read. On by default. Off, such an address is refused whether there is such
    /// a file or not; files that the app has read itself come as `ImageSource.data`.
    public var readsLocalAddresses = true
    /// The hosts that pictures may come from, judged before any cache is asked. Any, by default. `httpClient` judges
    /// redirects, and needs the same rule for it: see `untrustedSources(hosts:)`, which sets both.
    public var hostRule = HTTPHostRule.any
    /// Code of the app's own around each load, the first outermost. None by default.
    public var interceptors: [any ImageInterceptor] = []
    /// Those who are told of every request, stage and cache. None by default.
    public var observers: [any ImagePipelineObserving] = []
    /// Where lines about what happens are written. Nowhere by default.
    public var log: (any ImageLogging)?

    /// Makes the default configuration.
    public init() {}
  }
}

extension ImagePipeline.Configuration {
  /// The settings of the pipeline's HTTP cache.
  package var httpCache: HTTPCacheConfiguration {
    var settings = HTTPCacheConfiguration()
    settings.policy = httpPolicy
    settings.retryPolicy = retryPolicy
    settings.keepsErrorBodies = false
    settings.spooling.threshold = largeBodyByteCount
    settings.preparation = requestPreparation
    settings.errorText = { $0.oneLine }
    settings.currentDate = currentDate
    settings.now = now
    settings.sleep = sleep
    if !isResumableDataEnabled { settings.minimumPartialByteCount = .max }
    if case .none = diskStorage, let largeBodyDirectory {
      settings.spooling.directory = largeBodyDirectory
      // No beginning is left for a later process, which would not look here.
      settings.minimumPartialByteCount = .max
    }
    return settings
  }
}

extension HTTPCachePolicy {
  /// The rules for pictures: those of the RFC, and an hour for an answer that gives nothing to go by.
  ///
  /// The RFC leaves the algorithm of such a guess to the cache (§4.2.2). Without one, a picture from a server that
  /// sends no cache fields would be fetched anew for every view that shows it.
  public static let images: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.defaultLifetime = .seconds(3600)
    return policy
  }()
}

extension HTTPTimeouts {
  /// The limits for pictures: the default ones, and 100 bytes a second on average over 30 seconds.
  ///
  /// An origin that sends a byte now and then is given up after these 30 seconds, and is not tried again; the slowest
  /// mobile networks are ten times as fast.
  public static let images = HTTPTimeouts(
    minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 100, window: .seconds(30)))
}
