import Foundation
public import Ozu
public import OzuHTTP
public import OzuSharedStores

extension ImageService {
  /// The settings of a service. Every one has a default.
  public struct Configuration: Sendable {
    /// The settings of the pipeline that makes the pictures: those of `ImagePipeline.Configuration.service()`.
    public var pipeline: ImagePipeline.Configuration
    /// Says which machine of a fleet makes what is in no cache. `nil` (the default) for a service that is alone. The machines
    /// need a level of `pipeline.caching.stores` in common, or each makes the picture after the other.
    public var leases: (any FillLeasing)?
    /// How long leases last, and how those who wait for them behave.
    public var fillPolicy = FillPolicy()
    /// How many requests may wait for what memory does not have; one host as a source may take half of them. What comes
    /// beyond is answered with 503. 256, at least 2.
    public var maximumPendingCount = 256
    /// How long a request may wait for its answer; then it is 504. 30 seconds.
    public var answerLimit = Duration.seconds(30)
    /// After how many seconds one who got 503 may come again. 1.
    public var retryAfter = 1
    /// How long pictures may be kept by clients at most, in seconds, whatever their origin says. A year.
    public var maximumLifetime = 31_536_000
    /// How long pictures of sources without HTTP rules (data, fetchers) may be kept by clients, in seconds. An hour.
    public var lifetimeOfOwnSources = 3600
    /// How long it may be kept that an address or a source is wrong, in seconds. 60.
    public var failureLifetime = 60
    /// How many addresses of pictures in memory are remembered, so that they need not be read again (and their signatures not
    /// be checked again). About 8 MB at most. 4,096; 0 for none.
    public var rememberedAddressCount = 4096
    /// Whether `/metrics` is answered. On by default: a proxy should keep it from strangers.
    public var showsMetrics = true
    /// Whether pictures may be decoded in the process of the service. Off by default: then isolation is required.
    public var allowsDecodingInProcess = false
    /// Whether any address may be connected to, those of the network around the service too. Off by default.
    public var allowsPrivateNetworks = false
    /// The page at `/` to try options on. `nil` (the default) for none.
    public var playground: Playground?
    /// Told of each request when it is answered, on the thread that made the answer, which may be the listener's: it must not
    /// wait. `nil` (the default) for nobody.
    public var log: (@Sendable (ServiceLogRecord) -> Void)?

    /// Makes the default settings, with a pipeline of their own.
    public init(pipeline: ImagePipeline.Configuration = .service()) { self.pipeline = pipeline }

    /// What is told to clients and proxies of how long a picture may be kept.
    ///
    /// - Parameter freshUntil: by the rules of the origin; `nil` where it lets nobody keep it.
    func cacheControl(freshUntil: Date?) -> String {
      guard let freshUntil else { return "private, no-store" }
      let left =
        freshUntil == .distantFuture
        ? Double(lifetimeOfOwnSources) : max(0, freshUntil.timeIntervalSince(pipeline.testing.currentDate()))
      let seconds = Int(min(left, Double(maximumLifetime)))
      return seconds > 0 ? "public, max-age=\(seconds)" : "public, no-cache"
    }

    /// - Throws: what makes the settings unfit for strangers.
    func check() throws(ServiceConfigurationError) {
      if !allowsDecodingInProcess, pipeline.decoding.isolation.mode != .required {
        throw .isolationNotRequired
      }
      if pipeline.readsLocalAddresses { throw .readsLocalAddresses }
      if !allowsPrivateNetworks, let client = pipeline.network.httpClient as? DefaultHTTPClient,
        client.configuration.networkGuard != .publicAddressesOnly
      {
        throw .networkGuardOff
      }
      if !pipeline.caching.httpPolicy.isShared { throw .cacheNotShared }
    }
  }
}

/// Why settings are unfit for a service.
public enum ServiceConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Pictures would be decoded in the process of the service: `pipeline.decoding.isolation` is not `required`.
  case isolationNotRequired
  /// Files of the machine could be asked for: `pipeline.readsLocalAddresses` is on.
  case readsLocalAddresses
  /// The network around the service could be asked: the client's `networkGuard` is off.
  case networkGuardOff
  /// What is for one user would be given to all: `pipeline.caching.httpPolicy.isShared` is off.
  case cacheNotShared
  /// The token of a playground is shorter than 16 characters, or has others than letters, digits, `-`, `.`, `_` and `~`.
  case weakPlaygroundToken

  /// What is wrong, and what to set.
  public var description: String {
    switch self {
    case .isolationNotRequired:
      "pictures of strangers would be decoded in the service's own process: set pipeline.decoding.isolation to .required, or "
        + "allowsDecodingInProcess"
    case .readsLocalAddresses:
      "strangers could ask for files of this machine: turn pipeline.readsLocalAddresses off"
    case .networkGuardOff:
      "strangers could ask the network around the service: set the client's networkGuard to .publicAddressesOnly, or "
        + "allowsPrivateNetworks"
    case .cacheNotShared:
      "what is private to one user would be served to all: turn pipeline.caching.httpPolicy.isShared on"
    case .weakPlaygroundToken:
      "whoever guessed the playground's token could have addresses signed: it needs 16 characters or more, letters, "
        + "digits, -, ., _ and ~"
    }
  }
}

extension ImagePipeline.Configuration {
  /// The configuration for an image service: that for untrusted sources, decoded in isolation or not at all, with the rules of
  /// a shared HTTP cache, and half a second of processor time for a picture. Nothing but encoded files is kept in memory.
  ///
  /// - Parameter hosts: the hosts or addresses that pictures may come from, checked at each redirect: `sourceRule` of the
  ///   rules for addresses. Any with a public address, by default; a list is safer.
  public static func service(hosts: HTTPHostRule = .any) -> ImagePipeline.Configuration {
    var configuration = untrustedSources(hosts: hosts)
    configuration.decoding.isolation = .required
    configuration.caching.httpPolicy.isShared = true
    configuration.decoding.limits.cpuTime = .milliseconds(500)
    configuration.caching.encodedMemoryCache.costLimit = 128 << 20
    configuration.caching.memoryCache.costLimit = 32 << 20
    configuration.network.concurrentFetches = 32
    // Downloads come faster than decoders take them: what waits does so on a disk, where there is one.
    configuration.network.largeBodyByteCount = 512 << 10
    // The memory cache is for views; what is sent is made of the source's own bytes.
    configuration.caching.storagePolicy = .originalData
    return configuration
  }
}
