import Foundation
import OzuTesting

@testable import Ozu

/// A pipeline whose disk uses a clock that the test moves.
struct FormatFixture: Sendable {
  let client = FakeHTTPClient()
  let files = MemoryFileSystem()
  let clock = ManualClock()
  let pipeline: ImagePipeline

  init(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) {
    pipeline = Self.make(client, files, clock, configure)
  }

  private static func make(
    _ client: FakeHTTPClient, _ files: MemoryFileSystem, _ clock: ManualClock,
    _ configure: (inout ImagePipeline.Configuration) -> Void
  ) -> ImagePipeline {
    .testing(client: client, files: files) {
      $0.caching.diskStorage = .opening { () throws(DiskCacheError) in
        try DiskCache(
          directory: "/cache",
          configuration: DiskCacheConfiguration(fileSystem: files) { $0.now = clock.date })
      }
      configure(&$0)
    }
  }

  /// The same disk after a restart of the program, with empty memory.
  func restarted(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) async -> ImagePipeline {
    await pipeline.flush()
    if let disk = pipeline.diskCache { await disk.close() }
    return Self.make(client, files, clock, configure)
  }

  func serve(_ path: String, _ picture: PatternPicture = Fixture.photo, as type: ImageType = .jpeg) throws
    -> URL
  {
    let url = Fixture.url(path)
    client.reply(to: url, with: .ok(try picture.data(as: type)))
    return url
  }

  /// A format of 32 by 24 pixels with capacity on disk.
  static func format(
    _ name: String = "thumbnail", diskCapacity: Int = 1 << 20,
    preloadPolicy: CacheFormat.PreloadPolicy = .none
  ) -> CacheFormat {
    CacheFormat(name, size: PixelSize(32, 24), mode: .aspectFill, diskCapacity: diskCapacity) {
      $0.preloadPolicy = preloadPolicy
    }
  }

  /// Whether a picture of a key is on disk, in a format.
  static func isOnDisk(_ key: String, _ format: CacheFormat, _ pipeline: ImagePipeline) async -> Bool {
    await pipeline.flush()
    let key = ImageRequest(key: key, format: format).key.rendition
    return await pipeline.diskCache?.contains(key, in: format.partition) ?? false
  }

  /// Which of some keys are on disk.
  func onDisk(_ keys: [String], _ format: CacheFormat) async -> [String] {
    var found: [String] = []
    for key in keys where await Self.isOnDisk(key, format, pipeline) { found.append(key) }
    return found
  }

  static func small(_ tint: Int, isOpaque: Bool = true) -> PatternPicture {
    PatternPicture(PixelSize(32, 24), tint: tint, isOpaque: isOpaque)
  }
}
