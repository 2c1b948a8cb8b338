import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A picture is made from a larger one that an earlier process stored", .timeLimit(.minutes(15)))
struct DerivingAfterRestartTests {
  private static let large = Resize(PixelSize(160, 120))
  private static let tiny = Resize(PixelSize(80, 60))

  /// A picture that an earlier pipeline has made and stored.
  private func stored(
    _ fixture: Fixture = Fixture { $0.caching.storagePolicy = .encodedImages }, format: CacheFormat? = nil
  ) async throws -> (fixture: Fixture, url: URL) {
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=600") }
    _ = try await fixture.pipeline.image(
      for: ImageRequest(url: url, resize: format == nil ? Self.large : nil, format: format))
    await fixture.pipeline.flush()
    return (fixture, url)
  }

  @Test("without the network, also for a third size")
  func restart() async throws {
    let (fixture, url) = try await stored()
    let pipeline = fixture.freshPipeline { $0.caching.storagePolicy = .encodedImages }
    let response = try await pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .derived)
    #expect(response.picture.size == PixelSize(80, 60))
    #expect(response.picture.header?.size == PixelSize(320, 240))
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    let third = try await pipeline.response(for: ImageRequest(url: url, resize: Resize(PixelSize(40, 30))))
    #expect(third.source == .derived)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("also if the new process has already made a smaller one")
  func later() async throws {
    let (fixture, url) = try await stored()
    let pipeline = fixture.freshPipeline { $0.caching.storagePolicy = .encodedImages }
    let smallest = ImageRequest(url: url, resize: Resize(PixelSize(8, 6)), cachePolicy: .reload)
    _ = try await pipeline.image(for: smallest)
    let response = try await pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .derived)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a further store that is slow to give the larger one delays no read of the disk")
  func slowStore() async throws {
    let (store, mayRead) = (MemoryImageStore(), DispatchSemaphore(value: 0))
    let fixture = Fixture {
      $0.caching.storagePolicy = .encodedImages
      $0.caching.stores = [store]
      $0.caching.storeReadLimit = .seconds(600)
      $0.caching.concurrentDiskOperations = 1
    }
    let requests = try ["a.jpg", "b.jpg"].map { path in
      ImageRequest(
        url: try fixture.serve(path) { $0.header("Cache-Control", "max-age=600") }, resize: Self.large)
    }
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    await disk.remove(forKey: requests[0].key.rendition, in: ImageCaches.renditions)
    fixture.pipeline.removeImagesFromMemory()
    store.respond = { call in if call.operation == .read { mayRead.wait() } }
    let readCount = store.callCount(.read)
    let derived = fixture.pipeline.task(for: requests[0].with { $0.resize = Self.tiny })
    try await eventually(store.callCount(.read) > readCount)
    #expect(try await fixture.pipeline.response(for: requests[1]).source == .rendition)
    mayRead.signal()
    #expect(try await derived.response.source == .derived)
    await fixture.pipeline.flush()
  }

  @Test("in the partition of a format")
  func formats() async throws {
    let format = CacheFormat("large", size: Self.large.size, mode: .aspectFit, diskCapacity: 1 << 20)
    let (fixture, url) = try await stored(format: format)
    let pipeline = fixture.freshPipeline { $0.caching.storagePolicy = .encodedImages }
    let response = try await pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .derived)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("not if that is switched off, nor from an evicted or removed picture", arguments: 0..<3)
  func gone(_ way: Int) async throws {
    let (fixture, url) = try await stored()
    switch way {
    case 1:
      let request = ImageRequest(url: url, resize: Self.large)
      fixture.pipeline.cache.remove(request)
    case 2: await fixture.pipeline.removeImage(for: url)
    default: break
    }
    await fixture.pipeline.flush()
    if way == 2 { #expect(fixture.pipeline.diskCache?.count == 0) }
    let pipeline = fixture.freshPipeline {
      $0.caching.storagePolicy = .encodedImages
      $0.caching.isDerivationEnabled = way != 0
    }
    let response = try await pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .network)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("not of a local file that has changed")
  func files() async throws {
    let fixture = Fixture()
    let url = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID()).jpg")
    defer { try? FileManager.default.removeItem(at: url) }
    try Fixture.photo.data(as: .jpeg).write(to: url)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    await fixture.pipeline.flush()
    let same = try await fixture.freshPipeline().response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(same.source == .derived)
    try PatternPicture(PixelSize(640, 480), tint: 1).data(as: .jpeg).write(to: url)
    let other = try await fixture.freshPipeline().response(
      for: ImageRequest(url: url, resize: Resize(PixelSize(70, 70))))
    #expect(other.source == .original)
  }

  @Test("a damaged record counts as empty")
  func damagedRecord() async throws {
    let (fixture, url) = try await stored()
    let source = ImageRequest(url: url).key.source
    let disk = try #require(fixture.pipeline.diskCache)
    await disk.store(Data([1, 200, 3]), forKey: source, in: ImageCaches.variants)
    try await disk.flush()
    let pipeline = fixture.freshPipeline { $0.caching.storagePolicy = .encodedImages }
    let response = try await pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .network)
  }
}
