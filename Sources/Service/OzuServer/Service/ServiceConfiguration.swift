public import Ozu
import OzuBase
public import OzuHTTP
import OzuImaging
public import OzuSharedStores

extension ImageService {
  /// The settings of a service. Each has a default.
  public struct Configuration: Sendable {
    /// The settings of the pipeline that makes the pictures. Default: `ImagePipeline.Configuration.service()`.
    public var pipeline: ImagePipeline.Configuration
    /// Decides which machine of a fleet makes a missing picture. `nil`, the default, for a single machine. The
    /// machines need a common level in `pipeline.caching.stores`; otherwise each machine makes the picture after the other.
    public var leases: (any FillLeasing)?
    /// How long leases last, and how waiting machines behave.
    public var fillPolicy = FillPolicy()
    /// The most requests that may wait for pictures that are not in memory; one origin may take half of them.
    /// Further requests are answered with 503. Default: 256, at least 2.
    public var maximumPendingCount = 256
    /// The time limit for an answer; after it the answer is 504. Default: 30 seconds.
    public var answerLimit = Duration.seconds(30)
    /// The number of seconds in the `Retry-After` of a 503. Default: 1.
    public var retryAfter = 1
    /// How long clients may keep pictures. Default: as long as their origins say.
    public var lifetime = PictureLifetime.source
    /// The longest time that clients may keep pictures, in seconds, even if their origin allows more. Default: a year.
    public var maximumLifetime = 31_536_000
    /// The time that clients may keep pictures of sources without HTTP rules (data, fetchers), in seconds. Default:
    /// an hour.
    public var localSourceLifetime = 3600
    /// The time that clients may keep the answer that an origin has no such source, or that it is no picture, in seconds. Default:
    /// 60. That a local file is missing may not be kept, as it may come at any time, nor an answer that follows from the address
    /// alone: strangers could fill every cache with such answers.
    public var failureLifetime = 60
    /// The picture that is served in the place of one that cannot be. `nil`, the default, for none.
    public var fallback: FallbackPicture?
    /// The number of addresses of pictures in memory that are remembered, so that they need not be read again, and
    /// their signatures need not be checked again. They take at most about 8 MB. Default: 4,096; 0 for none.
    public var rememberedAddressCount = 4096
    /// The beginning of all addresses but those of the service itself, such as `/pictures`. It is no part of what is signed.
    /// Empty, the default, for none.
    public var pathPrefix = ""
    /// Header fields of every answer, such as `Access-Control-Allow-Origin`. They take the place of the answer's own, and `Vary` is
    /// added to it. Default: none.
    public var responseFields = HTTPHeaders()
    /// Whether requests to origins continue the trace of the request that they are for (`traceparent`, W3C Trace Context), so that
    /// origins see its number. Default: false.
    public var continuesTraces = false
    /// Sends a span for each request to a collector of traces. `nil`, the default, for none.
    public var spans: SpanExporter?
    /// Whether the last address in `X-Forwarded-For` is that of the client, for the log: where only a proxy can connect, which
    /// writes this field. Default: false, because clients can write it too.
    public var readsForwardedAddress = false
    /// Makes the numbers of requests that have none; for tests.
    var newRequestNumber: @Sendable () -> String = RequestIdentity.next
    /// The version of the program, for the metrics. Default: empty, for none.
    public var version = ""
    /// Whether `/metrics` is answered. Default: true; a proxy should hide it from strangers.
    public var showsMetrics = true
    /// Whether pictures may be decoded in the process of the service. Default: false, isolation is required.
    public var allowsDecodingInProcess = false
    /// Whether the service may connect to any address, including those of its private network. Default: false.
    public var allowsPrivateNetworks = false
    /// The page at `/` for trying options. `nil`, the default, for none.
    public var playground: Playground?
    /// Called for each request after it was answered, on the thread that made the answer. That may be the
    /// listener's thread, so it must not block. `nil`, the default, for no log.
    public var log: (@Sendable (ServiceLogRecord) -> Void)?

    /// Makes the default settings with the settings of a pipeline.
    public init(pipeline: ImagePipeline.Configuration = .service()) { self.pipeline = pipeline }

