import OzuHTTP
import OzuSynchronization

/// The parts of a running pipeline, shared by its jobs.
final class PipelineParts: Sendable {
  typealias LoadJobs = SharedJobs<JobKey, FinishedLoad>
  typealias FetchJobs = SharedJobs<JobKey, FetchedData>

  /// What must agree for work to be shared: a load with caches must not be answered by one without.
  struct JobKey: Hashable, Sendable {
    let key: CacheKey
    let policy: CachePolicy
    private let rules: Rules?
    /// Whether it is called off where data are to be saved.
    let hasLowDataSource: Bool
    /// Of loads, which write what they have made; a download is the same for all.
    private(set) var storagePolicy: StoragePolicy?
    /// Which caches are read and written.
    private(set) var layers: UInt8
    /// Not zero where work is not shared.
    private(set) var number = 0

    init(_ key: CacheKey, _ request: ImageRequest) {
      self.key = key
      policy = request.cachePolicy
      rules = request.httpPolicy.map(Rules.init)
      hasLowDataSource = request.hasLowDataSource
      layers = request.readLayers.rawValue << 4 | request.writeLayers.rawValue
    }

    /// HTTP rules of a request's own. An object, because they are large and rare.
    private final class Rules: Hashable, Sendable {
      let policy: HTTPCachePolicy

      init(_ policy: HTTPCachePolicy) { self.policy = policy }

      static func == (a: Rules, b: Rules) -> Bool { a.policy == b.policy }

      func hash(into hasher: inout Hasher) { hasher.combine(policy) }
    }

    /// The key of a load.
    static func load(_ request: ImageRequest, number: Int) -> JobKey {
      var key = JobKey(request.key.rendition, request)
      key.storagePolicy = request.storagePolicy
      key.number = number
      return key
    }

    /// The key of a download.
    static func fetch(_ request: ImageRequest, number: Int) -> JobKey {
      var key = JobKey(request.key.source, request)
      // Bytes are in no other layer.
      key.layers &= ImagePipeline.CacheLayers.originals.rawValue * 0x11
      key.number = number
      return key
    }

    /// By the key alone, which is a hash already: who differs in the rest is rare.
    func hash(into hasher: inout Hasher) {
      hasher.combine(key.low ^ UInt64(truncatingIfNeeded: number))
    }
  }

  let configuration: ImagePipeline.Configuration
  let caches: ImageCaches
  let loads: LoadJobs
  let fetches = FetchJobs()
  let renders: RenderJobs
  let liveFetches = LiveFetches()
  let taps = BodyTaps()
  let relatives = Relatives()
  let fetchSlots: Slots
  let decodeQueue: WorkQueue
  let encodeQueue: WorkQueue
  let diskQueue: WorkQueue
  let storeQueue: WorkQueue
  let backlog: StoreBacklog
  let httpCache: HTTPCache
  let failures = FailureMemory()
  let events: PipelineEvents
  let board = JobBoard()
  let calm = CalmSignal()
  private let lastNumber = Atomic(0)
  let formats: FormatStore
  let hasInterceptors: Bool
  let hasKeyRules: Bool
  let downloads = DownloadReports()

  init(_ configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    events = PipelineEvents(configuration)
    hasInterceptors = !configuration.interceptors.isEmpty
    var onEviction: (@Sendable (ImageKey, CachedPicture) -> Void)?
    if events.isObserved {
      onEviction = { [evictions = events.evictions] _, picture in evictions.noteLeftMemory(picture) }
    }
    hasKeyRules = !configuration.cacheKeyRules.isEmpty
    caches = ImageCaches(
      memory: MemoryCache(configuration.memoryCache, onEviction: onEviction),
      storage: configuration.diskStorage,
      onDiskError: configuration.onDiskError, events: events)
    let timing = Slots.Timing(now: configuration.now, sleep: configuration.sleep)
    fetchSlots = Slots(
      count: configuration.concurrentFetches, limitedBy: configuration.isRateLimiterEnabled ? timing : nil,
      calm: calm)
    loads = LoadJobs(gate: .before(fetchSlots))
    // The gate does not keep the slots, so this is no circle.
    fetchSlots.observeLine { [loads] in loads.reconsider() }
    decodeQueue = WorkQueue(label: "decode", width: configuration.concurrentDecodes, calm: calm)
    encodeQueue = WorkQueue(label: "encode", width: configuration.concurrentEncodes)
    diskQueue = WorkQueue(label: "disk", width: configuration.concurrentDiskOperations, calm: calm)
    storeQueue = WorkQueue(label: "store", width: 1)
    backlog = StoreBacklog(
      writes: storeQueue, encodes: encodeQueue, byteLimit: configuration.storeBacklogByteCount)
    renders = RenderJobs(queue: decodeQueue, configuration: configuration, events: events)
    formats = FormatStore(caches: caches, backlog: backlog, configuration: configuration)
    let storage = OriginalStorage(caches: caches, queue: diskQueue, backlog: backlog)
    httpCache = HTTPCache(
      client: SlottedHTTPClient(
        client: ObservedHTTPClient(client: configuration.httpClient, events: events), slots: fetchSlots),
      storage: configuration.isResumableDataEnabled ? storage : StorageWithoutBeginnings(storage: storage),
      configuration: configuration.httpCache)
  }

  /// A number that keeps work from being shared where it must not be; zero where it may.
  func sharingNumber() -> Int {
    configuration.isCoalescingEnabled ? 0 : lastNumber.add(1, ordering: .relaxed).newValue
  }

  /// Whether nothing of normal urgency or more waits for its turn.
  var isCalm: Bool {
    fetchSlots.waitingCount(from: .normal) == 0 && decodeQueue.waitingCount(from: .normal) == 0
      && diskQueue.waitingCount(from: .normal) == 0
  }

  /// The bytes of a source, from the job that brings them or one that is started.
  ///
  /// - Parameter key: what tells the job from others.
  func fetch(
    _ request: ImageRequest, key: JobKey? = nil, priority: LivePriority,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(ImageError) -> FetchedData {
    let key = key ?? .fetch(request, number: sharingNumber())
    let (fetched, _) = try await fetches.value(
      for: key, priority: priority,
      cancellation: .cancelled(request.source.name), onProgress: onProgress,
      operation: { [self] job in
        let activity = JobActivity(
          .download, of: request, priority: job.priority,
          now: configuration.now, subscribers: { job.subscriberCount })
        let place = board.add(activity)
        defer { board.remove(place) }
        let tap = configuration.isProgressiveDecodingEnabled ? taps.existing(for: key) : nil
        return await SlottedHTTPClient.$activity.withValue(activity) {
          await SlottedHTTPClient.$tap.withValue(tap) {
            await FetchData(parts: self, request: request, job: job).run()
          }
        }
      })
    return fetched
  }
}

/// A storage that forgets the beginnings of broken transfers.
struct StorageWithoutBeginnings<Storage: HTTPCacheStorage>: HTTPCacheStorage {
  let storage: Storage

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] { await storage.entries(for: key) }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    await storage.store(entry, replacing: old, for: key)
  }

  func removeEntries(for key: HTTPCacheKey) async { await storage.removeEntries(for: key) }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    await storage.refresh(entry, replacing: old, for: key)
  }

  var spoolDirectory: String? { storage.spoolDirectory }

  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? { nil }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {}
}
