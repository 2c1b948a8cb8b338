import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Pictures are as fresh as their origin says")
struct FreshnessTests {
  let fixture: Fixture
  let current: Shared<ImagePipeline>
  let clock = ManualClock()
  let url = Fixture.url("a.jpg")
  var request: ImageRequest { ImageRequest(url: url, resize: Fixture.small) }

  init() {
    let clock = clock
    fixture = Fixture { $0.testing.currentDate = clock.date }
    current = Shared(fixture.pipeline)
  }

  /// Another pipeline on the same disk, with empty memory and the same clock; the former one closes the disk.
  func restarted(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) async -> ImagePipeline {
    await current.value.flush()
    await current.value.diskCache?.close()
    let pipeline = ImagePipeline.testing(client: fixture.client, files: fixture.files) {
      $0.testing.currentDate = clock.date
      configure(&$0)
    }
    current.change { $0 = pipeline }
    return pipeline
  }

  func picture(_ tint: Int, _ headers: HTTPHeaders) throws -> FakeHTTPReply {
    var reply = FakeHTTPReply.ok(try PatternPicture(PixelSize(320, 240), tint: tint).data(as: .jpeg))
    for field in headers { reply.headers.add(name: field.name, value: field.value) }
    return reply
  }

  func expect(_ response: ImageResponse, _ tint: Int) {
    #expect(PatternPicture(PixelSize(320, 240), tint: tint).resembles(response.picture.bitmap))
  }

  @Test("an answer that confirms a picture in memory by the same bytes is stored")
  func confirmedByBytes() async throws {
    fixture.client.reply(to: url, with: try picture(2, ["Cache-Control": "max-age=60"]))
    let pipeline = fixture.pipeline
    _ = try await pipeline.response(for: request)
    await pipeline.flush()
    clock.advance(by: .seconds(100))
    // It does not read the original, so the origin cannot answer 304.
    let again = request.with { $0.readLayers = .memory }
    expect(try await pipeline.response(for: again), 2)
    await pipeline.flush()
    expect(try await pipeline.response(for: request.resized(to: PixelSize(40, 30))), 2)
    #expect(fixture.client.requests.count == 2)
  }

  /// A copy from before the clock was set back.
  enum Kept: CaseIterable {
    case memory, rendition, larger, file
  }

