import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

/// Pictures in a dictionary, without a limit: the sample of the article "Caching".
final class PictureDictionary: ImageCaching {
  private struct State {
    var pictures: [ImageKey: CachedPicture] = [:]
    var statistics = MemoryCacheStatistics()
  }

  private let state = Mutex(State())

  func value(forKey key: ImageKey) -> CachedPicture? {
    state.withLock { state in
      let found = state.pictures[key]
      if found == nil { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
      return found
    }
  }

  func contains(_ key: ImageKey) -> Bool {
    state.withLock { $0.pictures[key] != nil }
  }

  func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool {
    state.withLock { state in
      let former = state.pictures.updateValue(value, forKey: key)
      if former == nil { state.statistics.insertions += 1 } else { state.statistics.replacements += 1 }
    }
    return true
  }

  func removeValue(forKey key: ImageKey) -> CachedPicture? {
    state.withLock { $0.pictures.removeValue(forKey: key) }
  }

  func removeAll() {
    state.withLock { $0.pictures = [:] }
  }

  func removeValues(where shouldRemove: (ImageKey, CachedPicture) -> Bool) {
    state.withLock { state in
      state.pictures = state.pictures.filter { !shouldRemove($0.key, $0.value) }
    }
  }

  var totalCost: Int {
    state.withLock { $0.pictures.values.reduce(0) { $0 + $1.picture.byteCount } }
  }

  var costLimit: Int { .max }

  var statistics: MemoryCacheStatistics {
    var statistics = state.withLock { $0.statistics }
    statistics.totalCost = totalCost
    statistics.count = state.withLock { $0.pictures.count }
    return statistics
  }
}

/// Refuses every picture.
private final class NothingCache: ImageCaching {
  private let misses = Atomic(0)
  private let refusals = Atomic(0)

  func value(forKey key: ImageKey) -> CachedPicture? {
    misses.add(1, ordering: .relaxed)
    return nil
  }

  func contains(_ key: ImageKey) -> Bool { false }

  func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool {
    refusals.add(1, ordering: .relaxed)
    return false
  }

  func removeValue(forKey key: ImageKey) -> CachedPicture? { nil }
  func removeAll() {}
  func removeValues(where shouldRemove: (ImageKey, CachedPicture) -> Bool) {}
  var totalCost: Int { 0 }
  var costLimit: Int { 0 }

  var statistics: MemoryCacheStatistics {
    var statistics = MemoryCacheStatistics()
    statistics.misses = misses.load(ordering: .relaxed)
    statistics.refusals = refusals.load(ordering: .relaxed)
    return statistics
  }
}

@Suite("An app's own memory cache")
struct ImageCachingTests {
  private static let resized = Resize(PixelSize(32, 24), mode: .aspectFill, crops: true)

  @Test("the pipeline keeps its pictures only there")
  func dictionary() async throws {
    let own = PictureDictionary()
    // A limit of the built-in cache, which would hold nothing.
    let fixture = Fixture {
      $0.caching.imageCache = own
      $0.caching.memoryCache.costLimit = 0
    }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Self.resized)
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(try await fixture.pipeline.response(for: request).source == .network)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    let kept = try #require(own.value(forKey: request.key))
    let shown = try #require(fixture.pipeline.cachedImage(for: request))
    #expect(kept.picture.bitmap.sharesPixels(with: shown.bitmap))
    #expect(own.statistics.insertions == 1)
    #expect(own.totalCost == 32 * 24 * 4)
    #expect(fixture.pipeline.memoryCacheStatistics == own.statistics)
    #expect(fixture.pipeline.statistics.memory.stores == 1)
    #expect(fixture.pipeline.statistics.memory.hits >= 2)
    #expect(fixture.client.requests.count == 1)
  }

  @Test(
    "pictures that the pipeline removes are removed there", arguments: ["one", "subscript", "all", "memory"])
  func removal(way: String) async throws {
    let own = PictureDictionary()
    let fixture = Fixture { $0.caching.imageCache = own }
    let requests = try ["a.jpg", "b.jpg"].map {
      ImageRequest(url: try fixture.serve($0), resize: Self.resized)
    }
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    #expect(own.statistics.count == 2)
    await fixture.pipeline.flush()
    switch way {
    case "one": await fixture.pipeline.removeImage(for: requests[0])
    case "subscript": fixture.pipeline.cache[requests[0]] = nil
    case "all": await fixture.pipeline.removeAllImages()
    default: fixture.pipeline.removeImagesFromMemory()
    }
    #expect(!own.contains(requests[0].key))
    let isOneLeft = way == "one" || way == "subscript"
    #expect(own.contains(requests[1].key) == isOneLeft)
    #expect((fixture.pipeline.cachedImage(for: requests[1]) != nil) == isOneLeft)
    let again = try await fixture.pipeline.response(for: requests[0])
    let isGoneFromDisk = way == "one" || way == "all"
    #expect(again.source == (isGoneFromDisk ? .network : .rendition))
    #expect(own.contains(requests[0].key))
  }

