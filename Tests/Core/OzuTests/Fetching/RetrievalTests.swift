import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("Retrieval, synchronous and asynchronous")
@MainActor
struct RetrievalTests {
  @Test("a picture in memory is returned within the call")
  func memoryHit() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let fetcher = SimpleFetcher(Picture(Fixture.photo.bitmap), key: "own")
    let pending = fixture.pipeline.fetchImage(for: fetcher, format: format, success: { _ in })
    #expect(pending != nil)
    try await eventually(pending?.isFinished == true)
    var sizes: [PixelSize] = []
    #expect(
      fixture.pipeline.fetchImage(for: fetcher, format: format, success: { sizes.append($0.size) }) == nil)
    #expect(
      fixture.pipeline.fetchImage(forKey: "own", format: format, success: { sizes.append($0.size) }) == nil)
    #expect(sizes == [PixelSize(32, 24), PixelSize(32, 24)])
  }

  @Test("a picture on disk is returned later; memory and disk can be read synchronously")
  func diskHit() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "own", format: format)
    let pipeline = await fixture.restarted()
    let request = ImageRequest(key: "own", format: format)
    #expect(pipeline.cachedImage(for: request) == nil)
    #expect(pipeline.cache.image(for: request, layers: .memory) == nil)
    #expect(pipeline.cache.image(for: request)?.size == PixelSize(32, 24))
    let answers = Shared<[PixelSize]>([])
    let pending = pipeline.fetchImage(
      forKey: "own", format: format, success: { picture in answers.change { $0.append(picture.size) } })
    #expect(pending != nil && answers.value.isEmpty)
    try await eventually(pending?.isFinished == true)
    #expect(answers.value == [PixelSize(32, 24)])
  }

  @Test("success or failure is called once; a key that no cache has fails with its own error")
  func once() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let answers = Shared<[String]>([])
    let pending = [
      fixture.pipeline.fetchImage(
        for: NetworkFetcher(url), success: { _ in answers.change { $0.append("ok") } },
        failure: { _ in answers.change { $0.append("failure") } }),
      fixture.pipeline.fetchImage(
        for: NetworkFetcher(Fixture.url("missing")), success: { _ in answers.change { $0.append("ok") } },
        failure: { error in answers.change { $0.append(error.explanation) } }),
      fixture.pipeline.fetchImage(
        forKey: "missing", success: { _ in answers.change { $0.append("ok") } },
        failure: { error in answers.change { $0.append(error.explanation) } }),
    ]
    #expect(answers.value.isEmpty)
    try await eventually(!pending.contains { $0?.isFinished == false })
    #expect(answers.value.sorted() == ["not in the caches", "ok", "the server answered 404 (Not Found)"])
  }

  @Test("no handler is called after a cancellation")
  func cancelled() async throws {
    let fixture = FormatFixture()
    let gate = Gate()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: gate))
    let pending = fixture.pipeline.fetchImage(
      for: NetworkFetcher(url), success: { _ in Issue.record("told") }, failure: { _ in Issue.record("told") }
    )
    await gate.arrivals(1)
    pending?.cancel()
    #expect(pending?.isFinished == true)
    gate.open()
    // All earlier callbacks have come when the same picture is loaded.
    _ = try await fixture.pipeline.image(for: url)
    for _ in 0..<100 { await Task.yield() }
  }
}
