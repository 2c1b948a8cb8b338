import Foundation
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import Ozu

/// Requests that read only originals: for pictures that are encoded again.
@Suite("A picture made only from originals is the same in every state of the caches")
struct OriginalsAloneTests {
  /// The state of the caches when the picture is requested.
  enum State: CaseIterable {
    case nothing, original, rendition, largerRendition, whole
    case renditionAfterRestart, largerRenditionAfterRestart

    var isAfterRestart: Bool { self == .renditionAfterRestart || self == .largerRenditionAfterRestart }

    /// The request that was loaded before for a screen; `nil` for none.
    var resize: Resize?? {
      switch self {
      case .nothing, .original: nil
      case .rendition, .renditionAfterRestart: OriginalsAloneTests.resize
      case .largerRendition, .largerRenditionAfterRestart: Resize(PixelSize(200, 150))
      case .whole: .some(nil)
      }
    }
  }

  /// An output format.
  struct Output: CustomTestStringConvertible {
    let type: ImageType
    var options = EncodingOptions(compressionQuality: 0.95)

    var testDescription: String { type.rawValue }
  }

  private static let outputs = [
    Output(type: .jpeg), Output(type: .png),
    Output(type: .webp, options: EncodingOptions(isLossless: true)), Output(type: .avif),
    Output(type: .jxl),
  ].filter { CodecRegistry.standard.encodableTypes.contains($0.type) }

  private static let resize = Resize(PixelSize(64, 48))

  private static func request(_ url: URL) -> ImageRequest {
    ImageRequest(url: url, resize: resize).with { $0.readLayers = .originals }
  }

  /// The encoded picture, made in a state of the caches.
  private static func bytes(_ output: Output, in state: State) async throws -> Data {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    // Both have the standard decoders; the fixture's pipeline has a counting one.
    let first = fixture.freshPipeline()
    if state == .original { _ = try await first.data(for: url) }
    if let resize = state.resize {
      _ = try await first.image(for: ImageRequest(url: url, resize: resize))
    }
    await first.flush()
    let pipeline = state.isAfterRestart ? fixture.freshPipeline() : first
    let response = try await pipeline.response(for: request(url))
    #expect(response.source == (state == .nothing ? .network : .original))
    return try await pipeline.encode(response.picture, as: output.type, options: output.options)
  }

  @Test("equal bytes", arguments: outputs, State.allCases)
  func equalBytes(_ output: Output, _ state: State) async throws {
    let expected = try await Self.bytes(output, in: .nothing)
    let bytes = try await Self.bytes(output, in: state)
    // Not in the expectation itself, which would print all bytes.
    let isSame = bytes == expected
    #expect(isSame)
  }

  @Test("a running load for a screen does not answer such a request")
  func notShared() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Self.resize))
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    let shown = fixture.pipeline.task(for: ImageRequest(url: url, resize: Self.resize))
    let written = fixture.pipeline.task(for: Self.request(url))
    #expect(try await written.response.source == .original)
    #expect(try await shown.response.source == .rendition)
  }

  @Test("a request that writes only originals stores no rendition")
  func writing() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: Self.request(url).with { $0.writeLayers = .originals })
    let kept = await fixture.cachedCounts()
    #expect(kept.memory == 0 && kept.disk == 1)
    #expect(fixture.pipeline.cache.contains(ImageRequest(url: url), layers: .originals))
    #expect(!fixture.pipeline.cache.contains(Self.request(url), layers: [.memory, .renditions]))
  }

  @Test("the cache distinguishes renditions and originals")
  func layers() async throws {
    let fixture = Fixture()
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Self.resize)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let cache = fixture.pipeline.cache
    let original = try #require(cache.image(for: request, layers: .originals)).bitmap
    let rendition = try #require(cache.image(for: request, layers: .renditions)).bitmap
    #expect(original.size == rendition.size && original != rendition)
    cache.remove(request, layers: .renditions)
    #expect(cache.image(for: request, layers: .renditions) == nil)
    #expect(cache.contains(request, layers: .originals))
    cache.remove(request, layers: .originals)
    #expect(!cache.contains(request, layers: .disk))
  }
}
