import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Fetchers that stream")
struct ImageStreamingTests {
  /// A file of the app with versions.
  private final class AppFile: Sendable {
    struct Call: Equatable {
      var tag: String?
      var date: Date?
    }

    let calls = Shared<[Call]>([])
    let head: Shared<ImageBodyHead>
    let body: Shared<Data>
    let failure = Shared<(any Error)?>(nil)
    let written = Shared(0)

    init(_ body: Data, _ head: ImageBodyHead = ImageBodyHead()) {
      self.head = Shared(head)
      self.body = Shared(body)
    }
  }

  private struct Fetcher: ImageStreaming {
    let key: String
    let appFile: AppFile
    var gate: Gate?

    func stream(into body: ImageBody) async throws {
      appFile.calls.change {
        $0.append(AppFile.Call(tag: body.known?.entityTag, date: body.known?.lastModified))
      }
      let (head, data) = (appFile.head.value, appFile.body.value)
      if let tag = head.entityTag, tag == body.known?.entityTag { return try body.confirm(head) }
      try body.begin(head)
      for start in stride(from: 0, to: data.count, by: 2_000) {
        // One that is cancelled there goes on, and writes.
        try? await gate?.pass()
        try await body.write(data.dropFirst(start).prefix(2_000))
        appFile.written.change { $0 += 1 }
      }
      if let failure = appFile.failure.value { throw failure }
    }
  }

  private func request(_ appFile: AppFile, gate: Gate? = nil) -> ImageRequest {
    ImageRequest(.fetcher(Fetcher(key: "scan/1", appFile: appFile, gate: gate)))
  }

  private let photo = try! Fixture.photo.data(as: .jpeg)

  @Test("a streaming fetcher reports progress, the size and previews while the file arrives")
  func news() async throws {
    let fixture = Fixture {
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.decoding.codecs = ImagePipeline.Configuration().decoding.codecs
    }
    let gate = Gate()
    let pattern = PatternPicture(PixelSize(640, 480), tint: 2)
    let body = try pattern.data(as: .jpeg)
    let appFile = AppFile(body, ImageBodyHead(byteCount: body.count))
    let task = fixture.pipeline.task(for: request(appFile, gate: gate))
    var (progress, size, preview) = (nil as LoadProgress?, nil as PixelSize?, nil as Picture?)
    let events = task.events
    gate.admit(body.count / 4_000)
    for await event in events {
      switch event {
      case .progress(let told): progress = told
      case .size(let told): size = told
      case .preview(let response): preview = response.picture
      case .finished: break
      }
      if size != nil, preview != nil { gate.open() }
    }
    #expect(size == PixelSize(640, 480))
    #expect(preview?.isPreview == true)
    #expect(progress == LoadProgress(receivedByteCount: body.count, expectedByteCount: body.count))
    #expect(pattern.resembles(try await task.image.bitmap))
    #expect(try await task.response.source == .network)
  }

