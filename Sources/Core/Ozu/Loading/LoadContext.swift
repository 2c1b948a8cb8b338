import OzuBase
import OzuHTTP

/// The shared objects of a pipeline's loads. It lives as long as the pipeline or one of its loads.
final class LoadContext: Sendable {
  let configuration: ImagePipeline.Configuration
  let runner: JobRunner
  let caches: ImageCaches
  let backlog: StoreBacklog
  let httpCache: HTTPCache
  /// The HTTP cache for fetchers that stream. They send no HTTP requests, so nothing prepares these, and they retry
  /// by themselves.
  let fetcherCache: HTTPCache
  let events: PipelineEvents
  /// The header fields of requests that have none of their own.
  let headers: HTTPHeaders
  /// The fetched bytes that loads still use.
  let fetchesInUse = FetchesInUse()
  /// The pictures of each source that have been made or are being made.
  let variants = KnownVariants()
  let failures = FailureMemory()
  let epochs = SourceEpochs()
  /// The stores as the storage of the HTTP caches.
  let originalStorage: OriginalStorage
  /// The pipeline, for canvases (`CanvasFetcher`): from the first request for one on, or from the start if there are resolvers.
  let pipeline = WeakPipeline()
  private let lastNumber = Atomic(0)
  /// The clock of the configuration: a call through that would copy the whole of it.
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter onIdle: called when the last job that makes prefetching wait has left the queues.
  init(_ configuration: ImagePipeline.Configuration, onIdle: @escaping @Sendable () -> Void) {
    self.configuration = configuration
    headers = configuration.headers
    now = configuration.testing.now
    let events = PipelineEvents(configuration)
    self.events = events
    runner = JobRunner(
      stations: StationID.allCases.map { Station.of($0, configuration) }, now: configuration.testing.now,
      sleep: configuration.testing.sleep, onIdle: onIdle)
    var onEviction: (@Sendable (ImageKey, CachedPicture) -> Void)?
    if events.isObserved {
      onEviction = { [evictions = events.evictions] _, picture in evictions.noteLeftMemory(picture) }
    }
    caches = ImageCaches(
      memory: MemoryLevel(configuration, onEviction: onEviction),
      encodedMemory: MemoryCache(configuration.caching.encodedMemoryCache),
      stores: StoreChain(configuration), events: events)
    backlog = StoreBacklog(runner: runner, byteLimit: configuration.caching.storeBacklogByteCount)
    var storage = OriginalStorage(caches: caches, runner: runner, backlog: backlog)
    storage.keepsPartials = configuration.network.isResumableDataEnabled
    originalStorage = storage
    let client = ObservedHTTPClient(client: configuration.network.httpClient, events: events)
    httpCache = HTTPCache(client: client, storage: storage, configuration: configuration.httpCache)
    var settings = configuration.httpCache
    (settings.preparation, settings.retryPolicy) = (nil, .none)
    // Each exchange brings its own client and storage.
    fetcherCache = HTTPCache(client: client, storage: storage, configuration: settings)
  }

  /// The current time, by the clock of the pipeline.
  var instant: JobInstant { JobInstant(now()) }

  /// A number that is part of the keys of jobs: zero if equal work is shared, otherwise a new number for each call.
  func sharingNumber() -> Int {
    configuration.isCoalescingEnabled ? 0 : lastNumber.add(1, ordering: .relaxed).newValue
  }

  /// The same for work on the bytes of a source, which is not shared with the jobs of another epoch.
  func sharingNumber(_ epoch: LoadEpoch, _ request: ImageRequest) -> Int {
    configuration.isCoalescingEnabled ? epoch.number(request.cachePolicy) : sharingNumber()
  }

  /// The same for work on the pictures and files of a request.
  func resultSharingNumber(_ epoch: LoadEpoch, _ request: ImageRequest) -> Int {
    configuration.isCoalescingEnabled ? epoch.resultNumber(request.cachePolicy) : sharingNumber()
  }

  /// Remembers a lasting failure of a source, unless a new epoch has begun.
  func noteFailure(_ error: ImageError, of request: ImageRequest, _ epoch: LoadEpoch, freshUntil: Date? = nil)
  {
    epochs.right(toOriginalOf: request.key.source, in: epoch).store {
      failures.note(error, of: request, freshUntil: freshUntil, now: configuration.testing.currentDate())
    } takeBack: {
      failures.forget(request.key.source)
    }
  }

