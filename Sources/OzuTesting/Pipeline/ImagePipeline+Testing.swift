import Ozu
import OzuHTTP

extension ImagePipeline {
  /// A pipeline for tests and previews: it loads through a fake client and keeps its disk cache in memory, so
  /// that nothing leaves the process and nothing stays behind.
  ///
  /// - Parameters:
  ///   - client: answers instead of the network.
  ///   - files: holds the disk cache; give the same to a second pipeline to see what the first left there.
  ///   - configure: changes to the rest of the configuration.
  public static func testing(
    client: FakeHTTPClient = FakeHTTPClient(), files: MemoryFileSystem = MemoryFileSystem(),
    _ configure: (inout Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = Configuration()
    configuration.httpClient = client
    configuration.retryPolicy = .none
    configuration.diskStorage = .opening { () throws(DiskCacheError) in
      try DiskCache(directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: files))
    }
    configure(&configuration)
    return ImagePipeline(configuration)
  }
}