  @Test(
    "its file is used for its lifetime, then it is asked whether it has changed", arguments: [false, true])
  func lifetime(_ isRestarted: Bool) async throws {
    let clock = ManualClock()
    let configure: (inout ImagePipeline.Configuration) -> Void = {
      $0.testing.now = clock.now
      $0.testing.currentDate = clock.date
    }
    let fixture = Fixture(configure)
    let modified = Date(timeIntervalSince1970: 1_700_000_000)
    let head = ImageBodyHead(lifetime: .seconds(60), entityTag: "a \"b\"/ü", lastModified: modified)
    let appFile = AppFile(photo, head)
    #expect(try await fixture.pipeline.data(for: request(appFile)) == photo)
    await fixture.pipeline.flush()
    let pipeline = isRestarted ? fixture.freshPipeline(configure) : fixture.pipeline
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request(appFile)).source == .original)
    #expect(appFile.calls.value.count == 1)
    clock.advance(by: .seconds(2))
    #expect(try await pipeline.response(for: request(appFile)).source == .revalidated)
    #expect(appFile.calls.value.last == AppFile.Call(tag: "a \"b\"/ü", date: modified))
    #expect(appFile.written.value == (photo.count + 1_999) / 2_000)
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request(appFile)).source == .memory)
    clock.advance(by: .seconds(2))
    let other = PatternPicture(PixelSize(40, 30), tint: 5)
    let data = try other.data(as: .png)
    appFile.body.change { $0 = data }
    appFile.head.change { $0.entityTag = "c" }
    #expect(try await pipeline.image(for: request(appFile)).size == PixelSize(40, 30))
    #expect(appFile.calls.value.count == 3)
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("without a lifetime a fetcher is called once")
  func kept() async throws {
    let clock = ManualClock()
    let fixture = Fixture { $0.testing.currentDate = clock.date }
    let appFile = AppFile(photo)
    _ = try await fixture.pipeline.image(for: request(appFile))
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(365 * 86_400))
    let pipeline = fixture.freshPipeline { $0.testing.currentDate = clock.date }
    #expect(try await pipeline.data(for: request(appFile)) == photo)
    #expect(appFile.calls.value == [AppFile.Call()])
  }

  private struct Trouble: Error {}

  @Test("its errors are those of the request, and no part of a failed file is kept")
  func failures() async throws {
    let fixture = Fixture()
    let appFile = AppFile(photo, ImageBodyHead(lifetime: .seconds(60), entityTag: "a"))
    appFile.failure.change { $0 = Trouble() }
    #expect(await error(fixture, appFile) == .fetchFailed("scan/1", underlying: Trouble()))
    appFile.failure.change { $0 = ImageError.noSuchFile("scan/1") }
    #expect(await error(fixture, appFile)?.kind == .noSuchFile)
    appFile.failure.change { $0 = HTTPError(.connectionRefused) }
    #expect(await error(fixture, appFile)?.kind == .connectionRefused)
    appFile.failure.change { $0 = nil }
    #expect(try await fixture.pipeline.data(for: request(appFile)) == photo)
    #expect(appFile.calls.value == Array(repeating: AppFile.Call(), count: 4))
  }

  private struct Silent: ImageStreaming {
    let key = "silent"

    func stream(into body: ImageBody) async throws {}
  }

  @Test("a file without a byte is empty, as that of other fetchers, and no reason to wait for the network")
  func silent() async {
    await #expect {
      try await Fixture().pipeline.image(for: ImageRequest(.fetcher(Silent())))
    } throws: {
      $0 as? ImageError == .emptyData("silent")
    }
  }

  private struct Muddle: ImageStreaming {
    let key = "muddle"
    let file: Data
    let errors = Shared<[String]>([])

    func stream(into body: ImageBody) async throws {
      note { try body.confirm() }
      try body.begin()
      note { try body.begin() }
      try await body.write(Data())
      try await body.write(file)
    }

    private func note(_ call: () throws -> Void) {
      do { try call() } catch { errors.change { $0.append("\(error)") } }
    }
  }

  @Test("calls in a wrong order are errors, and the file goes on")
  func order() async throws {
    let fetcher = Muddle(file: photo)
    let picture = try await Fixture().pipeline.image(for: ImageRequest(.fetcher(fetcher)))
    #expect(picture.size == PixelSize(320, 240))
    let reasons = ["there is no earlier version to confirm", "the file has begun already"]
    #expect(fetcher.errors.value.count == 2)
    #expect(zip(fetcher.errors.value, reasons).allSatisfy { $0.contains($1) })
  }

  private func error(_ fixture: Fixture, _ appFile: AppFile, gate: Gate? = nil) async -> ImageError? {
    do {
      _ = try await fixture.pipeline.image(for: request(appFile, gate: gate))
      return nil
    } catch {
      return error
    }
  }

  @Test("a file that is too large, too short or too long is refused", arguments: [-1, 1])
  func lengths(_ difference: Int) async throws {
    let fixture = Fixture()
    let appFile = AppFile(photo, ImageBodyHead(byteCount: photo.count + difference))
    #expect(await error(fixture, appFile)?.kind == .bodyTruncated)
    for count in [nil, photo.count] {
      let small = Fixture { [photo] in $0.decoding.limits.encodedByteCount = photo.count - 1 }
      let other = AppFile(photo, ImageBodyHead(byteCount: count))
      #expect(await error(small, other)?.kind == .bodyTooLarge)
      // The last piece was refused, or all.
      #expect(other.written.value == (count == nil ? (photo.count - 1) / 2_000 : 0))
    }
  }

  @Test("when no request wants the picture any more, writing throws")
  func cancelled() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let appFile = AppFile(photo)
    let task = fixture.pipeline.task(for: request(appFile, gate: gate))
    await gate.arrivals(1)
    // The gate stays closed: only the cancellation reaches the fetcher, which may be a moment later.
    task.cancel()
    try await eventually(fixture.pipeline.fetchCount == 0)
    #expect(appFile.written.value == 0)
  }

  @Test("large files are spooled to a file, and the preparation of requests is not called")
  func spooled() async throws {
    let asked = Shared(0)
    let fixture = Fixture {
      $0.network.largeBodyByteCount = 1_000
      $0.network.requestPreparation = Preparation(asked: asked)
      $0.caching.httpPolicy = .ignoring(lifetime: .seconds(5))
    }
    let appFile = AppFile(photo)
    #expect(try await fixture.pipeline.data(for: request(appFile)) == photo)
    #expect(asked.value == 0)
  }

  private struct Preparation: HTTPRequestPreparing {
    let asked: Shared<Int>

    func willSend(_ request: HTTPRequest) async throws -> HTTPRequest {
      asked.change { $0 += 1 }
      return request
    }
  }

  @Test("outside of a pipeline a streaming fetcher returns the whole file")
  func plain() async throws {
    let appFile = AppFile(photo)
    guard case .data(photo) = try await Fetcher(key: "a", appFile: appFile).fetch() else {
      Issue.record("not the file")
      return
    }
    appFile.failure.change { $0 = Trouble() }
    await #expect(throws: ImageError.self) { try await Fetcher(key: "a", appFile: appFile).fetch() }
  }

  @Test("a fetcher for a scheme may stream, and a fetcher that writes nothing has no picture")
  func schemes() async throws {
    let appFile = AppFile(photo, ImageBodyHead(lifetime: .seconds(60)))
    let fixture = Fixture {
      $0.sources.register(scheme: "appFile") { Fetcher(key: $0.absoluteString, appFile: appFile) }
    }
    let url = try #require(URL(string: "appFile://scan/1"))
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(320, 240))
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == photo)
    #expect(appFile.calls.value.count == 1)
    #expect(await error(fixture, AppFile(Data())) != nil)
  }
}
