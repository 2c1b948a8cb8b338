import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Without isDecompressionEnabled", .timeLimit(.minutes(15)))
struct DecompressionTests {
  private static func fixture(
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> Fixture {
    Fixture {
      $0.decoding.isDecompressionEnabled = false
      configure(&$0)
    }
  }

  @Test(
    "a picture without a recipe is decoded when its pixels are first read, once for memory and all copies")
  func deferred() async throws {
    let fixture = Self.fixture()
    var request = ImageRequest(url: try fixture.serve("a.jpg"))
    request.scale = 2
    let picture = try await fixture.pipeline.image(for: request)
    let copy = try #require(fixture.pipeline.cachedImage(for: request))
    #expect(!picture.isDecoded && fixture.decoder.decodeCount == 0)
    #expect(picture.size == PixelSize(320, 240) && picture.scale == 2 && picture.header?.type == .jpeg)
    let cost = picture.byteCount
    #expect(fixture.pipeline.memoryCacheStatistics.totalCost == cost)
    await withTaskGroup { group in
      for looker in [picture, copy, picture] {
        group.addTask { #expect(Fixture.photo.resembles(looker.bitmap)) }
      }
    }
    #expect(fixture.decoder.decodeCount == 1 && picture.isDecoded && copy.isDecoded)
    #expect(picture.byteCount == cost && picture.bitmap.byteCount == cost)
    #expect(copy.bitmap.sharesPixels(with: picture.bitmap))
  }

  @Test(
    "a picture with further steps is decoded on the pipeline's threads",
    arguments: [(Fixture.small, []), (nil, [.grayscale])] as [(Resize?, [any ImageProcessing])])
  func decoded(_ resize: Resize?, _ processors: [any ImageProcessing]) async throws {
    let fixture = Self.fixture()
    let url = try fixture.serve("a.jpg")
    let whole = try await fixture.pipeline.image(for: ImageRequest(url: url))
    let request = ImageRequest(url: url, resize: resize, processors: processors)
    #expect(try await fixture.pipeline.image(for: request).isDecoded)
    #expect(whole.size == PixelSize(320, 240))
  }

  @Test("with it, pictures come decoded")
  func enabled() async throws {
    let fixture = Fixture()
    let picture = try await fixture.pipeline.image(for: ImageRequest(url: try fixture.serve("a.jpg")))
    #expect(picture.isDecoded && fixture.decoder.decodeCount == 1)
  }

  @Test("a broken picture reports its error when its pixels are read, and all derived pictures fail")
  func broken() async throws {
    let fixture = Self.fixture()
    let url = Fixture.url("cut.jpg")
    let data = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply(to: url, with: .ok(data.prefix(data.count / 2)))
    let picture = try await fixture.pipeline.image(for: ImageRequest(url: url))
    for _ in 0..<2 {
      #expect { try picture.decode() } throws: { error in
        if case .truncated = error as? ImageDecodingError { true } else { false }
      }
    }
    #expect(!picture.isDecoded)
    #expect(picture.bitmap.size == PixelSize(320, 240) && picture.bitmap[160, 120].alpha == 0)
    await #expect { try await fixture.pipeline.encode(picture, as: .png) } throws: { error in
      guard case .failed(.png, let reason)? = error as? ImageEncodingError else { return false }
      return reason.contains("cannot be decoded")
    }
    await #expect {
      try await fixture.pipeline.image(for: ImageRequest(url: url, processors: [.grayscale]))
    } throws: { error in
      (error as? ImageError)?.kind == .truncatedData
    }
  }

  @Test("limits are checked before the decode")
  func limits() async throws {
    let fixture = Self.fixture { $0.decoding.limits.pixelCount = 1000 }
    let request = ImageRequest(url: try fixture.serve("a.jpg"))
    await #expect { try await fixture.pipeline.image(for: request) } throws: { error in
      (error as? ImageError)?.kind == .limitExceeded
    }
  }

  @Test("the disk stores the same entries", arguments: StoragePolicy.allCases)
  func kept(_ policy: StoragePolicy) async throws {
    let fixture = Self.fixture { $0.caching.storagePolicy = policy }
    let request = ImageRequest(url: try fixture.serve("a.jpg"))
    _ = try await fixture.pipeline.image(for: request)
    let usual = Fixture { $0.caching.storagePolicy = policy }
    usual.client.reply(to: Fixture.url("a.jpg"), with: .ok(try Fixture.photo.data(as: .jpeg)))
    _ = try await usual.pipeline.image(for: request)
    #expect(await fixture.cachedCounts() == usual.cachedCounts())
    let next = fixture.freshPipeline { $0.caching.storagePolicy = policy }
    #expect(Fixture.photo.resembles(try await next.image(for: request).bitmap))
  }

  @Test("the first frame of an animation is decoded at once")
  func animation() async throws {
    let fixture = Self.fixture()
    let url = Fixture.url("two.gif")
    fixture.client.reply(to: url, with: .ok(Self.twoFrames, type: "image/gif"))
    let picture = try await fixture.pipeline.image(for: ImageRequest(url: url))
    #expect(picture.isDecoded && picture.animation != nil)
  }

  /// A GIF of one pixel and two frames.
  private static let twoFrames: Data = {
    var data = Data("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    for pixel: UInt8 in [0x44, 0x4C] {
      data += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
      data += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, pixel, 1, 0]
    }
    return data + [0x3B]
  }()
}
