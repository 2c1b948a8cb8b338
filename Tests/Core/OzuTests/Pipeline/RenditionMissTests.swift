import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The reasons of a rendition miss, and keys with one meaning", .timeLimit(.minutes(15)))
struct RenditionMissTests {
  private typealias Miss = ImageResponse.RenditionMiss

  private func miss(_ fixture: Fixture, _ request: ImageRequest) async throws -> Miss? {
    let response = try await fixture.pipeline.response(for: request)
    await fixture.pipeline.flush()
    return response.renditionMiss
  }

  @Test("never made, another size, evicted, removed; nil if a cache has it or none is asked")
  func reasons() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=600") }
    let small = ImageRequest(url: url, resize: Fixture.small)
    #expect(try await miss(fixture, small) == .neverMade)
    #expect(try await miss(fixture, small) == nil)
    let other = ImageRequest(url: url, resize: Resize(PixelSize(300, 200)))
    #expect(try await miss(fixture, other) == .otherSize)

    fixture.pipeline.removeImagesFromMemory()
    #expect(try await miss(fixture, small) == nil)
    fixture.pipeline.removeImagesFromMemory()
    let disk = try #require(fixture.pipeline.diskCache)
    for entry in disk.entries() where entry.partition.name == "renditions" {
      _ = await disk.remove(forKey: entry.key, in: entry.partition)
    }
    #expect(try await miss(fixture, small) == .evicted)

    await fixture.pipeline.removeImage(for: small)
    #expect(try await miss(fixture, small) == .removed)
    await fixture.pipeline.removeAllImages()
    #expect(try await miss(fixture, small) == .removed)

    var unasked = small
    unasked.cachePolicy = .reload
    #expect(try await miss(fixture, unasked) == nil)
  }

  @Test("out of date, and damaged")
  func outdated() async throws {
    let date = Shared(Date(timeIntervalSince1970: 1_700_000_000))
    let fixture = Fixture { $0.testing.currentDate = { date.value } }
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=60") }
    let small = ImageRequest(url: url, resize: Fixture.small)
    #expect(try await miss(fixture, small) == .neverMade)
    date.change { $0 += 120 }
    _ = try fixture.serve("a.jpg", PatternPicture(PixelSize(64, 48), tint: 3)) {
      $0.header("Cache-Control", "max-age=60")
    }
    #expect(try await miss(fixture, small) == .outdated)

    fixture.pipeline.removeImagesFromMemory()
    let disk = try #require(fixture.pipeline.diskCache)
    for entry in disk.entries() where entry.partition.name == "renditions" {
      _ = await disk.store(
        Data("no picture".utf8), metadata: entry.metadata, forKey: entry.key, in: entry.partition)
    }
    #expect(try await miss(fixture, small) == .damaged)
  }

  @Test("a picture with a size or processors is found under the key of its request")
  func keys() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let step = CountingStep("a")
    _ = try await fixture.pipeline.image(
      for: ImageRequest(url: url, resize: Fixture.small, cacheKey: "small"))
    _ = try await fixture.pipeline.image(
      for: ImageRequest(url: url, resize: Fixture.small, processors: [step], cacheKey: "round"))
    #expect(fixture.pipeline.cachedImage(forKey: "small")?.size == PixelSize(32, 24))
    #expect(try await fixture.pipeline.image(forKey: "round").size == PixelSize(32, 24))
    #expect(step.runCount == 1)
    await fixture.pipeline.removeImage(forKey: "small")
    #expect(fixture.pipeline.cachedImage(forKey: "small") == nil)
    #expect(fixture.pipeline.cachedImage(forKey: "round") != nil)
    #expect(fixture.pipeline.cachedImage(forKey: "nobody") == nil)
  }

  @Test(
    "removing a request removes its URL: every size, and no other source", arguments: [false, true])
  func removing(byRequest: Bool) async throws {
    let fixture = Fixture()
    let (url, other) = (try fixture.serve("a.jpg?token=1"), try fixture.serve("b.jpg"))
    let sizes = [nil, Fixture.small, Resize(PixelSize(100, 100))]
    for size in sizes {
      for url in [url, other] {
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: size))
      }
    }
    await fixture.pipeline.flush()
    if byRequest {
      await fixture.pipeline.removeImage(for: ImageRequest(url: url, resize: Fixture.small))
    } else {
      await fixture.pipeline.removeImage(for: url)
    }
    for size in sizes {
      let request = ImageRequest(url: url, resize: size)
      #expect(fixture.pipeline.cache.image(for: request, layers: .all) == nil)
      #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: other, resize: size)) != nil)
    }
  }
}
