import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Failures: remembered, retried, resumed, or answered by alternatives")
struct FailureTests {
  private let fixture: Fixture
  private let clock = ManualClock()
  private let url = Fixture.url("a.jpg")

  init() {
    let clock = clock
    fixture = Fixture { $0.testing.currentDate = clock.date }
  }

  private func load(_ policy: CachePolicy = .useCaches) async -> Bool {
    (try? await fixture.pipeline.image(for: ImageRequest(url: url, cachePolicy: policy))) != nil
  }

  @Test(
    "a 404 counts for its lifetime, else for a minute; reload asks the origin in any case",
    arguments: [([:], 60), (["Cache-Control": "max-age=600"], 600), (["Cache-Control": "max-age=0"], 0)]
      as [(HTTPHeaders, Int)])
  func absence(_ headers: HTTPHeaders, _ seconds: Int) async throws {
    fixture.client.reply(
      to: url, with: [.status(404, headers: headers), .ok(try Fixture.photo.data(as: .jpeg))])
    #expect(await !load())
    if seconds > 0 {
      clock.advance(by: .seconds(seconds - 1))
      #expect(await !load())
      #expect(fixture.client.requests.count == 1)
      clock.advance(by: .seconds(1))
    }
    #expect(await load())
  }

  @Test(
    "a failure counts for the address and the header fields that it was the answer to",
    arguments: [true, false])
  func cause(isAddress: Bool) async throws {
    let photo = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply { request in
      let token = request.url.query() ?? request.headers["X-Token"]
      return token == "new" ? .ok(photo) : .status(403)
    }
    func request(_ token: String) throws -> ImageRequest {
      isAddress
        ? ImageRequest(url: Fixture.url("a.jpg?\(token)"), cacheKey: "a")
        : ImageRequest(.request(ImageURLRequest(url: url, headers: ["X-Token": token])))
    }
    for (token, count) in [("old", 1), ("old", 1), ("new", 2)] {
      let isLoaded = (try? await fixture.pipeline.image(for: request(token))) != nil
      #expect(isLoaded == (token == "new"))
      #expect(fixture.client.requests.count == count)
    }
  }

  @Test("reload asks in spite of a remembered failure, and its success is remembered instead")
  func reload() async throws {
    fixture.client.reply(to: url, with: [.status(404), .ok(try Fixture.photo.data(as: .jpeg))])
    #expect(await !load())
    #expect(await load(.reload))
    #expect(await load())
    #expect(fixture.client.requests.count == 2)
  }

  @Test("other lasting failures count ten seconds, then twenty, and so on; removing the image forgets them")
  func fading() async throws {
    fixture.client.reply(to: url, with: .ok(Data("<html>sign in".utf8)))
    for (count, seconds) in [10, 20, 40].enumerated() {
      #expect(await !load())
      clock.advance(by: .seconds(seconds - 1))
      #expect(await !load())
      #expect(fixture.client.requests.count == count + 1)
      clock.advance(by: .seconds(1))
    }
    #expect(await !load())
    #expect(await !load())
    await fixture.pipeline.removeImage(for: ImageRequest(url: url))
    #expect(await !load())
    #expect(fixture.client.requests.count == 5)
  }

