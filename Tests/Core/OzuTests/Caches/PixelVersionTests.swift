import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

@Suite("Pixels of an earlier release")
struct PixelVersionTests {
  @Test("are not served: the picture is made again from its original")
  func rendition() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    let key = request.key.rendition
    let record = try #require(await disk.metadata(forKey: key, in: ImageCaches.renditions))
    let body = try #require(await disk.entry(forKey: key, in: ImageCaches.renditions)?.body)
    // The key as it was before keys had a version.
    let earlier = request.key.source.derived(Fixture.small.identifier)
    await disk.remove(forKey: key, in: ImageCaches.renditions)
    await disk.store(body, metadata: record, forKey: earlier, in: ImageCaches.renditions)
    fixture.pipeline.removeImagesFromMemory()

    #expect(try await fixture.pipeline.response(for: request).source == .original)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("are not used for smaller pictures")
  func variants() throws {
    let made = KnownVariants.SizeVariant(
      key: ImageKey(source: CacheKey("a"), steps: ["b"]), resize: nil, size: PixelSize(1, 1))
    let data = VariantsRecord([made]).data
    #expect(VariantsRecord(data, of: CacheKey("a"))?.pictures == [made])
    var writer = FieldWriter()
    writer.append(1)
    // The version comes first.
    #expect(VariantsRecord(writer.data + data.dropFirst(writer.data.count), of: CacheKey("a")) == nil)
  }
}
