import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A picture is made from a larger one")
struct DerivingTests {
  private static let large = Resize(PixelSize(160, 120))
  private static let medium = Resize(PixelSize(120, 90))
  private static let tiny = Resize(PixelSize(80, 60))

  @Test("in memory, when it is large enough: no download, no decode, the same size and the same picture")
  func memory() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    let response = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .derived)
    #expect(response.picture.size == PixelSize(80, 60))
    #expect(response.picture.header?.size == PixelSize(320, 240))
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    #expect(fixture.decoder.decodeCount == 1)
    #expect(fixture.client.requests.count == 1)
    // Too close to the larger size: made from the source.
    let near = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: Self.medium))
    #expect(near.source == .original)
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, resize: Self.tiny)) != nil)
  }

  @Test("with processors of its own")
  func processors() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    let step = CountingStep("a")
    let response = try await fixture.pipeline.response(
      for: ImageRequest(url: url, resize: Fixture.small, processors: [step]))
    #expect(response.source == .derived)
    #expect(response.picture.size == PixelSize(32, 24))
    #expect(step.runCount == 1)
    #expect(fixture.decoder.decodeCount == 1)
  }

  @Test("from the larger one on disk, if it is no longer in memory")
  func disk() async throws {
    let fixture = Fixture { $0.caching.storagePolicy = .encodedImages }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    let response = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: Self.tiny))
    #expect(response.source == .derived)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    #expect(fixture.client.requests.count == 1)
  }

  @Test("while it is being made")
  func inFlight() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    fixture.pipeline.suspend(.decode)
    let large = fixture.pipeline.task(for: ImageRequest(url: url, resize: Self.large))
    await fixture.pipeline.waiting(1, for: .decode)
    let small = fixture.pipeline.task(for: ImageRequest(url: url, resize: Self.tiny))
    try await eventually(fixture.pipeline.loadSubscriberCount >= 3)
    #expect(fixture.pipeline.diagnostics().jobs.contains { $0.waitingFor == .larger })
    // The request for the larger picture is cancelled; the smaller one still needs it.
    large.cancel()
    await #expect(throws: ImageError.self) { try await large.image }
    fixture.pipeline.resume(.decode)
    #expect(try await small.response.source == .derived)
    #expect(fixture.decoder.decodeCount == 1)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("not if that is switched off, nor if the caches are bypassed", arguments: [false, true])
  func off(_ isEnabled: Bool) async throws {
    let fixture = Fixture { $0.caching.isDerivationEnabled = isEnabled }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    let policy: CachePolicy = isEnabled ? .reload : .useCaches
    let response = try await fixture.pipeline.response(
      for: ImageRequest(url: url, resize: Self.tiny, cachePolicy: policy))
    #expect(response.source != .derived)
    #expect(fixture.decoder.decodeCount == 2)
  }

  @Test("only while it is fresh, and for no longer than the larger one")
  func freshness() async throws {
    let clock = ManualClock()
    let fixture = Fixture { $0.testing.currentDate = clock.date }
    let url = try fixture.serve("a.jpg") {
      $0.header("Cache-Control", "max-age=60").header("ETag", "\"1\"")
    }
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    let request = ImageRequest(url: url, resize: Self.tiny)
    #expect(try await fixture.pipeline.response(for: request).source == .derived)
    clock.advance(by: .seconds(61))
    // Both are stale, so the origin must be asked.
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Resize(PixelSize(70, 70))))
    #expect(fixture.client.requests.count == 2)
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(61))
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requests.count == 3)
  }

  @Test("from a local file only while the file is unchanged")
  func files() async throws {
    let fixture = Fixture()
    let url = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID()).jpg")
    defer { try? FileManager.default.removeItem(at: url) }
    try Fixture.photo.data(as: .jpeg).write(to: url)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.large))
    let tiny = ImageRequest(url: url, resize: Self.tiny)
    #expect(try await fixture.pipeline.response(for: tiny).source == .derived)
    try PatternPicture(PixelSize(640, 480), tint: 1).data(as: .jpeg).write(to: url)
    let other = ImageRequest(url: url, resize: Resize(PixelSize(70, 70)))
    #expect(try await fixture.pipeline.response(for: other).source == .original)
  }

  @Test("the list of known variants is bounded")
  func bounds() {
    let variants = KnownVariants()
    for number in 0..<20_000 {
      let key = ImageKey(source: CacheKey("\(number)"), steps: ["resize"])
      variants.note(KnownVariants.SizeVariant(key: key, resize: Self.large, size: PixelSize(160, 120)))
    }
    let known = (0..<20_000).filter {
      !variants.finished(of: ImageKey(source: CacheKey("\($0)"), steps: []).source).isEmpty
    }
    #expect(known.count >= 4096)
    #expect(known.count <= 8194)
    #expect(known.last == 19_999)
    let source = ImageKey(source: CacheKey("many"), steps: []).source
    for number in 0..<100 {
      let key = ImageKey(source: CacheKey("many"), steps: ["\(number)"])
      variants.note(KnownVariants.SizeVariant(key: key, resize: nil, size: PixelSize(200 - number, 10)))
    }
    #expect(variants.finished(of: source).map(\.size.width) == Array(101...108))
  }

  /// A recipe that no source allows, and why.
  static let refused: [Resize] =
    [(1000, 0), (320, 0), (-50, 0), (0, 240)].map {
      Resize(region: PixelRectangle(x: $0.0, y: $0.1, width: 5, height: 5))
    } + [
      Resize(PixelSize(1000, 1000), allowsUpscaling: true),
      Resize(PixelSize(100_000, 100_000), allowsUpscaling: true),
      Resize(PixelSize(100_000, 100_000), mode: .fill, allowsUpscaling: true),
      Resize(PixelSize(100_000, 100_000), mode: .aspectFill, allowsUpscaling: true, light: .linear),
    ]

  @Test("regions and limits are those of a load from the source", arguments: refused)
  func limits(_ resize: Resize) async throws {
    var kinds: [ImageError.Kind] = []
    for isWarm in [false, true] {
      let fixture = Fixture { $0.decoding.limits.decodedByteCount = 2 << 20 }
      let url = try fixture.serve("a.jpg")
      if isWarm { _ = try await fixture.pipeline.image(for: url) }
      let request = ImageRequest(url: url, resize: resize)
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      if let error { kinds.append(error.kind) }
      // Pixels of a fetcher or of the app are no exception.
      let pixels = ImageRequest(
        .picture(Picture(Fixture.photo.bitmap), key: "a"), resize: resize,
        processors: isWarm ? [.grayscale] : [])
      let other = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: pixels) }
      if let other { kinds.append(other.kind) }
    }
    #expect(Set(kinds) == [resize.region == nil ? .limitExceeded : .regionOutside])
  }

  @Test("only while the budget of all decodes has room for it")
  func budget() async throws {
    let budget = DecodedByteBudget(byteLimit: 1 << 20)
    let fixture = Fixture { $0.decoding.decodedByteBudget = budget }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    let request = ImageRequest(url: url, resize: Resize(PixelSize(640, 480), allowsUpscaling: true))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(error?.kind == .limitExceeded)
  }

  @Test("in linear light, when the request asks for it")
  func light() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let whole = try await fixture.pipeline.image(for: url)
    let resize = Resize(PixelSize(20, 15), light: .linear)
    let response = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: resize))
    #expect(response.source == .derived)
    #expect(response.picture.bitmap == whole.resized(resize).bitmap)
    // A larger one that was averaged in other values, or made from a camera's thumbnail, is not as good.
    for other in [Self.large, Resize(PixelSize(160, 120), allowsEmbeddedThumbnail: true)] {
      let own = Fixture()
      try own.serve("a.jpg")
      _ = try await own.pipeline.image(for: ImageRequest(url: url, resize: other))
      let wanted = other == Self.large ? resize : Self.tiny
      let made = try await own.pipeline.response(for: ImageRequest(url: url, resize: wanted))
      #expect(made.source == .original)
    }
  }
}
