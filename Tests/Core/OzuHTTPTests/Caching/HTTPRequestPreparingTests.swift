import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Hooks before a request is sent")
struct HTTPRequestPreparingTests {
  /// Signs requests to one host, as an app does that may not send its token to other hosts.
  private struct Signer: HTTPRequestPreparing {
    let host: String

    func willSend(_ request: HTTPRequest) async throws -> HTTPRequest {
      guard request.url.host() == host else { return request }
      var signed = request
      signed.headers["Authorization"] = "token"
      signed.headers["Cookie"] = "session=1"
      signed.headers["X-Api-Key"] = "key"
      return signed
    }
  }

  private struct Failing: HTTPRequestPreparing {
    let error: any Error
    func willSend(_ request: HTTPRequest) async throws -> HTTPRequest { throw error }
  }

  private struct Trouble: Error, CustomStringConvertible {
    var description = "the token has expired"
  }

  private static let elsewhere = url("https://other.example.com/b")

  @Test("a hook signs the request of each hop, and the key does not change")
  func preparation() async throws {
    struct Namer: HTTPRequestPreparing {
      func willSend(_ request: HTTPRequest) async throws -> HTTPRequest {
        var signed = request
        signed.headers["Authorization"] = "for \(request.url.host() ?? "")"
        return signed
      }
    }
    let fixture = CacheFixture { $0.preparation = Namer() }
    fixture.serve(.status(302, headers: ["Location": "https://other.example.com/b"]))
    fixture.serve(.text("there", ["Cache-Control": "max-age=60"]), at: Self.elsewhere)
    try await fixture.get()
    #expect(
      fixture.client.requests.map { $0.headers["Authorization"] }
        == ["for example.com", "for other.example.com"])
  }

  @Test("fields that a hook adds for one host are not sent to another, nor back after its redirect")
  func redirect() async throws {
    let fixture = CacheFixture { $0.preparation = Signer(host: "example.com") }
    fixture.serve(.status(302, headers: ["Location": Self.elsewhere.absoluteString]))
    fixture.serve(.text("there"), at: Self.elsewhere)
    try await fixture.get()
    let names = ["Authorization", "Cookie", "X-Api-Key"]
    let sent = fixture.client.requests.map { request in names.map { request.headers.contains(name: $0) } }
    #expect(sent == [[true, true, true], [false, false, false]])
  }

  @Test("fields that a hook adds do not change the key: requests without them get the same answer")
  func key() async throws {
    let fixture = CacheFixture { $0.preparation = Signer(host: "example.com") }
    fixture.serve(.text("one", ["Cache-Control": "max-age=60"]))
    try await fixture.get()
    let plain = HTTPCache(
      client: fixture.client, storage: fixture.storage, configuration: CacheFixture().cache.configuration)
    #expect(try await plain.response(for: HTTPRequest(url: CacheFixture.url)).decision.place == .cache)
    #expect(fixture.client.requests.count == 1)
  }

  @Test(
    "redirects of a request that a hook replaced are followed hop by hop, within the limits of the first request"
  )
  func replaced() async throws {
    struct Maker: HTTPRequestPreparing {
      func willSend(_ request: HTTPRequest) async throws -> HTTPRequest { HTTPRequest(url: request.url) }
    }
    let fixture = CacheFixture { $0.preparation = Maker() }
    fixture.serve(.text("0123456789"))
    let request = HTTPRequest(url: CacheFixture.url, maximumBodyByteCount: 9)
    await #expect(throws: HTTPError(.bodyTooLarge(limit: 9), url: CacheFixture.url)) {
      try await fixture.cache.response(for: request)
    }
    #expect(fixture.client.requests.map(\.redirectPolicy) == [.manual])
  }

  @Test("a hook that throws ends the exchange before anything is sent, with its reason")
  func failing() async throws {
    let thrown: [(any Error, HTTPError.Reason)] = [
      (Trouble(), .invalidRequest("preparing it failed: the token has expired")),
      (
        Trouble(description: "two\r\nlines\u{1B}]0;"),
        .invalidRequest("preparing it failed: two lines\\u001b]0;")
      ),
      (HTTPError(.constrainedNetwork), .constrainedNetwork), (CancellationError(), .cancelled),
    ]
    for (error, reason) in thrown {
      let fixture = CacheFixture {
        $0.preparation = Failing(error: error)
        $0.retryPolicy = .standard
      }
      let failure = await #expect(throws: HTTPError.self) { try await fixture.get() }
      #expect(failure?.reason == reason)
      #expect(fixture.client.requests.isEmpty)
    }
  }
}
