import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

extension HTTPCacheTests {
  @Test("a request's own condition or range is answered from a fresh response")
  func ownConditions() async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("0123456789", ["Cache-Control": "max-age=60", "ETag": "\"1\""]))
    try await fixture.get()
    let condition = try await fixture.get(["If-None-Match": "\"1\""])
    #expect(condition.status == 304)
    #expect(condition.body.isEmpty)
    for (range, status, text) in [
      ("bytes=2-4", 206, "234"), ("bytes=7-", 206, "789"), ("bytes=-2", 206, "89"), ("bytes=20-", 416, ""),
      ("bytes=0-1,3-4", 200, "0123456789"), ("lines=1-2", 200, "0123456789"),
    ] {
      let part = try await fixture.get(["Range": range])
      #expect(part.status == status)
      #expect(part.text == text)
      #expect(part.body.startIndex == 0)
    }
    #expect(fixture.client.requests.count == 1)
  }

  @Test(
    "a condition that no stored response meets is sent to the origin unchanged, and its answer is returned unchanged"
  )
  func forwardedCondition() async throws {
    let fixture = CacheFixture()
    fixture.serve(.status(304, headers: ["ETag": "\"9\""]))
    #expect(try await fixture.get(["If-None-Match": "\"9\""]).status == 304)
    #expect(fixture.sent["If-None-Match"] == "\"9\"")
    #expect(fixture.storage.byteCount == 0)
  }

  @Test("HEAD is answered by a stored GET; from the origin it renews or removes it")
  func head() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=10", "ETag": "\"1\""]),
      .text("one", ["Cache-Control": "max-age=100", "ETag": "\"1\""]),
      .text("two", ["Cache-Control": "max-age=100", "ETag": "\"2\""]), .text("two"))
    try await fixture.get()
    let stored = try await fixture.get(method: .head)
    #expect(stored.decision.place == .cache)
    #expect(stored.body.isEmpty)
    fixture.clock.advance(by: .seconds(20))
    let renewed = try await fixture.get(method: .head)
    #expect(
      renewed.decision
        == HTTPDecision(.network, reason: "stale for 10s; not kept: only answers to GET are stored"))
    #expect(try await fixture.get().decision.place == .cache)
    try await fixture.get(method: .head, mode: .reload)
    #expect(try await fixture.get().text == "two")
  }

  @Test(
    "a HEAD that is refused, or answered by its own condition, removes nothing",
    arguments: [304, 403, 404, 405, 429])
  func refusedHead(_ status: Int) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=60", "ETag": "\"1\""]), .status(status))
    try await fixture.get()
    let condition: HTTPHeaders = status == 304 ? ["If-None-Match": "\"2\""] : [:]
    #expect(try await fixture.get(condition, method: .head, mode: .reload).status == status)
    #expect(try await fixture.get().decision.place == .cache)
  }

  @Test("a request with no-store leaves what is stored", arguments: [HTTPMethod.get, .head])
  func requestWithNoStore(_ method: HTTPMethod) async throws {
    let fixture = CacheFixture()
    func fields(_ tag: String) -> HTTPHeaders { ["Cache-Control": "max-age=60", "ETag": tag] }
    fixture.serve(.text("one", fields("\"1\"")), .text("two", fields("\"2\"")))
    try await fixture.get()
    #expect(
      try await fixture.get(["Cache-Control": "no-store"], method: method).head.headers["ETag"] == "\"2\"")
    try await fixture.get(method: method, mode: .noStore)
    #expect(try await fixture.get().text == "one")
    #expect(fixture.client.requests.count == 3)
  }

  @Test("a successful POST removes stored responses; a failed one does not")
  func invalidation() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=60"]), .status(500), .status(204), .text("two"))
    try await fixture.get()
    try await fixture.get(method: .post)
    #expect(try await fixture.get().text == "one")
    try await fixture.get(method: .post)
    #expect(try await fixture.get().text == "two")
  }

  @Test("a POST removes what is stored under the name of its resource")
  func namedInvalidation() async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=60"]), .status(204), .text("two"))
    func text(_ method: HTTPMethod) async throws -> String {
      let request = HTTPRequest(url: CacheFixture.url, method: method)
      return try await fixture.cache.response(for: request, resource: "avatar").text
    }
    #expect(try await text(.get) == "one")
    _ = try await text(.post)
    #expect(try await text(.get) == "two")
  }

  @Test("what was asked for before a POST that removes it is not stored after it", arguments: [304, 200])
  func invalidationInFlight(_ status: Int) async throws {
    let fixture = CacheFixture()
    let gate = Gate()
    let fields: HTTPHeaders = ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"1\""]
    fixture.serve(
      .text("one", fields), .text(status == 200 ? "one" : "", fields, status: status).held(by: gate),
      .status(204), .text("two", fields), .text("three", fields))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    #expect(try await fixture.get().text == "one")
    await gate.arrivals(1)
    try await fixture.get(method: .post)
    #expect(try await fixture.get().text == "two")
    fixture.clock.advance(by: .seconds(20))
    // Its validation does not join the one from before, which is still running.
    #expect(try await fixture.get().text == "two")
    gate.open()
    await fixture.cache.backgroundValidations()
    #expect(fixture.client.requests.count == 5)
    #expect(try await fixture.get().text == "three")
  }

  @Test(
    "what is served stale is validated for itself, also for a request with a condition or a range of its own",
    arguments: [
      ([:], 200), (["If-None-Match": "\"1\""], 304), (["If-None-Match": "\"2\""], 200),
      (["Range": "bytes=0-1"], 206),
    ] as [(HTTPHeaders, Int)])
  func ownConditionServedStale(_ own: HTTPHeaders, status: Int) async throws {
    let fixture = CacheFixture()
    let fields: HTTPHeaders = ["Cache-Control": "max-age=10, stale-while-revalidate=60", "ETag": "\"1\""]
    fixture.serve(.text("one", fields), .status(304, headers: fields))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    #expect(try await fixture.get(own).status == status)
    await fixture.cache.backgroundValidations()
    #expect(fixture.sent["If-None-Match"] == "\"1\"")
    #expect(fixture.sent["Range"] == nil)
    #expect(try await fixture.get().decision.place == .cache)
  }

  @Test("each account has its own answers")
  func partition() async throws {
    let fixture = CacheFixture()
    fixture.client.reply { request in
      .text(request.headers["Authorization"] ?? "nobody", ["Cache-Control": "max-age=60"])
    }
    for account in ["a", "b", "a"] {
      #expect(try await fixture.get(["Authorization": account]).text == account)
    }
    #expect(try await fixture.get().text == "nobody")
    #expect(fixture.client.requests.count == 3)
  }

  @Test(
    "through redirects an answer is fresh no longer than they are, and conditions are sent only to its own URL"
  )
  func redirects() async throws {
    let fixture = CacheFixture()
    let target = url("https://example.com/b")
    let permanent = url("https://example.com/p")
    fixture.serve(.status(302, headers: ["Location": "/b"]))
    fixture.serve(
      .status(301, headers: ["Location": "/b", "Cache-Control": "max-age=50"]), at: permanent)
    fixture.client.reply(
      to: target,
      with: [
        .text("there", ["Cache-Control": "max-age=600", "ETag": "\"1\""]), .status(304),
        .text("new", ["Cache-Control": "max-age=600"]),
      ])
    let first = try await fixture.get()
    #expect(first.head.url == target)
    #expect(first.freshUntil == .distantPast)
    let second = try await fixture.get()
    #expect(second.decision.place == .revalidated)
    #expect(second.decision.reason == "stale by a redirect without a lifetime, revalidated by ETag")
    let hops = fixture.client.requests.suffix(2).map { $0.headers["If-None-Match"] }
    #expect(hops == [nil, "\"1\""])
    #expect(fixture.client.requests.allSatisfy { $0.redirectPolicy == .manual })

    let kept = try await fixture.get(url: permanent)
    #expect(kept.freshUntil == noon.addingTimeInterval(50))
    #expect(try await fixture.get(url: permanent).decision.place == .cache)
  }

  @Test(
    "with another token, another spelling or another fragment of its address, what is stored is validated and resumed",
    arguments: [
      "https://example.com/a?w=1&token=2", "https://EXAMPLE.com:443/%61?w=1&token=1#b",
    ])
  func otherAddress(_ other: String) async throws {
    let fixture = CacheFixture {
      $0.keyRules = [CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])]
    }
    fixture.client.reply { request in
      if request.headers["If-None-Match"] != nil { return .status(304) }
      let reply = FakeHTTPReply.text("0123456789", ["ETag": "\"1\""])
      let isFirst = fixture.client.requests.count == 1
      return isFirst ? reply.failing(.connectionLost, afterByteCount: 4) : reply.servingRanges()
    }
    let first = url("https://example.com/a?w=1&token=1")
    await #expect(throws: HTTPError.self) { try await fixture.get(url: first) }
    #expect(try await fixture.get(url: url(other)).text == "0123456789")
    #expect(fixture.sent["Range"] == "bytes=4-")
    #expect(try await fixture.get(url: first).decision.place == .revalidated)
    #expect(try await fixture.get(url: url(other)).decision.place == .revalidated)
    #expect(try await fixture.get(url: url(other)).head.url == url(other))
  }

  @Test("a redirect under the manual policy is another answer than its target")
  func manualRedirects() async throws {
    let fixture = CacheFixture()
    fixture.serve(.status(301, headers: ["Location": "/b", "Cache-Control": "max-age=60"]))
    fixture.serve(.text("there", ["Cache-Control": "max-age=60"]), at: url("https://example.com/b"))
    let manual = HTTPRequest(url: CacheFixture.url, redirectPolicy: .manual)
    #expect(try await fixture.cache.response(for: manual).status == 301)
    #expect(try await fixture.get().status == 200)
    #expect(try await fixture.cache.response(for: manual).decision.place == .cache)
  }

  @Test("the caller can decide when a response is stored")
  func deferredStoring() async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=60"]))
    let request = HTTPRequest(url: CacheFixture.url)
    let answer = try await fixture.cache.response(for: request, storing: .byCaller)
    #expect(fixture.storage.byteCount == 0)
    await fixture.cache.store(try #require(answer.unstored), for: request)
    #expect(try await fixture.get().decision.place == .cache)
  }

  @Test("`explain` returns what a request would do, without sending it")
  func explain() async throws {
    let fixture = CacheFixture()
    let request = HTTPRequest(url: CacheFixture.url)
    #expect(await fixture.cache.explain(request).decision.reason == "not stored")
    fixture.serve(.text("one", ["Cache-Control": "max-age=60"]))
    try await fixture.get()
    let explanation = await fixture.cache.explain(request)
    #expect(explanation.decision.reason == "fresh for 1m")
    #expect(explanation.stored.count == 1)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("the storage in memory keeps its limit; the least recently used entry is evicted first")
  func bound() async throws {
    let storage = InMemoryHTTPCacheStorage(byteLimit: 10_000)
    func key(_ number: Int) -> HTTPCacheKey {
      HTTPCacheKey(HTTPRequest(url: url("https://example.com/\(number)")))
    }
    let entry = HTTPCacheEntry(response: storedResponse([:]), body: Data(count: 2000))
    for number in 0..<3 { await storage.store(entry, replacing: nil, for: key(number)) }
    _ = await storage.entries(for: key(0))
    await storage.store(entry, replacing: nil, for: key(3))
    #expect(storage.byteCount <= 10_000)
    #expect(await storage.entries(for: key(0)).count == 1)
    #expect(await storage.entries(for: key(1)).isEmpty)
    await storage.store(
      HTTPCacheEntry(response: storedResponse([:]), body: Data(count: 9000)), replacing: nil, for: key(3))
    #expect(await storage.entries(for: key(3)).isEmpty)
  }
}
