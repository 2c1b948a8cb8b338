import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A request for a part of a picture", .timeLimit(.minutes(15)))
struct RegionRequestTests {
  private static let part = PixelRectangle(x: 100, y: 80, width: 64, height: 48)

  @Test("returns the part at its own size, or resized", arguments: [ImageType.jpeg, .png])
  func parts(type: ImageType) async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a", as: type)
    let whole = try await fixture.pipeline.image(for: url)
    fixture.pipeline.removeImagesFromMemory()
    var request = ImageRequest(url: url)
    request.region = Self.part
    let own = try await fixture.pipeline.image(for: request)
    #expect(own.size == PixelSize(64, 48))
    #expect(own.header?.size == whole.size)
    let reference = whole.resized(Resize(region: Self.part)).bitmap
    for y in 0..<48 {
      for x in 0..<64 {
        let (a, b) = (own.bitmap[x, y], reference[x, y])
        #expect(abs(Int(a.green) - Int(b.green)) <= 1)
      }
    }
    request.resize = Resize(PixelSize(16, 16), region: Self.part)
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(16, 12))
  }

  @Test("has its own entry in memory but not on disk; the source is loaded once")
  func caches() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=600") }
    var request = ImageRequest(url: url)
    request.region = Self.part
    var other = request
    other.region = PixelRectangle(x: 0, y: 0, width: 64, height: 48)
    #expect(request.key != other.key && request.key != ImageRequest(url: url).key)
    for request in [request, other, request] { _ = try await fixture.pipeline.image(for: request) }
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    let counts = await fixture.cachedCounts()
    #expect(counts.memory == 2)
    // The original, and no rendition.
    #expect(counts.disk == 1)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("is derived from a whole picture in memory, and not from another part")
  func derivation() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    var request = ImageRequest(url: url, resize: Resize(PixelSize(16, 12), region: Self.part))
    _ = try await fixture.pipeline.image(for: request)
    let decodeCount = fixture.decoder.decodeCount
    request.resize = Resize(PixelSize(8, 6), region: Self.part)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.decoder.decodeCount == decodeCount + 1)
    _ = try await fixture.pipeline.image(for: url)
    request.resize = Resize(PixelSize(9, 9), region: Self.part)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.decoder.decodeCount == decodeCount + 2)
  }

  @Test("outside of the picture, or empty, has its own error")
  func outside() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    var request = ImageRequest(url: url)
    request.region = PixelRectangle(x: 320, y: 0, width: 10, height: 10)
    do {
      _ = try await fixture.pipeline.image(for: request)
      Issue.record("there is no such part")
    } catch {
      #expect(error.kind == .regionOutside)
      #expect(error.region == request.region && error.size == PixelSize(320, 240))
      #expect(error.explanation == "the part of 10x10 at 320,0 lies outside the picture of 320x240")
    }
    request.region = PixelRectangle(x: 0, y: 0, width: 0, height: 10)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
  }

  @Test("keeps its part when the recipe changes, and its recipe when the part is removed")
  func values() {
    var request = ImageRequest(url: Fixture.url("a.jpg"))
    request.region = Self.part
    #expect(request.resize == Resize(region: Self.part))
    request.region = PixelRectangle(x: 0, y: 0, width: 5, height: 5)
    #expect(request.resize?.size == PixelSize(5, 5))
    request.region = nil
    #expect(request.resize == nil && request.key == ImageRequest(url: Fixture.url("a.jpg")).key)
    request.resize = Resize(PixelSize(10, 10))
    request.region = Self.part
    #expect(request.resize == Resize(PixelSize(10, 10), region: Self.part))
    let small = request.resized(to: PixelSize(4, 4), mode: .fill)
    #expect(small.resize == Resize(PixelSize(4, 4), mode: .fill, region: Self.part))
    request.region = nil
    #expect(request.resized(width: 4).resize == Resize(width: 4))
    let high = request.resized(height: 4, allowsUpscaling: true)
    #expect(high.resize == Resize(height: 4, allowsUpscaling: true))
  }
}
