import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Cache formats on disk")
struct FormatDiskTests {
  private static let keys = ["k0", "k1", "k2", "k3"]

  /// Stores pictures under the first keys, a minute apart, and returns the size of one.
  private func fill(_ fixture: FormatFixture, _ format: CacheFormat, count: Int = 3) async throws -> Int {
    for key in Self.keys.prefix(count) {
      fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: key, format: format)
      await fixture.pipeline.flush()
      fixture.clock.advance(by: .seconds(60))
    }
    return format.diskByteCount / count
  }

  @Test("over capacity, the least recently used renditions are evicted at once; a use in memory counts")
  func leastRecentlyUsed() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let size = try await fill(fixture, format)
    format.diskCapacity = size * 3 + size / 2
    #expect(fixture.pipeline.cachedImage(forKey: "k0", format: format) != nil)
    await fixture.pipeline.flush()
    fixture.clock.advance(by: .seconds(60))
    fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "k3", format: format)
    #expect(await fixture.onDisk(Self.keys, format) == ["k0", "k2", "k3"])
    #expect(format.diskByteCount <= format.diskCapacity)
  }

  @Test("lowering the capacity evicts; zero empties the disk and keeps memory")
  func lowering() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let size = try await fill(fixture, format)
    format.diskCapacity = size * 2 + size / 2
    #expect(await fixture.onDisk(Self.keys, format) == ["k1", "k2"])
    format.diskCapacity = 0
    #expect(await fixture.onDisk(Self.keys, format) == [])
    #expect(format.diskByteCount == 0)
    fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "k3", format: format)
    #expect(await fixture.onDisk(Self.keys, format) == [])
    #expect(fixture.pipeline.cachedImage(forKey: "k3", format: format) != nil)
  }

  @Test("each format has its own capacity")
  func separate() async throws {
    let fixture = FormatFixture()
    let small = FormatFixture.format("small")
    let size = try await fill(fixture, small)
    let other = FormatFixture.format("other", diskCapacity: size + size / 2)
    _ = try await fill(fixture, other)
    #expect(await fixture.onDisk(Self.keys, small) == ["k0", "k1", "k2"])
    #expect(await fixture.onDisk(Self.keys, other) == ["k2"])
  }

  @Test("a memory hit writes the rendition again if it was evicted")
  func rewritten() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, format: format)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    #expect(await disk.remove(forKey: request.key.rendition, in: format.partition))
    _ = try await fixture.pipeline.image(for: request)
    #expect(await FormatFixture.isOnDisk(url.absoluteString, format, fixture.pipeline))
    #expect(try await fixture.restarted().response(for: request).source == .rendition)
  }

  @Test("a format without disk capacity is kept in memory only")
  func memoryOnly() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format(diskCapacity: 0)
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, format: format)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.pipeline.cachedImage(for: request) != nil)
    #expect(format.diskByteCount == 0)
    #expect(try await fixture.restarted().response(for: request).source == .original)
  }

  @Test("a rendition that does not decode is removed, and the request falls through to the source")
  func damaged() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, format: format)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    try await spoil(request, format, fixture.pipeline)
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .original)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
  }

  @Test("without a source a rendition that does not decode is a miss, and is removed")
  func damagedKey() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    _ = try await fill(fixture, format, count: 1)
    try await spoil(ImageRequest(key: "k0", format: format), format, fixture.pipeline)
    await #expect {
      try await fixture.pipeline.image(forKey: "k0", format: format)
    } throws: {
      $0 as? ImageError == .notCached("k0")
    }
    #expect(await fixture.onDisk(["k0"], format) == [])
  }

  private func spoil(_ request: ImageRequest, _ format: CacheFormat, _ pipeline: ImagePipeline) async throws {
    let disk = try #require(pipeline.diskCache)
    let record = try #require(await disk.metadata(forKey: request.key.rendition, in: format.partition))
    await disk.store(
      Data("no picture".utf8), metadata: record, forKey: request.key.rendition, in: format.partition)
    pipeline.removeImagesFromMemory()
  }

  @Test("a removed directory is created again, and pictures still load")
  func removedDirectory() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, format: format)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    fixture.files.removeTree("/cache")
    fixture.pipeline.removeImagesFromMemory()
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(32, 24))
    fixture.pipeline.store(Picture(FormatFixture.small(2).bitmap), forKey: "k0", format: format)
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    #expect(try await fixture.pipeline.image(forKey: "k0", format: format).size == PixelSize(32, 24))
  }

  @Test(
    "registering another format of the same name clears the entries of the first; registering the same one again clears nothing"
  )
  func replaced() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    fixture.pipeline.register(format)
    _ = try await fill(fixture, format)
    fixture.pipeline.register(format)
    #expect(fixture.pipeline.cachedImage(forKey: "k0", format: format) != nil)
    #expect(await fixture.onDisk(Self.keys, format).count == 3)
    let other = FormatFixture.format()
    fixture.pipeline.register(other)
    #expect(fixture.pipeline.formats["thumbnail"] === other)
    #expect(fixture.pipeline.cachedImage(forKey: "k0", format: other) == nil)
    #expect(await fixture.onDisk(Self.keys, other).isEmpty)
  }

  @Test("a request with a replaced format gets its successor's pictures, and they are cached")
  func successor() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let former = FormatFixture.format()
    fixture.pipeline.register(former)
    let successor = CacheFormat("thumbnail", size: PixelSize(16, 12), diskCapacity: 1 << 20)
    fixture.pipeline.register(successor)
    let request = ImageRequest(url: url, format: former)
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(16, 12))
    #expect(fixture.pipeline.cachedImage(for: request)?.size == PixelSize(16, 12))
    #expect(await FormatFixture.isOnDisk(url.absoluteString, successor, fixture.pipeline))
  }

  @Test("a request that runs when its format is replaced is answered, but its picture enters no cache")
  func replacedMeanwhile() async throws {
    let fixture = FormatFixture()
    let gate = Gate()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: gate))
    let format = FormatFixture.format()
    let request = ImageRequest(url: url, format: format)
    let task = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    fixture.pipeline.register(FormatFixture.format())
    gate.open()
    #expect(try await task.image.size == PixelSize(32, 24))
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(await FormatFixture.isOnDisk(url.absoluteString, format, fixture.pipeline) == false)
  }

  @Test("memory pressure shrinks and empties memory; the renditions on disk stay")
  func memoryPressure() async throws {
    let pressure = ManualMemoryPressure()
    let fixture = FormatFixture { $0.caching.memoryCache.pressure = pressure }
    let format = FormatFixture.format()
    _ = try await fill(fixture, format, count: 4)
    pressure.signal(.warning)
    #expect((1..<4).contains(fixture.pipeline.memoryCacheStatistics.count))
    pressure.signal(.critical)
    #expect(fixture.pipeline.memoryCacheStatistics.count == 0)
    #expect(try await fixture.pipeline.image(forKey: "k0", format: format).size == PixelSize(32, 24))
  }

  @Test("a hundred threads use, register and clear formats at once; every request is answered")
  func threads() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let formats = (0..<4).map { FormatFixture.format("f\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let format = formats[number % 4]
          switch number % 5 {
          case 0: fixture.pipeline.register(FormatFixture.format("f\(number % 4)"))
          case 1: format.diskCapacity = number * 100
          case 2: await fixture.pipeline.removeImages(ofFormat: format.name)
          default:
            let picture = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
            #expect(picture.size == PixelSize(32, 24))
          }
        }
      }
      try await group.waitForAll()
    }
    await fixture.pipeline.flush()
  }
}
