import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Removing a picture by its URL, its request or its key")
struct RemovalTests {
  enum Call: CaseIterable {
    case url, request, sizedRequest, key

    func remove(_ url: URL, from pipeline: ImagePipeline) async {
      switch self {
      case .url: await pipeline.removeImage(for: url)
      case .request: await pipeline.removeImage(for: ImageRequest(url: url))
      case .sizedRequest: await pipeline.removeImage(for: ImageRequest(url: url, resize: Fixture.small))
      case .key: await pipeline.removeImage(forKey: url.absoluteString)
      }
    }
  }

  @Test(
    "every call removes every size and format and the original, in memory and on disk, and nothing else",
    arguments: Call.allCases, [false, true])
  func same(_ call: Call, hasKeyRule: Bool) async throws {
    let fixture = FormatFixture {
      if hasKeyRule {
        $0.caching.cacheKeyRules = [CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])]
      }
    }
    let (url, other) = (try fixture.serve("a.jpg?token=1"), try fixture.serve("b.jpg"))
    let format = FormatFixture.format()
    let requests = [
      ImageRequest(url: url), ImageRequest(url: url, resize: Fixture.small),
      ImageRequest(url: url, format: format),
    ]
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    _ = try await fixture.pipeline.image(for: other)
    await fixture.pipeline.flush()
    await call.remove(url, from: fixture.pipeline)
    for request in requests { #expect(!(await Self.isCached(request, in: fixture.pipeline))) }
    #expect(await Self.isCached(ImageRequest(url: other), in: fixture.pipeline))
    #expect(format.diskByteCount == 0)
  }

  @Test(
    "a disk cache that another pipeline writes reports that it removes nothing for others, once for each entry that is there"
  )
  func reader() async throws {
    let (files, client, errors) = (MemoryFileSystem(), FakeHTTPClient(), Shared<[DiskCacheError]>([]))
    let url = Fixture.url("a.jpg")
    client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
    let writer = ImagePipeline.testing(client: client, files: files)
    _ = try await writer.image(for: url)
    await writer.flush()
    let reader = ImagePipeline.testing(client: client, files: files) {
      $0.caching.onDiskError = { error in errors.change { $0.append(error) } }
    }
    #expect(try await reader.response(for: ImageRequest(url: url)).source == .original)
    await reader.removeImage(for: Fixture.url("none.jpg"))
    #expect(errors.value.isEmpty)
    await reader.removeImage(for: url)
    #expect(errors.value.map(\.operation) == [.change])
    #expect(await Self.isCached(ImageRequest(url: url), in: writer))
    #expect(!(await Self.isCached(ImageRequest(url: url), in: reader)))
  }

  @Test("a disk cache that another pipeline writes forgets the pictures of a removed format, and reports it")
  func formatOfReader() async throws {
    let (files, client, errors) = (MemoryFileSystem(), FakeHTTPClient(), Shared<[DiskCacheError]>([]))
    let url = Fixture.url("a.jpg")
    client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
    let writer = ImagePipeline.testing(client: client, files: files)
    _ = try await writer.image(for: ImageRequest(url: url, format: FormatFixture.format("a")))
    await writer.flush()
    let reader = ImagePipeline.testing(client: client, files: files) {
      $0.caching.onDiskError = { error in errors.change { $0.append(error) } }
    }
    let request = ImageRequest(url: url, format: FormatFixture.format("a"))
    #expect(try await reader.response(for: request).source == .rendition)
    await reader.removeImages(ofFormat: "a")
    #expect(errors.value.count == 1)
    #expect(try await reader.response(for: request).source == .original)
    // The writer stays alive until here.
    #expect(await Self.isCached(ImageRequest(url: url), in: writer))
  }

  private static func isCached(_ request: ImageRequest, in pipeline: ImagePipeline) async -> Bool {
    await Task.detached { pipeline.cache.contains(request) }.value
  }

  // MARK: Loads in flight

  /// A way to remove the pictures of a source.
  enum Removal: CaseIterable {
    case url, key, everything, entry

    func remove(_ request: ImageRequest, from pipeline: ImagePipeline) async {
      switch self {
      case .url: await pipeline.removeImage(for: request)
      case .key: await pipeline.removeImage(forKey: request.plainKey)
      case .everything: await pipeline.removeAllImages()
      case .entry: await Task.detached { pipeline.cache.remove(request) }.value
      }
    }
  }

  /// A result of a pipeline that may be in flight.
  enum Goal: CaseIterable {
    case picture, file, bytes

    func make(_ request: ImageRequest, with pipeline: ImagePipeline) async throws -> Picture {
      let data: Data
      switch self {
      case .picture: return try await pipeline.image(for: request)
      case .file: data = try await pipeline.encoded(for: request, as: .png).data
      case .bytes: data = try await pipeline.data(for: request)
      }
      return try CodecRegistry.standard.picture(from: data)
    }
  }

  private static let (old, new) = (
    PatternPicture(PixelSize(320, 240)), PatternPicture(PixelSize(320, 240), tint: 5)
  )
  private static let request = ImageRequest(url: Fixture.url("a.jpg"), resize: Resize(PixelSize(160, 120)))

  /// The origin answers the first request with the old picture, when the gate opens, and then with the new one.
  private static func origin(_ fixture: Fixture) throws -> Gate {
    let gate = Gate()
    fixture.client.reply(
      to: Fixture.url("a.jpg"),
      with: [
        .ok(try old.data(as: .jpeg)).header("Cache-Control", "max-age=600").held(by: gate),
        .ok(try new.data(as: .jpeg)).header("Cache-Control", "max-age=600"),
      ])
    return gate
  }

  @Test(
    "a load in flight answers those who waited for it, and stores nothing", arguments: Removal.allCases,
    Goal.allCases)
  func inFlight(_ removal: Removal, _ goal: Goal) async throws {
    let fixture = Fixture { $0.caching.storagePolicy = .all }
    let gate = try Self.origin(fixture)
    let before = Task { try await goal.make(Self.request, with: fixture.pipeline) }
    await gate.arrivals(1)
    await removal.remove(Self.request, from: fixture.pipeline)
    gate.open()
    #expect(Self.old.resembles(try await before.value.bitmap))
    let counts = await fixture.cachedCounts()
    #expect(counts == (0, 0))
    #expect(fixture.pipeline.cachedEncoded(for: Self.request, as: .png) == nil)
    #expect(Self.new.resembles(try await goal.make(Self.request, with: fixture.pipeline).bitmap))
  }

  @Test("a load whose picture is being decoded stores nothing", arguments: Removal.allCases)
  func decoding(_ removal: Removal) async throws {
    let fixture = Fixture { $0.caching.storagePolicy = .all }
    try Self.origin(fixture).open()
    fixture.pipeline.suspend(.decode)
    let before = fixture.pipeline.task(for: Self.request)
    await fixture.pipeline.waiting(1, for: .decode)
    await removal.remove(Self.request, from: fixture.pipeline)
    let after = fixture.pipeline.task(for: Self.request)
    await fixture.pipeline.waiting(2, for: .decode)
    fixture.pipeline.resume(.decode)
    #expect(Self.old.resembles(try await before.image.bitmap))
    #expect(Self.new.resembles(try await after.image.bitmap))
    await fixture.pipeline.flush()
    let offline = Self.request.with { $0.cachePolicy = .cacheOnly }
    for pipeline in [fixture.pipeline, fixture.freshPipeline()] {
      #expect(Self.new.resembles(try await pipeline.image(for: offline).bitmap))
    }
  }

  @Test(
    "a request after it asks the origin again, and its answer stays, also when the earlier one comes later",
    arguments: Removal.allCases, Goal.allCases)
  func later(_ removal: Removal, _ goal: Goal) async throws {
    let fixture = Fixture()
    let gate = try Self.origin(fixture)
    let before = Task { try await goal.make(Self.request, with: fixture.pipeline) }
    await gate.arrivals(1)
    await removal.remove(Self.request, from: fixture.pipeline)
    #expect(Self.new.resembles(try await goal.make(Self.request, with: fixture.pipeline).bitmap))
    gate.open()
    #expect(Self.old.resembles(try await before.value.bitmap))
    await fixture.pipeline.flush()
    #expect(fixture.client.requests.count == 2)
    for pipeline in [fixture.pipeline, fixture.freshPipeline()] {
      #expect(Self.new.resembles(try await goal.make(Self.request, with: pipeline).bitmap))
    }
    #expect(fixture.client.requests.count == 2)
  }

  @Test(
    "a request that comes while it waits for the disk finds nothing of what it removes",
    arguments: [Removal.url, .key, .everything], Goal.allCases)
  func meanwhile(_ removal: Removal, _ goal: Goal) async throws {
    let fixture = Fixture { $0.caching.storagePolicy = .all }
    let gate = try Self.origin(fixture)
    gate.open()
    #expect(Self.old.resembles(try await goal.make(Self.request, with: fixture.pipeline).bitmap))
    await fixture.pipeline.flush()
    let end = Hold()
    fixture.pipeline.context.backlog.enqueue { end.wait() }
    let removing = Task { await removal.remove(Self.request, from: fixture.pipeline) }
    try await eventually(
      fixture.pipeline.context.epochs.epoch(of: Self.request).removal > 0
        && fixture.pipeline.memoryCacheStatistics.count == 0
        && fixture.pipeline.caches.encodedMemory.statistics.count == 0)
    #expect(Self.new.resembles(try await goal.make(Self.request, with: fixture.pipeline).bitmap))
    end.release()
    await removing.value
    #expect(Self.new.resembles(try await goal.make(Self.request, with: fixture.pipeline).bitmap))
  }

  @Test("the removal of one picture hides no other picture of its source")
  func otherSize() async throws {
    let fixture = FormatFixture { $0.caching.storagePolicy = .all }
    let url = try fixture.serve("a.jpg")
    let requests = [PixelSize(64, 48), PixelSize(160, 120)].map { ImageRequest(url: url, resize: Resize($0)) }
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    let (end, isRemoved) = (Hold(), Shared(false))
    defer { end.release() }
    fixture.files.respond = { call in
      if call.operation == .write { end.wait() }
      return .proceed
    }
    DispatchQueue.global().async {
      fixture.pipeline.cache.remove(requests[1])
      isRemoved.change { $0 = true }
    }
    try await eventually(end.count > 0)
    let offline = requests.map { request in request.with { $0.cachePolicy = .cacheOnly } }
    #expect(try await fixture.pipeline.image(for: offline[0]).size == PixelSize(64, 48))
    end.release()
    try await eventually(isRemoved.value)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: offline[1]) }
  }

  @Test(
    "the answer of a reload stays, when an earlier one comes later; reloads at the same time share their download"
  )
  func reload() async throws {
    let fixture = Fixture()
    let gate = try Self.origin(fixture)
    let before = fixture.pipeline.task(for: Self.request)
    await gate.arrivals(1)
    let reload = Self.request.with { $0.cachePolicy = .reload }
    fixture.pipeline.suspend(.decode)
    let tasks = (0..<2).map { _ in fixture.pipeline.task(for: reload) }
    await fixture.pipeline.waiting(1, for: .decode)
    fixture.pipeline.resume(.decode)
    for task in tasks { #expect(Self.new.resembles(try await task.image.bitmap)) }
    gate.open()
    #expect(Self.old.resembles(try await before.image.bitmap))
    await fixture.pipeline.flush()
    #expect(fixture.client.requests.count == 2)
    for pipeline in [fixture.pipeline, fixture.freshPipeline()] {
      #expect(Self.new.resembles(try await pipeline.image(for: Self.request).bitmap))
    }
  }

  @Test("after reloads of two sizes at once, no size is answered from before them")
  func reloadsOfTwoSizes() async throws {
    let fixture = Fixture()
    let requests = [Self.request, Self.request.with { $0.resize = Resize(PixelSize(64, 48)) }]
    let gate = try await Self.change(fixture) {
      for request in requests { _ = try await fixture.pipeline.image(for: request) }
    }
    let reloads = requests.map { request in
      fixture.pipeline.task(for: request.with { $0.cachePolicy = .reload })
    }
    await gate.arrivals(1)
    gate.open()
    for reload in reloads { #expect(Self.new.resembles(try await reload.image.bitmap)) }
    await fixture.pipeline.flush()
    for isInMemory in [true, false] {
      if !isInMemory { fixture.pipeline.removeImagesFromMemory() }
      for request in requests {
        #expect(Self.new.resembles(try await fixture.pipeline.image(for: request).bitmap))
      }
    }
    #expect(fixture.client.requests.count == 2)
  }

  @Test("after reloads in two output formats at once, no file and no original is from before them")
  func reloadsInTwoFormats() async throws {
    let fixture = Fixture()
    let (pipeline, request) = (fixture.pipeline, Self.request)
    let gate = try await Self.change(fixture) {
      for format in [OutputFormat.png, .jpeg] { _ = try await pipeline.encoded(for: request, as: format) }
    }
    let reload = request.with { $0.cachePolicy = .reload }
    async let png = pipeline.encoded(for: reload, as: .png)
    async let jpeg = pipeline.encoded(for: reload, as: .jpeg)
    try await eventually(pipeline.loadSubscriberCount >= 2)
    gate.open()
    let files = try await (png.data, jpeg.data)
    await pipeline.flush()
    for isInMemory in [true, false] {
      if !isInMemory { pipeline.removeImagesFromMemory() }
      #expect(try await pipeline.encoded(for: request, as: .png).data == files.0)
      #expect(try await pipeline.encoded(for: request, as: .jpeg).data == files.1)
    }
    #expect(pipeline.cache.data(for: request) == (try Self.new.data(as: .jpeg)))
    #expect(fixture.client.requests.count == 2)
  }

  /// Loads what an origin has, which then changes. Its next answer is held by the gate that is returned.
  private static func change(_ fixture: Fixture, after load: () async throws -> Void) async throws -> Gate {
    let gate = Gate()
    try fixture.serve("a.jpg", old) { $0.header("Cache-Control", "max-age=600") }
    try await load()
    await fixture.pipeline.flush()
    try fixture.serve("a.jpg", new) { $0.header("Cache-Control", "max-age=600").held(by: gate) }
    return gate
  }

  @Test("a picture that is removed while its use is noted on disk is not written again")
  func use() async throws {
    let (store, format) = (MemoryImageStore(), FormatFixture.format())
    let pipeline = ImagePipeline.testing {
      $0.caching.diskStorage = .none
      $0.caching.stores = [store]
    }
    let request = ImageRequest(key: "a", format: format)
    pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "a", format: format)
    await pipeline.flush()
    #expect(store.keys.count == 1)
    store.respond = { call in if call.operation == .touch { pipeline.cache.remove(request) } }
    #expect(try await pipeline.image(forKey: "a", format: format).size == PixelSize(32, 24))
    await pipeline.flush()
    store.respond = { _ in }
    #expect(store.keys.isEmpty)
  }

  @Test("a failure from before it is not remembered")
  func failure() async throws {
    let fixture = Fixture()
    let gate = Gate()
    fixture.client.reply(
      to: Fixture.url("a.jpg"),
      with: [FakeHTTPReply.status(404).held(by: gate), .ok(try Self.new.data(as: .jpeg))])
    let before = fixture.pipeline.task(for: Self.request)
    await gate.arrivals(1)
    await fixture.pipeline.removeImage(for: Self.request)
    gate.open()
    await #expect(throws: ImageError.self) { try await before.image }
    _ = try await fixture.pipeline.image(for: Self.request)
  }

  @Test(
    "the beginning of a body from before it is not resumed, nor while it waits for the disk",
    arguments: [false, true])
  func partial(_ waits: Bool) async throws {
    let fixture = Fixture()
    let whole = try Fixture.noise()
    fixture.client.reply(
      to: Fixture.url("a.jpg"),
      with: [
        .ok(whole).header("ETag", "\"1\"").failing(.connectionLost, afterByteCount: 20_000),
        .ok(whole).header("ETag", "\"1\""),
      ])
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Self.request) }
    fixture.pipeline.cache[Self.request] = Picture(FormatFixture.small(1).bitmap)
    let end = Hold()
    defer { end.release() }
    if waits {
      await fixture.pipeline.flush()
      fixture.pipeline.context.backlog.enqueue { end.wait() }
    }
    let removing = Task { await fixture.pipeline.removeImage(for: Self.request) }
    // The memory of pictures is the last that it empties before it waits.
    try await eventually(fixture.pipeline.cachedImage(for: Self.request) == nil)
    if !waits { await removing.value }
    _ = try await fixture.pipeline.image(for: Self.request)
    #expect(fixture.client.requests.last?.headers["Range"] == nil)
    end.release()
    await removing.value
  }

  @Test("a format's removal reaches its loads in flight, and leaves the original to others")
  func format() async throws {
    let fixture = FormatFixture()
    let (url, format) = (try fixture.serve("a.jpg"), FormatFixture.format())
    let request = ImageRequest(url: url, format: format)
    fixture.pipeline.suspend(.decode)
    let before = fixture.pipeline.task(for: request)
    await fixture.pipeline.waiting(1, for: .decode)
    await fixture.pipeline.removeImages(ofFormat: format.name)
    fixture.pipeline.resume(.decode)
    _ = try await before.image
    await fixture.pipeline.flush()
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(format.diskByteCount == 0)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    #expect(format.diskByteCount > 0)
    #expect(fixture.client.requests.count == 1)
  }
}
