import OzuHTTP

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
    /// Receives the errors of the disk cache, each kind once; the pipeline continues without the disk. It is called on the
    /// thread of the error, and no lock of the pipeline is held: it may call the pipeline.
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
    /// for that time and ignores its origin.
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