    /// The field `Cache-Control` of a picture.
    ///
    /// - Parameters:
    ///   - freshUntil: the date by the rules of the origin; `nil` if the origin forbids storing.
    ///   - end: the date until which the address names the picture; `nil` if there is none.
    func cacheControl(freshUntil: Date?, end: Date?) -> String {
      guard let freshUntil else { return "private, no-store" }
      let now = pipeline.testing.currentDate()
      let left: Double =
        switch lifetime {
        case .fixed(let seconds): Double(seconds)
        case .none: 0
        case .source where freshUntil == .distantFuture: Double(localSourceLifetime)
        case .source: max(0, freshUntil.timeIntervalSince(now))
        }
      return Self.cacheControl(seconds: min(left, Double(maximumLifetime)), until: end, now)
        ?? "public, no-cache"
    }

    /// The field `Cache-Control` of an answer with the fallback.
    ///
    /// - Parameter end: the date until which the address names the picture; `nil` if there is none.
    func cacheControl(of fallback: FallbackPicture, end: Date?) -> String {
      let now = pipeline.testing.currentDate()
      return Self.cacheControl(seconds: Double(fallback.lifetime), until: end, now) ?? "no-store"
    }

    /// - Returns: `nil` if nothing is left of the seconds before the end.
    private static func cacheControl(seconds: Double, until end: Date?, _ now: Date) -> String? {
      let valid = end.map { $0.timeIntervalSince(now) } ?? .infinity
      let seconds = Int(clamping: min(seconds, max(0, valid)))
      // An address that expires must not be answered from a cache afterwards, not even while its origin is lost.
      let ending = end == nil ? "" : ", must-revalidate"
      return seconds > 0 ? "public, max-age=\(seconds)\(ending)" : nil
    }

    /// - Throws: if the settings are unsafe for requests of strangers.
    func check() throws(ServiceConfigurationError) {
      if !allowsDecodingInProcess, pipeline.decoding.isolation.mode != .required {
        throw .isolationNotRequired
      }
      if pipeline.readsLocalAddresses { throw .readsLocalAddresses }
      let outer = (pipeline.network.httpClient as? ReplaceableClient)?.client ?? pipeline.network.httpClient
      let client = (outer as? OriginClient)?.inner ?? outer
      if !allowsPrivateNetworks, let client = client as? DefaultHTTPClient,
        client.configuration.networkGuard != .publicAddressesOnly
      {
        throw .networkGuardOff
      }
      if !pipeline.caching.httpPolicy.isShared { throw .cacheNotShared }
    }
  }
}

/// How long clients may keep the pictures of a service. What an origin forbids to keep (`no-store`, `private`), nobody keeps.
public enum PictureLifetime: Hashable, Sendable {
  /// As long as their origins say.
  case source
  /// A number of seconds, whatever origins say.
  case fixed(Int)
  /// Not without asking each time.
  case none
}

/// The reason why settings are unsafe for a service.
public enum ServiceConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Pictures would be decoded in the process of the service: `pipeline.decoding.isolation` is not `required`.
  case isolationNotRequired
  /// Clients could request files of the machine: `pipeline.readsLocalAddresses` is on.
  case readsLocalAddresses
  /// Clients could request addresses of the private network: the client's `networkGuard` is off.
  case networkGuardOff
  /// Responses for one user could be sent to others: `pipeline.caching.httpPolicy.isShared` is off.
  case cacheNotShared
  /// The token of a playground is shorter than 16 characters, or has characters other than letters, digits, `-`,
  /// `.`, `_` and `~`.
  case weakPlaygroundToken

  /// The problem, and the setting that solves it.
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
      "the playground's token can be guessed, and a person who knows it can have addresses signed: it needs 16 characters "
        + "or more, letters, digits, -, ., _ and ~"
    }
  }
}

