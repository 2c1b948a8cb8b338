import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// Rules of the app in place of those of the origin.
extension FreshnessTests {
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
    let pipeline = await restarted { $0.caching.httpPolicy = week }
    _ = try await pipeline.response(for: request)
    await pipeline.flush()
    clock.advance(by: .seconds(6 * 86_400))
    #expect(try await restarted { $0.caching.httpPolicy = week }.response(for: request).source == .rendition)
    var eager = ImageRequest(url: url, resize: Resize(PixelSize(64, 48)))
    eager.httpPolicy = week
    #expect(try await restarted().response(for: eager).source == .original)
    let file = try await restarted().encoded(for: eager, as: .png)
    #expect(file.source == .original && (file.freshUntil ?? .distantPast) > clock.currentDate)
    eager.httpPolicy = nil
    #expect(try await restarted().response(for: eager).source == .network)
  }

  @Test("with a cache-key rule, tokens in URLs cause neither misses nor downloads of what is confirmed")
  func keyRules() async throws {
    fixture.client.reply { request in
      request.headers["If-None-Match"] == nil
        ? try? picture(2, ["Cache-Control": "max-age=60", "ETag": "\"1\""]) : .status(304)
    }
    let rule = CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])
    let pipeline = await restarted { $0.caching.cacheKeyRules = [rule] }
    func signed(_ token: Int) -> ImageRequest {
      ImageRequest(url: Fixture.url("b.jpg?w=1&token=\(token)"), resize: Fixture.small)
    }
    _ = try await pipeline.response(for: signed(1))
    #expect(try await pipeline.response(for: signed(2)).source == .memory)
    #expect(pipeline.cachedImage(for: signed(3)) != nil)
    await pipeline.flush()
    let next = await restarted { $0.caching.cacheKeyRules = [rule] }
    #expect(try await next.response(for: signed(4)).source == .rendition)
    clock.advance(by: .seconds(100))
    #expect(try await next.response(for: signed(5)).source == .revalidated)
    await next.removeImage(for: signed(5))
    #expect(next.diskCache?.count == 0)
    #expect(next.cachedImage(for: signed(1)) == nil)
  }
}
