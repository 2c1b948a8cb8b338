import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// Stores below the disk, through a pipeline.
@Suite("Stores: levels below the disk", .timeLimit(.minutes(15)))
struct FurtherLevelTests {
  struct Broken: Error {}

  let client = FakeHTTPClient()
  let near = MemoryImageStore()
  let far = MemoryImageStore()
  let url = Fixture.url("a.jpg")
  var request: ImageRequest { ImageRequest(url: url, resize: Fixture.small) }

  init() throws {
    client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)).header("Cache-Control", "max-age=600"))
  }

  func pipeline(
    _ stores: [MemoryImageStore], files: MemoryFileSystem = MemoryFileSystem(), clock: ManualClock? = nil,
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    .testing(client: client, files: files, clock: clock) {
      $0.caching.stores = stores
      configure(&$0)
    }
  }

  /// Fills the levels through a pipeline whose disk is not used again.
  func fill(_ stores: [MemoryImageStore], _ request: ImageRequest? = nil) async throws {
    let pipeline = pipeline(stores)
    _ = try await pipeline.image(for: request ?? self.request)
    await pipeline.flush()
  }

  @Test("loaded data goes to all levels; beginnings and lists of variants stay at the first")
  func writes() async throws {
    try await fill([near, far])
    for store in [near, far] {
      #expect(Set(store.keys.map(\.kind)) == [.original, .rendition])
    }
  }

  @Test("levels are asked in order, and a hit is written into the levels above", arguments: [false, true])
  func promotion(hasExactHints: Bool) async throws {
    try await fill([far])
    near.hasExactHints = hasExactHints
    let order = Shared<[String]>([])
    near.respond = { call in
      if call.operation == .read { order.change { $0.append("near") } }
    }
    far.respond = { call in
      if call.operation == .read { order.change { $0.append("far") } }
    }
    let files = MemoryFileSystem()
    let second = pipeline([near, far], files: files)
    #expect(try await second.response(for: request).source == .rendition)
    #expect(order.value == (hasExactHints ? ["far"] : ["near", "far"]))
    await second.flush()
    #expect(client.requests.count == 1)
    let key = ImageStoreKey(.rendition, request.key.rendition)
    #expect(near[key] == far[key])
    #expect(near[key] != nil)
    await second.diskCache?.close()

    let third = pipeline([], files: files)
    #expect(try await third.response(for: request).source == .rendition)
    #expect(client.requests.count == 1)
  }

  @Test("an original from a further level has the freshness of its record, and is written to the disk")
  func originals() async throws {
    try await fill([far], ImageRequest(url: url))
    let files = MemoryFileSystem()
    let second = pipeline([far], files: files)
    #expect(try await second.response(for: ImageRequest(url: url)).source == .original)
    await second.flush()
    await second.diskCache?.close()
    #expect(try await pipeline([], files: files).response(for: ImageRequest(url: url)).source == .original)
    #expect(client.requests.count == 1)
  }

  @Test("a level that throws is a miss, and is reported once for each operation")
  func failing() async throws {
    far.hasExactHints = false
    far.respond = { _ in throw Broken() }
    let errors = Shared<[String]>([])
    let pipeline = pipeline([far, near]) {
      $0.caching.onStoreError = { error in
        #expect(error.underlying is Broken)
        errors.change { $0.append(error.description) }
      }
    }
    for name in ["a.jpg", "b.jpg", "c.jpg"] {
      let url = Fixture.url(name)
      client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
      let request = ImageRequest(url: url, resize: Fixture.small)
      #expect(try await pipeline.response(for: request).source == .network)
      await pipeline.flush()
      await pipeline.removeImage(for: request)
    }
    await pipeline.flush()
    #expect(
      Set(errors.value)
        == Set(["read", "write", "remove", "list", "flush"].map { "\($0) MemoryImageStore: Broken()" }))
    #expect(errors.value.count == 5)
    #expect(near.count(of: .rendition) == 0)
  }

  @Test("a handler of errors may call the pipeline")
  func handler() async throws {
    far.respond = { _ in throw Broken() }
    let reentry = Reentry()
    let pipeline = pipeline([far]) { $0.caching.onStoreError = { _ in reentry.call() } }
    reentry.pipeline.change { $0 = pipeline }
    defer { reentry.forget() }
    _ = try await pipeline.image(for: request)
    await pipeline.flush()
    #expect(reentry.count > 0)
  }

  @Test("a level that never answers a write delays neither loads nor removals, and a flush only for a while")
  func stuck() async throws {
    let hold = Hold()
    defer { hold.release() }
    far.respond = { call in
      if call.operation == .write { hold.wait() }
    }
    let clock = ManualClock()
    let pipeline = pipeline([far, near], clock: clock)
    for name in ["a.jpg", "b.jpg"] {
      let url = Fixture.url(name)
      client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
      _ = try await pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
    }
    try await eventually(hold.count == 1)
    await pipeline.removeImage(for: request)
    let flush = Task { await pipeline.flush() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(10))
    await flush.value
    // The other level is not delayed.
    let kept = ImageRequest(url: Fixture.url("b.jpg"), resize: Fixture.small)
    try await eventually(near.keys.contains(ImageStoreKey(.rendition, kept.key.rendition)))
    try await eventually(!near.keys.contains(ImageStoreKey(.rendition, request.key.rendition)))
    #expect(far.count(of: .rendition) == 0)
  }

  @Test("if the disk cannot be opened, the level below it answers")
  func unopenableDisk() async throws {
    let errors = Shared(0)
    func make() -> ImagePipeline {
      pipeline([far]) {
        $0.caching.diskStorage = .folder(URL(filePath: "/dev/null/nowhere"), capacity: 1 << 20)
        $0.caching.onDiskError = { _ in errors.change { $0 += 1 } }
      }
    }
    let first = make()
    #expect(try await first.response(for: request).source == .network)
    await first.flush()
    #expect(try await make().response(for: request).source == .rendition)
    #expect(try await make().response(for: ImageRequest(url: url)).source == .original)
    #expect(client.requests.count == 1)
    #expect(errors.value == 3)
  }

  @Test("pictures of a local file stay at the first level")
  func localFiles() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString).jpg")
    try Fixture.photo.data(as: .jpeg).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let pipeline = pipeline([far])
    let request = ImageRequest(url: file, resize: Fixture.small)
    _ = try await pipeline.image(for: request)
    await pipeline.flush()
    #expect(await pipeline.diskCache?.contains(request.key.rendition, in: ImageCaches.renditions) == true)
    #expect(far.callCount(.write, .read) == 0)
  }

  @Test("a level that never answers a read costs its time limit, then nothing, and no request fails")
  func hangingReads() async throws {
    let hold = Hold()
    defer { hold.release() }
    let reads = TimedReads(label: "test", limit: .milliseconds(1), width: 2)
    for _ in 0..<4 {
      #expect(
        reads.value {
          hold.wait()
          return 1
        } == nil)
    }
    // Two hang; the others were not begun.
    try await eventually(hold.count == 2)
    hold.release()
    try await eventually(reads.value { 2 } == 2)
    let error = ImageStoreError(level: "far", operation: .read, underlying: nil)
    #expect("\(error)" == "read far: it did not answer in time")
    #expect((error as any Error).localizedDescription == "\(error)")
  }

  @Test("hints distinguish the entries that a level may have")
  func hints() async throws {
    try await fill([far], ImageRequest(url: url))
    let pipeline = pipeline([far])
    let caches = pipeline.caches
    let partial = HTTPCacheKey(HTTPRequest(url: url), resource: request.sourceKey)
    // Before the disk is open it may have every entry.
    #expect(caches.mayHave(.rendition(request)) && caches.mayHavePartial(for: partial))
    _ = pipeline.diskCache
    #expect(caches.mayHave(.original(request)))
    #expect(!caches.mayHave(.rendition(request)))
    #expect(!caches.mayHavePartial(for: partial))
    #expect(!caches.mayHave(.original(ImageRequest(url: Fixture.url("b.jpg")))))
  }
}
