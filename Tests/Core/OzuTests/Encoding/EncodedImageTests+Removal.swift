import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

/// Encoded images that may not be stored, or are removed.
extension EncodedImageTests {
  private var encodedCount: Int {
    let all = try? pipeline.caches.stores.first?.store.entries(of: .encoded)
    return all.map { Array($0).count } ?? 0
  }

  @Test("a file that may not be stored is not, and an earlier one is removed")
  func noStore() async throws {
    let photo = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply(
      to: url,
      with: [
        .ok(photo).header("Cache-Control", "max-age=1"),
        .ok(try PatternPicture(PixelSize(320, 240), tint: 5).data(as: .jpeg)).header(
          "Cache-Control", "no-store"),
      ])
    _ = try await pipeline.encoded(for: request(), as: .webp)
    await pipeline.flush()
    #expect(encodedCount == 1)
    clock.advance(by: .seconds(2))
    for _ in 0..<2 {
      #expect(try await pipeline.encoded(for: request(), as: .webp).isNew)
      await pipeline.flush()
      #expect(pipeline.cachedEncoded(for: request(), as: .webp) == nil)
      #expect(encodedCount == 0)
    }
    #expect(fixture.client.requestCount(for: url) == 3)
  }

  @Test("an encoded image is removed with its source", arguments: [true, false])
  func removal(isWhole: Bool) async throws {
    try fixture.serve("photo.jpg")
    let other = try fixture.serve("other.jpg")
    for request in [request(), ImageRequest(url: url)] {
      _ = try await pipeline.encoded(for: request, as: .webp)
    }
    _ = try await pipeline.encoded(for: other, as: .png)
    await pipeline.flush()
    if isWhole { await pipeline.removeAllImages() } else { await pipeline.removeImage(for: url) }
    for pipeline in [pipeline, fresh()] {
      let offline = request().with { $0.cachePolicy = .cacheOnly }
      await #expect(throws: ImageError.self) { try await pipeline.encoded(for: offline, as: .webp) }
      let kept = try? await pipeline.encoded(
        for: ImageRequest(url: other, cachePolicy: .cacheOnly), as: .png)
      #expect((kept == nil) == isWhole)
    }
  }

  @Test("an encoded image of a local file has its current state")
  func files() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "ozu-encoded-\(UUID()).jpg")
    defer { try? FileManager.default.removeItem(at: file) }
    var found: [Data] = []
    for tint in [1, 6] {
      try PatternPicture(PixelSize(300 + tint, 200), tint: tint).data(as: .jpeg).write(to: file)
      for pipeline in [pipeline, pipeline, fresh()] {
        found.append(try await pipeline.encoded(for: file, as: .webp).data)
        await pipeline.flush()
      }
    }
    #expect(Set(found[..<3]).count == 1 && Set(found[3...]).count == 1)
    #expect(found[0] != found[3])
    #expect(pipeline.statistics.encodes == 2)
  }
}
