import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("A pipeline counts its work")
struct StatisticsTests {
  @Test("hits and misses of each layer, loads, bytes")
  func layers() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let byteCount = try Fixture.photo.data(as: .jpeg).count
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    var counts = fixture.pipeline.statistics
    #expect(counts.memory.hits == 0)
    #expect(counts.memory.misses == 1)
    #expect(counts.memory.stores == 1)
    #expect(counts.renditions.misses == 1)
    #expect(counts.renditions.stores == 1)
    #expect(counts.originals.misses == 1)
    #expect(counts.originals.stores == 1)
    #expect(counts.originals.writtenByteCount == byteCount)
    #expect(counts.networkLoads == 1)
    #expect(counts.downloadedByteCount == byteCount)
    #expect(counts.answers == ["network": 1])

    _ = try await fixture.pipeline.image(for: request)
    _ = fixture.pipeline.cachedImage(for: request)
    fixture.pipeline.removeImagesFromMemory()
    _ = try await fixture.pipeline.image(for: request)
    counts = fixture.pipeline.statistics
    #expect(counts.memory.hits == 2)
    #expect(counts.memory.misses == 2)
    #expect(counts.renditions.hits == 1)
    #expect(counts.renditions.readByteCount > 0)
    #expect(counts.answers == ["network": 1, "disk-rendition": 1])
    #expect(counts.networkLoads == 1)
    #expect(counts.memory.hitRatio == 0.5)
  }

  @Test("shared, cancelled and failed requests, the failures by kind")
  func outcomes() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let tasks = (0..<5).map { _ in fixture.pipeline.task(for: url) }
    await gate.arrivals(1)
    try await eventually(fixture.pipeline.loadSubscriberCount >= 5)
    tasks[4].cancel()
    await #expect(throws: ImageError.self) { try await tasks[4].image }
    gate.open()
    for task in tasks.dropLast() { _ = try await task.image }
    for path in ["x.jpg", "y.jpg"] {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Fixture.url(path)) }
    }
    let page = Fixture.url("page")
    fixture.client.reply(to: page, with: .ok(Data("<!doctype html><html></html>".utf8)))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: page) }
    let lost = Fixture.url("lost.jpg")
    fixture.client.reply(to: lost, with: .failure(.connectionLost))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: lost) }

    let counts = fixture.pipeline.statistics
    #expect(counts.coalesced + counts.cancelled == 4)
    #expect(counts.cancelled == 1)
    #expect(counts.failures == ["httpStatus": 2, "notAnImage": 1, "transport": 1])
    #expect(counts.failureCount == 4)
    #expect(counts.networkFailures == 1)
  }

  private struct EndedFetcher: ImageFetching {
    let key = "ended"
    func fetch() async throws -> FetchedImage { throw CancellationError() }
  }

  @Test("a request that a fetcher ends as cancelled is cancelled, and has not failed")
  func cancelledByFetcher() async {
    let fixture = Fixture()
    await #expect(throws: ImageError.self) {
      try await fixture.pipeline.image(for: ImageRequest(.fetcher(EndedFetcher())))
    }
    #expect(fixture.pipeline.statistics.cancelled == 1)
    #expect(fixture.pipeline.statistics.failures.isEmpty)
  }

  @Test("revalidated and stale answers")
  func freshness() async throws {
    let clock = ManualClock()
    let fixture = Fixture { $0.testing.currentDate = clock.date }
    let url = Fixture.url("a.jpg")
    let body = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply(
      to: url,
      with: [
        .ok(body).header("Cache-Control", "max-age=60").header("ETag", "\"1\""),
        .status(304).header("Cache-Control", "max-age=60").header("ETag", "\"1\""),
        .failure(.connectionRefused),
      ])
    for _ in 0..<3 {
      _ = try await fixture.pipeline.image(for: url)
      await fixture.pipeline.flush()
      clock.advance(by: .seconds(120))
    }
    let counts = fixture.pipeline.statistics
    #expect(counts.revalidated == 1)
    #expect(counts.stale == 1)
    #expect(counts.networkLoads == 3)
  }

  @Test("statistics can be encoded as JSON, and printed as lines")
  func forms() async throws {
    let fixture = Fixture()
    _ = try await fixture.pipeline.image(for: try fixture.serve("a.jpg"))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Fixture.url("none")) }
    await fixture.pipeline.flush()
    let counts = fixture.pipeline.statistics
    let copy = try JSONDecoder().decode(PipelineStatistics.self, from: JSONEncoder().encode(counts))
    #expect(copy == counts)
    #expect(counts.description.contains("memory: 0 hits, 2 misses, 1 stored"))
    #expect(counts.description.contains("requests: 1 from network"))
    #expect(counts.description.contains("failures: 1 httpStatus"))
  }

  @Test("the contents of all caches beside their limits, and a file of a picture")
  func contents() async throws {
    let fixture = Fixture()
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Resize(width: 16))
    let picture = try await fixture.pipeline.image(for: request)
    #expect(picture.width == 16)
    await fixture.pipeline.flush()
    let contents = await fixture.pipeline.cacheContents()
    let limits = fixture.pipeline.configuration.caching
    #expect(contents.memory?.entryCount == 1 && contents.memory?.byteLimit == limits.memoryCache.costLimit)
    #expect(contents.memory?.byteCount ?? 0 >= 16 * picture.height * 4)
    #expect(contents.encodedMemory.entryCount == 0)
    let disk = try #require(fixture.pipeline.diskCache)
    #expect(contents.disk?.entryCount == disk.count && disk.count > 0)
    #expect(contents.disk?.byteCount == disk.totalByteCount && contents.disk?.byteLimit == disk.capacity)
    let file = try await picture.encoded(as: .png, by: fixture.pipeline)
    #expect(try CodecRegistry.standard.picture(from: file).size == picture.size)
  }

  @Test("a new pipeline has counted nothing, and opened nothing")
  func empty() {
    let fixture = Fixture()
    #expect(fixture.pipeline.statistics == PipelineStatistics())
    #expect(fixture.files.callCount == 0)
  }
}