  /// The remembered failure of a source from the web whose bytes did not decode, for work that wants a picture; `nil` if the request
  /// reloads. Failures of the origin are left to the download.
  func failure(ofPicture request: ImageRequest) -> ImageError? {
    guard request.cachePolicy == .useCaches, !failures.isEmpty,
      let error = failures.failure(of: request, now: configuration.testing.currentDate()), error.isOfFile
    else { return nil }
    // A resolver may have another source for the address by now, which costs its origin nothing.
    switch try? configuration.sources.access(request.source) {
    case .network?, .fetcher(is any ImageStreaming)?: return error
    default: return nil
    }
  }

  /// Whether what was made of an original may be served after its lifetime, because its origin cannot be reached: by the rules under
  /// which it was stored and by those of the request.
  func mayServeStale(_ validity: OriginalValidity, to request: ImageRequest, after error: ImageError) -> Bool
  {
    let policy = request.httpPolicy ?? configuration.caching.httpPolicy
    return error.isDisconnection && request.cachePolicy == .useCaches && validity.mayUseOffline
      && policy.servesStaleWhenDisconnected
  }

  /// Looks into memory for work that began because the first lookup found nothing that could be served. The
  /// statistics do not count this second lookup.
  func lookAgain(for request: ImageRequest) -> CachedPicture? {
    guard let cached = caches.cachedPicture(for: request) else {
      events.counters.repeatedMisses.increment()
      return nil
    }
    events.counters.repeatedHits.increment()
    return cached.picture.isPreview ? nil : cached
  }

  /// The deadline of a stage that begins now; nil without a limit.
  func deadline(_ stage: ImageStage) -> JobDeadline? {
    guard !configuration.stageTimeouts.isEmpty, let limit = configuration.stageTimeouts[stage] else {
      return nil
    }
    return JobDeadline(instant: instant.advanced(by: limit), endsAtStart: stage == .wait)
  }

  /// The HTTP request for the bytes of a source.
  func exchange(for request: ImageRequest, with url: URL, priority: HTTPPriority) -> HTTPRequest {
    var exchange = configuration.exchange(with: url, headers: headers, priority: priority)
    exchange.allowsConstrainedNetworks = !request.hasLowDataSource
    if case .request(let own) = request.source {
      if let timeouts = own.timeouts { exchange.timeouts = timeouts }
      exchange.allowsConstrainedNetworks =
        exchange.allowsConstrainedNetworks && own.allowsConstrainedNetworkAccess
      exchange.allowsCellularNetworks = own.allowsCellularAccess
      exchange.allowsExpensiveNetworks = own.allowsExpensiveNetworkAccess
      let accept = exchange.headers["Accept"]
      exchange.headers = own.headers
      if !own.headers.contains(name: "Accept") { exchange.headers["Accept"] = accept }
      for field in own.hints.fields { exchange.headers[field.name] = field.value }
    }
    if let acceptance = request.acceptance {
      exchange.headers["Accept"] = acceptance.text(for: configuration.decoding.codecs)
    }
    return exchange
  }
}

extension ImagePipeline.Configuration {
  /// The HTTP request for a URL without its own rules. Every command and every load sends this one, and stored
  /// variants are chosen by it.
  package func exchange(
    with url: URL, headers: HTTPHeaders? = nil, priority: HTTPPriority = .normal
  ) -> HTTPRequest {
    HTTPRequest(
      url: url, headers: headers ?? self.headers, timeouts: network.timeouts,
      maximumBodyByteCount: decoding.limits.encodedByteCount, priority: priority)
  }

  /// The header fields of these requests.
  var headers: HTTPHeaders { ["Accept": network.acceptance.text(for: decoding.codecs)] }
}

/// A weak reference to a pipeline, which owns what refers to it. Set only where it is needed: an object with weak references is
/// slower to retain, by 3 % of a start.
struct WeakPipeline: ~Copyable, Sendable {
  struct Reference {
    weak var pipeline: ImagePipeline?
  }

  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  let reference = Mutex(Reference())

  /// `nil` when it is gone; nobody waits for its pictures then.
  var value: ImagePipeline? { reference.withLock { $0.pipeline } }

  func set(_ pipeline: ImagePipeline) { reference.withLock { $0.pipeline = pipeline } }
}

extension Station {
  /// The number of bytes that may be read ahead of the decoders. Without a bound, a request for a whole folder would
  /// bring all its files into memory, because reading is faster than decoding.
  private static let readAheadByteCount = 64 << 20

