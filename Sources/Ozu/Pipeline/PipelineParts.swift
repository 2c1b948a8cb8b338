import OzuHTTP
import OzuSynchronization

/// The parts of a running pipeline, shared by its jobs.
final class PipelineParts: Sendable {
  typealias LoadJobs = SharedJobs<JobKey, LoadedPicture>
  typealias FetchJobs = SharedJobs<JobKey, FetchedData>

  /// What must agree for work to be shared: a load with caches must not be answered by one without.
  struct JobKey: Hashable, Sendable {
    let key: CacheKey
    let policy: CachePolicy
    let httpPolicy: HTTPCachePolicy?
    /// Which caches are read and written.
    private(set) var layers: UInt8
    /// Not zero where work is not shared.
    private(set) var number = 0

    init(_ key: CacheKey, _ request: ImageRequest) {
      self.key = key
      policy = request.cachePolicy
      httpPolicy = request.httpPolicy
      layers = request.readLayers.rawValue << 4 | request.writeLayers.rawValue
    }

    /// The key of a load.
    static func load(_ request: ImageRequest, number: Int) -> JobKey {
      var key = JobKey(request.key.rendition, request)
      key.number = number
      return key
    }

    /// The key of a download.
    static func fetch(_ request: ImageRequest, number: Int) -> JobKey {
      var key = JobKey(request.key.source, request)
      // Bytes are never in memory.
      key.layers &= ImagePipeline.CacheLayers.disk.rawValue * 0x11
      key.number = number
      return key
    }

    /// By the key alone, which is a hash already: who differs in the rest is rare.
    func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(number)
    }
  }

  let configuration: ImagePipeline.Configuration
  let caches: ImageCaches
  let loads = LoadJobs()
  let fetches = FetchJobs()
  let fetchSlots: Slots
  let decodeQueue: WorkQueue
  let diskQueue: WorkQueue
  let backlog: StoreBacklog
  let httpCache: HTTPCache
  let failures = FailureMemory()
  private let lastNumber = Atomic(0)

  init(_ configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    caches = ImageCaches(
      memory: MemoryCache(configuration.memoryCache), storage: configuration.diskStorage,
      onDiskError: configuration.onDiskError)
    fetchSlots = Slots(count: configuration.concurrentFetches)
    decodeQueue = WorkQueue(label: "decode", width: configuration.concurrentDecodes)
    diskQueue = WorkQueue(label: "disk", width: configuration.concurrentDiskOperations)
    backlog = StoreBacklog(
      queue: WorkQueue(label: "store", width: 1), byteLimit: configuration.storeBacklogByteCount)

    httpCache = HTTPCache(
      client: SlottedHTTPClient(client: configuration.httpClient, slots: fetchSlots),
      storage: OriginalStorage(caches: caches, queue: diskQueue, backlog: backlog),
      configuration: configuration.httpCache)
  }

  /// A number that keeps work from being shared where it must not be; zero where it may.
  func sharingNumber() -> Int {
    configuration.isCoalescingEnabled ? 0 : lastNumber.add(1, ordering: .relaxed).newValue
  }
}
