import Foundation
import OzuHTTP
import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite("Fetchers that stream")
struct ImageStreamingTests {
  /// A file of the app with versions.
  private final class Shelf: Sendable {
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
    let shelf: Shelf
    var gate: Gate?

    func stream(into body: ImageBody) async throws {
      shelf.calls.change { $0.append(Shelf.Call(tag: body.known?.entityTag, date: body.known?.lastModified)) }
      let (head, data) = (shelf.head.value, shelf.body.value)
      if let tag = head.entityTag, tag == body.known?.entityTag { return try body.confirm(head) }
      try body.begin(head)
      for start in stride(from: 0, to: data.count, by: 2_000) {
        try await gate?.pass()
        try await body.write(data.dropFirst(start).prefix(2_000))
        shelf.written.change { $0 += 1 }
      }
      if let failure = shelf.failure.value { throw failure }
    }
  }

  private func request(_ shelf: Shelf, gate: Gate? = nil) -> ImageRequest {
    ImageRequest(.fetcher(Fetcher(key: "scan/1", shelf: shelf, gate: gate)))
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
    let shelf = Shelf(body, ImageBodyHead(byteCount: body.count))
    let task = fixture.pipeline.task(for: request(shelf, gate: gate))
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
    let shelf = Shelf(photo, head)
    #expect(try await fixture.pipeline.data(for: request(shelf)) == photo)
    await fixture.pipeline.flush()
    let pipeline = isRestarted ? fixture.freshPipeline(configure) : fixture.pipeline
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request(shelf)).source == .original)
    #expect(shelf.calls.value.count == 1)
    clock.advance(by: .seconds(2))
    #expect(try await pipeline.response(for: request(shelf)).source == .revalidated)
    #expect(shelf.calls.value.last == Shelf.Call(tag: "a \"b\"/ü", date: modified))
    #expect(shelf.written.value == (photo.count + 1_999) / 2_000)
    clock.advance(by: .seconds(59))
    #expect(try await pipeline.response(for: request(shelf)).source == .memory)
    clock.advance(by: .seconds(2))
    let other = PatternPicture(PixelSize(40, 30), tint: 5)
    let data = try other.data(as: .png)
    shelf.body.change { $0 = data }
    shelf.head.change { $0.entityTag = "c" }
    #expect(try await pipeline.image(for: request(shelf)).size == PixelSize(40, 30))
    #expect(shelf.calls.value.count == 3)
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("without a lifetime a fetcher is called once")
  func kept() async throws {
    let clock = ManualClock()
    let fixture = Fixture { $0.testing.currentDate = clock.date }
    let shelf = Shelf(photo)
    _ = try await fixture.pipeline.image(for: request(shelf))
    await fixture.pipeline.flush()
    clock.advance(by: .seconds(365 * 86_400))
    let pipeline = fixture.freshPipeline { $0.testing.currentDate = clock.date }
    #expect(try await pipeline.data(for: request(shelf)) == photo)
    #expect(shelf.calls.value == [Shelf.Call()])
  }

  private struct Trouble: Error {}

  @Test("its errors are those of the request, and no part of a failed file is kept")
  func failures() async throws {
    let fixture = Fixture()
    let shelf = Shelf(photo, ImageBodyHead(lifetime: .seconds(60), entityTag: "a"))
    shelf.failure.change { $0 = Trouble() }
    #expect(await error(fixture, shelf) == .fetchFailed("scan/1", underlying: Trouble()))
    shelf.failure.change { $0 = ImageError.noSuchFile("scan/1") }
    #expect(await error(fixture, shelf)?.kind == .noSuchFile)
    shelf.failure.change { $0 = HTTPError(.connectionRefused) }
    #expect(await error(fixture, shelf)?.kind == .connectionRefused)
    shelf.failure.change { $0 = nil }
    #expect(try await fixture.pipeline.data(for: request(shelf)) == photo)
    #expect(shelf.calls.value == Array(repeating: Shelf.Call(), count: 4))
  }

  private func error(_ fixture: Fixture, _ shelf: Shelf, gate: Gate? = nil) async -> ImageError? {
    do {
      _ = try await fixture.pipeline.image(for: request(shelf, gate: gate))
      return nil
    } catch {
      return error
    }
  }

  @Test("a file that is too large, too short or too long is refused", arguments: [-1, 1])
  func lengths(_ difference: Int) async throws {
    let fixture = Fixture()
    let shelf = Shelf(photo, ImageBodyHead(byteCount: photo.count + difference))
    #expect(await error(fixture, shelf)?.kind == .bodyTruncated)
    for count in [nil, photo.count] {
      let small = Fixture { [photo] in $0.decoding.limits.encodedByteCount = photo.count - 1 }
      let other = Shelf(photo, ImageBodyHead(byteCount: count))
      #expect(await error(small, other)?.kind == .bodyTooLarge)
      // The last piece was refused, or all.
      #expect(other.written.value == (count == nil ? (photo.count - 1) / 2_000 : 0))
    }
  }

  @Test("when no request wants the picture any more, writing throws")
  func cancelled() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let shelf = Shelf(photo)
    let task = fixture.pipeline.task(for: request(shelf, gate: gate))
    await gate.arrivals(1)
    task.cancel()
    gate.open()
    try await eventually(fixture.pipeline.fetchCount == 0)
    #expect(shelf.written.value == 0)
  }

  @Test("large files are spooled to a file, and the preparation of requests is not called")
  func spooled() async throws {
    let asked = Shared(0)
    let fixture = Fixture {
      $0.network.largeBodyByteCount = 1_000
      $0.network.requestPreparation = Preparation(asked: asked)
      $0.caching.httpPolicy = .ignoring(lifetime: .seconds(5))
    }
    let shelf = Shelf(photo)
    #expect(try await fixture.pipeline.data(for: request(shelf)) == photo)
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
    let shelf = Shelf(photo)
    guard case .data(photo) = try await Fetcher(key: "a", shelf: shelf).fetch() else {
      Issue.record("not the file")
      return
    }
    shelf.failure.change { $0 = Trouble() }
    await #expect(throws: ImageError.self) { try await Fetcher(key: "a", shelf: shelf).fetch() }
  }

  @Test("a fetcher for a scheme may stream, and a fetcher that writes nothing has no picture")
  func schemes() async throws {
    let shelf = Shelf(photo, ImageBodyHead(lifetime: .seconds(60)))
    let fixture = Fixture {
      $0.sources.register(scheme: "shelf") { Fetcher(key: $0.absoluteString, shelf: shelf) }
    }
    let url = try #require(URL(string: "shelf://scan/1"))
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(320, 240))
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == photo)
    #expect(shelf.calls.value.count == 1)
    #expect(await error(fixture, Shelf(Data())) != nil)
  }
}
