import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Entries of the disk cache are trusted only if they decode")
struct SelfHealingTests {
  private static let nonsense = Data("<html>not a picture".utf8)

  @Test("a rendition that does not decode is removed, and the original is used", arguments: [true, false])
  func rendition(_ hasRecord: Bool) async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    let key = request.key.rendition
    let record = await disk.metadata(forKey: key, in: ImageCaches.renditions)
    await disk.store(
      Self.nonsense, metadata: hasRecord ? try #require(record) : Data("{".utf8), forKey: key,
      in: ImageCaches.renditions)
    fixture.pipeline.removeImagesFromMemory()

    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .original)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    await fixture.pipeline.flush()
    #expect(await disk.entry(forKey: key, in: ImageCaches.renditions)?.body != Self.nonsense)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("an original that does not decode is removed, and downloaded again")
  func original() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let disk = try #require(fixture.pipeline.diskCache)
    await disk.store(Self.nonsense, forKey: request.key.source, in: ImageCaches.originals)
    fixture.pipeline.removeImagesFromMemory()

    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .network)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    await fixture.pipeline.flush()
    #expect(await disk.entry(forKey: request.key.source, in: ImageCaches.originals)?.body != Self.nonsense)
  }

  /// The built-in decoders, in processes that cannot be started while a flag is set.
  private struct AbsentDecoder: ImageDecoding {
    let isAbsent: Shared<Bool>
    var types: [ImageType] { [.jpeg, .png] }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      if isAbsent.value { throw .decoderFailed(.jpeg, .unavailable("too many processes")) }
      return try CodecRegistry.standard.open(data, limits: limits)
    }
  }

  @Test("a rendition and an original stay while no decoder can be started")
  func absentDecoder() async throws {
    let isAbsent = Shared(false)
    let fixture = Fixture { $0.decoding.codecs.register(decoder: AbsentDecoder(isAbsent: isAbsent)) }
    let url = try fixture.serve("a.jpg")
    let requests = [ImageRequest(url: url, resize: Fixture.small), ImageRequest(url: url)]
    _ = try await fixture.pipeline.image(for: requests[0])
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    isAbsent.change { $0 = true }
    for request in requests {
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      #expect(error?.kind == .decoderFailed)
    }
    await fixture.pipeline.flush()
    isAbsent.change { $0 = false }
    #expect(try await fixture.pipeline.response(for: requests[0]).source == .rendition)
    #expect(try await fixture.pipeline.response(for: requests[1]).source == .original)
    #expect(fixture.client.requests.count == 1)
  }

  /// A request that fails with every file.
  enum Impossible: CaseIterable {
    case regionOutside, overLimit, failingStep

    var request: ImageRequest {
      ImageRequest(url: Fixture.url("a.jpg")).with {
        switch self {
        case .regionOutside: $0.region = PixelRectangle(x: 5000, y: 0, width: 10, height: 10)
        case .overLimit: $0.resize = Resize(PixelSize(60_000, 60_000), mode: .fill, allowsUpscaling: true)
        case .failingStep:
          $0.processors = [
            CountingStep("fails") { () throws(ProcessingError) in throw .failed("fails", reason: "always") }
          ]
        }
      }
    }
  }

  @Test("an original stays when the request is why it cannot be answered", arguments: Impossible.allCases)
  func requestAtFault(_ impossible: Impossible) async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.data(for: url)
    await fixture.pipeline.flush()
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: impossible.request) }
    await fixture.pipeline.flush()
    #expect(fixture.client.requests.count == 1)
    #expect(await fixture.cachedCounts().disk == 1)
  }
}
