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
    /// Downloads: the client, its limits, and what happens when the network fails.
    public var network = Network()
    /// From bytes to pixels: the codecs, what a file may cost, and where it is decoded.
    public var decoding = Decoding()
    /// The clocks and the waiting, which tests replace.
    public var testing = Testing()

    /// Reads addresses of the app's own kinds; `http` and `https` are always known, `file` and `data` unless
    /// `readsLocalAddresses` is off.
    public var sources = ImageSourceRegistry()
    /// Whether `file:` and `data:` addresses are read. On by default. Off, such an address is refused whether there is such
    /// a file or not; files that the app has read itself come as `ImageSource.data`.
    public var readsLocalAddresses = true
    /// Whether equal requests at the same time share the work. On by default.
    public var isCoalescingEnabled = true
    /// How long single stages of a load may take; none has a limit by default. `network` counts from the question to
    /// the last byte with the wait for a turn, `wait` until a decoder is free, `decode`, `resize` and `process` on
    /// the decoding thread, and `total` is the deadline of requests without one of their own. Other stages have no
    /// limits. A request that takes longer fails with `ImageError.Kind.deadlineExceeded`.
    public var stageTimeouts: [ImageStage: Duration] = [:]
    /// Code of the app's own around each load, the first outermost. None by default.
    public var interceptors: [any ImageInterceptor] = []
    /// Objects that are told of every request, stage and cache. None by default.
    public var observers: [any ImagePipelineObserving] = []
    /// Where lines about what happens are written. Nowhere by default.
    public var log: (any ImageLogging)?

    /// Makes the default configuration.
    public init() {}
  }
}
