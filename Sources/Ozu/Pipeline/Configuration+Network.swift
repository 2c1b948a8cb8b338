import OzuHTTP

extension ImagePipeline.Configuration {
  /// Downloads: the client, its limits, and what happens when the network fails.
  public struct Network: Sendable {
    /// Makes the HTTP exchanges.
    public var httpClient: any HTTPClient = DefaultHTTPClient.shared
    /// The hosts that pictures may come from, judged before any cache is asked. Any, by default. `httpClient` judges
    /// redirects, and needs the same rule for it: see `untrustedSources(hosts:)`, which sets both.
    public var hostRule = HTTPHostRule.any
    /// Changes requests just before they are sent, for example to sign them. Cache keys do not notice.
    public var requestPreparation: (any HTTPRequestPreparing)?
    /// The formats that servers may send. By default those that `decoding.codecs` decodes, the smallest files first. A
    /// request may have a list of its own.
    public var acceptance = ImageAcceptance.decodable
    /// The time limits of one download, its retries included: those of `HTTPTimeouts.images`.
    public var timeouts = HTTPTimeouts.images
    /// When failed downloads are tried again.
    public var retryPolicy = HTTPRetryPolicy.standard
    /// How many downloads run at once. 6 by default.
    public var concurrentFetches = 6
    /// Whether new downloads wait a moment after many have been started and cancelled in a short time. On by default:
    /// 25 cancellations in a row are free, then 80 downloads a second are started. Without cancellations no load waits for
    /// this limit.
    public var isRateLimiterEnabled = true
    /// Whether the beginning of a broken download is kept and used. On by default.
    public var isResumableDataEnabled = true
    /// Bodies of more bytes than this are kept in a file while they come, and read from there. 8 MB.
    public var largeBodyByteCount = 8 << 20
    /// The folder for these files if there is no disk cache; a disk cache has them in its own folder. Nobody else may write
    /// there; nothing is left in it. `nil` (the default) keeps large bodies in memory then.
    public var largeBodyDirectory: String?
    /// Tells when the network is back: views then ask again for the pictures that failed without it
    /// (`DisplayOptions.restartsWithNetwork`). The system's by default; `nil` for no such messages.
    public var networkMonitor: (any NetworkMonitoring)? = SystemNetworkMonitor.shared

    init() {}
  }
}
