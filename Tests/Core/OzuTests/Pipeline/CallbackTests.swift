import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Callbacks and direct cache access")
struct CallbackTests {
  @Test("completion comes once, on its queue, after the call has returned and after the progress")
  func completion() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let queue = DispatchQueue(label: "test")
    let events = Shared<[String]>([])
    await withCheckedContinuation { continuation in
      fixture.pipeline.loadImage(
        for: ImageRequest(url: url), queue: queue,
        progress: { _ in events.change { if $0.last != "progress" { $0.append("progress") } } },
        completion: { result in
          dispatchPrecondition(condition: .onQueue(queue))
          events.change { $0.append((try? result.get().picture.size.description) ?? "failure") }
          continuation.resume()
        })
      events.change { $0.insert("returned", at: 0) }
    }
    #expect(events.value == ["returned", "progress", "320x240"])
  }

  @Test("a failure, bytes and a picture in memory are reported in the same way")
  func others() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let queue = DispatchQueue(label: "test")
    let data: Data = try await withCheckedThrowingContinuation { continuation in
      fixture.pipeline.loadData(for: ImageRequest(url: url), queue: queue) { continuation.resume(with: $0) }
    }
    #expect(data == (try Fixture.photo.data(as: .jpeg)))
    let failure = await withCheckedContinuation { continuation in
      fixture.pipeline.loadImage(for: Fixture.url("none"), queue: queue) {
        continuation.resume(returning: $0)
      }
    }
    #expect(throws: ImageError.self) { try failure.get() }
    let hit = await withCheckedContinuation { continuation in
      _ = try? fixture.pipeline.cache.store(Picture(Fixture.photo.bitmap), for: ImageRequest(url: url))
      fixture.pipeline.loadImage(for: url, queue: queue) { continuation.resume(returning: $0) }
    }
    #expect(try hit.get().source == .memory)
  }

  @Test("progress of bytes comes in order and before the end, with the expected length")
  func dataProgress() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg)
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.dripping(body.count / 3 + 1, through: gate) }
    let queue = DispatchQueue(label: "test")
    let counts = Shared<[Int]>([])
    let task = fixture.pipeline.loadData(
      for: url, queue: queue,
      progress: { progress in
        counts.change { $0 += progress.expectedByteCount == body.count ? [progress.receivedByteCount] : [-1] }
      },
      completion: { _ in })
    // A late subscriber receives only the latest progress.
    gate.admit()
    try await eventually(!counts.value.isEmpty)
    gate.open()
    _ = try await task.data
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(counts.value.count >= 3)
    #expect(counts.value.allSatisfy { $0 >= 0 })
    #expect(counts.value == counts.value.sorted())
    #expect(counts.value.last == body.count)
  }

  @Test("a cancelled load of bytes receives no progress of the shared download")
  func noProgressAfterEnd() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg)
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.dripping(body.count / 4 + 1, through: gate) }
    let queue = DispatchQueue(label: "test")
    let told = Shared<[String]>([])
    let task = fixture.pipeline.loadData(
      for: url, queue: queue, progress: { _ in told.change { $0.append("progress") } },
      completion: { _ in told.change { $0.append("end") } })
    let stays = fixture.pipeline.loadData(for: url, queue: queue) { _ in }
    gate.admit()
    try await eventually(told.value.contains("progress"))
    task.cancel()
    try await eventually(told.value.last == "end")
    gate.open()
    #expect(try await stays.data == body)
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(told.value.last == "end")
  }

  @Test("a load of bytes is awaited, given a priority and cancelled through its task")
  func dataTask() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let queue = DispatchQueue(label: "test")
    let task = fixture.pipeline.loadData(for: url, queue: queue) { _ in }
    await gate.arrivals(1)
    task.priority = .veryHigh
    #expect(task.priority == .veryHigh)
    task.cancel()
    await #expect { try await task.data } throws: { ($0 as? ImageError)?.isCancellation == true }
    gate.open()
    let again = fixture.pipeline.loadData(for: url, queue: queue) { _ in }
    #expect(try await again.data == (try Fixture.photo.data(as: .jpeg)))
  }

  @Test("the progress of a load of bytes can be observed through its task, which can also be cancelled there")
  func observedProgress() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg)
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.dripping(body.count / 4 + 1, through: gate) }
    let task = fixture.pipeline.loadData(for: url, queue: DispatchQueue(label: "test")) { _ in }
    let report = task.foundationProgress
    #expect(report === task.foundationProgress)
    // The head may have come, and no byte.
    #expect(report.completedUnitCount == 0 && (task.currentProgress?.receivedByteCount ?? 0) == 0)
    gate.admit()
    var counts: [Int] = []
    for await progress in task.progress {
      counts.append(progress.receivedByteCount)
      gate.admit()
    }
    #expect(counts.count > 1 && counts == counts.sorted() && counts.last == body.count)
    #expect(task.currentProgress?.receivedByteCount == body.count)
    try await eventually(report.isFinished)
    // A stream that begins after the end.
    counts = []
    for await progress in task.progress { counts.append(progress.receivedByteCount) }
    #expect(counts == [body.count])
    let held = fixture.pipeline.loadData(for: try fixture.serve("b.jpg") { $0.held(by: Gate()) }) { _ in }
    held.foundationProgress.cancel()
    await #expect { try await held.data } throws: { ($0 as? ImageError)?.isCancellation == true }
    for await _ in held.progress {}
  }

  private struct OpeningDecoder: ImageDecoding {
    let opened = Shared(0)
    var types: [ImageType] { [.jpeg] }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      opened.change { $0 += 1 }
      return try CodecRegistry.standard.open(data, limits: limits)
    }
  }

  @Test("bytes are opened as a picture only to be stored", arguments: [false, true])
  func opening(_ hasDisk: Bool) async throws {
    let decoder = OpeningDecoder()
    let fixture = Fixture {
      if !hasDisk { $0.caching.diskStorage = .none }
      $0.decoding.codecs.register(decoder: decoder)
    }
    _ = try await fixture.pipeline.data(for: try fixture.serve("a.jpg"))
    await fixture.pipeline.flush()
    #expect((decoder.opened.value > 0) == hasDisk)
  }

  @Test("the entries of the caches can be read layer by layer, with the bytes of the original")
  func cached() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    #expect(fixture.pipeline.cache.image(for: request, layers: .all) == nil)
    #expect(fixture.pipeline.cache.data(for: ImageRequest(url: url)) == nil)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(fixture.pipeline.cache.image(for: request, layers: .memory) == nil)
    #expect(fixture.pipeline.cache.image(for: request, layers: .all)?.size == PixelSize(32, 24))
    #expect(fixture.pipeline.cache.data(for: ImageRequest(url: url)) == (try Fixture.photo.data(as: .jpeg)))
  }

  @Test("the cache accessor stores, finds, decodes from disk and removes, layer by layer")
  func cache() throws {
    let pipeline = ImagePipeline.testing()
    let request = ImageRequest(url: Fixture.url("a.jpg"), resize: Fixture.small)
    let picture = Picture(PatternPicture(PixelSize(32, 24), tint: 4, isOpaque: false).bitmap)
    #expect(!pipeline.cache.contains(request))
    pipeline.cache[request] = picture
    #expect(pipeline.cache[request]?.bitmap == picture.bitmap)
    #expect(!pipeline.cache.contains(request, layers: .disk))
    try pipeline.cache.store(picture, for: request)
    pipeline.cache[request] = nil
    #expect(pipeline.cache.image(for: request, layers: .memory) == nil)
    #expect(pipeline.cache.image(for: request)?.bitmap == picture.bitmap)
    pipeline.cache.remove(request)
    #expect(!pipeline.cache.contains(request))
    #expect(pipeline.cache.image(for: request) == nil)
  }

  @Test("the cache, headers and metadata take URLs as they take requests")
  func urls() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let (cache, picture) = (fixture.pipeline.cache, Picture(Fixture.photo.bitmap))
    try cache.store(picture, for: url, layers: .memory)
    #expect(cache[url]?.size == picture.size && cache.contains(url, layers: .memory))
    #expect(cache.image(for: url, layers: .memory)?.size == picture.size)
    cache.remove(url)
    #expect(cache[url] == nil && !cache.contains(url))
    cache[url] = picture
    #expect(cache[ImageRequest(url: url)] != nil)
    #expect(try await fixture.pipeline.header(for: url).size == picture.size)
    _ = try await fixture.pipeline.metadata(for: url)
    await fixture.pipeline.flush()
    #expect(cache.data(for: url) == (try Fixture.photo.data(as: .jpeg)))
  }
}
