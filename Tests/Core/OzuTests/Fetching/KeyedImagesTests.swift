import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("Pictures under a key, with a URL or without")
struct KeyedImagesTests {
  @Test("pictures are returned from memory, read from disk into memory, or downloaded and stored")
  func states() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.image(for: url, key: nil).size == PixelSize(320, 240))
    #expect(fixture.pipeline.cachedImage(for: url) != nil)
    #expect(fixture.pipeline.cachedImage(forKey: url.absoluteString) != nil)
    let pipeline = await fixture.restarted()
    #expect(pipeline.cachedImage(for: url) == nil)
    _ = try await pipeline.image(for: url, key: nil)
    #expect(pipeline.cachedImage(for: url) != nil)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("different pictures of one URL under different keys")
  func keys() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let a = try await fixture.pipeline.image(for: url, key: "a")
    fixture.pipeline.store(Picture(FormatFixture.small(7).bitmap), forKey: "b")
    #expect(try await fixture.pipeline.image(for: url, key: "a").bitmap == a.bitmap)
    #expect(try await fixture.pipeline.image(for: url, key: "b").size == PixelSize(32, 24))
  }

  @Test(
    "a key without a URL works when it is cached, after a restart too, and has its own error when it is not")
  func noURL() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    // The second key looks like the URL of another picture.
    for key in ["avatar", "https://example.com/avatar"] {
      _ = try await fixture.pipeline.image(for: url, key: key)
      #expect(try await fixture.pipeline.image(for: nil, key: key).size == PixelSize(320, 240))
    }
    let pipeline = await fixture.restarted()
    for key in ["avatar", "https://example.com/avatar"] {
      #expect(try await pipeline.image(for: nil, key: key).size == PixelSize(320, 240))
    }
    await #expect {
      try await pipeline.image(for: nil, key: "nobody")
    } throws: {
      ($0 as? ImageError)?.kind == .notCached
    }
    #expect(fixture.client.requests.count == 2)
  }

  @Test(
    "a picture that is set under a key is in memory at once and on disk after a restart",
    arguments: ["own", "https://example.com/set.jpg"])
  func set(_ key: String) async throws {
    let fixture = FormatFixture()
    fixture.pipeline.store(Picture(FormatFixture.small(3).bitmap), forKey: key)
    #expect(fixture.pipeline.cachedImage(forKey: key) != nil)
    let pipeline = await fixture.restarted()
    #expect(pipeline.cachedImage(forKey: key) == nil)
    let picture = try #require(await pipeline.imageFromDisk(forKey: key))
    #expect(FormatFixture.small(3).resembles(picture.bitmap))
    #expect(pipeline.cachedImage(forKey: key) != nil)
    pipeline.removeImagesFromMemory()
    let again = try await pipeline.image(forKey: key)
    #expect(FormatFixture.small(3).resembles(again.bitmap))
    #expect(await pipeline.imageFromDisk(forKey: "other") == nil)
  }

  @Test("an original of the web that is read by its key is not taken for fresh after that")
  func freshness() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    let pipeline = await fixture.restarted()
    #expect(await pipeline.imageFromDisk(forKey: url.absoluteString) != nil)
    #expect(pipeline.cachedImage(for: url) != nil)
    #expect(try await pipeline.response(for: url).source != .memory)
    #expect(try await pipeline.response(for: url).source == .memory)
  }

  @Test("the picture of a key is removed also where keys name the pipeline's own treatment of colours")
  func removeFromOtherColors() async {
    let fixture = FormatFixture {
      $0.decoding.colorPolicy = ColorPolicy.standard == .keepProfile ? .convertToSRGB : .keepProfile
    }
    fixture.pipeline.store(Picture(FormatFixture.small(3).bitmap), forKey: "own")
    await fixture.pipeline.flush()
    fixture.pipeline.removePicture(forKey: "own", format: nil)
    #expect(fixture.pipeline.cachedImage(forKey: "own") == nil)
    #expect(await fixture.pipeline.imageFromDisk(forKey: "own") == nil)
  }

  @Test("a picture of a key whose removal waits for the disk is not found there")
  func removeMeanwhile() async {
    let fixture = FormatFixture()
    fixture.pipeline.store(Picture(FormatFixture.small(3).bitmap), forKey: "own")
    await fixture.pipeline.flush()
    let end = Hold()
    defer { end.release() }
    fixture.pipeline.context.backlog.enqueue { end.wait() }
    fixture.pipeline.removePicture(forKey: "own", format: nil)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(forKey: "own") }
    end.release()
    await fixture.pipeline.flush()
    #expect(fixture.pipeline.cachedImage(forKey: "own") == nil)
  }

  @Test("pictures are removed by key, by URL, and all together")
  func remove() async throws {
    let fixture = FormatFixture()
    let (a, b) = (try fixture.serve("a.jpg"), try fixture.serve("b.jpg"))
    _ = try await fixture.pipeline.image(for: a, key: nil)
    _ = try await fixture.pipeline.image(for: b, key: "own")
    await fixture.pipeline.removeImage(for: a)
    #expect(fixture.pipeline.cachedImage(for: a) == nil)
    #expect(await fixture.pipeline.imageFromDisk(forKey: a.absoluteString) == nil)
    #expect(fixture.pipeline.cachedImage(forKey: "own") != nil)
    await fixture.pipeline.removeImage(forKey: "own")
    #expect(await fixture.pipeline.imageFromDisk(forKey: "own") == nil)
    _ = try await fixture.pipeline.image(for: a, key: nil)
    await fixture.pipeline.removeAllImages()
    #expect(fixture.pipeline.cachedImage(for: a) == nil)
    #expect(fixture.pipeline.diskCache?.count == 0)
  }

  @Test("the removal of a key leaves a key that begins with it and goes on behind a space")
  func removeBeginning() async {
    let fixture = FormatFixture()
    for key in ["own", "own large"] {
      fixture.pipeline.store(Picture(FormatFixture.small(3).bitmap), forKey: key)
    }
    await fixture.pipeline.removeImage(forKey: "own")
    fixture.pipeline.removeImagesFromMemory()
    #expect(await fixture.pipeline.imageFromDisk(forKey: "own") == nil)
    #expect(await fixture.pipeline.imageFromDisk(forKey: "own large") != nil)
  }

  private final class Listener: ImageDownloadDelegate {
    let told = Shared<[String]>([])

    func didDownload(_ picture: Picture, from url: URL, key: String) {
      told.change { $0.append("\(url.lastPathComponent) \(key) \(picture.size)") }
    }
  }

  @Test("a delegate receives each download with its URL and key, nothing else, and is not retained")
  func delegate() async throws {
    var listener: Listener? = Listener()
    let told = try #require(listener).told
    let fixture = FormatFixture { [listener] in $0.downloadDelegate = listener }
    let (a, b) = (try fixture.serve("a.jpg"), try fixture.serve("b.jpg"))
    _ = try await fixture.pipeline.image(for: a, key: nil)
    _ = try await fixture.pipeline.image(for: a, key: nil)
    _ = try await fixture.pipeline.image(for: b, key: "own")
    _ = try? await fixture.pipeline.image(for: Fixture.url("missing"), key: nil)
    fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "set")
    #expect(told.value == ["a.jpg \(a) 320x240", "b.jpg own 320x240"])
    listener = nil
    #expect(fixture.pipeline.configuration.downloadDelegate == nil)
  }
}
