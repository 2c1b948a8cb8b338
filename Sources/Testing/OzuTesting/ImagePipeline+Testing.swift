import Ozu
import OzuHTTP

extension ImagePipeline {
  /// A pipeline for tests and previews: it loads through a fake client and keeps its disk cache in memory, so that it
  /// uses no network and leaves no files. The system's memory pressure does not empty its caches.
  ///
  /// - Parameters:
  ///   - client: answers instead of the network.
  ///   - files: holds the disk cache; a second pipeline with the same files finds the entries of the first.
  ///   - clock: the clock of the pipeline, also for the wait before a download is tried again; by default the system's.
  ///   - recorder: records the events of the pipeline.
  ///   - configure: changes to the rest of the configuration.
  public static func testing(
    client: FakeHTTPClient = FakeHTTPClient(), files: MemoryFileSystem = MemoryFileSystem(),
    clock: ManualClock? = nil, recorder: EventRecorder? = nil,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = Configuration()
    configuration.network.httpClient = client
    configuration.network.retryPolicy = .none
    configuration.network.networkMonitor = nil
    // A busy machine is no reason for a miss, and a machine that is short of memory none to forget a picture.
    configuration.caching.storeReadLimit = .seconds(600)
    configuration.caching.memoryCache.pressure = nil
    configuration.caching.encodedMemoryCache.pressure = nil
    configuration.caching.diskStorage = .opening { () throws(DiskCacheError) in
      try DiskCache(directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: files))
    }
    if let clock {
      configuration.testing.now = clock.now
      configuration.testing.currentDate = clock.date
      configuration.testing.sleep = { try await clock.sleep(for: $0) }
    }
    if let recorder { configuration.observers.append(recorder) }
    configure(&configuration)
    return ImagePipeline(configuration)
  }
}

extension ImagePipeline {
  /// Suspends queues: work that has not begun waits until they are resumed.
  ///
  /// By this a test decides which work waits, and in which order it runs, without a clock:
  ///
  /// ```swift
  /// pipeline.suspend(.decode)
  /// let tasks = urls.map { pipeline.task(for: $0) }
  /// await pipeline.waiting(urls.count, for: .decode)
  /// tasks[2].priority = .veryHigh
  /// pipeline.resume(.decode)
  /// ```
  public func suspend(_ kinds: QueueKind...) {
    for kind in kinds { setSuspended(true, kind) }
  }

  /// Resumes queues.
  public func resume(_ kinds: QueueKind...) {
    for kind in kinds { setSuspended(false, kind) }
  }

  /// The number of pieces of work that wait in a queue.
  public func waitingCount(on kind: QueueKind) -> Int { waitingCount(kind) }

  /// Returns when at least that many pieces of work wait in a queue.
  public func waiting(_ count: Int, for kind: QueueKind) async {
    while waitingCount(kind) < count { await Task.yield() }
  }
}
