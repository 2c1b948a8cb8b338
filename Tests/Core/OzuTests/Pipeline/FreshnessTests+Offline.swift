import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// Stale pictures without a network.
extension FreshnessTests {
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
    "offline and without the original, the stale rendition and file are served where the origin and the request allow it",
    arguments: [(true, true), (false, true), (true, false)])
  func offlineRendition(_ originAllows: Bool, _ requestAllows: Bool) async throws {
    let control = originAllows ? "max-age=60" : "max-age=60, must-revalidate"
    let isAllowed = originAllows && requestAllows
    var again = request
    if !requestAllows {
      again.httpPolicy = .images
      again.httpPolicy?.servesStaleWhenDisconnected = false
    }
    fixture.client.reply(
      to: url, with: [try picture(2, ["Cache-Control": control]), .failure(.connectionRefused)])
    _ = try await fixture.pipeline.response(for: request)
    _ = try await fixture.pipeline.encoded(for: request, as: .png)
    await fixture.pipeline.flush()
    await fixture.pipeline.diskCache?.remove(forKey: request.key.source, in: ImageCaches.originals)
    clock.advance(by: .seconds(100))
    for _ in 0..<2 {
      let response = try? await current.value.response(for: again)
      let file = try? await current.value.encoded(for: again, as: .png)
      #expect(response?.source == (isAllowed ? .stale : nil) && (file != nil) == isAllowed)
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
}
