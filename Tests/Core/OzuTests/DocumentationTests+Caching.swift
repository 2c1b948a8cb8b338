import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

/// The samples about caches and stores.
extension DocumentationTests {
  @Test("Caching")
  func caching() async throws {
    let pipeline = try servedPipeline()
    let thumbnail = ImageRequest(url: url, resize: Resize(PixelSize(320, 240)))
    let first = try await pipeline.response(for: thumbnail)
    let second = try await pipeline.response(for: thumbnail)
    await pipeline.flush()
    pipeline.removeImagesFromMemory()
    _ = try await pipeline.response(for: thumbnail)
    #expect([first.source, second.source] == [.network, .memory])
    pipeline.cache[thumbnail] = first.picture
    #expect(pipeline.cache[thumbnail] != nil)

    let small = try await pipeline.response(
      for: ImageRequest(url: url, resize: Resize(PixelSize(160, 120))))
    #expect(small.source.rawValue == "derived-from-larger")
    await pipeline.removeImage(for: thumbnail)
    #expect(pipeline.cache[thumbnail] == nil)
  }

  @Test("Caching: a maximum age on disk")
  func maximumAge() {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-age-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let month = ImagePipeline {
      $0.caching.diskStorage = .opening { () throws(DiskCacheError) in
        try DiskCache(directory: folder, configuration: DiskCacheConfiguration(maximumAge: 30 * 86_400))
      }
    }
    #expect(month.diskCache?.directory.contains(folder.lastPathComponent) == true)
  }

  @Test("A level of storage of your own")
  func ownLevel() async throws {
    client.reply(
      to: url,
      with: [
        .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg))
          .header("ETag", "\"1\"").header("Cache-Control", "max-age=60"),
        .status(304, headers: ["Cache-Control": "max-age=600"]), .status(500),
      ])
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (log, clock) = (Reports(), ManualClock())
    func make() -> ImagePipeline {
      .testing(client: client, clock: clock) {
        $0.caching.stores = [SharedFolder(folder: folder)]
        $0.caching.onStoreError = { error in log.add("\(error)") }
      }
    }
    let thumbnail = ImageRequest(url: url, resize: Resize(PixelSize(32, 24)))
    let first = make()
    #expect(try await first.response(for: thumbnail).source == .network)
    await first.flush()
    // Another program on another machine, with an empty disk.
    let second = make()
    #expect(try await second.response(for: thumbnail).source == .rendition)
    #expect(try await second.response(for: ImageRequest(url: url)).source == .original)
    await second.flush()
    clock.advance(by: .seconds(120))
    let later = make()
    #expect(try await later.response(for: ImageRequest(url: url)).source == .revalidated)
    await later.flush()
    let third = make()
    #expect(try await third.response(for: thumbnail).source == .rendition)
    await third.removeImage(for: url)
    await third.removeImage(for: thumbnail)
    await third.flush()
    await #expect(throws: ImageError.self) { try await make().image(for: thumbnail) }
    #expect(client.requests.count == 3)
    #expect(log.names == [])
  }

  @Test("Caching: policies")
  func storing() async throws {
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg)))
    let pipeline = ImagePipeline.testing(client: client) {
      $0.caching.storagePolicy = .originalData
      $0.caching.renditionEncoding = { picture, request in
        picture.size.width > 1000
          ? nil : RenditionEncoding(.webp, options: EncodingOptions(compressionQuality: 0.8))
      }
    }
    var avatar = ImageRequest(url: url, resize: Resize(PixelSize(64, 64)))
    avatar.storagePolicy = .encodedImages
    #expect(try await pipeline.image(for: avatar).size == PixelSize(64, 48))
  }

  @Test("Caching: pictures that are encoded again")
  func encodingAgain() async throws {
    let pipeline = try servedPipeline()
    _ = try await pipeline.image(for: ImageRequest(url: url, resize: Resize(PixelSize(64, 48))))
    var request = ImageRequest(url: url, resize: Resize(PixelSize(64, 48)))
    request.readLayers = .originals
    request.writeLayers = .originals
    let picture = try await pipeline.image(for: request)
    let data = try await pipeline.encode(picture, as: .png)
    #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(try await pipeline.response(for: request).source == .original)
  }
}
