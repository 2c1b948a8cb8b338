import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The layer that answers a request")
struct CachingLayersTests {
  @Test("network, then memory; a new pipeline reads the rendition from disk; another size reads the original")
  func layers() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)

    let cold = try await fixture.pipeline.response(for: request)
    #expect(cold.source == .network)
    #expect(cold.picture.size == PixelSize(32, 24))
    #expect(cold.picture.header?.size == PixelSize(320, 240))
    #expect(cold.encodedByteCount == (try Fixture.photo.data(as: .jpeg)).count)
    #expect(Fixture.photo.resembles(cold.picture.bitmap))

    let warm = try await fixture.pipeline.response(for: request)
    #expect(warm.source == .memory)
    #expect(warm.picture.bitmap == cold.picture.bitmap)

    await fixture.pipeline.flush()
    let fresh = fixture.freshPipeline()
    let fromDisk = try await fresh.response(for: request)
    #expect(fromDisk.source == .rendition)
    #expect(fromDisk.picture.header?.size == PixelSize(320, 240))
    #expect(Fixture.photo.resembles(fromDisk.picture.bitmap))
    let other = try await fresh.response(for: ImageRequest(url: url, resize: Resize(PixelSize(64, 64))))
    #expect(other.source == .original)
    #expect(other.picture.size == PixelSize(64, 48))
    #expect(fixture.client.requests.count == 1)
  }

  @Test("an original that waits to be written is found like a stored one")
  func unwritten() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=60") }
    fixture.pipeline.suspend(.store)
    let cold = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: Fixture.small))
    #expect(cold.source == .network)
    #expect(cold.timings[.network] != nil)
    let other = try await fixture.pipeline.response(
      for: ImageRequest(url: url, resize: Resize(PixelSize(64, 64))))
    #expect(other.source == .original)
    #expect(other.timings[.network] == nil)
    #expect(other.httpDecision?.place == .cache)
    #expect(fixture.client.requests.count == 1)
    fixture.pipeline.resume(.store)
  }

  @Test("a picture without a recipe has no rendition: the original serves it")
  func whole() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(320, 240))
    #expect(await fixture.cachedCounts() == (1, 1))
    let again = try await fixture.freshPipeline().response(for: ImageRequest(url: url))
    #expect(again.source == .original)
  }

  @Test("a picture with transparency is read back from disk pixel for pixel")
  func transparency() async throws {
    let fixture = Fixture()
    let pattern = PatternPicture(PixelSize(64, 48), tint: 5, isOpaque: false)
    let url = try fixture.serve("a.png", pattern, as: .png)
    let request = ImageRequest(url: url, resize: Fixture.small)
    let first = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let second = try await fixture.freshPipeline().response(for: request)
    #expect(second.source == .rendition)
    #expect(second.picture.bitmap == first.bitmap)
  }

  @Test("an animation from disk is still an animation, at its size")
  func animation() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.gif")
    fixture.client.reply(to: url, with: .ok(Self.movingGIF))
    let request = ImageRequest(url: url, resize: Resize(PixelSize(1, 1)))
    for pipeline in [fixture.pipeline, fixture.freshPipeline()] {
      let picture = try await pipeline.response(for: request).picture
      let animation = try #require(picture.animation)
      #expect(animation.frameCount == 2)
      let last = try await animation.frame(at: 1)
      #expect(last.size == PixelSize(1, 1))
      #expect(last[0, 0] == Pixel(red: 0, green: 255, blue: 0))
      await pipeline.flush()
    }
    #expect(fixture.client.requests.count == 1)
  }

  /// Two frames of two by two pixels, the first red, the second green.
  private static let movingGIF: Data = {
    let head = Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0]
    let frame: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2]
    return Data(head + frame + Self.codes(0) + [0] + frame + Self.codes(1) + [0, 0x3B])
  }()

  /// A block of codes of three bits for four pixels: clear, two of them, clear, two, the end.
  private static func codes(_ index: Int) -> [UInt8] {
    let values = [4, index, index, 4, index, index, 5]
    let bits = values.enumerated().reduce(0) { $0 | $1.element << (3 * $1.offset) }
    return [3, UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255)]
  }

  @Test("memory answers synchronously")
  func synchronous() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    #expect(fixture.pipeline.cachedImage(for: url) == nil)
    let picture = try await fixture.pipeline.image(for: url)
    #expect(fixture.pipeline.cachedImage(for: url)?.bitmap == picture.bitmap)
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, resize: Fixture.small)) == nil)
    fixture.pipeline.removeImagesFromMemory()
    #expect(fixture.pipeline.cachedImage(for: url) == nil)
  }

  @Test("reload loads from the source and replaces the cached entries")
  func reload() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    let changed = PatternPicture(PixelSize(320, 240), tint: 7)
    try fixture.serve("a.jpg", changed)
    let reloaded = try await fixture.pipeline.response(for: ImageRequest(url: url, cachePolicy: .reload))
    #expect(reloaded.source == .network)
    #expect(changed.resembles(reloaded.picture.bitmap))
    #expect(fixture.client.requests.last?.headers["Cache-Control"] == "no-cache")
    let now = try await fixture.pipeline.response(for: ImageRequest(url: url))
    #expect(now.source == .memory)
    #expect(changed.resembles(now.picture.bitmap))
    await fixture.pipeline.flush()
    #expect(changed.resembles(try await fixture.freshPipeline().image(for: url).bitmap))
  }

  @Test("cache-only never uses the network; bypass stores nothing")
  func policies() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    await #expect {
      try await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: .cacheOnly))
    } throws: {
      ($0 as? ImageError)?.kind == .notCached
    }
    #expect(fixture.client.requests.isEmpty)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: .bypass))
    #expect(await fixture.cachedCounts() == (0, 0))
    _ = try await fixture.pipeline.image(for: url)
    let cached = try await fixture.pipeline.response(for: ImageRequest(url: url, cachePolicy: .cacheOnly))
    #expect(cached.source == .memory)
  }

  @Test("pictures that the origin forbids to store are stored nowhere, thumbnails included")
  func noStore() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "private, No-Store") }
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    #expect(await fixture.cachedCounts() == (0, 0))
    #expect(try await fixture.pipeline.response(for: request).source == .network)
  }

  @Test("a removed image is removed from all caches")
  func removal() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    #expect(await fixture.cachedCounts() == (1, 2))
    await fixture.pipeline.removeImage(for: request)
    #expect(await fixture.cachedCounts() == (0, 0))
    #expect(fixture.pipeline.diskCache?.count == 0)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.removeAllImages()
    #expect(await fixture.cachedCounts() == (0, 0))
  }

  @Test("without a disk cache everything else works")
  func noDisk() async throws {
    let fixture = Fixture { $0.caching.diskStorage = .none }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    #expect(await fixture.cachedCounts() == (1, 0))
  }

  @Test("a disk cache that cannot be opened is reported, and pictures still load")
  func brokenDisk() async throws {
    let reported = Gate()
    let fixture = Fixture {
      $0.caching.diskStorage = .opening { () throws(DiskCacheError) in
        throw DiskCacheError(.open, path: "/cache", code: EACCES)
      }
      $0.caching.onDiskError = { _ in reported.open() }
    }
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: url)).source == .network)
    try await reported.pass()
  }
}
