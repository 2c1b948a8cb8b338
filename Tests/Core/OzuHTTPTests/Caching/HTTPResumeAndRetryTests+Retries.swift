import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

extension HTTPResumeAndRetryTests {
  @Test("transient failures are retried after growing waits; an interrupted body is resumed")
  func retry() async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.status(503), Self.broken, Self.rest())
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.waits.all == [.milliseconds(300), .milliseconds(600)])
    #expect(fixture.sent["Range"] == "bytes=4-")
  }

  @Test("after the last retry the failure is the answer", arguments: [408, 429, 502, 503, 504])
  func exhausted(_ status: Int) async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.status(status))
    #expect(try await fixture.get().status == status)
    #expect(fixture.client.requests.count == 3)
  }

  @Test(
    "a permanent failure is not retried",
    arguments: [.status(404), .status(500), .failure(.nameNotResolved), .failure(.cancelled)]
      as [FakeHTTPReply])
  func permanent(_ reply: FakeHTTPReply) async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(reply)
    _ = try? await fixture.get()
    #expect(fixture.client.requests.count == 1)
  }

  #if os(Linux)
    @Test(
      "an answer that is not valid HTTP is not asked for again; one that ends early is",
      arguments: [
        ("Transfer-Encoding: chunked\r\n\r\nzz\r\n", 1),
        ("Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 1),
        (String(repeating: "A: b\r\n", count: 3000) + "\r\n", 1),
        ("Content-Length: 0\r\nX: \(String(repeating: "a", count: 1 << 18))\r\n\r\n", 1),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nabc", 3), ("Content-Length: 9\r\n\r\nabc", 3),
      ])
    func brokenAnswer(_ rest: String, count: Int) async throws {
      let server = try LoopbackServer()
      server.route("/a", .verbatim(Data("HTTP/1.1 200 OK\r\n\(rest)".utf8)))
      var configuration = HTTPCacheConfiguration()
      configuration.retryPolicy = .standard
      configuration.sleep = { _ in }
      let cache = HTTPCache(
        client: directClient(), storage: InMemoryHTTPCacheStorage(), configuration: configuration)
      _ = try? await cache.response(for: HTTPRequest(url: server.url("/a"), timeouts: .patient))
      #expect(server.requests.count == count)
    }
  #endif

  @Test("no retry is waited for that would begin behind the total limit; the failure is the answer")
  func lateRetry() async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.status(503, headers: ["Retry-After": "8"]))
    let request = HTTPRequest(url: CacheFixture.url, timeouts: HTTPTimeouts(total: .seconds(5)))
    #expect(try await fixture.cache.response(for: request).status == 503)
    #expect(fixture.waits.all.isEmpty)
  }

  @Test("a POST is not retried")
  func unsafe() async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.failure(.connectionLost))
    _ = try? await fixture.get(method: .post)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a stale answer that may be served is preferred to a retry")
  func standIn() async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.text("one", ["Cache-Control": "max-age=1"]), .failure(.connectionRefused))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(5))
    #expect(try await fixture.get().decision.place == .stale)
    #expect(fixture.waits.all.isEmpty)
  }

  @Test(
    "a failure for which no stale answer may stand in is retried",
    arguments: [.status(408), .status(429), .failure(.contentCodingTruncated(coding: "gzip"))]
      as [FakeHTTPReply])
  func noStandIn(_ reply: FakeHTTPReply) async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(.text("one", ["Cache-Control": "max-age=1, stale-if-error=60"]), reply, .text("two"))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(5))
    #expect(try await fixture.get().text == "two")
    #expect(fixture.waits.all == [.milliseconds(300)])
  }

  @Test(
    "all exchanges share a budget of retries, which successes fill again",
    arguments: [(3, 3, 4), (Int.max, 6, 8)])
  func budget(_ budget: Int, _ first: Int, _ all: Int) async throws {
    let fixture = CacheFixture {
      $0.retryPolicy = .standard
      $0.retryPolicy.budget = budget
    }
    fixture.client.reply { $0.url.path.hasPrefix("/ok") ? .text("ok") : .failure(.connectionLost) }
    for _ in 0..<3 { _ = try? await fixture.get() }
    #expect(fixture.waits.all.count == first)
    for number in 0..<10 { try await fixture.get(url: url("https://example.com/ok\(number)")) }
    _ = try? await fixture.get()
    #expect(fixture.waits.all.count == all)
  }

  @Test(
    "waits: doubled, bounded, spread, and as the origin says",
    arguments: [
      (0, nil, 1.0, 0.3), (1, nil, 1, 0.6), (0, nil, 0, 0.15), (9, nil, 1, 10), (0, "2", 0.5, 2),
      (0, "0", 1, 0), (0, "11", 1, nil), (0, dateText(5), 1, 5), (0, dateText(-5), 1, 0), (0, "soon", 1, 0.3),
      (10, nil, 1, nil),
    ] as [(Int, String?, Double, Double?)])
  func delays(_ count: Int, _ retryAfter: String?, _ fraction: Double, _ seconds: Double?) {
    var policy = HTTPRetryPolicy()
    policy.maximumRetryCount = 10
    let delay = policy.delay(
      afterRetries: count, retryAfter: retryAfter, fraction: fraction, now: noon)
    #expect((delay == nil) == (seconds == nil))
    if let delay, let seconds { #expect(abs(delay.inSeconds - seconds) < 1e-9) }
  }
}
