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

  @Test("Caching")
  func caching() async throws {
    let pipeline = try servedPipeline()
    let thumbnail = ImageRequest(url: url, resize: Resize(PixelSize(320, 240)))
    let first = try await pipeline.response(for: thumbnail)
    let second = try await pipeline.response(for: thumbnail)
    await pipeline.flush()
    pipeline.removeImagesFromMemory()
    _ = try await pipeline.response(for: thumbnail)
    #expect([first.source, second.source] == [.network, .memory])
    pipeline.cache[thumbnail] = first.picture
    #expect(pipeline.cache[thumbnail] != nil)

    let small = try await pipeline.response(
      for: ImageRequest(url: url, resize: Resize(PixelSize(160, 120))))
    #expect(small.source.rawValue == "derived-from-larger")
    await pipeline.removeImage(for: thumbnail)
    #expect(pipeline.cache[thumbnail] == nil)
  }

  @Test("Caching: policies")
  func storing() async throws {
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg)))
    let pipeline = ImagePipeline.testing(client: client) {
      $0.storagePolicy = .originalData
      $0.renditionEncoding = { picture, request in
        picture.size.width > 1000
          ? nil : RenditionEncoding(.webp, options: EncodingOptions(compressionQuality: 0.8))
      }
    }
    var avatar = ImageRequest(url: url, resize: Resize(PixelSize(64, 64)))
    avatar.storagePolicy = .encodedImages
    #expect(try await pipeline.image(for: avatar).size == PixelSize(64, 48))
  }

  @Test("Prefetching")
  func prefetching() async throws {
    let pipeline = try servedPipeline()
    let upcoming = [ImageRequest(url: url)]
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    let budget = PrefetchBudget(downloadedByteCount: 20 << 20, memoryFraction: 0.25)
    let outcomes = prefetcher.start(upcoming, budget: budget)
    for await outcome in outcomes {
      switch outcome.ending {
      case .done(let source): #expect(source == .network && outcome.downloadedByteCount > 0)
      case .failed(let error): Issue.record("\(error)")
      case .stopped, .overBudget: Issue.record("it was not stopped")
      }
    }
    prefetcher.stop(upcoming)
    #expect(pipeline.cachedImage(for: url) != nil)
  }

  @Test("Testing your app: executors")
  func executors() async throws {
    let pipeline = try servedPipeline()
    pipeline.suspend(.decode)
    let task = pipeline.task(for: url)
    await pipeline.waiting(1, for: .decode)
    #expect("\(pipeline.diagnostics())".contains("decode: 0 of"))
    pipeline.resume(.decode)
    _ = try await task.image
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
