import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite struct StoragePolicyTests {
  struct Kept: Equatable, Sendable {
    var original: Bool
    var rendition: Bool
  }

  private static func kept(_ fixture: Fixture, _ request: ImageRequest) async -> Kept {
    await fixture.pipeline.flush()
    return stored(fixture.pipeline.diskCache, request.key)
  }

  private static func stored(_ disk: DiskCache?, _ key: ImageKey) -> Kept {
    Kept(
      original: disk?.contains(key.source, in: ImageCaches.originals) ?? false,
      rendition: disk?.contains(key.rendition, in: ImageCaches.renditions) ?? false)
  }

  @Test(
    "each policy stores what it names",
    arguments: [
      (
        StoragePolicy.automatic, Kept(original: true, rendition: true), Kept(original: true, rendition: false)
      ),
      (.originalData, Kept(original: true, rendition: false), Kept(original: true, rendition: false)),
      (.encodedImages, Kept(original: false, rendition: true), Kept(original: false, rendition: true)),
      (.all, Kept(original: true, rendition: true), Kept(original: true, rendition: false)),
    ])
  func policies(_ policy: StoragePolicy, _ resized: Kept, _ whole: Kept) async throws {
    let fixture = Fixture { $0.caching.storagePolicy = policy }
    let small = ImageRequest(url: try fixture.serve("small.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: small)
    #expect(await Self.kept(fixture, small) == resized)
    let request = ImageRequest(url: try fixture.serve("whole.jpg"))
    _ = try await fixture.pipeline.image(for: request)
    #expect(await Self.kept(fixture, request) == whole)
  }

  @Test("stored entries serve the next launch without the network", arguments: StoragePolicy.allCases)
  func served(_ policy: StoragePolicy) async throws {
    let fixture = Fixture { $0.caching.storagePolicy = policy }
    let url = try fixture.serve("a.jpg")
    for resize in [nil, Fixture.small] {
      let request = ImageRequest(url: url, resize: resize)
      _ = try await fixture.pipeline.image(for: request)
    }
    await fixture.pipeline.flush()
    let count = fixture.client.requests.count
    let next = ImagePipeline.testing(client: fixture.client, files: fixture.files) {
      $0.caching.storagePolicy = policy
    }
    for resize in [nil, Fixture.small] {
      let picture = try await next.image(for: ImageRequest(url: url, resize: resize))
      #expect(Fixture.photo.resembles(picture.bitmap))
    }
    #expect(fixture.client.requests.count == count)
  }

  @Test("a request may set another policy")
  func override() async throws {
    let fixture = Fixture { $0.caching.storagePolicy = .originalData }
    var request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    request.storagePolicy = .encodedImages
    _ = try await fixture.pipeline.image(for: request)
    #expect(await Self.kept(fixture, request) == Kept(original: false, rendition: true))
  }

  @Test("the caller receives the picture before it is encoded, and before anything is written")
  func behind() async throws {
    let fixture = Fixture()
    fixture.pipeline.suspend(.encode, .store)
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.pipeline.waitingCount(on: .encode) == 1)
    #expect(fixture.pipeline.diagnostics().backlogByteCount > 32 * 24 * 4)
    fixture.pipeline.resume(.encode)
    await fixture.pipeline.waiting(2, for: .store)
    #expect(fixture.pipeline.diskCache?.count == 0)
    fixture.pipeline.resume(.store)
    #expect(await Self.kept(fixture, request) == Kept(original: true, rendition: true))
    #expect(fixture.pipeline.diagnostics().backlogByteCount == 0)
  }

  @Test("the app chooses the encoding, or none", arguments: [ImageType.png, nil])
  func encoding(_ type: ImageType?) async throws {
    let fixture = Fixture {
      $0.caching.renditionEncoding = { picture, _ in
        picture.size == PixelSize(32, 24) ? type.map { RenditionEncoding($0) } : nil
      }
    }
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let rendition = fixture.pipeline.caches.rendition(for: request)
    #expect(rendition.map { ContentKind(sniffing: $0.data) } == type.map { .image($0) })
  }

  @Test(
    "the beginning of an interrupted download is kept, unless that is switched off", arguments: [true, false])
  func beginnings(_ isEnabled: Bool) async throws {
    let fixture = Fixture { $0.network.isResumableDataEnabled = isEnabled }
    let url = Fixture.url("a.png")
    // A file may continue after its picture.
    let body = try Fixture.photo.data(as: .jpeg) + Data(count: 40_000)
    let reply = FakeHTTPReply.ok(body).header("ETag", "\"1\"").header("Accept-Ranges", "bytes")
    fixture.client.reply(
      to: url, with: [reply.failing(.connectionLost, afterByteCount: body.count - 10), reply])
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: url) }
    _ = try await fixture.pipeline.image(for: url)
    #expect((fixture.client.requests.last?.headers["Range"] != nil) == isEnabled)
  }
}
