import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("The pictures of a cache format")
struct CacheFormatTests {
  @Test("the defaults")
  func defaults() {
    let format = CacheFormat("plain")
    #expect(format.name == "plain")
    #expect(format.mode == .aspectFit && format.options.crops)
    #expect(!format.options.allowsUpscaling)
    #expect(format.compressionQuality == 1)
    #expect(format.diskCapacity == 0 && format.diskByteCount == 0)
    #expect(format.options.preloadPolicy == .none)
    #expect(format.options.preResize == nil && format.options.postResize == nil)
    #expect(format.resize == nil)
  }

  @Test("a quality is limited to 0 to 1", arguments: [(-1.0, 0.0), (2, 1), (.nan, 1), (0.5, 0.5)])
  func quality(given: Double, held: Double) {
    #expect(CacheFormat("x", compressionQuality: given).compressionQuality == held)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let source: PixelSize
    let size: PixelSize
    let mode: ScaleMode
    var upscales = false
    var crops = true
    let expected: PixelSize
    var testDescription: String {
      "\(source) to \(size) \(mode.rawValue)\(upscales ? " up" : "")\(crops ? "" : " whole")"
    }
  }

  static let cases = [
    Case(source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .fill, expected: PixelSize(32, 32)),
    Case(source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .aspectFit, expected: PixelSize(32, 24)),
    Case(source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .aspectFill, expected: PixelSize(32, 32)),
    Case(
      source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .aspectFill, crops: false,
      expected: PixelSize(43, 32)),
    Case(source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .none, expected: PixelSize(64, 48)),
    Case(
      source: PixelSize(64, 48), size: PixelSize(32, 32), mode: .none, upscales: true,
      expected: PixelSize(64, 48)),
    Case(source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .fill, expected: PixelSize(8, 6)),
    Case(source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .aspectFit, expected: PixelSize(8, 6)),
    Case(source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .aspectFill, expected: PixelSize(6, 6)),
    Case(
      source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .fill, upscales: true,
      expected: PixelSize(32, 32)),
    Case(
      source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .aspectFit, upscales: true,
      expected: PixelSize(32, 24)),
    Case(
      source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .aspectFill, upscales: true,
      expected: PixelSize(32, 32)),
    Case(
      source: PixelSize(8, 6), size: PixelSize(32, 32), mode: .aspectFill, upscales: true, crops: false,
      expected: PixelSize(43, 32)),
    Case(
      source: PixelSize(1, 1), size: PixelSize(32, 32), mode: .aspectFill, upscales: true,
      expected: PixelSize(32, 32)),
    Case(source: PixelSize(1, 1), size: PixelSize(32, 32), mode: .fill, expected: PixelSize(1, 1)),
    Case(source: PixelSize(16_000, 1), size: PixelSize(32, 32), mode: .aspectFit, expected: PixelSize(32, 1)),
    Case(source: PixelSize(16_000, 1), size: PixelSize(32, 32), mode: .fill, expected: PixelSize(32, 1)),
    Case(source: PixelSize(16_000, 1), size: PixelSize(32, 32), mode: .aspectFill, expected: PixelSize(1, 1)),
    Case(
      source: PixelSize(16_000, 1), size: PixelSize(32, 32), mode: .aspectFill, crops: false,
      expected: PixelSize(16_000, 1)),
  ]

