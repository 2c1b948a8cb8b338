import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Encoded images: made once, the same bytes in every state of the caches")
struct EncodedImageTests {
  let clock = ManualClock()
  let fixture = Fixture()
  let url = Fixture.url("photo.jpg")
  let pipeline: ImagePipeline

  init() {
    let clock = clock
    // Not the pipeline of the fixture, whose decoder has no reduced scales.
    pipeline = fixture.freshPipeline { $0.testing.currentDate = clock.date }
  }

  /// Another process: the same disk, and nothing in memory.
  func fresh() -> ImagePipeline { fixture.freshPipeline { [clock] in $0.testing.currentDate = clock.date } }

  func request(_ side: Int = 64) -> ImageRequest {
    ImageRequest(url: url).resized(to: PixelSize(side, side))
  }

  @Test(
    "in every state of the caches",
    arguments: [ImageType.jpeg, .png, .webp, .avif, .jxl],
    [false, true])
  func states(type: ImageType, isProcessed: Bool) async throws {
    try fixture.serve("photo.jpg") { $0.header("Cache-Control", "max-age=600") }
    let format = OutputFormat(type)
    let request = request().with { $0.processors = isProcessed ? [GaussianBlur(radius: 2)] : [] }
    // All caches are empty.
    let cold = try await pipeline.encoded(for: request, as: format)
    #expect(cold.isNew && cold.source == .network && cold.type == type)
    #expect(cold.size == PixelSize(64, 48))
    #expect(try CodecRegistry.standard.header(of: cold.data).storedSize == cold.size)
    var all = [cold]
    // In memory, and in a store after a restart.
    all.append(try await pipeline.encoded(for: request, as: format))
    #expect(all[1].source == .memory && !all[1].isNew)
    await pipeline.flush()
    all.append(try await fresh().encoded(for: request, as: format))
    #expect(all[2].source == .rendition && !all[2].isNew)
    // The original alone; then also a larger picture and the picture itself in memory and, with losses, on disk.
    let before: [[ImageRequest]] = [[], [self.request(200)], [request], [self.request(200), request]]
    for warm in before {
      let other = fresh()
      await other.removeAllImages()
      for request in warm { _ = try await other.image(for: request) }
      await other.flush()
      for pipeline in [other, fresh()] {
        pipeline.caches.stores.removeListed { $0.kind == .encoded }
        let image = try await pipeline.encoded(for: request, as: format)
        #expect(image.isNew)
        all.append(image)
        await pipeline.flush()
      }
    }
    // A reload gives the same bytes.
    all.append(try await pipeline.encoded(for: request.with { $0.cachePolicy = .reload }, as: format))
    all.append(try await pipeline.encoded(for: request.with { $0.cachePolicy = .bypass }, as: format))
    for (number, image) in all.enumerated() {
      #expect(image.data == cold.data, "state \(number)")
      #expect(image.entityTag == cold.entityTag)
    }
  }

  @Test("a second request decodes and encodes nothing, in this process and the next")
  func again() async throws {
    let url = try fixture.serve("photo.jpg") { $0.header("Cache-Control", "max-age=600") }
    for _ in 0..<2 { _ = try await pipeline.encoded(for: url, as: .webp) }
    #expect(pipeline.statistics.decodes == 1)
    #expect(pipeline.statistics.encodes == 1)
    #expect(pipeline.statistics.encodedAnswers == 2)
    await pipeline.flush()
    let next = fresh()
    let image = try await next.encoded(for: url, as: .webp)
    #expect(next.statistics.decodes == 0)
    #expect(next.statistics.encodes == 0)
    #expect(next.statistics.encoded.hits == 1)
    #expect(next.cachedEncoded(for: url, as: .webp)?.data == image.data)
    #expect(next.cachedEncoded(for: ImageRequest(url: url), as: .png) == nil)
    // Another format, quality or size is another recipe.
    for (request, format) in [
      (request(), OutputFormat.webp), (ImageRequest(url: url), .png),
      (ImageRequest(url: url), OutputFormat(.webp, options: EncodingOptions(compressionQuality: 0.5))),
    ] {
      #expect(try await next.encoded(for: request, as: format).isNew)
    }
    #expect(fixture.client.requestCount(for: url) == 1)
  }

