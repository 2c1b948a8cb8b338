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
    /// Told of each trouble with the disk cache, once per kind; the pipeline goes on without it.
    public var onDiskError: @Sendable (DiskCacheError) -> Void = { _ in }

    /// Makes the default configuration.
    public init() {}
  }
}
