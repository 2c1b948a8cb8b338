import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Servers receive the formats that can be decoded")
struct NegotiationTests {
  private final class Decoder: ImageDecoding {
    let types: [ImageType]

    init(_ types: [ImageType]) { self.types = types }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      try CodecRegistry.standard.open(data, limits: limits)
    }
  }

  /// A registry that decodes these formats and no others.
  private static func registry(_ types: ImageType...) -> CodecRegistry {
    var registry = CodecRegistry()
    registry.register(decoder: Decoder(types))
    return registry
  }

  @Test(
    "Accept lists the formats that the registry decodes, the smallest files first, and names no others",
    arguments: [
      ([.jpeg, .webp, .avif], "image/avif,image/webp;q=0.9,image/*;q=0.8,*/*;q=0.5"),
      ([.jxl, .heic, .png], "image/jxl;q=0.95,image/heic;q=0.85,image/*;q=0.8,*/*;q=0.5"),
      ([.jpeg], "image/*;q=0.8,*/*;q=0.5"), ([], "image/*;q=0.8,*/*;q=0.5"),
    ] as [([ImageType], String)])
  func field(_ types: [ImageType], _ text: String) {
    var registry = CodecRegistry()
    registry.register(decoder: Decoder(types))
    #expect(ImageAcceptance.decodable.text(for: registry) == text)
    #expect(ImageAcceptance.field("image/png").text(for: registry) == "image/png")
  }

  @Test("pipeline and request may set other formats; the request takes precedence")
  func overrides() async throws {
    let fixture = Fixture { $0.network.acceptance = .field("image/webp") }
    let url = try fixture.serve("a.jpg")
    for request in [
      ImageRequest(url: url), ImageRequest(ImageURLRequest(url: url, headers: ["Accept": "image/gif"])),
    ] {
      _ = try await fixture.pipeline.image(for: uncached(request))
      var own = uncached(request)
      own.acceptance = .field("image/png")
      _ = try await fixture.pipeline.image(for: own)
    }
    #expect(
      fixture.client.requests.map { $0.headers["Accept"] } == [
        "image/webp", "image/png", "image/gif", "image/png",
      ])
  }

  private func uncached(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.cachePolicy = .reload
    return request
  }

  /// Sends PNG to requests that accept WebP, and JPEG to all others.
  private func negotiate(_ fixture: Fixture, _ headers: HTTPHeaders) throws -> (
    url: URL, png: Data, jpeg: Data
  ) {
    let (png, jpeg) = (try Fixture.photo.data(as: .png), try Fixture.photo.data(as: .jpeg))
    fixture.client.reply { request in
      var reply = FakeHTTPReply.ok(request.headers["Accept"]?.contains("image/webp") == true ? png : jpeg)
      for field in headers { reply = reply.header(field.name, field.value) }
      return reply
    }
    return (Fixture.url("negotiated"), png, jpeg)
  }

  @Test("another registry uses another variant, and each finds its own again")
  func variants() async throws {
    let fixture = Fixture { $0.decoding.codecs = Self.registry(.jpeg, .png, .webp) }
    let (url, png, jpeg) = try negotiate(fixture, ["Vary": "Accept", "Cache-Control": "max-age=600"])
    #expect(try await fixture.pipeline.data(for: url) == png)
    await fixture.pipeline.flush()
    let other = fixture.freshPipeline { $0.decoding.codecs = Self.registry(.jpeg, .png) }
    #expect(try await other.data(for: url) == jpeg)
    await other.flush()
    #expect(fixture.client.requests.count == 2)
    let again = fixture.freshPipeline { $0.decoding.codecs = Self.registry(.jpeg, .png, .webp) }
    #expect(try await again.data(for: url) == png)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("requests that accept different formats share no download")
  func sharing() async throws {
    let fixture = Fixture()
    let (url, png, jpeg) = try negotiate(fixture, [:])
    let gate = Gate()
    fixture.client.reply { request in
      .ok(request.headers["Accept"]?.contains("image/webp") == true ? png : jpeg).held(by: gate)
    }
    var small = ImageRequest(url: url)
    small.acceptance = .field("image/webp")
    var plain = small
    plain.acceptance = .field("image/*")
    let pipeline = fixture.pipeline
    async let first = pipeline.data(for: small)
    async let second = pipeline.data(for: plain)
    try await eventually(fixture.client.activeCount == 2)
    gate.open()
    #expect(try await first == png)
    #expect(try await second == jpeg)
  }

  @Test("client hints are sent when set, and are part of the key")
  func hints() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    var hinted = ImageURLRequest(url: url)
    hinted.hints = ImageClientHints(width: 640, devicePixelRatio: 1.5, savesData: true)
    _ = try await fixture.pipeline.image(for: ImageRequest(hinted))
    hinted.hints.devicePixelRatio = 2
    hinted.hints.savesData = false
    _ = try await fixture.pipeline.image(for: ImageRequest(hinted))
    let names = ["Width", "DPR", "Save-Data"]
    #expect(
      fixture.client.requests.map { request in names.map { request.headers[$0] } } == [
        [nil, nil, nil], ["640", "1.5", "on"], ["640", "2", nil],
      ])
  }
}