  @Test("a format's pictures are removed there when it is cleared")
  func formats() async throws {
    let own = PictureDictionary()
    let fixture = FormatFixture { $0.caching.imageCache = own }
    let format = FormatFixture.format()
    _ = fixture.pipeline.register(format)
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url))
    #expect(own.statistics.count == 2)
    await fixture.pipeline.removeImages(ofFormat: format.name)
    #expect(own.statistics.count == 1)
    #expect(own.contains(ImageRequest(url: url).key))
  }

  @Test("a cache that refuses everything only costs repeated decodes")
  func nothing() async throws {
    let own = NothingCache()
    let fixture = Fixture { $0.caching.imageCache = own }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Self.resized)
    let first = try await fixture.pipeline.response(for: request)
    #expect(first.source == .network)
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    await fixture.pipeline.flush()
    let second = try await fixture.pipeline.response(for: request)
    #expect(second.source == .rendition)
    #expect(Fixture.photo.resembles(second.picture.bitmap))
    #expect(fixture.client.requests.count == 1)
    // A refused picture is not reported as stored.
    #expect(own.statistics.refusals >= 2)
    #expect(fixture.pipeline.statistics.memory.stores == 0)
    #expect(fixture.pipeline.statistics.memory.misses >= 2)

    // Requests at the same time still share one load.
    let other = ImageRequest(url: try fixture.serve("b.jpg"), resize: Self.resized)
    let tasks = (0..<20).map { _ in fixture.pipeline.task(for: other) }
    for task in tasks { #expect(try await task.image.size == PixelSize(32, 24)) }
    #expect(fixture.client.requests.count == 2)
  }

  @Test("prefetching into a cache without a limit loads everything; into one that refuses, it ends")
  func prefetching() async throws {
    for (own, count) in [(PictureDictionary() as any ImageCaching, 6), (NothingCache(), 1)] {
      let fixture = Fixture { $0.caching.imageCache = own }
      let requests = try (0..<6).map {
        ImageRequest(url: try fixture.serve("\($0).jpg"), resize: Self.resized)
      }
      let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
      for await _ in prefetcher.start(requests, budget: PrefetchBudget(memoryFraction: 0.5)) {}
      #expect(own.statistics.count == (own is PictureDictionary ? 6 : 0))
      #expect(fixture.client.requests.count == count)
    }
  }

  @Test("pipelines share a cache")
  func sharing() async throws {
    let shared = MemoryCache<ImageKey, CachedPicture>(MemoryCacheConfiguration(costLimit: 1 << 20))
    let fixture = Fixture { $0.caching.imageCache = shared }
    let second = fixture.freshPipeline { $0.caching.imageCache = shared }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Self.resized)
    let picture = try await fixture.pipeline.image(for: request)
    let shown = try #require(second.cachedImage(for: request))
    #expect(shown.bitmap.sharesPixels(with: picture.bitmap))
    #expect(try await second.response(for: request).source == .memory)
    #expect(shared.count == 1)
  }

  @Test("the built-in cache responds to memory pressure while its pipeline lives")
  func pressure() async throws {
    let pressure = ManualMemoryPressure()
    var fixture: Fixture? = Fixture { $0.caching.memoryCache.pressure = pressure }
    let url = try #require(try fixture?.serve("a.jpg"))
    _ = try await fixture?.pipeline.image(for: url)
    #expect(fixture?.pipeline.memoryCacheStatistics.count == 1)
    pressure.signal(.critical)
    #expect(fixture?.pipeline.memoryCacheStatistics.count == 0)
    #expect(fixture?.pipeline.memoryCacheStatistics.pressureEvictions == 1)
    #expect(fixture?.pipeline.statistics.memoryEvictions == 1)
    await fixture?.pipeline.flush()
    fixture = nil
    try await eventually(pressure.observerCount == 0)
  }
}
