import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("While the user asks to save data")
struct LowDataTests {
  private let fixture = Fixture()
  private let large = Fixture.url("large.jpg")
  private let small = Fixture.url("small.jpg")

  init() throws {
    let photo = try Fixture.photo.data(as: .jpeg)
    let (large, small) = (large, small)
    fixture.client.reply { request in
      switch request.url {
      case large: request.allowsConstrainedNetworks ? .ok(photo) : .failure(.constrainedNetwork)
      case small: .ok(photo)
      default: nil
      }
    }
  }

  private var request: ImageRequest {
    var request = ImageRequest(url: large)
    request.lowDataSource = .url(small)
    return request
  }

  @Test("a request with a low-data source loads that one, and caches it under its own key")
  func substitute() async throws {
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requests.map(\.url) == [large, small])
    #expect(fixture.pipeline.cachedImage(for: small) != nil)
    #expect(fixture.pipeline.cachedImage(for: large) == nil)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requestCount(for: small) == 1)
  }

  @Test("a request without one loads as usual, and its cached picture is preferred")
  func preferred() async throws {
    _ = try await fixture.pipeline.image(for: large)
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.client.requests.map(\.url) == [large])
  }

  @Test("the networks that a request excludes reach the client", arguments: 0..<3)
  func networks(_ excluded: Int) async throws {
    var own = ImageURLRequest(url: small)
    (own.allowsCellularAccess, own.allowsExpensiveNetworkAccess) = (excluded != 0, excluded != 1)
    own.allowsConstrainedNetworkAccess = excluded != 2
    _ = try await fixture.pipeline.image(for: ImageRequest(own))
    let sent = try #require(fixture.client.requests.last)
    #expect(
      [sent.allowsCellularNetworks, sent.allowsExpensiveNetworks, sent.allowsConstrainedNetworks]
        == (0..<3).map { $0 != excluded })
  }

  @Test("other failures try only the alternatives")
  func otherFailures() async throws {
    var request = ImageRequest(url: Fixture.url("gone.jpg"))
    request.lowDataSource = .url(small)
    await #expect(throws: ImageError.self) { _ = try await fixture.pipeline.image(for: request) }
    #expect(fixture.client.requestCount(for: small) == 0)
  }

  @Test("a constrained network is not a failure of the origin: nothing is retried or remembered")
  func notRemembered() async throws {
    #expect(!HTTPRetryPolicy.standard.isTransient(.constrainedNetwork))
    var request = request
    request.lowDataSource = .url(Fixture.url("gone.jpg"))
    await #expect(throws: ImageError.self) { _ = try await fixture.pipeline.image(for: request) }
    _ = try await fixture.pipeline.image(for: large)
  }
}
