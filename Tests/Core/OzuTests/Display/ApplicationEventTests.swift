import Foundation
import OzuCaching
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("A pipeline handles the events of its app")
struct ApplicationEventTests {
  @Test("a memory warning empties memory; the disk keeps everything")
  func memoryWarning() async throws {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    let fixture = Fixture { $0.decoding.pixelBufferPool = pool }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    await fixture.pipeline.handle(.memoryWarning)
    #expect(await fixture.cachedCounts().memory == 0)
    // The threads of the load may hold its buffers a moment longer, and buffers that return after the warning are kept.
    try await eventually(pool.statistics.lentByteCount == 0)
    await fixture.pipeline.handle(.memoryWarning)
    #expect(pool.statistics.retainedByteCount == 0)
    #expect(try await fixture.pipeline.response(for: request).source == .rendition)
  }

  @Test(
    "after the event of the background everything is on disk, and memory keeps no more than a tenth of its limit",
    arguments: [(10, true), (9, false)])
  func background(pictures: Int, stays: Bool) async throws {
    let byteCount = try await smallPictureByteCount()
    let fixture = Fixture {
      $0.caching.memoryCache.costLimit = byteCount * pictures
      $0.caching.memoryCache.maximumEntryFraction = 1
    }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.pipeline.cachedImage(for: request) != nil)
    await fixture.pipeline.handle(.background)
    #expect(try await fixture.freshPipeline().response(for: request).source == .rendition)
    #expect((fixture.pipeline.cachedImage(for: request) != nil) == stays)
  }

  private func smallPictureByteCount() async throws -> Int {
    let fixture = Fixture()
    return try await fixture.pipeline.image(
      for: ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    ).byteCount
  }

  @Test("in the background encoded images in memory shrink to a tenth of their limit")
  func encodedInBackground() async throws {
    let fixture = Fixture { $0.caching.encodedMemoryCache.maximumEntryFraction = 1 }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.encoded(for: request, as: .jpeg)
    let encoded = fixture.pipeline.caches.encodedMemory
    // The caller has its file before memory has it.
    try await eventually(encoded.count == 1)
    encoded.costLimit = encoded.totalCost * 9
    await fixture.pipeline.handle(.background)
    #expect(encoded.count == 0)
  }

  @Test("back in the foreground, failed loads are tried again")
  func foreground() async throws {
    // Failures are remembered for a time, and the clock stands still.
    let fixture = Fixture { $0.testing.currentDate = { Date(timeIntervalSince1970: 0) } }
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: [.status(404), .ok(try Fixture.photo.data(as: .jpeg))])
    #expect((try? await fixture.pipeline.image(for: url)) == nil)
    #expect((try? await fixture.pipeline.image(for: url)) == nil)
    #expect(fixture.client.requests.count == 1)
    await fixture.pipeline.handle(.foreground)
    _ = try await fixture.pipeline.image(for: url)
    #expect(fixture.client.requests.count == 2)
  }

  @Test(
    "in the container of an app group the disk cache has no lock while the app is in the background, also if it is opened there; elsewhere it keeps it, unless the setting says otherwise",
    arguments: [(true, nil), (false, nil), (true, false), (false, true)] as [(Bool, Bool?)], [true, false])
  func appGroup(place: (isShared: Bool, setting: Bool?), opensBefore: Bool) async throws {
    let root = FileManager.default.temporaryDirectory.appending(
      path: "ozu-group-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(
      path: place.isShared ? "Containers/Shared/AppGroup/1/images" : "Containers/Data/1/images")
    func pipeline() -> ImagePipeline {
      .testing {
        $0.caching.diskStorage = .folder(folder, capacity: 1 << 20)
        $0.caching.releasesDiskLocksInBackground = place.setting
      }
    }
    func isLocked() throws -> Bool {
      try SystemFileSystem().lock(folder.path(percentEncoded: false) + "/lock") == nil
    }
    let request = ImageRequest(.data(try Fixture.photo.data(as: .jpeg), key: "a"), resize: Fixture.small)
    var used = pipeline()
    _ = try await used.image(for: request)
    await used.flush()
    if !opensBefore {
      await used.diskCache?.close()
      used = pipeline()
    }
    await used.handle(.background)
    if opensBefore {
      #expect(try await used.response(for: request).source == .memory)
      used.removeImagesFromMemory()
    }
    // Stored pictures are served meanwhile.
    #expect(try await used.response(for: request).source == .rendition)
    #expect(try isLocked() == !(place.setting ?? place.isShared))
    await used.handle(.foreground)
    #expect(try isLocked() && used.diskCache?.statistics.isWriter == true)
  }

  @Test(
    "a disk cache that gives its locks back has no bodies that arrive in its folder, as their files are locked",
    arguments: [true, false])
  func arrivingBodies(releasesLocks: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "ozu-group-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = DiskStore(.folder(folder, capacity: 1 << 20), releasesLocks: releasesLocks) { _ in }
    let spool = try #require(store.spoolDirectory)
    #expect((spool == store.cache?.directory) == !releasesLocks)
    // Emptying the cache removes what killed processes left there.
    let left = spool + "/ozu-beginning-0-0-\(UInt64.random(in: 0 ... .max))"
    #expect(FileManager.default.createFile(atPath: left, contents: nil))
    try store.removeAll()
    #expect(!FileManager.default.fileExists(atPath: left))
  }

  @Test("an app that is back before its work for the background is done keeps the lock of its disk cache")
  func backBeforeTheEnd() async throws {
    let byteCount = try await smallPictureByteCount()
    let fixture = Fixture {
      $0.caching.releasesDiskLocksInBackground = true
      $0.caching.memoryCache.costLimit = byteCount * 9
      $0.caching.memoryCache.maximumEntryFraction = 1
    }
    let (pipeline, hold) = (fixture.pipeline, Hold())
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await pipeline.image(for: request)
    await pipeline.flush()
    pipeline.context.backlog.enqueue { hold.wait() }
    let background = Task { await pipeline.handle(.background) }
    // It has begun when memory is trimmed.
    try await eventually(pipeline.cachedImage(for: request) == nil)
    await pipeline.handle(.foreground)
    hold.release()
    await background.value
    #expect(pipeline.diskCache?.statistics.isWriter == true)
  }

  @Test("an app that is back before its work for the background begins keeps the lock of its disk cache")
  func backBeforeTheBeginning() async throws {
    let fixture = Fixture { $0.caching.releasesDiskLocksInBackground = true }
    let pipeline = fixture.pipeline
    _ = try await pipeline.image(for: ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small))
    await pipeline.flush()
    let background = pipeline.note(.background)
    await pipeline.handle(.foreground)
    await pipeline.handle(.background, number: background)
    #expect(pipeline.diskCache?.statistics.isWriter == true)
  }

  @Test("in the background the disk cache gives its lock back before a further store is waited for")
  func locksBeforeTheNetwork() async throws {
    let (far, hold) = (MemoryImageStore(), Hold())
    far.respond = { call in if call.operation == .flush { hold.wait() } }
    let fixture = Fixture {
      $0.caching.releasesDiskLocksInBackground = true
      $0.caching.stores = [far]
      // A flush gives up after a time, which does not come here.
      $0.testing.sleep = { _ in try await Task.sleep(for: .seconds(600)) }
    }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    let background = Task { await fixture.pipeline.handle(.background) }
    try await eventually(hold.count == 1)
    #expect(fixture.pipeline.diskCache?.statistics.isWriter == false)
    hold.release()
    await background.value
    #expect(try await fixture.freshPipeline().response(for: request).source == .rendition)
  }

  @Test("pipelines follow the notifications of an app once each, and only while they live")
  @MainActor
  func notifications() {
    let center = NotificationCenter()
    let heard = Shared<[ObjectIdentifier]>([])
    let name = Notification.Name("hidden")
    let notifications = PipelineNotifications([
      (
        NotificationSource(name, center),
        { @Sendable pipeline in heard.change { $0.append(ObjectIdentifier(pipeline)) } }
      )
    ])
    let lasting = ImagePipeline.testing()
    var passing: ImagePipeline? = .testing()
    for _ in 0..<2 {
      notifications.follow(lasting)
      if let passing { notifications.follow(passing) }
    }
    center.post(name: name, object: nil)
    #expect(heard.value.count == 2)
    #expect(Set(heard.value).count == 2)

    passing = nil
    heard.change { $0 = [] }
    center.post(name: name, object: nil)
    #expect(heard.value == [ObjectIdentifier(lasting)])
    notifications.follow(lasting)
    #expect(notifications.count == 1)
  }

  @Test("the picture that a view would show at once can be read, at the view's size")
  @MainActor
  func cachedImage() async throws {
    let fixture = Fixture()
    let request = ImageRequest(url: try fixture.serve("a.jpg"))
    let size = DisplaySize(16, 12)
    func cached(_ size: DisplaySize?, _ mode: ScaleMode) -> Picture? {
      fixture.pipeline.cachedImage(for: request, in: size, scale: 2, mode: mode)
    }
    #expect(cached(size, .aspectFit) == nil)
    _ = try await fixture.pipeline.image(
      for: request.inFormat(AutomaticFormat().format(PixelSize(32, 24), .aspectFit)))
    #expect(cached(size, .aspectFit)?.size == PixelSize(32, 24))
    #expect(cached(size, .aspectFill) == nil)
    #expect(cached(nil, .aspectFit) == nil)
  }
}
