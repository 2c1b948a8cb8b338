import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("Pictures by their keys and formats")
struct FormatKeysTests {
  static let oddKeys = [
    "", " ", "/", "a/b/../c", "/absolute/path.jpg", "../../etc", "😀", "👩‍👩‍👧‍👦 é", "x.jpg", "x.png", "x",
    "https://example.com/a.jpg", "https://example.com/a.jpg?size=1", "file:///absolute/a.jpg", "a\nb", "a\0b",
    "%2F",
    String(repeating: "k", count: 10_000), String(repeating: "k", count: 10_000) + ".jpg",
  ]

  @Test("unusual keys are kept apart, in memory and on disk, and are removed one by one")
  func odd() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    func tint(_ index: Int) -> PatternPicture { FormatFixture.small(index % 8) }
    for (index, key) in Self.oddKeys.enumerated() {
      fixture.pipeline.store(Picture(tint(index).bitmap), forKey: key, format: format)
    }
    for (index, key) in Self.oddKeys.enumerated() {
      #expect(fixture.pipeline.cachedImage(forKey: key, format: format)?.bitmap == tint(index).bitmap)
    }
    let pipeline = await fixture.restarted()
    for (index, key) in Self.oddKeys.enumerated() {
      let picture = try await pipeline.image(forKey: key, format: format)
      #expect(tint(index).resembles(picture.bitmap), "\(key.prefix(40))")
    }
    for (index, key) in Self.oddKeys.enumerated() {
      await pipeline.removeImage(forKey: key)
      #expect(pipeline.cachedImage(forKey: key, format: format) == nil)
      #expect(await FormatFixture.isOnDisk(key, format, pipeline) == false)
      if index + 1 < Self.oddKeys.count {
        #expect(pipeline.cachedImage(forKey: Self.oddKeys[index + 1], format: format) != nil)
      }
    }
  }

  @Test("jobs in two formats of one name have different keys, also after a removal", arguments: [0, 5])
  func jobKeys(epoch: Int) {
    let requests = (0..<2).map { _ in
      ImageRequest(url: Fixture.url("a.jpg"), format: FormatFixture.format())
    }
    let loads = requests.map { JobKey.load($0, number: epoch) }
    let encodings = requests.map { JobKey.encoding(EncodingGoal($0, OutputFormat(.png)), number: epoch) }
    #expect(loads[0] != loads[1])
    #expect(encodings[0] != encodings[1])
  }

  @Test(
    "a key that is the path of a folder is no file: the picture stays when something changes in the folder")
  func folder() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ozu-key-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: folder.path, format: format)
    try Data().write(to: folder.appendingPathComponent("new"))
    #expect(fixture.pipeline.cachedImage(forKey: folder.path, format: format) != nil)
    let picture = try await fixture.restarted().image(forKey: folder.path, format: format)
    #expect(FormatFixture.small(1).resembles(picture.bitmap))
  }

  @Test(
    "a key without a picture has its own error, and no source is asked",
    arguments: [
      "missing", "https://example.com/missing.jpg", "/missing.jpg",
    ])
  func notFound(key: String) async {
    let fixture = FormatFixture()
    await #expect {
      try await fixture.pipeline.image(forKey: key, format: FormatFixture.format())
    } throws: {
      $0 as? ImageError == .notCached(key)
    }
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("a picture that is set is served to requests for the key, the URL or a fetcher with that key")
  func prePopulated() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let picture = Picture(FormatFixture.small(4).bitmap)
    let url = Fixture.url("a.jpg")
    fixture.pipeline.store(picture, forKey: url.absoluteString, format: format)
    fixture.pipeline.store(picture, forKey: "own", format: format)
    for request in [
      ImageRequest(url: url, format: format), ImageRequest(.fetcher(NetworkFetcher(url)), format: format),
      ImageRequest(.fetcher(SimpleFetcher(picture, key: "own")), format: format),
      ImageRequest(url: Fixture.url("other.jpg"), cacheKey: "own", format: format),
    ] {
      #expect(try await fixture.pipeline.response(for: request).source == .memory)
    }
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("setting nil removes the picture of that format, and of no other")
  func setNil() async throws {
    let fixture = FormatFixture()
    let (a, b) = (FormatFixture.format("a"), FormatFixture.format("b"))
    for format in [a, b] {
      fixture.pipeline.store(Picture(FormatFixture.small(1).bitmap), forKey: "k", format: format)
    }
    fixture.pipeline.setImage(nil, forKey: "k", format: a)
    #expect(fixture.pipeline.cachedImage(forKey: "k", format: a) == nil)
    #expect(await FormatFixture.isOnDisk("k", a, fixture.pipeline) == false)
    #expect(fixture.pipeline.cachedImage(forKey: "k", format: b) != nil)
    #expect(await FormatFixture.isOnDisk("k", b, fixture.pipeline))
  }

  @Test("removing a key removes all its formats and sizes, and the original; other keys stay")
  func removeKey() async throws {
    let fixture = FormatFixture()
    let (a, b) = (try fixture.serve("a.jpg"), try fixture.serve("b.jpg"))
    let formats = [
      FormatFixture.format("x"), CacheFormat("y", size: PixelSize(16, 12), diskCapacity: 1 << 20),
    ]
    for url in [a, b] {
      for format in formats {
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
      }
      _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
      _ = try await fixture.pipeline.image(for: url)
    }
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    #expect(disk.fileCount == 8)
    await fixture.pipeline.removeImage(forKey: a.absoluteString)
    #expect(disk.fileCount == 4)
    #expect(disk.count(in: ImageCaches.variants) == 1)
    #expect(fixture.pipeline.memoryCacheStatistics.count == 4)
    #expect(fixture.pipeline.cachedImage(for: b) != nil)
  }

  @Test(
    "pictures of an address that a source of the app reads, and pixels, are found and removed by their keys",
    arguments: ["avatar://7", "avatar:7", "pixels"])
  func otherKinds(key: String) async throws {
    let picture = Picture(FormatFixture.small(3).bitmap)
    let fixture = FormatFixture {
      $0.sources.register(scheme: "avatar") { SimpleFetcher(picture, key: $0.absoluteString) }
    }
    let format = FormatFixture.format()
    let url = try #require(URL(string: key))
    let source = url.scheme == nil ? ImageSource.picture(picture, key: key) : .url(url)
    _ = try await fixture.pipeline.image(for: ImageRequest(source, format: format))
    #expect(fixture.pipeline.cachedImage(forKey: key, format: format) != nil)
    let pipeline = await fixture.restarted()
    #expect(try await pipeline.image(forKey: key, format: format).size == picture.size)
    await pipeline.removeImage(forKey: key)
    #expect(pipeline.cachedImage(forKey: key, format: format) == nil)
    #expect(pipeline.diskCache?.count == 0)
  }

  @Test("removing a key removes sizes of earlier runs too")
  func removeUnregistered() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: FormatFixture.format()))
    let pipeline = await fixture.restarted()
    await pipeline.removeImage(for: url)
    #expect(pipeline.diskCache?.count == 0)
  }

  @Test("removing a format's pictures leaves the other formats")
  func removeFormat() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let (a, b) = (FormatFixture.format("a"), FormatFixture.format("b"))
    for format in [a, b] { _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format)) }
    await fixture.pipeline.removeImages(ofFormat: "a")
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, format: a)) == nil)
    #expect(a.diskByteCount == 0)
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, format: b)) != nil)
    #expect(b.diskByteCount > 0)
    #expect(fixture.pipeline.formats.keys.sorted() == ["a", "b"])
  }

  @Test("removing a format's pictures removes the files made in it", arguments: [false, true])
  func removeEncoded(isRestarted: Bool) async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let requests = ["a", "b"].map { ImageRequest(url: url, format: FormatFixture.format($0)) }
    for request in requests { _ = try await fixture.pipeline.encoded(for: request, as: .png) }
    let pipeline = isRestarted ? await fixture.restarted() : fixture.pipeline
    await pipeline.removeImages(ofFormat: "a")
    #expect(pipeline.cachedEncoded(for: requests[0], as: .png) == nil)
    let sources = [
      try await pipeline.encoded(for: requests[0], as: .png).source,
      try await pipeline.encoded(for: requests[1], as: .png).source,
    ]
    #expect(sources == [.original, isRestarted ? .rendition : .memory])
  }

  @Test("while the removal of a format's pictures waits for the disk, no file made in it is found")
  func removeEncodedMeanwhile() async throws {
    let fixture = FormatFixture()
    let request = ImageRequest(url: try fixture.serve("a.jpg"), format: FormatFixture.format("a"))
    _ = try await fixture.pipeline.encoded(for: request, as: .png)
    await fixture.pipeline.flush()
    let end = Hold()
    defer { end.release() }
    fixture.pipeline.context.backlog.enqueue { end.wait() }
    let removal = Task { await fixture.pipeline.removeImages(ofFormat: "a") }
    try await eventually(fixture.pipeline.cachedEncoded(for: request, as: .png) == nil)
    #expect(try await fixture.pipeline.encoded(for: request, as: .png).source == .original)
    end.release()
    await removal.value
  }

  @Test("a format that replaces another of the same name finds none of its files")
  func encodedBySuccessor() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    for _ in 0..<2 {
      // The same size, but the hooks or the quality may differ.
      let request = ImageRequest(url: url, format: FormatFixture.format("a"))
      if let format = request.format { fixture.pipeline.register(format) }
      await fixture.pipeline.flush()
      #expect(fixture.pipeline.cachedEncoded(for: request, as: .png) == nil)
      let file = try await fixture.pipeline.encoded(for: request, as: .png)
      #expect(file.source != .rendition && file.source != .memory)
    }
  }

  @Test("removing a format's pictures removes those that are still being encoded")
  func removeFormatBeingEncoded() async throws {
    let fixture = FormatFixture()
    let format = FormatFixture.format()
    let request = ImageRequest(url: try fixture.serve("a.jpg"), format: format)
    fixture.pipeline.suspend(.encode)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.waiting(1, for: .encode)
    let removal = Task { await fixture.pipeline.removeImages(ofFormat: format.name) }
    try await eventually(fixture.pipeline.cachedImage(for: request) == nil)
    fixture.pipeline.resume(.encode)
    await removal.value
    #expect(format.diskByteCount == 0)
  }

  @Test("removing everything empties every format")
  func removeAll() async throws {
    let fixture = FormatFixture()
    let url = try fixture.serve("a.jpg")
    let format = FormatFixture.format()
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, format: format))
    await fixture.pipeline.removeAllImages()
    #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url, format: format)) == nil)
    #expect(fixture.pipeline.diskCache?.count == 0)
  }
}