  @Test(
    "sizes and modes, also for a source smaller than the format, of one pixel and of 16,000 by 1",
    arguments: cases)
  func sizes(_ test: Case) async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.png", PatternPicture(test.source), as: .png)
    let format = CacheFormat("x", size: test.size, mode: test.mode, diskCapacity: 1 << 20) {
      $0.allowsUpscaling = test.upscales
      $0.crops = test.crops
    }
    let request = ImageRequest(url: url, format: format)
    #expect(try await fixture.pipeline.image(for: request).size == test.expected)
    #expect(try await fixture.restarted().image(for: request).size == test.expected)
  }

  @Test("16,000 by 1 enlarged to cover a view is over the limits: an error, before any memory is allocated")
  func overLimits() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.png", PatternPicture(PixelSize(16_000, 1)), as: .png)
    let format = CacheFormat("x", size: PixelSize(2000, 2000), mode: .aspectFill) {
      $0.allowsUpscaling = true
      $0.crops = false
    }
    await #expect {
      try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
    } throws: {
      ($0 as? ImageError)?.kind == .limitExceeded
    }
  }

  @Test(
    "the same for pixels of a fetcher, with and without a hook before the resize",
    arguments: [true, false])
  func pixelsOverLimits(isHooked: Bool) async throws {
    let narrow = SimpleFetcher(Picture(PatternPicture(PixelSize(16_000, 1)).bitmap), key: "narrow")
    let same: CacheFormat.Hook = { _, picture in picture }
    let pipeline = ImagePipeline.testing()
    let format = CacheFormat("x", size: PixelSize(2000, 2000), mode: .aspectFill) {
      $0.allowsUpscaling = true
      $0.crops = false
      $0.preResize = isHooked ? same : nil
    }
    await #expect {
      try await pipeline.image(for: ImageRequest(.fetcher(narrow), format: format))
    } throws: {
      ($0 as? ImageError)?.kind == (isHooked ? .processingFailed : .limitExceeded)
    }
  }

  @Test(
    "a format as large as the source, or larger without upscaling, gives the original pixels untouched",
    arguments: [
      (PixelSize(64, 48), ScaleMode.fill), (PixelSize(64, 48), .aspectFit), (PixelSize(64, 48), .aspectFill),
      (PixelSize(640, 480), .fill), (PixelSize(640, 480), .aspectFit), (PixelSize(640, 480), .aspectFill),
    ])
  func untouched(size: PixelSize, mode: ScaleMode) async throws {
    let fixture = FormatFixture()
    let pattern = PatternPicture(PixelSize(64, 48), tint: 3)
    let url = try fixture.serve("a.png", pattern, as: .png)
    let request = ImageRequest(
      url: url,
      format: CacheFormat("x", size: size, mode: mode, compressionQuality: 0.1, diskCapacity: 1 << 20))
    #expect(try await fixture.pipeline.image(for: request).bitmap == pattern.bitmap)
    #expect(try await fixture.restarted().image(for: request).bitmap == pattern.bitmap)
  }

  @Test("opaque renditions are JPEG at the format's quality, others lossless", arguments: [true, false])
  func encoding(isOpaque: Bool) async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve(
      "a.png", PatternPicture(PixelSize(320, 240), tint: 1, isOpaque: isOpaque), as: .png)
    var sizes: [Int] = []
    for quality in [0.1, 1] {
      let format = CacheFormat(
        "q\(quality)", size: PixelSize(160, 120), compressionQuality: quality, diskCapacity: 1 << 20)
      let request = ImageRequest(url: url, format: format)
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.flush()
      let disk = try #require(fixture.pipeline.diskCache)
      let data = try #require(disk.peek(request.key.rendition, in: format.partition))
      #expect(ContentKind(sniffing: data) == .image(isOpaque ? .jpeg : .ozuDelta))
      sizes.append(data.count)
    }
    #expect(isOpaque ? sizes[0] < sizes[1] : sizes[0] == sizes[1])
  }

  @Test("hooks receive the key and the picture at their stage, in the background, and only on a miss")
  func hooks() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let calls = Shared<[String]>([])
    func hook(_ name: String, _ tint: UInt8) -> CacheFormat.Hook {
      { key, picture in
        calls.change { $0.append("\(name) \(key) \(picture.size) \(Thread.isMainThread)") }
        return Picture(
          Bitmap(size: picture.size, isOpaque: true) { _, _ in Pixel(red: 0, green: 0, blue: tint) })
      }
    }
    let format = CacheFormat("hooked", size: PixelSize(32, 24), diskCapacity: 1 << 20) {
      $0.preResize = hook("pre", 100)
      $0.postResize = hook("post", 200)
    }
    let request = ImageRequest(url: url, format: format)
    let picture = try await fixture.pipeline.image(for: request)
    #expect(picture.size == PixelSize(32, 24))
    #expect(picture.bitmap[0, 0].blue == 200)
    _ = try await fixture.pipeline.image(for: request)
    let again = try await fixture.restarted().response(for: request)
    #expect(again.source == .rendition)
    #expect(abs(Int(again.picture.bitmap[0, 0].blue) - 200) < 4)
    #expect(calls.value == ["pre \(url) 320x240 false", "post \(url) 32x24 false"])
  }

  @Test(
    "a hook that throws or returns nothing fails the request, leaves nothing in the caches and is called again",
    arguments: [
      true, false,
    ], [true, false])
  func failingHook(throwsError: Bool, isPre: Bool) async throws {
    struct Refusal: Error {}
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let calls = Shared(0)
    let hook: CacheFormat.Hook = { _, picture in
      let count = calls.change { (count: inout Int) -> Int in
        count += 1
        return count
      }
      if count > 1 { return picture }
      if throwsError { throw Refusal() }
      return nil
    }
    let format = CacheFormat("hooked", size: PixelSize(32, 24), diskCapacity: 1 << 20) {
      $0.preResize = isPre ? hook : nil
      $0.postResize = isPre ? nil : hook
    }
    let request = ImageRequest(url: url, format: format)
    await #expect {
      try await fixture.pipeline.image(for: request)
    } throws: {
      ($0 as? ImageError)?.kind == .processingFailed
    }
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(32, 24))
  }
}
