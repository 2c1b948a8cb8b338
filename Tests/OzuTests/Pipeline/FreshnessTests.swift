import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Pictures are as fresh as their origin says")
struct FreshnessTests {
  private let fixture: Fixture
  private let current: Shared<ImagePipeline>
  private let clock = ManualClock()
  private let url = Fixture.url("a.jpg")
  private var request: ImageRequest { ImageRequest(url: url, resize: Fixture.small) }

  init() {
    let clock = clock
    fixture = Fixture { $0.currentDate = clock.date }
    current = Shared(fixture.pipeline)
  }

  /// Another pipeline on the same disk, with empty memory and the same clock; the former one closes the disk.
  private func restarted(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) async -> ImagePipeline {
    await current.value.flush()
    await current.value.diskCache?.close()
    let pipeline = ImagePipeline.testing(client: fixture.client, files: fixture.files) {
      $0.currentDate = clock.date
      configure(&$0)
    }
    current.change { $0 = pipeline }
    return pipeline
  }

  private func picture(_ tint: Int, _ headers: HTTPHeaders) throws -> FakeHTTPReply {
    var reply = FakeHTTPReply.ok(try PatternPicture(PixelSize(320, 240), tint: tint).data(as: .jpeg))
    for field in headers { reply.headers.add(name: field.name, value: field.value) }
    return reply
  }

  private func expect(_ response: ImageResponse, _ tint: Int) {
    #expect(PatternPicture(PixelSize(320, 240), tint: tint).resembles(response.picture.bitmap))
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

  @Test("offline, stale pictures are served where allowed, and state it; must-revalidate is an error")
  func offline() async throws {
    fixture.client.reply(
      to: url, with: [try picture(2, ["Cache-Control": "max-age=60"]), .failure(.nameNotResolved)])
    let strict = Fixture.url("strict.jpg")
    fixture.client.reply(
      to: strict,
      with: [
        try picture(2, ["Cache-Control": "max-age=60, must-revalidate"]), .failure(.nameNotResolved),
      ])
    _ = try await fixture.pipeline.response(for: request)
    _ = try await fixture.pipeline.response(for: ImageRequest(url: strict))
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(100))
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .stale)
    #expect(response.httpDecision?.reason == "stale for 40s, the origin cannot be reached")
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: strict) }
  }

  @Test(
    "offline and without the original, the stale rendition is served where allowed", arguments: [true, false])
  func offlineRendition(_ isAllowed: Bool) async throws {
    let control = isAllowed ? "max-age=60" : "max-age=60, must-revalidate"
    fixture.client.reply(
      to: url, with: [try picture(2, ["Cache-Control": control]), .failure(.connectionRefused)])
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    await fixture.pipeline.diskCache?.remove(forKey: request.key.source, in: ImageCaches.originals)
    clock.advance(by: .seconds(100))
    for _ in 0..<2 {
      let response = try? await current.value.response(for: request)
      #expect(response?.source == (isAllowed ? .stale : nil))
      if isAllowed {
        #expect(response?.httpDecision?.reason == "stale for 40s, the origin cannot be reached")
      }
      _ = await restarted()
    }
  }

  @Test("cache-only serves stale pictures, and states it")
  func cacheOnly() async throws {
    fixture.client.reply(to: url, with: try picture(2, ["Cache-Control": "max-age=60"]))
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(100))
    for _ in 0..<2 {
      for resize in [Fixture.small, Resize(PixelSize(64, 48))] {
        let request = ImageRequest(url: url, resize: resize, cachePolicy: .cacheOnly)
        #expect(try await current.value.response(for: request).source == .stale)
      }
      _ = await restarted()
    }
    #expect(fixture.client.requests.count == 1)
  }

  @Test("an answer that may not be stored removes the earlier pictures")
  func noStore() async throws {
    fixture.client.reply(
      to: url,
      with: [
        try picture(2, ["Cache-Control": "max-age=60"]), try picture(7, ["Cache-Control": "no-store"]),
      ])
    _ = try await fixture.pipeline.response(for: request)
    #expect(await fixture.cachedCounts() == (1, 2))
    clock.advance(by: .seconds(100))
    expect(try await fixture.pipeline.response(for: request), 7)
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

  @Test("an origin without cache headers: an hour by default, or the policy's lifetime")
  func assumed() async throws {
    fixture.client.reply(to: url, with: try picture(2, [:]))
    _ = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(3599))
    let hit = try await restarted().response(for: request)
    #expect(hit.httpDecision?.reason == "fresh for 1s")
    clock.advance(by: .seconds(1))
    #expect(try await restarted().response(for: request).source == .network)
    var strict = request
    strict.httpPolicy = .standard
    #expect(try await restarted().response(for: strict).source == .network)
  }

  @Test("lifetimes of the origin can be ignored, by the pipeline or by a request")
  func ignoring() async throws {
    fixture.client.reply(to: url, with: try picture(2, ["Cache-Control": "no-cache"]))
    let week = HTTPCachePolicy.ignoring(lifetime: .seconds(7 * 86_400))
    let pipeline = await restarted { $0.httpPolicy = week }
    _ = try await pipeline.response(for: request)
    await pipeline.flush()
    clock.advance(by: .seconds(6 * 86_400))
    #expect(try await restarted { $0.httpPolicy = week }.response(for: request).source == .rendition)
    var eager = ImageRequest(url: url, resize: Resize(PixelSize(64, 48)))
    eager.httpPolicy = week
    #expect(try await restarted().response(for: eager).source == .original)
    eager.httpPolicy = nil
    #expect(try await restarted().response(for: eager).source == .network)
  }

  @Test("with a cache-key rule, tokens in URLs do not make every request a miss")
  func keyRules() async throws {
    fixture.client.reply { _ in try? picture(2, ["Cache-Control": "max-age=60"]) }
    let rule = CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])
    let pipeline = await restarted { $0.cacheKeyRules = [rule] }
    func signed(_ token: Int) -> ImageRequest {
      ImageRequest(url: Fixture.url("b.jpg?w=1&token=\(token)"), resize: Fixture.small)
    }
    _ = try await pipeline.response(for: signed(1))
    #expect(try await pipeline.response(for: signed(2)).source == .memory)
    #expect(pipeline.cachedImage(for: signed(3)) != nil)
    await pipeline.flush()
    let next = await restarted { $0.cacheKeyRules = [rule] }
    #expect(try await next.response(for: signed(4)).source == .rendition)
    await next.removeImage(for: signed(5))
    #expect(next.diskCache?.count == 0)
    #expect(next.cachedImage(for: signed(1)) == nil)
  }
}