  @Test("equal requests share the work, and all encoded files of one picture share its decode")
  func sharing() async throws {
    let url = try fixture.serve("photo.jpg")
    let pipeline = pipeline
    let tags = try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await pipeline.encoded(for: url, as: .png) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(tags.map(\.entityTag)).count == 1)
    // A late request finds it in memory.
    #expect(tags.count { $0.isNew && !$0.isCoalesced } == 1)
    #expect(pipeline.statistics.decodes == 1)
    #expect(pipeline.statistics.encodes == 1)

    // Six widths in three formats, all made from the largest: one decode. Another source is used, because the first may or may
    // not be in the store already.
    let other = fresh()
    let release = Gate()
    let base = ImageRequest(url: try fixture.serve("other.jpg") { $0.held(by: release) })
      .resized(to: PixelSize(240, 240))
    let outputs = try await withThrowingTaskGroup { group in
      for width in [240, 200, 160, 120, 80, 40] {
        for format in [OutputFormat.jpeg, .png, .webp] {
          let request =
            width == 240
            ? base : base.with { $0.processors = [Resize(PixelSize(width, width), mode: .aspectFit)] }
          group.addTask { try await other.encoded(for: request, as: format) }
        }
      }
      // Each file waits for its picture, and each of the six pictures for the download. A picture that begins when the
      // download is over asks the origin again, because the answer says nothing about its freshness.
      try await eventually(
        Dictionary(grouping: other.diagnostics().jobs, by: \.waitingFor).mapValues(\.count)
          == [.larger: 18, .download: 6, .network: 1])
      release.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(outputs.map(\.size.width)) == [240, 200, 160, 120, 80, 40])
    #expect(other.statistics.decodes == 1)
    #expect(other.statistics.encodes == 18)
  }

  @Test("an encoded image is as fresh as its source: confirmed, changed, unreachable")
  func freshness() async throws {
    let changed = PatternPicture(PixelSize(320, 240), tint: 5)
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""] as HTTPHeaders
    func reply(_ picture: PatternPicture, _ fields: HTTPHeaders) throws -> FakeHTTPReply {
      FakeHTTPReply(headers: fields, body: try picture.data(as: .jpeg))
    }
    fixture.client.reply(
      to: url,
      with: [
        try reply(Fixture.photo, fields), .status(304, headers: ["Cache-Control": "max-age=60"]),
        .failure(.connectionLost), try reply(changed, ["Cache-Control": "max-age=60, must-revalidate"]),
        .failure(.connectionLost),
      ])
    let first = try await pipeline.encoded(for: request(), as: .webp)
    #expect(first.freshUntil == clock.currentDate.addingTimeInterval(60))
    #expect(try await pipeline.encoded(for: request(), as: .webp).source == .memory)
    // In memory in one process, in a store in the other.
    for isFromStore in [false, true] {
      await pipeline.flush()
      let pipeline = isFromStore ? fresh() : pipeline
      clock.advance(by: .seconds(61))
      let again = try await pipeline.encoded(for: request(), as: .webp)
      #expect(again.data == first.data && !again.isNew)
      #expect(again.source == (isFromStore ? .stale : .revalidated))
      #expect(pipeline.statistics.decodes == (isFromStore ? 0 : 1))
    }
    clock.advance(by: .seconds(61))
    pipeline.suspend(.store)
    let other = try await pipeline.encoded(for: request(), as: .webp)
    #expect(other.isNew && other.source == .network && other.data != first.data)
    clock.advance(by: .seconds(61))
    let answer = Task { [pipeline] in try await pipeline.encoded(for: request(), as: .webp) }
    // The changed original waits to be written, and the disk still has the older one, which must not be served.
    try await eventually(pipeline.diagnostics().jobs.contains { $0.waitingFor == .backlog })
    pipeline.resume(.store)
    await #expect(throws: ImageError.self) { try await answer.value }
    // A cache-only request still gets it.
    let stale = try await pipeline.encoded(
      for: request().with { $0.cachePolicy = .cacheOnly }, as: .webp)
    #expect(stale.source == .stale && stale.data == other.data)
    #expect(fixture.client.requestCount(for: url) == 5)
  }

  @Test("a stale file in memory comes from memory, if the stored original has been confirmed meanwhile")
  func confirmedOriginal() async throws {
    let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""] as HTTPHeaders
    fixture.client.reply(
      to: url,
      with: [
        FakeHTTPReply(headers: fields, body: try Fixture.photo.data(as: .jpeg)),
        .status(304, headers: ["Cache-Control": "max-age=60"]),
      ])
    let first = try await pipeline.encoded(for: request(), as: .png)
    await pipeline.flush()
    clock.advance(by: .seconds(61))
    _ = try await pipeline.data(for: request())
    await pipeline.flush()
    let again = try await pipeline.encoded(for: request(), as: .png)
    #expect(again.source == .memory && again.data == first.data && !again.isNew)
    #expect(fixture.client.requestCount(for: url) == 2)
  }

  @Test("it fails like a load: missing file, impossible format, too few bytes, deadline, cancelled")
  func failures() async throws {
    try fixture.serve("photo.jpg")
    func error(_ request: ImageRequest, _ format: OutputFormat = .webp) async -> ImageError? {
      do throws(ImageError) {
        _ = try await pipeline.encoded(for: request, as: format)
        return nil
      } catch {
        return error
      }
    }
    #expect(await error(ImageRequest(url: URL(filePath: "/nowhere.jpg")))?.kind == .noSuchFile)
    #expect(await error(request(), OutputFormat(.heic))?.kind == .encodingFailed)
    let tiny = OutputFormat(.jpeg, options: EncodingOptions(maximumByteCount: 10))
    #expect(await error(request(), tiny)?.description.contains("more than the limit of 10") == true)
    #expect(await error(request(0))?.kind == .invalidSize)
    let silent = Fixture.url("silent.jpg")
    let gate = Gate()
    fixture.client.reply(to: silent, with: .ok(Data()).held(by: gate))
    let timer = Gate()
    let hurried = fixture.freshPipeline { $0.testing.sleep = { _ in try await timer.pass() } }
    let late = ImageRequest(url: silent).with { $0.deadline = .seconds(5) }
    let overdue = Task { try await hurried.encoded(for: late, as: .webp) }
    await gate.arrivals(1)
    await timer.arrivals(1)
    timer.open()
    await #expect(throws: ImageError.deadlineExceeded(silent.absoluteString, stage: .network)) {
      try await overdue.value
    }
    let running = Task { [pipeline] in try await pipeline.encoded(for: silent, as: .webp) }
    await gate.arrivals(2)
    running.cancel()
    await #expect { try await running.value } throws: { ($0 as? ImageError)?.isCancellation == true }
    gate.open()
    // The next source is tried; the request fails with the error of the first.
    let mirror = ImageRequest(url: Fixture.url("gone.jpg")).with { $0.alternatives = [.url(url)] }
    #expect(await error(mirror) == nil)
    let worse = mirror.with { $0.alternatives = [.url(URL(filePath: "/nowhere.jpg"))] }
    #expect(await error(worse)?.kind == .httpStatus)
    #expect(pipeline.diagnostics().jobs.isEmpty)
  }

  @Test("interceptors answer, change and observe the request; observers are notified")
  func interception() async throws {
    struct Other: ImageInterceptor {
      let url: URL

      func intercept(
        _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
      ) async throws(ImageError) -> ImageResponse { try await next.load(request) }

      func interceptEncoded(
        _ request: ImageRequest, as format: OutputFormat, next: ImageLoadChain<EncodedImage>
      ) async throws(ImageError) -> EncodedImage {
        try await next.load(request.source.webURL == url ? request : ImageRequest(url: url))
      }
    }
    let (url, recorder) = (try fixture.serve("photo.jpg"), EventRecorder())
    let pipeline = fixture.freshPipeline {
      $0.interceptors = [Other(url: url)]
      $0.observers = [recorder]
    }
    let image = try await pipeline.encoded(for: Fixture.url("elsewhere.jpg"), as: .png)
    #expect(image.size == PixelSize(320, 240))
    await pipeline.flush()
    #expect(recorder.events.contains { $0.isStore(in: .encoded) })
    #expect(recorder.events.contains { $0.isMiss(in: .encoded) })
  }
}
