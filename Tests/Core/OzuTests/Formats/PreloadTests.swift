import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("Preloading of a registered format")
struct PreloadTests {
  private static let keys = ["old", "early", "late"]

  /// Pictures on disk, used at 0:00, 2:00 and 2:30.
  private func filled() async -> FormatFixture {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let waits: [Duration] = [.seconds(7200), .seconds(1800), .seconds(600)]
    for (key, wait) in zip(Self.keys, waits) {
      fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: key, format: format)
      await fixture.pipeline.flush()
      fixture.clock.advance(by: wait)
    }
    return fixture
  }

  private func inMemory(_ pipeline: ImagePipeline, _ format: CacheFormat) -> [String] {
    Self.keys.filter { pipeline.cachedImage(forKey: $0, format: format) != nil }
  }

  @Test(
    "nothing, the last session, or all",
    arguments: [
      (CacheFormat.PreloadPolicy.none, [] as [String]), (.lastSession, ["early", "late"]),
      (.all, ["old", "early", "late"]),
    ])
  func policies(policy: CacheFormat.PreloadPolicy, expected: [String]) async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    let format = FormatFixture.format(preloadPolicy: policy)
    #expect(await pipeline.register(format).count == expected.count)
    #expect(inMemory(pipeline, format) == expected)
  }

  @Test("a preload that is cancelled puts nothing into memory")
  func cancelled() async {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    pipeline.suspend(.disk)
    let preload = pipeline.register(FormatFixture.format(preloadPolicy: .all))
    preload.cancel()
    pipeline.resume(.disk)
    #expect(await preload.count == 0)
  }

  @Test("preloading does not count as a use: the session is the same the next time")
  func noUse() async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    fixture.clock.advance(by: .seconds(86_400))
    let format = FormatFixture.format(preloadPolicy: .all)
    #expect(await pipeline.register(format).count == 3)
    await pipeline.flush()
    let dates = try #require(pipeline.diskCache).entries(in: format.partition).map(\.accessDate)
    #expect(dates.allSatisfy { $0 < fixture.clock.currentDate.addingTimeInterval(-80_000) })
  }

  @Test("the most recently used come first, until memory is full")
  func newestFirst() async throws {
    let fixture = await filled()
    let cost = FormatFixture.small(1).bitmap.byteCount
    let pipeline = await fixture.restarted {
      $0.caching.memoryCache = MemoryCacheConfiguration(
        costLimit: cost * 2 + cost / 2, maximumEntryFraction: 1)
    }
    let format = FormatFixture.format(preloadPolicy: .all)
    #expect(await pipeline.register(format).count == 2)
    #expect(inMemory(pipeline, format) == ["early", "late"])
  }

  @Test("the first request of the format stops the preload")
  func stops() async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    _ = pipeline.diskCache
    pipeline.suspend(.disk)
    let format = FormatFixture.format(preloadPolicy: .all)
    let preload = pipeline.register(format)
    let request = ImageRequest(
      .fetcher(SimpleFetcher(Picture(FormatFixture.small(2).bitmap), key: "own")), format: format)
    pipeline.cache[request] = Picture(FormatFixture.small(2).bitmap)
    _ = try await pipeline.image(for: request)
    pipeline.resume(.disk)
    #expect(await preload.count == 0)
    #expect(inMemory(pipeline, format).isEmpty)
  }

  @Test("a request of another format does not stop it")
  func others() async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    _ = pipeline.diskCache
    pipeline.suspend(.disk)
    let preload = pipeline.register(FormatFixture.format(preloadPolicy: .all))
    let request = ImageRequest(
      .fetcher(SimpleFetcher(Picture(FormatFixture.small(2).bitmap), key: "own")),
      format: FormatFixture.format("other"))
    pipeline.cache[request] = Picture(FormatFixture.small(2).bitmap)
    _ = try await pipeline.image(for: request)
    pipeline.resume(.disk)
    #expect(await preload.count == 3)
  }

  @Test("renditions that do not decode are skipped and removed")
  func damaged() async throws {
    let fixture = await filled()
    let first = FormatFixture.format()
    let request = ImageRequest(key: "late", format: first)
    let disk = try #require(fixture.pipeline.diskCache)
    let record = try #require(await disk.metadata(forKey: request.key.rendition, in: first.partition))
    await disk.store(
      Data("no picture".utf8), metadata: record, forKey: request.key.rendition, in: first.partition)
    let pipeline = await fixture.restarted()
    let format = FormatFixture.format(preloadPolicy: .all)
    #expect(await pipeline.register(format).count == 2)
    #expect(await FormatFixture.isOnDisk("late", format, pipeline) == false)
  }

  @Test("renditions over a limit are skipped, and stay")
  func limited() async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted { $0.decoding.limits.pixelCount = 10 }
    let format = FormatFixture.format(preloadPolicy: .all)
    #expect(await pipeline.register(format).count == 0)
    for key in Self.keys { #expect(await FormatFixture.isOnDisk(key, format, pipeline)) }
  }

  @Test("a preloaded picture is found by its source, and removed with it")
  func source() async throws {
    let fixture = await filled()
    let pipeline = await fixture.restarted()
    let format = FormatFixture.format(preloadPolicy: .all)
    _ = await pipeline.register(format).count
    await pipeline.removeImage(forKey: "late")
    #expect(inMemory(pipeline, format) == ["old", "early"])
  }

  @Test("one with further steps, found only by its rendition, is removed with its source too")
  func unknownSource() async throws {
    let fixture = FormatFixture()
    let request = ImageRequest(key: "late", format: FormatFixture.format()).with {
      $0.processors = [Turn.flip]
    }
    try fixture.pipeline.cache.store(Picture(FormatFixture.small(1).bitmap), for: request)
    let pipeline = await fixture.restarted()
    let format = FormatFixture.format(preloadPolicy: .all)
    #expect(await pipeline.register(format).count == 1)
    let again = request.inFormat(format)
    #expect(pipeline.cachedImage(for: again) != nil)
    await pipeline.removeImage(forKey: "late")
    #expect(pipeline.cachedImage(for: again) == nil)
  }

  @Test("a picture that is removed while it is read does not come back", arguments: [[], [Turn.flip]])
  func removal(steps: [Turn]) async throws {
    let (store, format) = (MemoryImageStore(), FormatFixture.format(preloadPolicy: .all))
    let request = ImageRequest(key: "a", format: format).with { $0.processors = steps }
    func pipeline() -> ImagePipeline {
      .testing {
        $0.caching.diskStorage = .none
        $0.caching.stores = [store]
      }
    }
    let before = pipeline()
    try before.cache.store(Picture(FormatFixture.small(1).bitmap), for: request)
    await before.flush()
    let after = pipeline()
    let isRead = Shared(false)
    store.respond = { call in
      guard call.operation == .peek else { return }
      isRead.change { $0 = true }
      after.cache.remove(request, layers: .memory)
    }
    _ = await after.register(format).count
    store.respond = { _ in }
    #expect(isRead.value)
    #expect(after.cachedImage(for: request) == nil)
  }

  @Test("a format without disk has nothing to preload")
  func noDisk() async {
    let fixture = FormatFixture()
    #expect(
      await fixture.pipeline.register(FormatFixture.format(diskCapacity: 0, preloadPolicy: .all)).count == 0)
  }
}
