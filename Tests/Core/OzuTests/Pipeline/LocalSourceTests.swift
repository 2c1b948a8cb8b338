import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Local files, data addresses, fetchers")
struct LocalSourceTests {
  /// A folder that is removed when the test ends.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "ozu-test-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ data: Data, to name: String) throws -> URL {
      let file = url.appending(path: name)
      try data.write(to: file)
      return file
    }
  }

  @Test("a file is read and kept in memory, and its thumbnail on disk; the file itself is not copied")
  func file() async throws {
    let folder = try Folder()
    let file = try folder.write(Fixture.photo.data(as: .jpeg), to: "ä b#c?.jpg")
    let fixture = Fixture()
    let request = ImageRequest(url: file, resize: Fixture.small)
    #expect(try await fixture.pipeline.response(for: request).source == .original)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    #expect(await fixture.cachedCounts() == (1, 1))
    #expect(try await fixture.freshPipeline().response(for: request).source == .rendition)
  }

  @Test(
    "a file that was replaced is never shown as it was, from memory or from disk", arguments: [true, false])
  func replaced(_ fromMemory: Bool) async throws {
    let folder = try Folder()
    let file = try folder.write(PatternPicture(PixelSize(320, 240), tint: 1).data(as: .jpeg), to: "a.jpg")
    let fixture = Fixture()
    let request = ImageRequest(url: file, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let changed = PatternPicture(PixelSize(300, 240), tint: 7)
    try FileManager.default.removeItem(at: file)
    _ = try folder.write(changed.data(as: .jpeg), to: "a.jpg")
    let pipeline = fromMemory ? fixture.pipeline : fixture.freshPipeline()
    #expect(pipeline.cachedImage(for: request) == nil)
    let response = try await pipeline.response(for: request)
    #expect(response.source == .original)
    #expect(changed.resembles(response.picture.bitmap))
  }

  @Test("files are read ahead of the decoders until 64 MB wait for them, not all at once")
  func readAhead() async throws {
    let folder = try Folder()
    // A small picture in a large file: the decoder ignores bytes after its end.
    let data = try Fixture.photo.data(as: .png) + Data(count: 8 << 20)
    let first = try folder.write(data, to: "0.png")
    let files = try (0..<40).map { index in
      let file = folder.url.appending(path: "\(index).png")
      if index > 0 { try FileManager.default.linkItem(at: first, to: file) }
      return file
    }
    let pipeline = Fixture().pipeline
    pipeline.suspend(.decode)
    let tasks = files.map { pipeline.task(for: ImageRequest(url: $0, resize: Fixture.small)) }
    // Eight exceed the bound. A few more may be read before the eighth is queued; how many depends on the threads. What is
    // between the queues is in neither of them, so the end is when every file waits (the decoders' queue is asked first:
    // what moves to it meanwhile is then missed, not counted twice).
    await pipeline.waiting(8, for: .decode)
    var waiting = 0
    repeat {
      await Task.yield()
      waiting = pipeline.waitingCount(on: .decode)
    } while waiting + pipeline.waitingCount(on: .disk) < files.count
    #expect((8...20).contains(waiting))
    // A cancelled one makes room.
    tasks[0].cancel()
    pipeline.resume(.decode)
    for task in tasks.dropFirst() { #expect(Fixture.photo.resembles(try await task.image.bitmap)) }
  }

  @Test("a picture in a data URL")
  func dataAddress() async throws {
    let text = "data:image/png;base64," + (try Fixture.photo.data(as: .png)).base64EncodedString()
    let response = try await Fixture().pipeline.response(
      for: ImageRequest(url: try #require(URL(string: text)), resize: Fixture.small))
    #expect(response.source == .original)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
  }

  @Test("bytes in memory, under a key")
  func bytes() async throws {
    let fixture = Fixture()
    let request = ImageRequest(.data(try Fixture.photo.data(as: .png), key: "bytes"))
    #expect(try await fixture.pipeline.response(for: request).source == .original)
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
  }

  private struct CountedFetcher: ImageFetching {
    let key = "counted"
    let client: FakeHTTPClient
    let result: FetchedImage

    func fetch() async throws -> FetchedImage {
      _ = try await client.data(from: Fixture.url("counter"))
      return result
    }
  }

  @Test("a fetcher is called only if no cache has the picture", arguments: [true, false])
  func fetcher(_ bringsPixels: Bool) async throws {
    let fixture = Fixture()
    let result: FetchedImage =
      bringsPixels ? .picture(Picture(Fixture.photo.bitmap)) : .data(try Fixture.photo.data(as: .png))
    let request = ImageRequest(
      .fetcher(CountedFetcher(client: fixture.client, result: result)), resize: Fixture.small)
    let first = try await fixture.pipeline.response(for: request)
    #expect(first.source == .network)
    #expect(first.picture.size == PixelSize(32, 24))
    #expect(Fixture.photo.resembles(first.picture.bitmap))
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requests.count == 1)
    await fixture.pipeline.flush()
    let fresh = try await fixture.freshPipeline().response(for: request)
    #expect(fresh.source == .rendition)
    #expect(fixture.client.requests.count == 1)
  }
}