  fileprivate static func of(_ id: StationID, _ configuration: ImagePipeline.Configuration) -> Station {
    let (caching, network, decoding) = (configuration.caching, configuration.network, configuration.decoding)
    return switch id {
    case .disk: Station(width: caching.concurrentDiskOperations, isForeground: true)
    case .network:
      Station(
        width: network.concurrentFetches, originWidth: network.concurrentFetchesPerOrigin, reservedCount: 1,
        freesAbandoned: true, isForeground: true,
        limiter: network.isRateLimiterEnabled ? StartLimiter() : nil)
    case .decode: Station(width: decoding.concurrentDecodes, isForeground: true)
    case .encode: Station(width: caching.concurrentEncodes)
    case .levels: Station(width: 8, isForeground: true)
    case .files:
      Station(
        width: caching.concurrentDiskOperations, isForeground: true,
        backpressure: Station.Backpressure(of: .decode, above: Self.readAheadByteCount))
    default: Station(width: 1)
    }
  }
}

/// The properties that must be equal for work to be shared: a load that uses caches must not be answered by one that
/// does not.
struct JobKey: Hashable, Sendable {
  private enum Kind: Hashable {
    case load
    case fetch
    case header
    case encoding
    case step
    case store
  }

  let key: CacheKey
  /// The request's own rules for its download.
  private var rules = DownloadRules.none
  /// For steps: the origin of the chain. For loads and encodings: the cache format, as two may have one name. It is alive as long as
  /// the job.
  private var origin: ObjectIdentifier?
  /// Positive if the work is not shared with that of other epochs, or not at all; negative for steps that are shared in one cache
  /// format only.
  private var number = 0
  private let kind: Kind
  private var policy = CachePolicy.useCaches
  /// Whether the request is cancelled when the network asks to save data.
  private var hasLowDataSource = false
  /// For loads, which write their results; a download is the same for all policies.
  private var storagePolicy: StoragePolicy?
  /// Which caches are read and written.
  private var (readLayers, writeLayers) = (ImagePipeline.CacheLayers(), ImagePipeline.CacheLayers())

  private init(_ kind: Kind, _ key: CacheKey, of request: ImageRequest, number: Int) {
    self.kind = kind
    self.key = key
    self.number = number
    policy = request.cachePolicy
    rules = request.downloadRules
    hasLowDataSource = request.hasLowDataSource
    (readLayers, writeLayers) = (request.readLayers, request.writeLayers)
  }

  private init(kind: Kind, key: CacheKey, origin: ObjectIdentifier? = nil, number: Int) {
    self.kind = kind
    self.key = key
    self.origin = origin
    self.number = number
  }

  /// The key of a load.
  static func load(_ request: ImageRequest, number: Int) -> JobKey {
    var key = JobKey(.load, request.key.rendition, of: request, number: number)
    key.storagePolicy = request.storagePolicy
    key.origin = request.format.map { ObjectIdentifier($0) }
    return key
  }

  /// The key of a download.
  static func fetch(_ request: ImageRequest, number: Int) -> JobKey {
    var key = JobKey(.fetch, request.key.source, of: request, number: number)
    // Downloaded bytes concern no other layer.
    key.readLayers.formIntersection(.originals)
    key.writeLayers.formIntersection(.originals)
    return key
  }

  /// The key of the work for an encoded image.
  static func encoding(_ goal: EncodingGoal, number: Int) -> JobKey {
    var key = JobKey(.encoding, goal.key, of: goal.request, number: number)
    key.storagePolicy = goal.request.storagePolicy
    key.origin = goal.request.format.map { ObjectIdentifier($0) }
    return key
  }

  /// The key of a download that ends after the header.
  static func header(_ request: ImageRequest, number: Int) -> JobKey {
    JobKey(.header, request.key.source, of: request, number: number)
  }

  /// The key of a step, by the recipe up to it.
  static func step(_ recipe: CacheKey, of origin: AnyObject, number: Int) -> JobKey {
    JobKey(kind: .step, key: recipe, origin: ObjectIdentifier(origin), number: number)
  }

  /// The key of a write.
  static func store(_ number: Int) -> JobKey {
    JobKey(kind: .store, key: CacheKey(high: 0, low: 0), number: number)
  }

  /// Hashes only the key, which is already a hash; keys that differ only in the other fields are rare. The two halves
  /// are combined because one half is the same for the bytes of a source and for its picture without a recipe.
  var hashValue: Int { Int(truncatingIfNeeded: key.high ^ key.low) ^ number }

  func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
}
