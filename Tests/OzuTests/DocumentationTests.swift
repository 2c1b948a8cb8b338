import Foundation
import Ozu
import OzuHTTP
import OzuSynchronization
import OzuTesting
import Testing

/// The samples of the articles, copied unchanged. Only the public API of the modules is imported.
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
      case .size(let size): view.reserve(size)
      case .preview(let response): view.show(response.picture)
      case .finished(let result): view.finish(result)
      }
    }
    #expect(bar.fraction == 1)
    #expect((try view.result?.get())?.source == .network)
  }

  @Test("The way of a request: the network")
  func network() async throws {
    let tokens = Tokens()
    client.reply { request in
      guard request.headers["Authorization"] == "Bearer 1" else { return .status(401) }
      return (try? PatternPicture(PixelSize(64, 48)).data(as: .png)).map { .ok($0) }
    }
    let pipeline = ImagePipeline.testing(client: client) {
      $0.requestPreparation = TokenSigner(tokens: tokens)
      $0.cacheKeyRules = [
        CacheKeyRule(host: "*.cdn.example.com", droppingQueryItems: ["token", "expires"])
      ]
      $0.retryPolicy.maximumRetryCount = 3
      $0.httpPolicy = .ignoring(lifetime: .seconds(7 * 24 * 3600))
    }
    for token in ["a", "b"] {
      let url = try #require(URL(string: "https://a.cdn.example.com/x.png?token=\(token)"))
      #expect(try await pipeline.image(for: url).size == PixelSize(64, 48))
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
      url: url, resize: Resize(PixelSize(96, 96), mode: .aspectFill, crops: true),
      processors: [.circle(border: .init(width: 2, color: .white)), .grayscale])
    let avatar = try await pipeline.image(for: request)
    #expect(avatar.size == PixelSize(96, 96))

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

  @Test("Caching: a maximum age on disk")
  func maximumAge() {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-age-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let month = ImagePipeline {
      $0.diskStorage = .opening { () throws(DiskCacheError) in
        try DiskCache(directory: folder, configuration: DiskCacheConfiguration(maximumAge: 30 * 86_400))
      }
    }
    #expect(month.diskCache?.directory.contains(folder.lastPathComponent) == true)
  }

  @Test("A level of storage of your own")
  func ownLevel() async throws {
    client.reply(
      to: url,
      with: [
        .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg))
          .header("ETag", "\"1\"").header("Cache-Control", "max-age=60"),
        .status(304, headers: ["Cache-Control": "max-age=600"]), .status(500),
      ])
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (log, clock) = (Reports(), ManualClock())
    func make() -> ImagePipeline {
      .testing(client: client, clock: clock) {
        $0.stores = [SharedFolder(folder: folder)]
        $0.onStoreError = { error in log.add("\(error)") }
      }
    }
    let thumbnail = ImageRequest(url: url, resize: Resize(PixelSize(32, 24)))
    let first = make()
    #expect(try await first.response(for: thumbnail).source == .network)
    await first.flush()
    // Another program on another machine, with an empty disk.
    let second = make()
    #expect(try await second.response(for: thumbnail).source == .rendition)
    #expect(try await second.response(for: ImageRequest(url: url)).source == .original)
    await second.flush()
    clock.advance(by: .seconds(120))
    let later = make()
    #expect(try await later.response(for: ImageRequest(url: url)).source == .revalidated)
    await later.flush()
    let third = make()
    #expect(try await third.response(for: thumbnail).source == .rendition)
    await third.removeImage(for: url)
    await third.removeImage(for: thumbnail)
    await third.flush()
    await #expect(throws: ImageError.self) { try await make().image(for: thumbnail) }
    #expect(client.requests.count == 3)
    #expect(log.names == [])
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

  @Test("Caching: pictures that are encoded again")
  func encodingAgain() async throws {
    let pipeline = try servedPipeline()
    _ = try await pipeline.image(for: ImageRequest(url: url, resize: Resize(PixelSize(64, 48))))
    var request = ImageRequest(url: url, resize: Resize(PixelSize(64, 48)))
    request.readLayers = .originals
    request.writeLayers = .originals
    let picture = try await pipeline.image(for: request)
    let data = try await pipeline.encode(picture, as: .png)
    #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(try await pipeline.response(for: request).source == .original)
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

    let keychain = Keychain()
    let vault = ImagePipeline.testing(client: client) {
      $0.dataTransformation = { data, request in try keychain.decrypt(data) }
      $0.storagePolicy = .originalData
    }
    let secret = Data(try PatternPicture(PixelSize(64, 48)).data(as: .png).reversed())
    #expect(try await vault.image(for: ImageRequest(.data(secret, key: "secret"))).size == PixelSize(64, 48))
  }

  private struct Keychain: Sendable {
    func decrypt(_ data: Data) throws -> Data { Data(data.reversed()) }
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
