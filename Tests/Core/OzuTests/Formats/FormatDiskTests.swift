import Dispatch
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

  @Test("a request from before its format had room on disk finds the rendition that is there since")
  func raising() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format(diskCapacity: 0)
    let request = ImageRequest(url: try fixture.serve("a.jpg"), format: format)
    format.diskCapacity = 1 << 20
    _ = try await fixture.pipeline.image(for: request)
    #expect(try await fixture.restarted().response(for: request).source == .rendition)
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

  @Test(
    "a memory hit does not write a rendition that is not to be stored, by the policy or the layers of the request",
    arguments: [true, false])
  func notStored(byPolicy: Bool) async throws {
    let fixture = FormatFixture { if byPolicy { $0.caching.storagePolicy = .originalData } }
    let format = FormatFixture.format()
    let url = try fixture.serve("a.jpg")
    var request = ImageRequest(url: url, format: format)
    if !byPolicy { request.writeLayers.remove(.renditions) }
    for _ in 0..<2 { _ = try await fixture.pipeline.image(for: request) }
    #expect(await FormatFixture.isOnDisk(url.absoluteString, format, fixture.pipeline) == false)
  }

  @Test("while the disk does not answer, the hits of a bounded number of pictures are kept")
  func manyHits() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let keys = (0...FormatStore.hitLimit).map { "k\($0)" }
    for key in keys {
      fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: key, format: format)
    }
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    try await disk.removeAll(in: format.partition)
    fixture.pipeline.suspend(.store)
    for key in keys { #expect(fixture.pipeline.cachedImage(forKey: key, format: format) != nil) }
    fixture.pipeline.resume(.store)
    await fixture.pipeline.flush()
    #expect(disk.entries(in: format.partition).map(\.key).count == FormatStore.hitLimit)
  }

  @Test("the preview of a load that memory has does not become a rendition, and is no picture of the caches")
  func preview() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let url = Fixture.url("a.jpg")
    let request = ImageRequest(url: url, format: format)
    fixture.pipeline.cache[request] = Picture(FormatFixture.small(1).bitmap, isPreview: true)
    #expect(fixture.pipeline.cachedImage(for: request)?.isPreview == true)
    #expect(await FormatFixture.isOnDisk(url.absoluteString, format, fixture.pipeline) == false)
    #expect(fixture.pipeline.cache.image(for: request) == nil)
    await #expect(throws: ImageError.notCached(url.absoluteString)) {
      try await fixture.pipeline.image(forKey: url.absoluteString, format: format)
    }
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

  @Test(
    "a request with a replaced format gets its successor's pictures, and they are cached, also if another pipeline keeps the format",
    arguments: [false, true])
  func successor(hasOtherPipeline: Bool) async throws {
    let (fixture, second) = (FormatFixture(), FormatFixture())
    let url = try fixture.serve("a.jpg")
    let former = FormatFixture.format()
    fixture.pipeline.register(former)
    if hasOtherPipeline { second.pipeline.register(former) }
    let successor = CacheFormat("thumbnail", size: PixelSize(16, 12), diskCapacity: 1 << 20)
    fixture.pipeline.register(successor)
    let request = ImageRequest(url: url, format: former)
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(16, 12))
    #expect(fixture.pipeline.cachedImage(for: request)?.size == PixelSize(16, 12))
    #expect(await FormatFixture.isOnDisk(url.absoluteString, successor, fixture.pipeline))
  }

  @Test(
    "a request that runs when its format is replaced is answered, but its picture enters no cache",
    arguments: [false, true])
  func replacedMeanwhile(hasOtherPipeline: Bool) async throws {
    let (fixture, second) = (FormatFixture(), FormatFixture())
    let gate = Gate()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: gate))
    let format = FormatFixture.format()
    if hasOtherPipeline { second.pipeline.register(format) }
    let request = ImageRequest(url: url, format: format)
    let task = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    fixture.pipeline.register(FormatFixture.format())
    gate.open()
    #expect(try await task.image.size == PixelSize(32, 24))
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(await FormatFixture.isOnDisk(url.absoluteString, format, fixture.pipeline) == false)
  }

  /// A hook that makes a blue picture.
  private static let blue: CacheFormat.Hook = { _, picture in
    Picture(Bitmap(size: picture.size, isOpaque: true) { _, _ in Pixel(red: 0, green: 0, blue: 255) })
  }

  private static func isBlue(_ picture: Picture) -> Bool {
    let pixel = picture.bitmap[5, 5]
    return pixel.blue > 250 && pixel.red < 5 && pixel.green < 5
  }

  /// Formats of one name that differ from `FormatFixture.format()`.
  private static func others() -> [CacheFormat] {
    let size = PixelSize(32, 24)
    return [
      CacheFormat("thumbnail", size: size, mode: .aspectFill, diskCapacity: 1 << 20) { $0.postResize = blue },
      CacheFormat("thumbnail", size: size, mode: .aspectFill, diskCapacity: 1 << 20) { $0.preResize = blue },
      CacheFormat("thumbnail", size: size, mode: .aspectFill, compressionQuality: 0.1, diskCapacity: 1 << 20),
      CacheFormat("thumbnail", size: size, mode: .aspectFill, diskCapacity: 2 << 20),
      CacheFormat("thumbnail", size: size, mode: .aspectFill),
    ]
  }

  @Test(
    "another format of a known name takes the name with its first use, and gets none of the first one's pictures",
    arguments: 0..<5, [true, false])
  func otherContents(number: Int, isInMemory: Bool) async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let first = FormatFixture.format()
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: first))
    await fixture.pipeline.flush()
    if !isInMemory { fixture.pipeline.removeImagesFromMemory() }
    let other = Self.others()[number]
    let request = ImageRequest(url: url, format: other)
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .original)
    #expect(Self.isBlue(response.picture) == other.hasHooks)
    #expect(fixture.pipeline.formats["thumbnail"] === other)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    #expect(
      await FormatFixture.isOnDisk(url.absoluteString, other, fixture.pipeline) == (other.diskCapacity > 0))
    // The first one takes the name back.
    let again = try await fixture.pipeline.response(for: ImageRequest(url: url, format: first))
    #expect(again.source == .original)
    #expect(!Self.isBlue(again.picture))
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, format: other)) == nil)
  }

  @Test(
    "a running load of another format of the name is not joined, and its picture is not kept",
    arguments: 0..<5, [false, true])
  func otherContentsMeanwhile(number: Int, isAfterRemoval: Bool) async throws {
    let fixture = FormatFixture()
    let gate = Gate()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: gate))
    if isAfterRemoval { await fixture.pipeline.removeImage(for: url) }
    let other = Self.others()[number]
    let first = fixture.pipeline.task(for: ImageRequest(url: url, format: FormatFixture.format()))
    await gate.arrivals(1)
    let request = ImageRequest(url: url, format: other)
    let second = fixture.pipeline.task(for: request)
    gate.open()
    #expect(try await !Self.isBlue(first.image))
    #expect(try await Self.isBlue(second.image) == other.hasHooks)
    #expect(fixture.pipeline.cachedImage(for: request).map(Self.isBlue) == other.hasHooks)
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    #expect(try await Self.isBlue(fixture.pipeline.image(for: request)) == other.hasHooks)
  }

  @Test(
    "while the first one's renditions wait to be removed from disk and further stores, they are not found",
    arguments: [true, false], [true, false])
  func removalPending(isRegistered: Bool, hasFurtherStore: Bool) async throws {
    let fixture = FormatFixture { if hasFurtherStore { $0.caching.stores = [MemoryImageStore()] } }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: FormatFixture.format()))
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    let mayWrite = DispatchSemaphore(value: 0)
    fixture.files.respond = { call in
      if call.operation == .write {
        mayWrite.wait()
        mayWrite.signal()
      }
      return .proceed
    }
    let other = Self.others()[0]
    if isRegistered { fixture.pipeline.register(other) }
    let response = try await fixture.pipeline.response(for: ImageRequest(url: url, format: other))
    #expect(response.source == .original && Self.isBlue(response.picture))
    mayWrite.signal()
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    #expect(
      try await fixture.pipeline.response(for: ImageRequest(url: url, format: other)).source == .rendition)
  }

  @Test("a format whose name another thread takes for another one at its first use does not share the name")
  func firstUses() {
    let fixture = FormatFixture()
    let store = fixture.pipeline.formatStore
    let first = FormatFixture.format()
    #expect(store.noteRequest(in: first) && store.noteRequest(in: first))
    #expect(!store.noteRequest(in: Self.others()[0]))
    #expect(store.format(named: first.name) === first)
  }

  @Test("equal formats of one name, as a list may make them for each cell, share their pictures")
  func equalContents() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let first = FormatFixture.format()
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: first))
    let request = ImageRequest(url: url, format: FormatFixture.format())
    #expect(fixture.pipeline.cachedImage(for: request) != nil)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    #expect(fixture.pipeline.formats["thumbnail"] === first)
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    #expect(try await fixture.pipeline.response(for: request).source == .rendition)
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
