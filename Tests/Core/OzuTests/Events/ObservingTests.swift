import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Observers receive every event of requests, stages and caches")
struct ObservingTests {
  private let recorder = EventRecorder()

  private func makeFixture(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> Fixture {
    Fixture {
      $0.observers = [recorder]
      configure(&$0)
    }
  }

  private func words(_ url: URL) -> [String] {
    recorder.events.map { $0.description.replacing(" \(url.absoluteString)", with: "") }
  }

  @Test("a cold load: every stage begins and ends once, in order")
  func coldLoad() async throws {
    let fixture = makeFixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
    await fixture.pipeline.flush()
    let words = words(url)
    // Writes happen in the background, at any moment between the picture and the flush.
    let behind = [
      "begin encode", "end encode", "begin store", "end store", "store rendition", "store original",
      "miss original",
    ]
    #expect(
      words.filter { !behind.contains($0) } == [
        "request", "miss memory", "begin read", "end read", "miss rendition", "begin network", "end network",
        "begin wait", "end wait", "begin decode", "end decode",
        "begin resize", "end resize", "store memory", "answer network",
      ])
    for word in behind {
      #expect(words.count { $0 == word } == (word.hasSuffix(" store") ? 2 : 1), "\(word)")
    }
  }

  @Test("the next requests: memory, then the rendition, then the original of another size")
  func warmLoads() async throws {
    let fixture = makeFixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()

    recorder.removeAll()
    _ = try await fixture.pipeline.image(for: request)
    #expect(words(url) == ["request", "hit memory", "answer memory"])

    recorder.removeAll()
    #expect(fixture.pipeline.cachedImage(for: request) != nil)
    #expect(words(url) == ["hit memory"])

    recorder.removeAll()
    fixture.pipeline.removeImagesFromMemory()
    _ = try await fixture.pipeline.image(for: request)
    #expect(words(url).contains("hit rendition"))
    #expect(words(url).last == "answer disk-rendition")

    recorder.removeAll()
    fixture.pipeline.removeImagesFromMemory()
    let larger = PixelSize(Fixture.small.size.width + 2, Fixture.small.size.height + 2)
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Resize(larger)))
    #expect(words(url).contains("hit original"))
    #expect(words(url).contains("answer disk-original"))
    #expect(!words(url).contains("begin network"))
  }

  @Test("bytes, files, data and fetchers are reported too")
  func otherSources() async throws {
    struct Fetcher: ImageFetching {
      let data: Data
      var key: String { "made" }
      func fetch() async throws -> FetchedImage { .data(data) }
    }
    let fixture = makeFixture()
    let body = try Fixture.photo.data(as: .png)
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.data(for: url) == (try Fixture.photo.data(as: .jpeg)))
    #expect(words(url).first == "request")
    #expect(words(url).contains("answer data"))

    _ = try await fixture.pipeline.image(for: ImageRequest(.fetcher(Fetcher(data: body))))
    let fetched = await recorder.event { $0.isEnd(of: .network, source: "made") }
    guard case .stageEnded(_, _, let byteCount) = fetched else { return }
    #expect(byteCount == body.count)

    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    try body.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await fixture.pipeline.image(for: file)
    await recorder.event { $0.isEnd(of: .read, source: file.path(percentEncoded: false)) }
    #expect(fixture.pipeline.statistics.fileLoads == 1)
    #expect(fixture.pipeline.statistics.fileByteCount == body.count)
  }

  @Test("a hundred equal requests begin and end one by one, and their work once")
  func coalesced() async throws {
    let fixture = makeFixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let tasks = (0..<100).map { _ in fixture.pipeline.task(for: url) }
    await recorder.events(100) { if case .requestBegan = $0 { true } else { false } }
    await gate.arrivals(1)
    gate.open()
    for task in tasks { _ = try await task.image }
    await recorder.events(100) { $0.isRequestEnd }
    #expect(recorder.count { $0.isBegin(of: .network) } == 1)
    #expect(recorder.count { $0.isBegin(of: .decode) } == 1)
    #expect(recorder.count { $0.isEnd(of: .decode) } == 1)
    let ids = recorder.events.compactMap { event -> Int? in
      if case .requestEnded(let request, _, _) = event { request.id } else { nil }
    }
    #expect(Set(ids).count == 100)
  }

  @Test("every event that begins also ends on failure: a broken file, a missing one, a cancelled one")
  func failures() async throws {
    let fixture = makeFixture()
    let broken = Fixture.url("broken.jpg")
    let body = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply(to: broken, with: .ok(body.prefix(body.count / 3)))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: broken) }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Fixture.url("none.jpg")) }

    let gate = Gate()
    let held = try fixture.serve("held.jpg") { $0.held(by: gate) }
    let task = fixture.pipeline.task(for: held)
    await recorder.event { $0.isBegin(of: .network, source: held.absoluteString) }
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    await recorder.event { $0.isEnd(of: .network, source: held.absoluteString) }
    await recorder.events(3) { $0.isRequestEnd }
    await fixture.pipeline.flush()

    let words = recorder.events.map(\.description)
    #expect(words.contains("fail truncatedData \(broken.absoluteString)"))
    #expect(words.contains("fail httpStatus \(Fixture.url("none.jpg").absoluteString)"))
    #expect(words.contains("cancel \(held.absoluteString)"))
    for stage in ImageStage.allCases {
      #expect(recorder.count { $0.isBegin(of: stage) } == recorder.count { $0.isEnd(of: stage) }, "\(stage)")
    }
  }

  @Test("evictions are reported with their count")
  func evictions() async throws {
    let fixture = makeFixture {
      $0.caching.memoryCache.costLimit = 3 * 32 * 24 * 4
      $0.caching.memoryCache.maximumEntryFraction = 1
    }
    for number in 0..<8 {
      let url = try fixture.serve("\(number).jpg")
      _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
    }
    let told = recorder.events.reduce(0) { sum, event in
      if case .evicted(let eviction) = event, eviction.store == .memory { sum + eviction.count } else { sum }
    }
    #expect(told == 5)
    #expect(fixture.pipeline.statistics.memoryEvictions == 5)
  }

  @Test("names contain no credentials")
  func credentials() async throws {
    let fixture = makeFixture()
    let url = try #require(URL(string: "https://user:secret@example.com/a.jpg"))
    fixture.client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
    _ = try await fixture.pipeline.image(for: url)
    await fixture.pipeline.flush()
    #expect(recorder.events.allSatisfy { !$0.description.contains("secret") })
  }

  @Test("every observer is notified")
  func several() async throws {
    let other = EventRecorder()
    let fixture = makeFixture { $0.observers.append(other) }
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    await fixture.pipeline.flush()
    #expect(other.events.map(\.description).sorted() == recorder.events.map(\.description).sorted())
    #expect(other.events.count > 10)
  }
}
