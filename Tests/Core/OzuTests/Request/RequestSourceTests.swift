import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Requests of every kind are loaded")
struct RequestSourceTests {
  @Test("header fields are sent, and pictures of different credentials are separate on disk and in memory")
  func headers() async throws {
    let fixture = Fixture()
    let url = Fixture.url("private.jpg")
    let (alice, bob) = (
      PatternPicture(PixelSize(40, 30), tint: 1), PatternPicture(PixelSize(40, 30), tint: 4)
    )
    let bodies = [try alice.data(as: .png), try bob.data(as: .png)]
    fixture.client.reply { request in .ok(bodies[request.headers["Authorization"] == "Bearer a" ? 0 : 1]) }
    let request = { (token: String) in
      ImageRequest(
        ImageURLRequest(url: url, headers: ["Authorization": "Bearer \(token)", "X-Color": "yes"]))
    }
    #expect(alice.resembles(try await fixture.pipeline.image(for: request("a")).bitmap))
    #expect(bob.resembles(try await fixture.pipeline.image(for: request("b")).bitmap))
    #expect(fixture.client.requests.allSatisfy { $0.headers["X-Color"] == "yes" })
    #expect(fixture.client.requests.allSatisfy { $0.headers["Accept"]?.contains("image") == true })
    await fixture.pipeline.flush()
    let fresh = fixture.freshPipeline()
    let again = try await fresh.response(for: request("a"))
    #expect(again.source == .original)
    #expect(alice.resembles(again.picture.bitmap))
    #expect(bob.resembles(try await fresh.image(for: request("b")).bitmap))
    #expect(fixture.client.requests.count == 2)
  }

  @Test("time limits of a request replace those of the pipeline")
  func timeouts() async throws {
    let fixture = Fixture()
    var request = ImageURLRequest(url: try fixture.serve("a.jpg"), headers: ["Accept": "image/png"])
    request.timeouts = HTTPTimeouts(total: .seconds(7))
    _ = try await fixture.pipeline.image(for: ImageRequest(request))
    #expect(fixture.client.requests.first?.timeouts.total == .seconds(7))
    #expect(fixture.client.requests.first?.headers["Accept"] == "image/png")
  }

  @Test("a download that fails by the limits of one request fails no other one", arguments: 0..<2)
  func ownLimits(_ limit: Int) async throws {
    let fixture = Fixture()
    let (gate, body) = (Gate(), try Fixture.photo.data(as: .jpeg))
    fixture.client.reply { request in
      if request.timeouts.total == .seconds(7) { return .failure(.timedOut(.total)).held(by: gate) }
      if !request.allowsConstrainedNetworks { return .failure(.constrainedNetwork).held(by: gate) }
      return .ok(body).held(by: gate)
    }
    var limited = ImageURLRequest(url: Fixture.url("a.jpg"))
    if limit == 0 { limited.timeouts = HTTPTimeouts(total: .seconds(7)) }
    limited.allowsConstrainedNetworkAccess = limit == 0
    let first = fixture.pipeline.task(for: ImageRequest(limited))
    await gate.arrivals(1)
    let second = fixture.pipeline.task(for: limited.url)
    let equal = fixture.pipeline.task(for: ImageRequest(limited))
    await gate.arrivals(2)
    gate.open()
    #expect(try await second.image.size == PixelSize(320, 240))
    for task in [first, equal] { await #expect(throws: ImageError.self) { try await task.image } }
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a closure is called on a miss, and its bytes are stored")
  func closure() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg)
    let calls = Shared(0)
    let request = ImageRequest(
      ImageSource(key: "avatar/7") {
        calls.change { $0 += 1 }
        return body
      })
    #expect(try await fixture.pipeline.image(for: request).size == PixelSize(320, 240))
    await fixture.pipeline.flush()
    #expect(try await fixture.freshPipeline().image(for: request).size == PixelSize(320, 240))
    #expect(calls.value == 1)
  }

  @Test("pixels with a key, bytes with and without one, and a text that is not a URL")
  func local() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg)
    let picture = Picture(Fixture.photo.bitmap)
    let small = ImageRequest(.picture(picture, key: "p"), resize: Fixture.small)
    #expect(try await fixture.pipeline.image(for: small).size == PixelSize(32, 24))
    #expect(try await fixture.pipeline.image(for: ImageRequest(.data(body))).size == PixelSize(320, 240))
    #expect(try await fixture.pipeline.image(for: ImageRequest(.data(body, key: "k"))).size.width == 320)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: "") }
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("the scale of a request is that of its picture, from the network and from memory")
  func scale() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url).with { $0.scale = 2 }
    #expect(try await fixture.pipeline.image(for: request).scale == 2)
    #expect(try await fixture.pipeline.response(for: request).picture.scale == 2)
    #expect(fixture.pipeline.cachedImage(for: request)?.scale == 2)
    #expect(fixture.pipeline.cachedImage(for: url)?.scale == 1)
    #expect(fixture.decoder.decodeCount == 1)
  }

  private static let writeCounts: [(ImagePipeline.CacheLayers, (memory: Int, disk: Int))] = [
    (.memory, (1, 0)), (.disk, (0, 2)), (.all, (1, 2)), (ImagePipeline.CacheLayers(), (0, 0)),
  ]

  @Test("layers that a request leaves out are neither read nor written", arguments: writeCounts)
  func writing(_ layers: ImagePipeline.CacheLayers, _ counts: (memory: Int, disk: Int)) async throws {
    let fixture = Fixture()
    var request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    request.writeLayers = layers
    _ = try await fixture.pipeline.image(for: request)
    let kept = await fixture.cachedCounts()
    #expect(kept.memory == counts.memory)
    #expect(kept.disk == counts.disk)
  }

  @Test(
    "a request that neither reads nor writes originals keeps its result in the other layers",
    arguments: [CachePolicy.useCaches, .reload])
  func withoutOriginals(_ policy: CachePolicy) async throws {
    let fixture = Fixture()
    var request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    (request.readLayers, request.writeLayers, request.cachePolicy) = (.memory, .memory, policy)
    _ = try await fixture.pipeline.image(for: request)
    let kept = await fixture.cachedCounts()
    #expect(kept.memory == 1)
    #expect(kept.disk == 0)
  }

  @Test("a cache layer that may not be read is skipped")
  func reading() async throws {
    let fixture = Fixture()
    let request = ImageRequest(url: try fixture.serve("a.jpg"), resize: Fixture.small)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.flush()
    let source = { (layers: ImagePipeline.CacheLayers) in
      try await fixture.pipeline.response(for: request.with { $0.readLayers = layers }).source
    }
    #expect(try await source(.memory) == .memory)
    #expect(try await source(.disk) == .rendition)
    #expect(try await source([]) == .network)
    let none = request.with {
      $0.readLayers = .memory
      $0.cachePolicy = .cacheOnly
    }
    fixture.pipeline.removeImagesFromMemory()
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: none) }
  }
}
