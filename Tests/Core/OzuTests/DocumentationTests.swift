import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

/// The samples of the articles, copied unchanged. Only the public API of the modules is imported.
@Suite("The samples of the documentation work")
struct DocumentationTests {
  let client = FakeHTTPClient()
  let url = URL(string: "https://example.com/a.jpg")!

  func servedPipeline() throws -> ImagePipeline {
    client.reply(
      to: url, with: .ok(try PatternPicture(PixelSize(width: 320, height: 240), tint: 2).data(as: .jpeg)))
    return .testing(client: client)
  }

  @Test("How a request is answered")
  func wayOfARequest() async throws {
    let pipeline = try servedPipeline()
    let mirror = URL(string: "https://example.org/a.jpg")!

    var request = ImageRequest(url: url)
      .resized(to: PixelSize(width: 96, height: 96), mode: .aspectFill)
      .processed(by: .circle())
    request.priority = .high
    request.alternatives = [.url(mirror)]
    let avatar = try await pipeline.image(for: request)
    #expect(avatar.size == PixelSize(width: 96, height: 96))

    request.cachePolicy = .reload
    let (bar, view) = (Bar(), View())
    let task = pipeline.task(for: request)
    task.priority = .veryHigh
    for await event in task.events {
      switch event {
      case .progress(let progress): bar.fraction = progress.fraction ?? 0
      case .size(let size): view.reserve(size)
      case .preview(let response): view.show(response.picture)
      case .finished(let result): view.finish(result)
      }
    }
    #expect(bar.fraction == 1)
    #expect((try view.result?.get())?.source == .network)
  }

  @Test("How a request is answered: the network")
  func network() async throws {
    let tokens = Tokens()
    client.reply { request in
      guard request.headers["Authorization"] == "Bearer 1" else { return .status(401) }
      return (try? PatternPicture(PixelSize(width: 64, height: 48)).data(as: .png)).map { .ok($0) }
    }
    let pipeline = ImagePipeline.testing(client: client) {
      $0.network.requestPreparation = TokenSigner(tokens: tokens)
      $0.caching.cacheKeyRules = [
        CacheKeyRule(host: "*.cdn.example.com", droppingQueryItems: ["token", "expires"])
      ]
      $0.network.retryPolicy.maximumRetryCount = 3
      $0.caching.httpPolicy = .ignoring(lifetime: .seconds(7 * 24 * 3600))
    }
    for token in ["a", "b"] {
      let url = try #require(URL(string: "https://a.cdn.example.com/x.png?token=\(token)"))
      #expect(try await pipeline.image(for: url).size == PixelSize(width: 64, height: 48))
    }
    #expect(client.requests.count == 1)
  }

  private final class Bar { var fraction = 0.0 }

  private final class View {
    var picture: Picture?
    var result: Result<ImageResponse, ImageError>?
    var size: PixelSize?
    func reserve(_ size: PixelSize) { self.size = size }
    func show(_ picture: Picture) { self.picture = picture }
    func finish(_ result: Result<ImageResponse, ImageError>) { self.result = result }
  }

  @Test("Processing")
  func processing() async throws {
    let pipeline = try servedPipeline()
    let request = ImageRequest(
      url: url, resize: Resize(PixelSize(width: 96, height: 96), mode: .aspectFill),
      processors: [.circle(border: .init(width: 2, color: .white)), .grayscale])
    let avatar = try await pipeline.image(for: request)
    #expect(avatar.size == PixelSize(width: 96, height: 96))

    let inverted: any ImageProcessing = .custom("invert") { bitmap in
      bitmap.map { pixel in
        Pixel(
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
    client.reply(
      to: url, with: .ok(try PatternPicture(PixelSize(width: 320, height: 240), tint: 2).data(as: .jpeg)))
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
      return (try? PatternPicture(PixelSize(width: 64, height: 48)).data(as: .png)).map { .ok($0) }
    }
    let pipeline = ImagePipeline.testing(client: client) {
      $0.interceptors = [Placeholders(square: square), DataSaver(isMetered: { true }), SecondTry()]
      $0.sources.register(scheme: "asset") { url in AssetFetcher(name: url.lastPathComponent) }
    }
    let none = try await pipeline.image(for: try #require(URL(string: "https://example.com/none")))
    #expect(none.isColor(.black))
    #expect(try await pipeline.image(for: url).size == PixelSize(width: 64, height: 48))
    #expect(client.requests.map { $0.url.query() } == ["size=small"])
    let icon = try await ImagePipeline.testing(client: client) {
      $0.sources.register(scheme: "asset") { url in AssetFetcher(name: url.lastPathComponent) }
    }.image(for: try #require(URL(string: "asset:///star")))
    #expect(icon.isColor(.white))

    let keychain = Keychain()
    let vault = ImagePipeline.testing(client: client) {
      $0.decoding.dataTransformation = { data, request in try keychain.decrypt(data) }
      $0.caching.storagePolicy = .originalData
    }
    let secret = Data(try PatternPicture(PixelSize(width: 64, height: 48)).data(as: .png).reversed())
    #expect(
      try await vault.image(for: ImageRequest(.data(secret, key: "secret"))).size
        == PixelSize(width: 64, height: 48))
  }

  private struct Keychain: Sendable {
    func decrypt(_ data: Data) throws -> Data { Data(data.reversed()) }
  }
}

/// The reports of an observer.
final class Reports: Sendable {
  private let list = Mutex<[String]>([])

  var names: [String] { list.withLock { $0 } }

  func add(_ name: String) { list.withLock { $0.append(name) } }
}
