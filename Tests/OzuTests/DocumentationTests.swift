import Foundation
import Ozu
import OzuTesting
import Testing

/// The samples of the articles, as they stand there. Only the public face of the modules is imported.
@Suite("The samples of the documentation work")
struct DocumentationTests {
  private let client = FakeHTTPClient()
  private let url = URL(string: "https://example.com/a.jpg")!

  private func servedPipeline() throws -> ImagePipeline {
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg)))
    return .testing(client: client)
  }

  @Test("The way of a request")
  func wayOfARequest() async throws {
    let pipeline = try servedPipeline()
    let mirror = URL(string: "https://example.org/a.jpg")!

    var request = ImageRequest(url: url)
      .resized(to: PixelSize(96, 96), mode: .aspectFill, crops: true)
      .processed(by: .circle())
    request.priority = .high
    request.alternatives = [.url(mirror)]
    let avatar = try await pipeline.image(for: request)
    #expect(avatar.size == PixelSize(96, 96))

    request.cachePolicy = .reload
    let (bar, view) = (Bar(), View())
    let task = pipeline.task(for: request)
    task.priority = .veryHigh
    for await event in task.events {
      switch event {
      case .progress(let progress): bar.fraction = progress.fraction ?? 0
      case .preview(let response): view.show(response.picture)
      case .finished(let result): view.finish(result)
      }
    }
    #expect(bar.fraction == 1)
    #expect((try view.result?.get())?.source == .network)
  }

  private final class Bar { var fraction = 0.0 }

  private final class View {
    var picture: Picture?
    var result: Result<ImageResponse, ImageError>?
    func show(_ picture: Picture) { self.picture = picture }
    func finish(_ result: Result<ImageResponse, ImageError>) { self.result = result }
  }

  @Test("Processing")
  func processing() async throws {
    let pipeline = try servedPipeline()
    let request = ImageRequest(
      url: url, resize: Resize(PixelSize(96, 96), mode: .aspectFill, crops: true),
      processors: [.circle(border: .init(width: 2, color: .white)), .grayscale])
    let avatar = try await pipeline.image(for: request)
    #expect(avatar.size == PixelSize(96, 96))

    let inverted: any ImageProcessing = .custom("invert") { bitmap in
      Bitmap(size: bitmap.size, isOpaque: bitmap.isOpaque) { x, y in
        let pixel = bitmap[x, y]
        return Pixel(
          red: pixel.alpha - pixel.red, green: pixel.alpha - pixel.green, blue: pixel.alpha - pixel.blue,
          alpha: pixel.alpha)
      }
    }
    let plain = try await pipeline.image(for: url)
    let negative = try await pipeline.image(for: ImageRequest(url: url, processors: [inverted]))
    #expect(negative.bitmap[9, 9].red == 255 - plain.bitmap[9, 9].red)
  }

  @Test("Prefetching")
  func prefetching() async throws {
    let pipeline = try servedPipeline()
    let upcoming = [ImageRequest(url: url)]
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    for await outcome in prefetcher.start(upcoming) {
      if case .failure(let error) = outcome.result { Issue.record("\(error)") }
    }
    prefetcher.stop(upcoming)
    #expect(pipeline.cachedImage(for: url) != nil)
  }

  @Test("Testing your app")
  func testing() async throws {
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client)
    let pattern = PatternPicture(PixelSize(320, 240), tint: 2)
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)))

    let picture = try await pipeline.image(for: url, size: PixelSize(32, 24))
    #expect(pattern.resembles(picture.bitmap))
    #expect(client.requestCount(for: url) == 1)

    let gate = Gate()
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)).held(by: gate))
    let task = pipeline.task(for: ImageRequest(url: url, cachePolicy: .reload))
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
  }
}