  @Test(
    "after the clock was set back, nothing from before is served without asking the origin",
    arguments: Kept.allCases)
  func clockSetBack(_ kept: Kept) async throws {
    let answers: [HTTPHeaders] = [["Cache-Control": "max-age=600"], ["Cache-Control": "max-age=600"]]
    fixture.client.reply(
      to: url, with: try answers.enumerated().map { try picture($0.offset + 2, $0.element) })
    expect(try await fixture.pipeline.response(for: request), 2)
    _ = try await fixture.pipeline.encoded(for: request, as: .png)
    clock.currentDate -= 100_000
    switch kept {
    case .memory: expect(try await fixture.pipeline.response(for: request), 3)
    case .rendition: expect(try await restarted().response(for: request), 3)
    case .larger: expect(try await fixture.pipeline.response(for: request.resized(to: PixelSize(16, 12))), 3)
    case .file:
      let file = try await fixture.pipeline.encoded(for: request, as: .png)
      #expect(
        PatternPicture(PixelSize(320, 240), tint: 3).resembles(
          try CodecRegistry.standard.picture(from: file.data).bitmap))
    }
    #expect(fixture.client.requests.count == 2)
  }

  @Test(
    "a fresh rendition needs no request; a stale one is revalidated, renewed and served without a new render")
  func rendition() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
        .status(304, headers: ["Cache-Control": "max-age=600"]),
      ])
    let first = try await fixture.pipeline.response(for: request)
    #expect(first.httpDecision == HTTPDecision(.network, reason: "not stored"))
    await fixture.pipeline.flush()

    clock.advance(by: .seconds(30))
    let second = try await restarted().response(for: request)
    #expect(second.source == .rendition)
    #expect(second.httpDecision?.reason == "fresh for 30s")
    #expect(fixture.client.requests.count == 1)

    clock.advance(by: .seconds(60))
    let pipeline = await restarted()
    let third = try await pipeline.response(for: request)
    #expect(third.source == .revalidated)
    #expect(third.httpDecision?.reason == "stale for 30s, revalidated by ETag")
    #expect(fixture.client.requests.last?.headers["If-None-Match"] == "\"1\"")
    expect(third, 2)
    await pipeline.flush()

    clock.advance(by: .seconds(500))
    #expect(try await restarted().response(for: request).source == .rendition)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a rendition is removed when the body of its original changes")
  func changed() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60", "ETag": "\"1\""]),
        try picture(7, ["Cache-Control": "max-age=60", "ETag": "\"2\""]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(61))
    let pipeline = await restarted()
    let response = try await pipeline.response(for: request)
    #expect(response.source == .network)
    #expect(response.httpDecision?.reason == "stale for 1s, changed")
    expect(response, 7)
    await pipeline.flush()
    let again = try await restarted().response(for: request)
    #expect(again.source == .rendition)
    expect(again, 7)
  }

  @Test("another size made from the new body makes the old rendition stale, even before its lifetime ends")
  func sibling() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60"]), try picture(7, ["Cache-Control": "max-age=600"]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(61))
    let pipeline = await restarted()
    _ = try await pipeline.response(for: ImageRequest(url: url))
    await pipeline.flush()
    let response = try await restarted().response(for: request)
    #expect(response.source == .original)
    expect(response, 7)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a stale picture in memory: returned synchronously, revalidated by a load, and not decoded again")
  func memory() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60", "ETag": "\"1\""]), .status(304),
        try picture(7, ["Cache-Control": "max-age=60"]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    let hit = try await fixture.pipeline.response(for: request)
    #expect(hit.source == .memory)
    #expect(hit.httpDecision == HTTPDecision(.cache, reason: "fresh for 1m"))
    let decodeCount = fixture.decoder.decodeCount

    clock.advance(by: .seconds(61))
    #expect(fixture.pipeline.cachedImage(for: request) != nil)
    let validated = try await fixture.pipeline.response(for: request)
    #expect(validated.source == .revalidated)
    #expect(fixture.decoder.decodeCount == decodeCount)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    await fixture.pipeline.flush()

    clock.advance(by: .seconds(61))
    let changed = try await fixture.pipeline.response(for: request)
    #expect(changed.source == .network)
    expect(changed, 7)
    let shown = try #require(fixture.pipeline.cachedImage(for: request))
    #expect(PatternPicture(PixelSize(320, 240), tint: 7).resembles(shown.bitmap))
  }

  @Test("with revalidation in the background, first the old picture is shown, then the new one")
  func staleWhileRevalidate() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60, stale-while-revalidate=600"]),
        try picture(7, ["Cache-Control": "max-age=60"]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(100))
    let pipeline = await restarted()
    let stale = try await pipeline.response(for: request)
    #expect(stale.source == .stale)
    #expect(stale.httpDecision?.reason == "stale for 40s, within stale-while-revalidate")
    expect(stale, 2)
    await pipeline.flush()
    expect(try await pipeline.response(for: request), 7)
    #expect(fixture.client.requests.count == 2)
  }

  @Test(
    "a validation from before a removal or a reload stores nothing, and none after it joins it",
    arguments: [false, true])
  func removalWhileRevalidating(isReload: Bool) async throws {
    let stale: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=600"]
    let gate = Gate()
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, stale), try picture(2, stale).held(by: gate), try picture(5, stale),
        try picture(7, ["Cache-Control": "max-age=60"]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(100))
    expect(try await fixture.pipeline.response(for: request), 2)
    await gate.arrivals(1)
    if isReload {
      expect(try await fixture.pipeline.response(for: request.with { $0.cachePolicy = .reload }), 5)
    } else {
      await fixture.pipeline.removeImage(for: request)
      expect(try await fixture.pipeline.response(for: request), 5)
    }
    clock.advance(by: .seconds(100))
    expect(try await fixture.pipeline.response(for: request), 5)
    gate.open()
    await fixture.pipeline.flush()
    #expect(fixture.client.requests.count == 4)
    expect(try await fixture.pipeline.response(for: request), 7)
  }

  @Test(
    "an answer that may not be stored removes the earlier pictures, also if it confirms them",
    arguments: [false, true])
  func noStore(_ confirms: Bool) async throws {
    let forbidden: HTTPHeaders = ["Cache-Control": "no-store"]
    let first = try picture(2, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
    let second: FakeHTTPReply = try confirms ? .status(304, headers: forbidden) : picture(7, forbidden)
    fixture.client.reply(to: url, with: [first, second])
    _ = try await fixture.pipeline.response(for: request)
    #expect(await fixture.cachedCounts() == (1, 2))
    clock.advance(by: .seconds(100))
    expect(try await fixture.pipeline.response(for: request), confirms ? 2 : 7)
    #expect(await fixture.cachedCounts() == (0, 0))
    #expect(fixture.pipeline.diskCache?.count == 0)
  }

  @Test("no-cache: stored, and revalidated each time")
  func noCache() async throws {
    fixture.client.reply { request in
      request.headers["If-None-Match"] == nil
        ? try? picture(2, ["Cache-Control": "no-cache", "ETag": "\"1\""]) : .status(304)
    }
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.response(for: request).source == .revalidated)
    for _ in 0..<2 { #expect(try await restarted().response(for: request).source == .revalidated) }
  }
}
