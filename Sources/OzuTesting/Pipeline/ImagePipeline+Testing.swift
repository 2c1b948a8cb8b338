import Ozu
import OzuHTTP

extension ImagePipeline {
  /// A pipeline for tests and previews: it loads through a fake client and keeps its disk cache in memory, so
  /// that nothing leaves the process and nothing stays behind.
  ///
  /// - Parameters:
  ///   - client: answers instead of the network.
  ///   - files: holds the disk cache; give the same to a second pipeline to see what the first left there.
  ///   - clock: tells the time, also to what waits before a download is tried again; the system's clock by default.
  ///   - recorder: notes what happens, to be awaited.
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
