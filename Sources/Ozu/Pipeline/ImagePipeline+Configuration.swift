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
