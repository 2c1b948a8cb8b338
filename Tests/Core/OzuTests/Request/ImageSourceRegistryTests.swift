import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Resolvers load URLs with schemes of the app")
struct ImageSourceRegistryTests {
  /// Returns the same bytes or pixels, and counts its calls.
  private struct Bringer: ImageFetching {
    let key: String
    let image: FetchedImage
    let count: Shared<Int>

    func fetch() async throws -> FetchedImage {
      count.change { $0 += 1 }
      return image
    }
  }

  private let asset = URL(string: "asset:///icons/a.png")!
  private let count = Shared(0)

  private func bringer(_ image: FetchedImage) -> Bringer {
    Bringer(key: "unused", image: image, count: count)
  }

  @Test("by scheme: loaded once, then cached like any other source")
  func scheme() async throws {
    let bringer = bringer(.data(try Fixture.photo.data(as: .png)))
    let fixture = Fixture { $0.sources.register(scheme: "Asset") { _ in bringer } }
    let request = ImageRequest(url: asset, resize: Fixture.small)
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.source == .network)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.response(for: request).source == .memory)
    fixture.pipeline.removeImagesFromMemory()
    #expect(try await fixture.pipeline.response(for: request).source == .rendition)
    let whole = try await fixture.pipeline.response(for: ImageRequest(url: asset))
    #expect(whole.source == .original)
    #expect(count.value == 1)
    #expect(fixture.pipeline.statistics.fetcherLoads == 1)
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("pixels of a resolver are stored as a rendition")
  func pixels() async throws {
    let bringer = bringer(.picture(Picture.color(.white)))
    let fixture = Fixture { $0.sources.register(scheme: "asset") { _ in bringer } }
    _ = try await fixture.pipeline.image(for: asset)
    await fixture.pipeline.flush()
    fixture.pipeline.removeImagesFromMemory()
    let response = try await fixture.pipeline.response(for: ImageRequest(url: asset))
    #expect(response.source == .rendition)
    #expect(response.picture.isColor(.white))
    #expect(count.value == 1)
  }

  @Test("a resolver that declines is skipped, down to the built-in loaders")
  func declining() async throws {
    struct OnlyIcons: ImageSourceResolving {
      let bringer: Bringer
      func fetcher(for url: URL) -> (any ImageFetching)? { url.path().contains("icons") ? bringer : nil }
    }
    let bringer = bringer(.data(try Fixture.photo.data(as: .png)))
    let fixture = Fixture {
      $0.sources.register(scheme: "asset") { _ in nil }
      $0.sources.register(OnlyIcons(bringer: bringer))
    }
    _ = try await fixture.pipeline.image(for: asset)
    #expect(count.value == 1)
    let icon = try #require(URL(string: "https://example.com/icons/b.png"))
    _ = try await fixture.pipeline.image(for: icon)
    #expect(count.value == 2)
    let web = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: web)
    #expect(fixture.client.requests.map(\.url) == [web])
    let unknown = try #require(URL(string: "asset:///other.png"))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: unknown) }
    #expect(error?.kind == .invalidSource)
  }

  @Test("the last registered resolver is asked first")
  func order() throws {
    var registry = ImageSourceRegistry()
    let (first, second) = (
      bringer(.picture(.color(.white))), Bringer(key: "second", image: .picture(.color(.black)), count: count)
    )
    registry.register(scheme: "s3") { _ in first }
    registry.register(scheme: "s3") { $0.host() == "b" ? second : nil }
    #expect(registry.fetcher(for: try #require(URL(string: "s3://a/x")))?.key == "unused")
    #expect(registry.fetcher(for: try #require(URL(string: "S3://b/x")))?.key == "second")
    #expect(registry.fetcher(for: asset) == nil)
  }
}
