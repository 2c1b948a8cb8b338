import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("A cache whose origin fails, or takes too long")
struct HTTPCacheFailureTests {
  @Test("a stale answer is served if the origin fails and the answer allows it")
  func staleIfError() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=10, stale-if-error=60"]), .status(503), .status(503))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    let answer = try await fixture.get()
    #expect(answer.text == "one")
    #expect(answer.decision == HTTPDecision(.stale, reason: "stale for 10s, within stale-if-error"))
    fixture.clock.advance(by: .seconds(60))
    #expect(try await fixture.get().status == 503)
  }

  @Test("offline, a stale answer is served if that is allowed; otherwise the request fails")
  func offline() async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=10"]), .failure(.nameNotResolved))
    let strict = url("https://example.com/strict")
    fixture.serve(
      .text("two", ["Cache-Control": "max-age=10, must-revalidate"]), .failure(.connectionRefused), at: strict
    )
    try await fixture.get()
    try await fixture.get(url: strict)
    fixture.clock.advance(by: .seconds(20))
    let answer = try await fixture.get()
    #expect(answer.text == "one")
    #expect(answer.decision == HTTPDecision(.stale, reason: "stale for 10s, the origin cannot be reached"))
    await #expect(throws: HTTPError.self) { try await fixture.get(url: strict) }
    await #expect(throws: HTTPError.self) { try await fixture.get(mode: .noCache) }
  }

  @Test(
    "no stale answer is served if the origin can be reached, whatever its error",
    arguments: [
      .tlsFailed("x"), .other(code: 23, message: "x"), .protocolError("x"), .bodyTooLarge(limit: 1),
      .contentCodingTruncated(coding: "gzip"), .tooManyRedirects(limit: 1), .redirectRefused(location: "x"),
      .addressRefused("127.0.0.1"), .refused("x"), .cancelled, .constrainedNetwork, .invalidURL,
    ] as [HTTPError.Reason])
  func notOffline(_ reason: HTTPError.Reason) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=10"]), .failure(reason))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    let error = await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(error?.reason == reason)
  }

  @Test(
    "a stale answer is served if the origin cannot be reached, or the connection breaks",
    arguments: [
      .nameNotResolved, .connectionRefused, .connectionFailed("x"), .connectionLost, .timedOut(.idle),
      .bodyTruncated(received: 1, expected: 2),
    ] as [HTTPError.Reason])
  func unreachable(_ reason: HTTPError.Reason) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=10"]), .failure(reason))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    #expect(try await fixture.get().decision.place == .stale)
  }

  @Test("the total limit covers all hops of a chain of redirects")
  func totalLimit() async throws {
    let clock = ManualClock()
    let fixture = CacheFixture { $0.now = clock.now }
    fixture.client.reply { request in
      clock.advance(by: .seconds(4))
      return .status(302, headers: ["Location": request.url.path + "a"])
    }
    let request = HTTPRequest(url: CacheFixture.url, timeouts: HTTPTimeouts(total: .seconds(10)))
    let error = await #expect(throws: HTTPError.self) { try await fixture.cache.response(for: request) }
    #expect(error?.reason == .timedOut(.total))
    #expect(fixture.client.requests.map(\.timeouts.total) == [.seconds(10), .seconds(6), .seconds(2)])
  }

  @Test(
    "of the limit on the whole exchange the error names all, where the client of a hop named the rest",
    arguments: [(.total, 9), (.idle, 2)] as [(HTTPTimeoutPhase, Int)])
  func limitOfHop(_ phase: HTTPTimeoutPhase, _ seconds: Int) {
    let error = HTTPError(.timedOut(phase)).naming(HTTPTimeouts(idle: .seconds(2), total: .seconds(3)))
    #expect(error.naming(HTTPTimeouts(total: .seconds(9))).limit == .seconds(seconds))
  }

  @Test("the total limit covers all attempts, and the error names the limit of the request")
  func totalLimitOfRetries() async throws {
    let clock = ManualClock()
    let fixture = CacheFixture {
      $0.now = clock.now
      $0.retryPolicy = .standard
      $0.sleep = { clock.advance(by: $0 * 0 + .seconds(1)) }
    }
    fixture.client.reply { _ in
      clock.advance(by: .seconds(4))
      return .failure(.connectionLost)
    }
    let request = HTTPRequest(url: CacheFixture.url, timeouts: HTTPTimeouts(total: .seconds(9)))
    let error = await #expect(throws: HTTPError.self) { try await fixture.cache.response(for: request) }
    #expect(error?.reason == .timedOut(.total))
    #expect(error?.message.contains("(the limit on the whole exchange is 9 s)") == true)
    #expect(fixture.client.requests.map(\.timeouts.total) == [.seconds(9), .seconds(4)])
  }

  @Test("the total limit covers the request for the whole after one for the rest of a body")
  func totalLimitOfRest() async throws {
    let clock = ManualClock()
    let fixture = CacheFixture { $0.now = clock.now }
    fixture.client.reply { request in
      clock.advance(by: .seconds(4))
      if request.headers.contains(name: "Range") { return .status(416) }
      let whole = FakeHTTPReply.text("0123456789", ["ETag": "\"1\""])
      return whole.failing(.connectionLost, afterByteCount: 4)
    }
    let request = HTTPRequest(url: CacheFixture.url, timeouts: HTTPTimeouts(total: .seconds(10)))
    for _ in 0..<2 {
      await #expect(throws: HTTPError.self) { try await fixture.cache.response(for: request) }
    }
    #expect(fixture.client.requests.map(\.timeouts.total) == [.seconds(10), .seconds(10), .seconds(6)])
  }

  @Test("the total limit covers the request for the whole after a 304 that confirms nothing")
  func totalLimitAfterStrayNotModified() async throws {
    let clock = ManualClock()
    let fixture = CacheFixture { $0.now = clock.now }
    fixture.client.reply { request in
      clock.advance(by: .seconds(4))
      if request.headers.contains(name: "If-None-Match") { return .status(304, headers: ["ETag": "\"2\""]) }
      return .text("one", ["ETag": "\"1\""])
    }
    let request = HTTPRequest(url: CacheFixture.url, timeouts: HTTPTimeouts(total: .seconds(10)))
    for _ in 0..<2 { _ = try await fixture.cache.response(for: request) }
    #expect(fixture.client.requests.map(\.timeouts.total) == [.seconds(10), .seconds(10), .seconds(6)])
  }

  @Test(
    "an exchange that reached a time limit is not retried, except the limit on connecting",
    arguments: [(.connect, 3), (.idle, 1), (.total, 1), (.speed(bytesPerSecond: 9), 1)]
      as [(HTTPTimeoutPhase, Int)])
  func retriedLimits(_ phase: HTTPTimeoutPhase, _ count: Int) async throws {
    let clock = ManualClock()
    let fixture = CacheFixture {
      $0.now = clock.now
      $0.retryPolicy = .standard
      $0.sleep = { _ in }
    }
    fixture.client.reply { _ in .failure(.timedOut(phase)) }
    let timeouts = HTTPTimeouts(
      connect: .seconds(7), idle: .seconds(7), total: .seconds(7),
      minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 9, window: .seconds(7)))
    let error = await #expect(throws: HTTPError.self) {
      try await fixture.cache.response(for: HTTPRequest(url: CacheFixture.url, timeouts: timeouts))
    }
    #expect(error?.limit == .seconds(7))
    #expect(error?.message.contains(" is 7 s)") == true)
    #expect(fixture.client.requests.count == count)
  }
}
