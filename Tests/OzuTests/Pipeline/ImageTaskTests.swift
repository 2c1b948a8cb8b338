import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A running load")
struct ImageTaskTests {
  @Test("progress grows with the bytes and ends with the task")
  func progress() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let body = try Fixture.photo.data(as: .jpeg)
    let piece = body.count / 4
    let url = try fixture.serve("a.jpg") { $0.dripping(piece, through: gate) }
    let task = fixture.pipeline.task(for: url)
    let reader = Task { await task.progress.reduce(into: [LoadProgress]()) { $0.append($1) } }
    await gate.arrivals(1)
    gate.open()
    _ = try await task.image
    let heard = await reader.value
    #expect(heard.map(\.receivedByteCount) == heard.map(\.receivedByteCount).sorted())
    #expect(
      task.currentProgress == LoadProgress(receivedByteCount: body.count, expectedByteCount: body.count))
    #expect(task.currentProgress?.fraction == 1)
    #expect(await task.progress.reduce(into: []) { $0.append($1) } == [try #require(task.currentProgress)])
  }

  @Test("timings name the stages that ran, in their order")
  func timings() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    let stages = { (response: ImageResponse) in response.timings.entries.map(\.stage) }
    #expect(
      stages(try await fixture.pipeline.response(for: request)) == [
        .network, .wait, .decode, .resize, .total,
      ])
    #expect(stages(try await fixture.pipeline.response(for: request)) == [.total])
    await fixture.pipeline.flush()
    let fresh = fixture.freshPipeline()
    #expect(stages(try await fresh.response(for: request)) == [.read, .wait, .decode, .resize, .total])
  }

  @Test("the bytes of a source, whatever they are; only pictures are kept")
  func data() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let body = try Fixture.photo.data(as: .jpeg)
    #expect(try await fixture.pipeline.data(for: url) == body)
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == body)
    #expect(fixture.client.requests.count == 1)

    let page = Fixture.url("page")
    fixture.client.reply(to: page, with: .ok(Data("<html>".utf8)))
    #expect(try await fixture.pipeline.data(for: page) == Data("<html>".utf8))
    #expect(await fixture.cachedCounts() == (0, 1))
  }

  @Test("a header without its pixels, also of a picture too large to load")
  func header() async throws {
    let fixture = Fixture { $0.limits.pixelCount = 100 }
    let url = try fixture.serve("a.jpg")
    let header = try await fixture.pipeline.header(for: ImageRequest(url: url))
    #expect(header.size == PixelSize(320, 240))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: url) }
    #expect(fixture.decoder.decodeCount == 0)
  }
}
