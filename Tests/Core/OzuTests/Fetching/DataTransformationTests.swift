import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Bytes that the app transforms", .timeLimit(.minutes(15)))
struct DataTransformationTests {
  private struct WrongKey: Error {}

  private struct OpenFetcher: ImageFetching {
    let data: Data
    var key: String { "open" }
    func fetch() async throws -> FetchedImage { .data(data) }
  }

  private struct OpenStream: ImageStreaming {
    let data: Data
    var key: String { "stream" }
    func stream(into body: ImageBody) async throws { try await body.write(data) }
  }

  /// A toy cipher, without any security.
  private static func cipher(_ data: Data) -> Data { Data(data.map { $0 ^ 0x5A }) }

  private let fixture = Fixture {
    $0.decoding.dataTransformation = { data, request in
      guard request.userInfo["key"] as? String != "wrong" else { throw WrongKey() }
      return Self.cipher(data)
    }
    $0.caching.storagePolicy = .originalData
    $0.decoding.isProgressiveDecodingEnabled = true
  }

  private func serve() throws -> (url: URL, secret: Data) {
    let url = Fixture.url("secret.bin")
    let secret = Self.cipher(try Fixture.photo.data(as: .jpeg))
    fixture.client.reply(to: url, with: .ok(secret).header("Cache-Control", "max-age=600"))
    return (url, secret)
  }

  @Test("are decoded to a picture when they are read, and are unchanged on disk")
  func secret() async throws {
    let (url, secret) = try serve()
    for resize in [Fixture.small, nil] {
      let picture = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: resize))
      #expect(Fixture.photo.resembles(picture.bitmap))
    }
    #expect(fixture.client.requests.count == 1)
    await fixture.pipeline.flush()
    #expect(fixture.pipeline.cache.data(for: ImageRequest(url: url)) == secret)
    let stored = try #require(fixture.pipeline.cache.image(for: ImageRequest(url: url), layers: .disk))
    #expect(Fixture.photo.resembles(stored.bitmap))
    let next = fixture.freshPipeline { $0.decoding.dataTransformation = { data, _ in Self.cipher(data) } }
    let response = try await next.response(for: ImageRequest(url: url))
    #expect(response.source == .original && Fixture.photo.resembles(response.picture.bitmap))
    #expect(try await next.data(for: ImageRequest(url: url)) == Self.cipher(secret))
    #expect(fixture.client.requests.count == 1)
  }

  @Test("fail the request with the error of the app")
  func failure() async throws {
    var request = ImageRequest(url: try serve().url)
    request.userInfo["key"] = "wrong"
    await #expect { try await fixture.pipeline.image(for: request) } throws: { error in
      (error as? ImageError)?.kind == .fetchFailed && (error as? ImageError)?.underlying is WrongKey
    }
  }

  @Test("come from files and data too, but not from fetchers")
  func sources() async throws {
    let jpeg = try Fixture.photo.data(as: .jpeg)
    let secret = ImageRequest(.data(Self.cipher(jpeg), key: "secret"))
    #expect(Fixture.photo.resembles(try await fixture.pipeline.image(for: secret).bitmap))
    for open in [OpenFetcher(data: jpeg), OpenStream(data: jpeg)] as [any ImageFetching] {
      let request = ImageRequest(.fetcher(open))
      #expect(Fixture.photo.resembles(try await fixture.pipeline.image(for: request).bitmap))
      await fixture.pipeline.flush()
      let stored = try #require(fixture.pipeline.cache.image(for: request, layers: .disk))
      #expect(Fixture.photo.resembles(stored.bitmap))
    }
  }
}
