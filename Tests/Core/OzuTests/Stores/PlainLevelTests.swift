import Foundation
import OzuHTTP
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

/// A store with keys, metadata and bodies, instead of the disk.
@Suite("Stores: a simple store instead of the disk", .timeLimit(.minutes(15)))
struct PlainLevelTests {
  let client = FakeHTTPClient()
  let clock = ManualClock()
  let store: MemoryImageStore
  let url = Fixture.url("a.jpg")

  init() {
    store = MemoryImageStore(now: clock.date)
  }

  /// A pipeline with empty memory on the same store.
  func pipeline(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    .testing(client: client, clock: clock) {
      $0.caching.diskStorage = .none
      $0.caching.stores = [store]
      configure(&$0)
    }
  }

  func serve(_ headers: HTTPHeaders = ["Cache-Control": "max-age=600"]) throws {
    var reply = FakeHTTPReply.ok(try Fixture.photo.data(as: .jpeg))
    for field in headers { reply.headers.add(name: field.name, value: field.value) }
    client.reply(to: url, with: reply)
  }

  @Test(
    "a new pipeline answers without network, with or without hints of the store",
    arguments: [(true, true), (true, false), (false, true), (false, false)])
  func restart(hasExactHints: Bool, isResized: Bool) async throws {
    try serve()
    store.hasExactHints = hasExactHints
    let request = ImageRequest(url: url, resize: isResized ? Fixture.small : nil)
    let first = pipeline()
    #expect(try await first.response(for: request).source == .network)
    await first.flush()
    let again = try await pipeline().response(for: request)
    #expect(again.source == (isResized ? .rendition : .original))
    #expect(Fixture.photo.resembles(try await pipeline().image(for: url).bitmap))
    #expect(client.requestCount(for: url) == 1)
    #expect(store.count(of: .original) == 1)
    #expect(store.count(of: .rendition) == (isResized ? 1 : 0))
  }

  @Test("labels name the source without its secrets")
  func labels() async throws {
    let url = Fixture.url("a.jpg?token=secret")
    client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
    let pipeline = pipeline()
    _ = try await pipeline.image(for: url, size: PixelSize(32, 24))
    await pipeline.flush()
    #expect(store.keys.count >= 2)
    for key in store.keys {
      let label = try #require(key.label)
      #expect(label.hasPrefix("https://example.com/a.jpg"))
      #expect(!label.contains("secret"))
    }
  }

  @Test("formats: capacity, a successor of the same name, and removal")
  func formats() async throws {
    let pipeline = pipeline()
    let format = FormatFixture.format("small")
    for key in ["a", "b", "c"] {
      pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: key, format: format)
    }
    await pipeline.flush()
    #expect(store.count(of: .format("small")) == 3)
    #expect(format.diskByteCount == store.byteCount(of: .format("small")))
    format.diskCapacity = format.diskByteCount - 1
    await pipeline.flush()
    #expect(store.count(of: .format("small")) == 2)
    #expect(pipeline.statistics.diskEvictions == 1)
    #expect(await pipeline.imageFromDisk(forKey: "c", format: format) != nil)
    #expect(await pipeline.imageFromDisk(forKey: "a", format: format) == nil)

    let other = FormatFixture.format("other")
    pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "a", format: other)
    pipeline.register(CacheFormat("small", size: PixelSize(8, 8), diskCapacity: 1 << 20))
    await pipeline.flush()
    #expect(store.count(of: .format("small")) == 0)
    #expect(store.count(of: .format("other")) == 1)
    await pipeline.removeImages(ofFormat: "other")
    #expect(store.count(of: .format("other")) == 0)
  }

  @Test(
    "formats are preloaded: nothing, the last session, or all",
    arguments: [
      (CacheFormat.PreloadPolicy.none, [] as [String]), (.lastSession, ["early", "late"]),
      (.all, ["old", "early", "late"]),
    ])
  func preloads(policy: CacheFormat.PreloadPolicy, expected: [String]) async throws {
    let first = pipeline()
    let keys = ["old", "early", "late"]
    for (key, wait) in zip(keys, [Duration.seconds(7200), .seconds(1800), .seconds(600)]) {
      first.store(Picture(FormatFixture.small(1).bitmap), forKey: key, format: FormatFixture.format())
      await first.flush()
      clock.advance(by: wait)
    }
    let second = pipeline()
    let format = FormatFixture.format(preloadPolicy: policy)
    #expect(await second.register(format).count == expected.count)
    // Preloading does not count as a use.
    #expect(store.callCount(.touch, .read) == 0)
    #expect(keys.filter { second.cachedImage(forKey: $0, format: format) != nil } == expected)
  }

  @Test("a smaller picture is derived from the rendition of a larger one after a restart")
  func derived() async throws {
    try serve()
    let first = pipeline()
    _ = try await first.image(for: ImageRequest(url: url, resize: Resize(PixelSize(160, 120))))
    await first.flush()
    #expect(store.count(of: .variants) == 1)
    try store.removeAll(of: .original)
    let small = try await pipeline().response(for: ImageRequest(url: url, resize: Resize(PixelSize(40, 30))))
    #expect(small.source == .derived)
    #expect(client.requestCount(for: url) == 1)
  }

  @Test("an entry that is not a picture is removed and loaded again")
  func damage() async throws {
    try serve()
    let key = ImageStoreKey(.original, ImageRequest(url: url).key.source)
    let first = pipeline()
    _ = try await first.image(for: url)
    await first.flush()
    store[key]?.body = Data("no picture".utf8)
    let second = pipeline()
    #expect(try await second.response(for: ImageRequest(url: url)).source == .network)
    await second.flush()
    #expect(store[key]?.body == (try Fixture.photo.data(as: .jpeg)))
  }

  @Test("only the hint of a store is called on the tasks of callers")
  func threads() async throws {
    try serve()
    let seen = Shared<[String]>([])
    store.respond = { call in
      if Caller.isCalling { seen.change { $0.append(call.operation.rawValue) } }
    }
    try await Caller.$isCalling.withValue(true) {
      let pipeline = pipeline()
      for _ in 0..<2 {
        _ = try await pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
        pipeline.removeImagesFromMemory()
      }
      await pipeline.flush()
      await pipeline.removeImage(for: ImageRequest(url: url, resize: Fixture.small))
    }
    #expect(store.callCount(.write) > 0 && store.callCount(.read) > 0 && store.callCount(.remove) > 0)
    #expect(seen.value == [])
  }

  struct Counted: ImageFetching {
    let calls: Shared<Int>
    let data: Data
    var key: String { "own" }

    func fetch() async throws -> FetchedImage {
      calls.change { $0 += 1 }
      return .data(data)
    }
  }

  enum Caller {
    @TaskLocal static var isCalling = false
  }
}
