import OzuHTTP

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
    /// Downloads of low priority, which is what prefetchers make, leave one of these places free, and one of those of
    /// each origin. So a request of normal priority never waits for them.
    public var concurrentFetches = 24
    /// The number of downloads from one origin (scheme, host and port) that run at once, and of fetchers of one type. 6
    /// by default.
    ///
    /// An origin that does not answer holds these places and no others. With `concurrentFetches` or more, origins are
    /// not told apart, and one that does not answer can hold all places.
    public var concurrentFetchesPerOrigin = 6
    /// Whether new downloads wait a moment after many have been started and cancelled in a short time. On by default:
    /// after 25 cancellations in a row at most 80 downloads a second are started. Without cancellations no load waits for
    /// this limit.
    public var isRateLimiterEnabled = true
    /// Whether the beginning of a broken download is kept, and the next request loads only the rest. On by default.
    public var isResumableDataEnabled = true
    /// Bodies of more bytes than this are written to a file during the download, and read from there. 8 MB by default.
    public var largeBodyByteCount = 8 << 20
    /// The folder for these files if there is no disk cache; a disk cache keeps them in its own folder. Other users must not
    /// be able to write there. The pipeline leaves no files in it. With `nil` (the default) and no disk cache, large bodies
    /// stay in memory.
    public var largeBodyDirectory: String?
    /// Reports when the network is back: views then request the pictures again that failed without it
    /// (`DisplayOptions.restartsWithNetwork`). The monitor of the system by default; with `nil` there are no reports.
    public var networkMonitor: (any NetworkMonitoring)? = SystemNetworkMonitor.shared

    init() {}
  }
}
