import OzuHTTP

/// The parts of a running pipeline, shared by its jobs.
final class PipelineParts: Sendable {
  typealias LoadJobs = SharedJobs<JobKey, LoadedPicture>
  typealias FetchJobs = SharedJobs<JobKey, FetchedData>

  /// What must agree for work to be shared: a load with caches must not be answered by one without.
  struct JobKey: Hashable, Sendable {
    let key: CacheKey
    let policy: CachePolicy
    let httpPolicy: HTTPCachePolicy?
    let hasLowDataSource: Bool

    init(_ key: CacheKey, _ request: ImageRequest) {
      self.key = key
      policy = request.cachePolicy
      httpPolicy = request.httpPolicy
      hasLowDataSource = request.lowDataSource != nil
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
  let formats: FormatStore

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
    formats = FormatStore(caches: caches, backlog: backlog, codecs: configuration.codecs)
    httpCache = HTTPCache(
      client: SlottedHTTPClient(client: configuration.httpClient, slots: fetchSlots),
      storage: OriginalStorage(caches: caches, queue: diskQueue, backlog: backlog),
      configuration: configuration.httpCache)
  }
}
