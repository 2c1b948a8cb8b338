import OzuHTTP
import OzuSynchronization

/// What loads work with. Everything here is shared by all loads of a pipeline, and lives as long as one of them.
final class LoadContext: Sendable {
  let configuration: ImagePipeline.Configuration
  let runner: JobRunner
  let caches: ImageCaches
  let backlog: StoreBacklog
  let httpCache: HTTPCache
  /// The same for what fetchers stream: nothing prepares their requests, which are none, and they try again by themselves.
  let fetcherCache: HTTPCache
  let events: PipelineEvents
  /// The fields of requests that have none of their own.
  let headers: HTTPHeaders
  /// Fetched bytes that are still worked with.
  let liveFetches = LiveFetches()
  /// Which pictures of a source have been made, and are being made.
  let relatives = Relatives()
  let failures = FailureMemory()
  private let lastNumber = Atomic(0)

  /// - Parameter onCalm: called when the last one that prefetching stands back for has left the queues.
  init(_ configuration: ImagePipeline.Configuration, onCalm: @escaping @Sendable () -> Void) {
    self.configuration = configuration
    headers = configuration.headers
    let events = PipelineEvents(configuration)
    self.events = events
    runner = JobRunner(
      stations: StationID.allCases.map(configuration.station), now: configuration.testing.now,
      sleep: configuration.testing.sleep, onCalm: onCalm)
    var onEviction: (@Sendable (ImageKey, CachedPicture) -> Void)?
    if events.isObserved {
      onEviction = { [evictions = events.evictions] _, picture in evictions.noteLeftMemory(picture) }
    }
    caches = ImageCaches(
      memory: MemoryLevel(configuration, onEviction: onEviction),
      encodedMemory: MemoryCache(configuration.caching.encodedMemoryCache),
      stores: StoreChain(configuration), events: events)
    backlog = StoreBacklog(runner: runner, byteLimit: configuration.caching.storeBacklogByteCount)
    let storage = OriginalStorage(caches: caches, runner: runner, backlog: backlog)
    let client = ObservedHTTPClient(client: configuration.network.httpClient, events: events)
    httpCache = HTTPCache(
      client: client,
      storage: configuration.network.isResumableDataEnabled
        ? storage : StorageWithoutBeginnings(storage: storage),
      configuration: configuration.httpCache)
    var settings = configuration.httpCache
    (settings.preparation, settings.retryPolicy) = (nil, .none)
    // Each exchange brings its own client.
    fetcherCache = HTTPCache(
      client: client, storage: StorageWithoutBeginnings(storage: storage), configuration: settings)
  }

  /// A number that keeps work from being shared where it must not be; zero where it may.
  func sharingNumber() -> Int {
    configuration.isCoalescingEnabled ? 0 : lastNumber.add(1, ordering: .relaxed).newValue
  }

  /// The instant at which a stage that begins now has lasted too long.
  func deadline(_ stage: ImageStage) -> JobDeadline? {
    guard !configuration.stageTimeouts.isEmpty, let limit = configuration.stageTimeouts[stage] else {
      return nil
    }
    return JobDeadline(
      instant: configuration.instant.advanced(by: limit), tag: stage.tag, endsAtStart: stage == .wait)
  }
}

extension ImageStage {
  /// The number by which a deadline is told.
  var tag: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension ImagePipeline.Configuration {
  /// Files are read ahead of the decoders until so many bytes wait for them. Without a bound a folder that is asked for at
  /// once would be in memory whole, because reading is faster than decoding.
  static let readAheadByteCount = 64 << 20

  fileprivate func station(_ id: StationID) -> Station {
    switch id {
    case .disk: Station(width: caching.concurrentDiskOperations, isForeground: true)
    case .network:
      Station(
        width: network.concurrentFetches, isForeground: true,
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