extension ImagePipeline.Configuration {
  /// The configuration for an image service: the one for untrusted sources, with required isolation, the rules of a
  /// shared HTTP cache, and limits for the sources of a web site. Only encoded files are kept in memory.
  ///
  /// A picture is refused for its price: for the memory of its decode, and for its processor time, 5 seconds on a core
  /// of a usual server and more on a slower machine. Its pixels may be 256 million, because a thumbnail of a JPEG of 200
  /// megapixels costs a megabyte. An origin has 32 connections.
  ///
  /// - Parameter hosts: the hosts or addresses that pictures may come from, checked at each redirect: `sourceRule`
  ///   of the rules for addresses. Default: any with a public address; a list is safer.
  public static func service(hosts: HTTPHostRule = .any) -> ImagePipeline.Configuration {
    var client = HTTPClientConfiguration()
    client.networkGuard = .publicAddressesOnly
    client.hostRule = hosts
    client.maximumConnectionsPerHost = 32
    client.maximumConcurrentRequests = 128
    return service(client)
  }

  /// The same with the settings of a client.
  package static func service(_ client: HTTPClientConfiguration) -> ImagePipeline.Configuration {
    var configuration = untrustedSources(client)
    configuration.decoding.isolation = .required
    configuration.caching.httpPolicy.isShared = true
    configuration.decoding.limits.pixelCount = 256_000_000
    configuration.decoding.limits.cpuTime = .seconds(5) * MachineSpeed.slowness
    configuration.caching.encodedMemoryCache.costLimit = 128 << 20
    configuration.caching.memoryCache.costLimit = 32 << 20
    configuration.network.concurrentFetches = client.maximumConcurrentRequests
    // So that the pictures of other origins do not wait for one that does not answer.
    configuration.network.concurrentFetchesPerOrigin = min(
      client.maximumConnectionsPerHost, max(1, client.maximumConcurrentRequests / 2))
    // The silence of an origin ends with the answer's own limit. A body that trickles is stopped by its speed.
    configuration.network.timeouts.idle = configuration.network.timeouts.total
    // Downloads arrive faster than decoders take them, so most waiting ones are kept on disk if there is one.
    configuration.network.largeBodyByteCount = 512 << 10
    configuration.network.largeBodyMemoryByteCount = 16 << 20
    // The memory cache is for views; answers are made from the bytes of the source.
    configuration.caching.storagePolicy = .originalData
    return configuration
  }
}

/// How much slower this machine is than a usual server, for limits on processor time: the same picture must not pass on
/// one machine and fail on another.
enum MachineSpeed {
  /// The processor time of the work below on a core of a usual server (3 GHz).
  static let reference = Duration.microseconds(2_500)

  /// 1 for a usual server and for every faster machine, up to 16 for slower ones. Measured once, in about 20 milliseconds of
  /// processor time.
  static let slowness = factor(of: measure())

  static func factor(of time: Duration) -> Double { min(16, max(1, time / reference)) }

  /// The processor time of a fixed amount of work. Of several times the shortest is taken: other programs can make it
  /// longer, and never shorter.
  private static func measure() -> Duration {
    var state: (UInt16, UInt16, UInt16) = (1, 2, 3)
    return (0..<8).map { _ in
      let start = DecodingContext.systemThreadTime()
      // `nrand48` reads and writes the three numbers alone. Each call depends on the one before.
      withUnsafeMutablePointer(to: &state) { pointer in
        pointer.withMemoryRebound(to: UInt16.self, capacity: 3) { words in
          for _ in 0..<400_000 { _ = nrand48(words) }
        }
      }
      return DecodingContext.systemThreadTime() - start
    }.min() ?? reference
  }
}

/// The picture that a service answers with where the source is missing, cannot be reached, or is no picture. It is made with the
/// options of the address.
///
/// An address that is refused, and a service that is busy, are answered without it.
public struct FallbackPicture: Sendable {
  /// The file.
  public let data: Data
  /// The status of the answer. Default: `nil`, that of the failure, so that nobody takes it for the picture. Some pages show nothing
  /// for another one than 200.
  public var status: Int?
  /// How long clients may keep it, in seconds. Default: 60; 0 for not at all.
  public var lifetime = 60

  let source: ImageSource

  /// Makes a fallback of a file.
  public init(_ data: Data) {
    self.data = data
    source = .data(data)
  }

  func answers(_ failure: ServiceFailure) -> Bool {
    ![400, 403, 503, ServiceFailure.hasLeft].contains(failure.status)
  }
}
