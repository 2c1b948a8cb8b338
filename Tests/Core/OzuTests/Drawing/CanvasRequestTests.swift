import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Canvases as requests")
struct CanvasRequestTests {
  /// A white card with pictures side by side, each 30 by 20.
  private static func card(_ sources: [String], width: Int = 100) -> Canvas {
    var canvas = Canvas(size: PixelSize(width, 40), background: .color(.white))
    canvas.elements = sources.enumerated().map { index, source in
      .picture(.init(source), Placement(x: Double(index * 32), y: 10, size: PixelSize(30, 20)))
    }
    return canvas
  }

  @Test(
    "a card is drawn of pictures from the web, a file, bytes and a fetcher, each loaded once, and is cached as a picture is"
  )
  func cached() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "ozu-canvas-\(UUID()).png")
    try PatternPicture(PixelSize(60, 40), tint: 5).data(as: .png).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = try PatternPicture(PixelSize(30, 20), tint: 3).data(as: .png)
    let fixture = Fixture { $0.sources.register(scheme: "own") { _ in Pixels() } }
    let web = try fixture.serve("a.png", PatternPicture(PixelSize(90, 60), tint: 1), as: .png).absoluteString
    let sources = [
      web, web, file.path(percentEncoded: false), "data:image/png;base64,\(bytes.base64EncodedString())",
      "own:x",
    ]
    let card = Self.card(sources, width: 200)
    let request = ImageRequest(canvas: card)
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .network && response.picture.size == PixelSize(200, 40))
    let drawn = response.picture.bitmap
    #expect(drawn[0, 0] == .white && drawn[31, 15] == .white && drawn[140, 20] == .black)
    #expect(PatternPicture(PixelSize(30, 20), tint: 3).resembles(Self.part(drawn, x: 96)))
    for x in [0, 32] { #expect(PatternPicture(PixelSize(90, 60), tint: 1).resembles(Self.part(drawn, x: x))) }
    #expect(PatternPicture(PixelSize(60, 40), tint: 5).resembles(Self.part(drawn, x: 64)))
    #expect(fixture.client.requests.count == 1)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    #expect(try await fixture.pipeline.image(for: card).bitmap == drawn)

    await fixture.pipeline.flush()
    let second = fixture.freshPipeline()
    let again = try await second.response(for: ImageRequest(canvas: card))
    #expect(again.source == .rendition && again.picture.size == drawn.size)
    #expect(fixture.client.requests.count == 1)
    var other = card
    other.elements.removeLast()
    let small = ImageRequest(
      canvas: other, resize: Resize(PixelSize(100, 100)), processors: [.grayscale])
    #expect(try await second.image(for: small).size == PixelSize(100, 20))
  }

  @Test("a resolver may have a card for an address, with pictures that the same pipeline loads")
  func resolved() async throws {
    let card = ImageRequest(canvas: Self.card(["own:x"]))
    let fixture = Fixture {
      $0.sources.register(scheme: "own") { _ in Pixels() }
      $0.sources.register(scheme: "card") { _ in
        guard case .fetcher(let fetcher) = card.source else { return nil }
        return fetcher
      }
    }
    let url = try #require(URL(string: "card:x"))
    let drawn = try await fixture.pipeline.image(for: url).bitmap
    #expect(drawn[10, 20] == .black && drawn[60, 20] == .white)
  }

  private struct Pixels: ImageFetching {
    var key: String { "own" }
    func fetch() async throws -> FetchedImage {
      .picture(Picture(Bitmap(size: PixelSize(3, 2)) { _, _ in .black }))
    }
  }

  private static func part(_ bitmap: Bitmap, x: Int) -> Bitmap {
    Bitmap(size: PixelSize(30, 20)) { bitmap[x + $0, 10 + $1] }
  }

  @Test("equal cards are drawn once, and many cards at once wait for their pictures without a deadlock")
  func shared() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let web = try fixture.serve("a.png", as: .png) { $0.held(by: gate) }.absoluteString
    let tasks = (0..<40).map { index in
      fixture.pipeline.task(
        for: ImageRequest(canvas: Self.card([web], width: 100 + index / 2)))
    }
    gate.open()
    for task in tasks { _ = try await task.image }
    #expect(fixture.pipeline.statistics.fetcherLoads == 20)
    #expect(fixture.client.requests.count == 1)
  }

  @Test(
    "the pictures of a card are loaded at the priority of its request",
    arguments: [ImagePriority.low, .veryHigh])
  func priority(_ priority: ImagePriority) async throws {
    let fixture = Fixture()
    let web = try fixture.serve("a.png", as: .png).absoluteString
    let request = ImageRequest(canvas: Self.card([web])).with { $0.priority = priority }
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requests.map(\.priority) == [priority.transport])
  }

  @Test("a reload of a card loads its pictures again, and a card without caches leaves none of them there")
  func policies() async throws {
    let fixture = Fixture()
    let web = try fixture.serve("a.png", as: .png) { $0.header("Cache-Control", "max-age=100") }
    func request(_ policy: CachePolicy) -> ImageRequest {
      ImageRequest(canvas: Self.card([web.absoluteString])).with { $0.cachePolicy = policy }
    }
    _ = try await fixture.pipeline.image(for: request(.bypass))
    let counts = await fixture.cachedCounts()
    #expect(counts.memory == 0 && counts.disk == 0)
    for (policy, count) in [(CachePolicy.useCaches, 2), (.reload, 3), (.useCaches, 3)] {
      _ = try await fixture.pipeline.image(for: request(policy))
      #expect(fixture.client.requestCount(for: web) == count)
    }
  }

  @Test("a card is fresh as long as its pictures, and is not stored if one of them must not be")
  func freshness() async throws {
    let fixture = Fixture()
    let lasting = try fixture.serve("a.png", as: .png) { $0.header("Cache-Control", "max-age=100") }
    let short = try fixture.serve("b.png", as: .png) { $0.header("Cache-Control", "max-age=60") }
    let card = Self.card([lasting.absoluteString, short.absoluteString])
    _ = try await fixture.pipeline.image(for: card)
    await fixture.pipeline.flush()
    for (seconds, expected) in [(59.0, ImageResponse.Source.rendition), (61, .network)] {
      let later = fixture.freshPipeline { [date = fixture.date] in
        $0.testing.currentDate = { date + seconds }
      }
      #expect(try await later.response(for: ImageRequest(canvas: card)).source == expected)
    }
    #expect(fixture.client.requestCount(for: lasting) == 1)

    let secret = try fixture.serve("c.png", as: .png) { $0.header("Cache-Control", "no-store") }
    let counts = await fixture.cachedCounts()
    let hidden = Self.card([lasting.absoluteString, secret.absoluteString])
    for _ in 0..<2 { _ = try await fixture.pipeline.image(for: hidden) }
    #expect(fixture.client.requestCount(for: secret) == 2)
    let after = await fixture.cachedCounts()
    #expect(after.disk == counts.disk && after.memory == counts.memory)
  }

  @Test("an encoded card has the pixels that were drawn, and is made once")
  func encoded() async throws {
    let fixture = Fixture()
    let web = try fixture.serve("a.png", as: .png).absoluteString
    let request = ImageRequest(canvas: Self.card([web]))
    let file = try await fixture.pipeline.encoded(for: request, as: .png)
    let decoded = try CodecRegistry.standard.picture(from: file.data, resize: nil)
    #expect(decoded.bitmap == (try await fixture.pipeline.image(for: request)).bitmap)
    let again = try await fixture.pipeline.encoded(for: request, as: .png)
    #expect(again.data == file.data && fixture.pipeline.statistics.encodes >= 1)
  }

  @Test("errors name the picture that failed, or say what is wrong with the canvas before anything is loaded")
  func errors() async throws {
    func error(of canvas: Canvas, _ pipeline: ImagePipeline) async -> ImageError? {
      do throws(ImageError) {
        _ = try await pipeline.image(for: canvas)
        return nil
      } catch {
        return error
      }
    }
    let fixture = Fixture()
    let missing = await error(of: Self.card([Fixture.url("missing.png").absoluteString]), fixture.pipeline)
    #expect(missing?.statusCode == 404 && missing?.source == "https://example.com/missing.png")
    let relative = await error(of: Self.card(["a.png"]), fixture.pipeline)
    #expect(relative?.kind == .invalidSource)
    let count = fixture.client.requests.count
    var large = Self.card([Fixture.url("a.png").absoluteString])
    large.size = PixelSize(60_000, 60_000)
    let refused = await error(of: large, fixture.pipeline)
    #expect(refused?.kind == .limitExceeded && refused?.violation?.quantity == .pixelCount)
    large.size = PixelSize(10, 10)
    large.elements.append(.line(.init(startX: .nan, startY: 0, endX: 1, endY: 1)))
    let invalid = await error(of: large, fixture.pipeline)
    #expect(
      invalid?.underlying as? CanvasError
        == .invalid(element: 1, reason: "its ends must be numbers of pixels"))
    #expect(fixture.client.requests.count == count)
    #expect(invalid?.source.hasPrefix("canvas 10x10 ") == true)
  }

  @Test("cancelling a card cancels its pictures")
  func cancelled() async throws {
    let fixture = Fixture()
    let web = try fixture.serve("a.png", as: .png) { $0.held(by: Gate()) }.absoluteString
    let task = fixture.pipeline.task(for: ImageRequest(canvas: Self.card([web])))
    try await eventually(fixture.client.activeCount == 1)
    task.cancel()
    do throws(ImageError) {
      _ = try await task.image
      Issue.record("it was drawn")
    } catch {
      #expect(error.isCancellation)
    }
    try await eventually(fixture.client.cancelledCount == 1)
  }
}
