import Foundation
import Ozu
import OzuSynchronization
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

  @Test("Processing: a step of one's own, and steps without a pipeline")
  func ownStep() async throws {
    let pipeline = try servedPipeline()
    let picture = try await pipeline.image(for: ImageRequest(url: url, processors: [Posterize(levels: 4)]))
    #expect([0, 64, 128, 192].contains(picture.bitmap[50, 50].red))
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: ImageRequest(url: url, processors: [Posterize(levels: 1)]))
    }
    let soft = try picture.processed(by: [.gaussianBlur(radius: 4), .sharpen()])
    #expect(soft.size == picture.size)
  }

  @Test("Observing a pipeline")
  func observing() async throws {
    let trace = TraceRecorder()
    let reports = Reports()
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg)))
    let clock = ManualClock()
    let pipeline = ImagePipeline.testing(client: client, clock: clock) {
      $0.observers = [trace, SlowLoads { reports.add($0) }]
      $0.log = StandardErrorLog(.error)
    }
    _ = try await pipeline.image(for: url)
    #expect(try trace.json().count > 1000)
    #expect(reports.names == [])

    let counts = pipeline.statistics
    #expect(counts.memory.hitRatio == 0)
    #expect("\(counts)".contains("network: 1 exchanges"))
  }

  @Test("Interceptors and sources of your own")
  func interceptors() async throws {
    let square = Picture.color(.black)
    client.reply { request in
      guard request.url.query() == "size=small" else { return .failure(.connectionLost) }
      return (try? PatternPicture(PixelSize(64, 48)).data(as: .png)).map { .ok($0) }
    }
    let pipeline = ImagePipeline.testing(client: client) {
      $0.interceptors = [Placeholders(square: square), DataSaver(isMetered: { true }), SecondTry()]
      $0.sources.register(scheme: "asset") { url in AssetFetcher(name: url.lastPathComponent) }
    }
    let none = try await pipeline.image(for: try #require(URL(string: "https://example.com/none")))
    #expect(none.isColor(.black))
    #expect(try await pipeline.image(for: url).size == PixelSize(64, 48))
    #expect(client.requests.map { $0.url.query() } == ["size=small"])
    let icon = try await ImagePipeline.testing(client: client) {
      $0.sources.register(scheme: "asset") { url in AssetFetcher(name: url.lastPathComponent) }
    }.image(for: try #require(URL(string: "asset:///star")))
    #expect(icon.isColor(.white))
  }

  @Test("Testing your app with OzuTesting")
  func testing() async throws {
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client)
    let pattern = PatternPicture(PixelSize(320, 240), tint: 2)
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)))

    let picture = try await pipeline.image(for: url, size: PixelSize(32, 24))
    #expect(pattern.resembles(picture.bitmap))
    #expect(client.requestCount(for: url) == 1)

    let other = try #require(URL(string: "https://example.com/b.png"))
    client.reply(to: other, with: .ok(try Picture.color(.white, PixelSize(64, 64)).data(as: .png)))
    #expect(try await pipeline.image(for: other).isColor(.white))

    let gate = Gate()
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)).held(by: gate))
    let task = pipeline.task(for: ImageRequest(url: url, cachePolicy: .reload))
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
  }

  @Test("Testing your app with OzuTesting: events, queues and clocks")
  func testingTime() async throws {
    let gate = Gate()
    let body = try Picture.color(.white).data(as: .png)
    client.reply(to: url, with: .ok(body).held(by: gate))
    let recorder = EventRecorder()
    let pipeline = ImagePipeline.testing(client: client, recorder: recorder)
    let task = pipeline.task(for: url)
    await recorder.event { $0.isBegin(of: .network) }
    task.cancel()
    await recorder.event { $0.isRequestEnd }
    #expect(recorder.count { $0.isBegin(of: .decode) } == 0)

    let urls = try (0..<3).map { try #require(URL(string: "https://example.com/\($0).png")) }
    for url in urls { client.reply(to: url, with: .ok(body)) }
    pipeline.suspend(.decode)
    let tasks = urls.map { pipeline.task(for: $0) }
    await recorder.events(urls.count) { $0.isBegin(of: .wait) }
    tasks[2].priority = .veryHigh
    pipeline.resume(.decode)
    for task in tasks { _ = try await task.image }

    let clock = ManualClock()
    let patient = ImagePipeline.testing(client: client, clock: clock) { $0.retryPolicy = .standard }
    client.reply(to: url, with: [.status(503), .ok(body)])
    let retried = patient.task(for: url)
    await clock.sleepers(1)
    clock.advance(by: .seconds(60))
    _ = try await retried.image
  }

  @Test("Testing your app with OzuTesting: failures")
  func testingFailures() async throws {
    let files = MemoryFileSystem()
    let pipeline = ImagePipeline.testing(client: client, files: files)
    client.reply(to: url, with: .failure(.connectionLost))
    await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    files.respond = { call in call.operation == .write ? .fail(ENOSPC) : .proceed }
    client.reply(to: url, with: .ok(try Picture.color(.white).data(as: .png)))
    #expect(try await pipeline.image(for: url).isColor(.white))
  }
}

/// What an observer has reported.
private final class Reports: Sendable {
  private let list = Mutex<[String]>([])

  var names: [String] { list.withLock { $0 } }

  func add(_ name: String) { list.withLock { $0.append(name) } }
}