  @Test("bytes that are no picture are given to who wants the bytes alone, and not to who wants a header")
  func bytesAlone() async throws {
    let page = Data("<html>sign in".utf8)
    fixture.client.reply(to: url, with: .ok(page))
    #expect(await !load())
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: url)) == page)
    #expect(fixture.client.requests.count == 2)
    #expect(await !load())
    await #expect(throws: ImageError.self) { try await fixture.pipeline.header(for: ImageRequest(url: url)) }
    #expect(fixture.client.requests.count == 2)
  }

  @Test("temporary failures are not remembered", arguments: [408, 429, 500, 503])
  func transient(_ status: Int) async throws {
    fixture.client.reply(to: url, with: [.status(status), .ok(try Fixture.photo.data(as: .jpeg))])
    #expect(await !load())
    #expect(await load())
  }

  @Test("a format without a decoder is not remembered: a decoder may be installed or registered at any time")
  func missingDecoder() async throws {
    fixture.client.reply(
      to: url, with: .ok(Data("\u{0}\u{0}\u{0}\u{C}JXL \r\n\u{87}\n".unicodeScalars.map { UInt8($0.value) })))
    let pipeline = ImagePipeline.testing(client: fixture.client) { $0.decoding.codecs = CodecRegistry() }
    for count in 1...2 {
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
      #expect(error?.kind == .unsupportedType)
      #expect(fixture.client.requests.count == count)
    }
  }

  @Test("a failure of one demand is none of another; with its source it is forgotten")
  func demands() {
    let (memory, now, request) = (FailureMemory(), clock.currentDate, ImageRequest(url: url))
    let error = ImageError.limitExceeded("a", violation: .init(.pixelCount, value: 2, limit: 1))
    memory.note(error, of: request, freshUntil: nil, now: now)
    #expect(memory.isEmpty)
    memory.note(error, of: request, for: "large", freshUntil: nil, now: now)
    #expect(memory.failure(of: request, for: "large", now: now)?.kind == .limitExceeded)
    #expect(memory.failure(of: request, for: "large", now: now.addingTimeInterval(10)) == nil)
    #expect(memory.failure(of: request, for: "small", now: now) == nil)
    #expect(memory.failure(of: request, now: now) == nil)
    memory.forget(request.key.source)
    #expect(memory.isEmpty)
  }

  @Test("the table of failures has a bound")
  func bound() {
    let memory = FailureMemory()
    let now = clock.currentDate
    func request(_ number: Int) -> ImageRequest { ImageRequest(url: Fixture.url("\(number)")) }
    for number in 0..<3000 {
      memory.note(
        .httpStatus(403, source: ""), of: request(number), freshUntil: nil,
        now: now.addingTimeInterval(Double(number) / 1000))
    }
    #expect((0..<3000).count { memory.failure(of: request($0), now: now) != nil } == 1024)
    #expect(memory.failure(of: request(2999), now: now) != nil)
  }

  @Test("the first working alternative answers; if none works, the first error is thrown")
  func alternatives() async throws {
    let mirror = try fixture.serve("mirror.jpg")
    fixture.client.reply(to: url, with: .status(500))
    var request = ImageRequest(url: url, resize: Fixture.small)
    request.alternatives = [.url(Fixture.url("gone.jpg")), .url(mirror)]
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.request.source.name == mirror.absoluteString)
    #expect(response.picture.size == PixelSize(32, 24))
    #expect(try await fixture.pipeline.data(for: request) == (try Fixture.photo.data(as: .jpeg)))
    // Also without the caches.
    let other = fixture.freshPipeline { $0.caching.diskStorage = .none }
    #expect(try await other.header(for: request).size == PixelSize(320, 240))
    // Also where the first source has pixels, and bytes are wanted.
    let pixels = ImageRequest(.picture(Picture(Fixture.photo.bitmap), key: "pixels")).with {
      $0.alternatives = [.url(mirror)]
    }
    #expect(try await other.data(for: pixels) == (try Fixture.photo.data(as: .jpeg)))
    // Also where the first source, or each, has something else than a picture.
    let pages = [Fixture.url("page.jpg"), Fixture.url("other.jpg")]
    for page in pages { fixture.client.reply(to: page, with: .ok(Data("<html>".utf8), type: "text/html")) }
    var page = ImageRequest(url: pages[0]).with { $0.alternatives = [.url(pages[1]), .url(mirror)] }
    #expect(try await other.header(for: page).size == PixelSize(320, 240))
    _ = try await other.metadata(for: page)
    for await outcome in ImagePrefetcher(pipeline: other, destination: .disk).start([request, page]) {
      if case .failed(let error) = outcome.ending { Issue.record(error) }
    }
    page.alternatives.removeLast()
    await #expect { _ = try await other.header(for: page) } throws: {
      ($0 as? ImageError)?.kind == .notAnImage && "\($0)".contains("page.jpg")
    }
    await #expect { _ = try await other.metadata(for: page) } throws: {
      ($0 as? ImageError)?.kind == .notAnImage && "\($0)".contains("page.jpg")
    }
    for await outcome in ImagePrefetcher(pipeline: other, destination: .disk).start([page]) {
      guard case .failed(let error) = outcome.ending else {
        Issue.record("a page is no picture")
        continue
      }
      #expect(error.kind == .notAnImage && "\(error)".contains("page.jpg"))
    }
    #expect(try await other.original(of: request).state != nil)
    request.alternatives = [.url(Fixture.url("gone.jpg"))]
    await #expect { try await fixture.pipeline.data(for: request) } throws: {
      ($0 as? ImageError)?.statusCode == 500
    }
    await #expect {
      _ = try await fixture.pipeline.response(for: request)
    } throws: {
      ($0 as? ImageError)?.statusCode == 500
    }
  }

  @Test("a failed download is retried, with injected waits")
  func retry() async throws {
    let waits = Shared([Duration]())
    let pipeline = ImagePipeline.testing(client: fixture.client) {
      $0.network.retryPolicy = .standard
      $0.testing.sleep = { duration in waits.change { $0.append(duration) } }
    }
    fixture.client.reply(
      to: url, with: [.failure(.connectionLost), .status(503), .ok(try Fixture.photo.data(as: .jpeg))])
    #expect(try await pipeline.image(for: url).size == PixelSize(320, 240))
    #expect(waits.value.count == 2)
  }

  @Test("an interrupted download is resumed, also in the next process")
  func resume() async throws {
    let whole = try Fixture.noise()
    let half = 20_000
    try #require(whole.count > 2 * half)
    fixture.client.reply(
      to: url,
      with: [
        .ok(whole).header("ETag", "\"1\"").failing(.connectionLost, afterByteCount: half),
        FakeHTTPReply(
          status: 206,
          headers: ["ETag": "\"1\"", "Content-Range": "bytes \(half)-\(whole.count - 1)/\(whole.count)"],
          body: whole.dropFirst(half)),
      ])
    #expect(await !load())
    await fixture.pipeline.flush()
    await fixture.pipeline.diskCache?.close()
    let next = fixture.freshPipeline()
    #expect(try await next.image(for: url).size == PixelSize(200, 100))
    #expect(fixture.client.requests.last?.headers["Range"] == "bytes=\(half)-")
    await next.flush()
    #expect(next.diskCache?.count(in: ImageCaches.partials) == 0)
    #expect(try await fixture.freshPipeline().response(for: ImageRequest(url: url)).source == .original)
  }

  @Test("a large download is resumed within the same call, whether or not its beginning is on disk yet")
  func resumeLarge() async throws {
    let pipeline = ImagePipeline.testing(client: fixture.client) {
      $0.network.retryPolicy = .standard
      $0.testing.sleep = { _ in }
    }
    let whole = Data(count: 10_000_000)
    let part = 9_000_000
    fixture.client.reply(
      to: url,
      with: [
        .ok(whole).header("ETag", "\"1\"").failing(.connectionLost, afterByteCount: part),
        FakeHTTPReply(
          status: 206,
          headers: ["ETag": "\"1\"", "Content-Range": "bytes \(part)-\(whole.count - 1)/\(whole.count)"],
          body: whole.dropFirst(part)),
      ])
    #expect(try await pipeline.data(for: ImageRequest(url: url)) == whole)
    #expect(fixture.client.requests.map { $0.headers["Range"] } == [nil, "bytes=\(part)-"])
  }

  @Test("requests are prepared just before they are sent")
  func preparation() async throws {
    struct Signer: HTTPRequestPreparing {
      func willSend(_ request: HTTPRequest) async throws -> HTTPRequest {
        var request = request
        request.headers["X-Signature"] = "signed"
        return request
      }
    }
    try fixture.serve("a.jpg")
    let pipeline = ImagePipeline.testing(client: fixture.client) { $0.network.requestPreparation = Signer() }
    _ = try await pipeline.image(for: url)
    #expect(fixture.client.requests.last?.headers["X-Signature"] == "signed")
  }
}
