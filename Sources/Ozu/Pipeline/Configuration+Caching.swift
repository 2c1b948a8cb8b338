import OzuHTTP

extension ImagePipeline.Configuration {
  /// The caches in memory and on disk, and the rules for what they keep.
  public struct Caching: Sendable {
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
    /// Whether the latest preview is kept in memory until the finished picture is there; `cachedImage(for:)` gives it. On
    /// by default.
    public var isStoringPreviewsInMemoryCache = true

    /// Where originals and renditions are kept on disk. By default 512 MB in the user's cache folder.
    public var diskStorage = DiskStorage.standard
    /// Further levels of storage, asked in this order for what the disk does not have: a database, a shared folder, a
    /// server. None by default. With `DiskStorage.none` the first of them takes the place of the disk.
    ///
    /// A load waits for a further level only if no level above it has the answer. Writes to a further level wait in a
    /// queue of its own. See `ImageStoring`.
    public var stores: [any ImageStoring] = []
    /// How long a level below the first may take to answer a read; then the load goes on as if it had nothing. A second by
    /// default.
    public var storeReadLimit = Duration.seconds(1)
    /// How many bytes of pixels may wait to be written to disk before the next load waits too. 64 MB.
    public var storeBacklogByteCount = 64 << 20
    /// How many reads of the disk run at once: of finished pictures, and as many of whole files. 2 by default. Files are read
    /// ahead of the decoders until 64 MB wait for them.
    public var concurrentDiskOperations = 2
    /// Receives each trouble with the disk cache, once per kind; the pipeline goes on without the disk. Called under no lock
    /// of the pipeline, on the thread that met the trouble: it may call the pipeline.
    public var onDiskError: @Sendable (DiskCacheError) -> Void = { _ in }
    /// Receives each trouble with a level of `stores`, once for each operation; the level counts as having nothing. Called
    /// under no lock of the pipeline, on the thread that met the trouble: it may call the pipeline.
    public var onStoreError: @Sendable (ImageStoreError) -> Void = { _ in }

    /// The parts of a load that are kept on disk. `.automatic` by default; a request may have a policy of its own.
    public var storagePolicy = StoragePolicy.automatic
    /// The compression quality of opaque renditions on disk, 0 to 1. 0.85 by default; others are lossless.
    public var renditionQuality = 0.85
    /// Chooses how a finished picture is written to disk; `nil` as an answer keeps it off the disk. Without a closure
    /// (the default) opaque pictures become JPEG of `renditionQuality` and others PNG. Called on the encoding thread.
    public var renditionEncoding: (@Sendable (Picture, ImageRequest) -> RenditionEncoding?)?
    /// How many finished pictures are encoded for the disk at once. 1 by default.
    public var concurrentEncodes = 1

    /// The HTTP rules for cached answers: those of RFC 9111 for a private cache. `.ignoring(lifetime:)` keeps each picture
    /// for that time, whatever its origin says.
    ///
    /// A picture whose origin says neither how long it is fresh nor when it last changed counts as fresh for an
    /// hour (`HTTPCachePolicy.images`).
    public var httpPolicy = HTTPCachePolicy.images
    /// The parts of addresses that cache keys leave out: tokens of signed URLs, for example. None by default.
    public var cacheKeyRules: [CacheKeyRule] = []
    /// Whether a picture may be made from a larger one of the same source, if a cache has it or it is being made, and
    /// from itself before its last processors. On by default; see `ImageResponse.Source.derived`.
    public var isDerivationEnabled = true

    init() {}
  }
}
