import Foundation
import OzuCodecs
import OzuHTTP

extension ImagePipeline {
  /// The parts and limits of a pipeline. Every one has a default and can be replaced.
  public struct Configuration: Sendable {
    /// The decoders and encoders.
    public var codecs = CodecRegistry.standard
    /// What makes HTTP exchanges.
    public var httpClient: any HTTPClient = DefaultHTTPClient.shared
    /// The limits of the memory cache; by default 15 % of the memory the process may use, 768 MB at most,
    /// and the system's memory pressure halves or empties it.
    public var memoryCache = MemoryCacheConfiguration(pressure: SystemMemoryPressure.shared)
    /// Where originals and renditions are kept on disk. By default 512 MB in the user's cache folder.
    public var diskStorage = DiskStorage.standard
    /// What one picture may cost. Its `encodedByteCount` also bounds downloads, while they stream.
    public var limits = DecodingLimits.default
    /// The time limits of one download.
    public var timeouts = HTTPTimeouts()
    /// The compression quality of opaque renditions on disk, 0 to 1. 0.85 by default; others are lossless.
    public var renditionQuality = 0.85
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
    /// Whether equal requests at the same time share their work. On by default.
    public var isCoalescingEnabled = true
    /// How many downloads run at once. 6 by default.
    public var concurrentFetches = 6
    /// How many pictures are decoded at once. By default one for each core.
    public var concurrentDecodes = ProcessInfo.processInfo.activeProcessorCount
    /// How many disk operations run at once. 2 by default.
    public var concurrentDiskOperations = 2
    /// How many bytes of pixels may wait to be written to disk before the next load waits too. 64 MB.
    public var storeBacklogByteCount = 64 << 20
    /// Where pixel memory comes from.
    public var pixelBufferPool = PixelBufferPool.shared
    /// The clock of the timings.
    public var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// The clock that freshness is told by.
    public var currentDate: @Sendable () -> Date = { Date() }
    /// Waits before a download is tried again.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Told of each trouble with the disk cache, once per kind; the pipeline goes on without it.
    public var onDiskError: @Sendable (DiskCacheError) -> Void = { _ in }

    /// Makes the default configuration.
    public init() {}
  }
}

extension ImagePipeline.Configuration {
  /// The settings of the pipeline's HTTP cache.
  var httpCache: HTTPCacheConfiguration {
    var settings = HTTPCacheConfiguration()
    settings.policy = httpPolicy
    settings.retryPolicy = retryPolicy
    settings.keepsErrorBodies = false
    settings.preparation = requestPreparation
    settings.currentDate = currentDate
    settings.sleep = sleep
    return settings
  }
}

extension HTTPCachePolicy {
  /// The rules for pictures: those of the RFC, an hour for an answer that gives nothing to go by, and no answer of
  /// status 500 or more is ever kept.
  ///
  /// The RFC leaves the algorithm of such a guess to the cache (§4.2.2). Without one, a picture from a server that
  /// sends no cache fields would be fetched anew for every view that shows it.
  public static let images: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.defaultLifetime = .seconds(3600)
    policy.storesServerErrors = false
    return policy
  }()
}
