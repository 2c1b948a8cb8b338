import Foundation
import OzuBase
import OzuHTTP
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("Fetchers that are called on a miss")
struct FetcherTests {
  struct Reply: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: FakeHTTPReply
    let isExpected: @Sendable (ImageError) -> Bool
  }

  static let badReplies = [
    Reply(testDescription: "404", reply: .status(404)) {
      $0.statusCode == 404
    },
    Reply(testDescription: "304", reply: .status(304)) {
      $0.statusCode == 304
    },
    Reply(
      testDescription: "fewer bytes than announced",
      reply: .ok(Data(count: 10)).header("Content-Length", "20")
    ) {
      $0.kind == .bodyTruncated
    },
    Reply(testDescription: "a page", reply: .ok(Data("<!DOCTYPE html><html></html>".utf8))) {
      $0.kind == .notAnImage
    },
    Reply(testDescription: "noise", reply: .ok(Data([1, 2, 3, 4, 5, 6, 7, 8]))) {
      $0.kind == .notAnImage
    },
    Reply(testDescription: "nothing", reply: .ok(Data())) { $0.kind == .emptyData },
    Reply(testDescription: "no answer", reply: .failure(.connectionRefused)) {
      $0.kind == .connectionRefused
    },
  ]

  @Test("each failure of a download has its own error, alone and in a pipeline", arguments: badReplies)
  func network(_ test: Reply) async throws {
    let client = FakeHTTPClient()
    let url = Fixture.url("a.jpg")
    client.reply(to: url, with: test.reply)
    let own = NetworkFetcher(url, client: client)
    #expect(own.key == url.absoluteString)
    do {
      _ = try await own.fetch()
      Issue.record("no error")
    } catch {
      #expect(test.isExpected(try #require(error as? ImageError)), "\(error)")
    }
    for fetcher in [own, NetworkFetcher(url)] {
      let pipeline = ImagePipeline.testing(client: client)
      do throws(ImageError) {
        _ = try await pipeline.image(for: ImageRequest(.fetcher(fetcher)))
        Issue.record("no error")
      } catch {
        #expect(test.isExpected(error), "\(error)")
      }
    }
  }

  @Test("a network fetcher without its own client shares everything with its URL")
  func sameAsURL() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(.fetcher(NetworkFetcher(url))))
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: url)).source == .memory)
    #expect(fixture.client.requests.count == 1)
    let other = ImageRequest(url: Fixture.url("gone.jpg")).with {
      $0.alternatives = [.fetcher(NetworkFetcher(url))]
    }
    #expect(try await fixture.pipeline.response(for: other).source == .memory)
  }

  @Test("a network fetcher with its own client uses that")
  func ownClient() async throws {
    let (fixture, client) = (Fixture(), FakeHTTPClient())
    let url = Fixture.url("a.jpg")
    client.reply(to: url, with: .ok(try Fixture.photo.data(as: .jpeg)))
    let picture = try await fixture.pipeline.image(
      for: ImageRequest(.fetcher(NetworkFetcher(url, client: client))))
    #expect(Fixture.photo.resembles(picture.bitmap))
    #expect(fixture.client.requests.isEmpty && client.requests.count == 1)
  }

  @Test("a source that is not a web URL is refused", arguments: ["ftp://a/b", "file:///a.jpg", "relative"])
  func invalid(text: String) async throws {
    let url = try #require(URL(string: text))
    await #expect(throws: ImageError.self) { try await NetworkFetcher(url, client: FakeHTTPClient()).fetch() }
  }

  @Test("a missing file, a folder, and a file that is not an image have their own errors")
  func disk() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-fetcher-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String, _ data: Data?) throws -> String {
      let url = folder.appending(path: name)
      try data?.write(to: url)
      return url.path(percentEncoded: false)
    }
    let cases: [(String, @Sendable (ImageError) -> Bool)] = [
      (try path("missing.jpg", nil), { $0.kind == .noSuchFile }),
      (folder.path(percentEncoded: false), { $0.kind == .isDirectory }),
      (try path("text.jpg", Data("<html>".utf8)), { $0.kind == .notAnImage }),
      (try path("empty.jpg", Data()), { $0.kind == .emptyData }),
    ]
    let pipeline = ImagePipeline.testing()
    for (path, isExpected) in cases {
      do {
        _ = try await DiskFetcher(path: path).fetch()
        Issue.record("no error for \(path)")
      } catch {
        #expect(isExpected(try #require(error as? ImageError)), "\(error)")
      }
      do throws(ImageError) {
        _ = try await pipeline.image(for: ImageRequest(.fetcher(DiskFetcher(path: path))))
        Issue.record("no error for \(path)")
      } catch {
        #expect(isExpected(error), "\(error)")
      }
    }
    let good = DiskFetcher(path: try path("good.jpg", try Fixture.photo.data(as: .jpeg)))
    #expect(good.key == good.path)
    guard case .data = try await good.fetch() else {
      Issue.record("no data")
      return
    }
    let format = FormatFixture.format()
    #expect(
      try await pipeline.image(for: ImageRequest(.fetcher(good), format: format)).size == PixelSize(32, 24))
    #expect(pipeline.cachedImage(forKey: good.path, format: format) != nil)
  }

  @Test("a picture in memory is resized to a format and cached under its key, on disk too")
  func simple() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let request = ImageRequest(
      .fetcher(SimpleFetcher(Picture(Fixture.photo.bitmap), key: "own")), format: format)
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(32, 24))
    #expect(try await fixture.restarted().response(for: request).source == .rendition)
  }

  /// Counts its calls, and waits at a gate.
  struct Counting: ImageFetching {
    let key: String
    let gate: Gate
    let count: Shared<Int>
    var result = Result<FetchedImage, any Error>.success(.picture(Picture(Fixture.photo.bitmap)))

    func fetch() async throws -> FetchedImage {
      count.change { $0 += 1 }
      try await gate.pass()
      return try result.get()
    }
  }

  @Test("two fetchers with one key share the work, for different formats too; on a hit none is called")
  func shared() async throws {
    let fixture = Fixture()
    let (gate, count) = (Gate(), Shared(0))
    func request(_ format: CacheFormat) -> ImageRequest {
      ImageRequest(.fetcher(Counting(key: "one", gate: gate, count: count)), format: format)
    }
    let (a, b) = (FormatFixture.format("a"), CacheFormat("b", size: PixelSize(16, 12)))
    let tasks = [a, b, a].map { fixture.pipeline.task(for: request($0)) }
    await gate.arrivals(1)
    try await eventually(
      fixture.pipeline.loadSubscriberCount == 3 && fixture.pipeline.fetchSubscriberCount == 2
    )
    gate.open()
    let sizes = try await [tasks[0].image.size, tasks[1].image.size, tasks[2].image.size]
    #expect(sizes == [PixelSize(32, 24), PixelSize(16, 12), PixelSize(32, 24)])
    #expect(count.value == 1)
    _ = try await fixture.pipeline.image(for: request(a))
    #expect(count.value == 1)
  }

  @Test("an empty answer has its own error; any other failure contains the thrown error")
  func failures() async throws {
    struct Own: Error {}
    let fixture = Fixture()
    let open = Gate(isOpen: true)
    let empty = Counting(key: "empty", gate: open, count: Shared(0), result: .success(.data(Data())))
    await #expect {
      try await fixture.pipeline.image(for: ImageRequest(.fetcher(empty)))
    } throws: {
      $0 as? ImageError == .emptyData("empty")
    }
    let failing = Counting(key: "failing", gate: open, count: Shared(0), result: .failure(Own()))
    await #expect {
      try await fixture.pipeline.image(for: ImageRequest(.fetcher(failing)))
    } throws: {
      $0 as? ImageError == .fetchFailed("failing", underlying: Own())
    }
  }

  @Test("cancelling the last request cancels the fetch")
  func cancellation() async throws {
    let fixture = Fixture()
    let (gate, count) = (Gate(), Shared(0))
    let task = fixture.pipeline.task(
      for: ImageRequest(.fetcher(Counting(key: "one", gate: gate, count: count))))
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    try await eventually(gate.waitingCount == 0)
    #expect(count.value == 1)
  }
}
