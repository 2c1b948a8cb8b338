import OzuTesting
import Testing

@testable import OzuHTTP

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("A cache in front of a client")
struct HTTPCacheTests {
  @Test("fresh from the cache with its age, then revalidated by both validators, with the 304's fields")
  func life() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": dateText(-500)]),
      .status(304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=600", "X-A": "new"]))
    let first = try await fixture.get()
    #expect(first.decision == HTTPDecision(.network, reason: "not stored"))
    #expect(first.freshUntil == noon.addingTimeInterval(60))

    fixture.clock.advance(by: .seconds(59))
    let second = try await fixture.get()
    #expect(second.decision == HTTPDecision(.cache, reason: "fresh for 1s"))
    #expect(second.text == "one")
    #expect(second.head.headers["Age"] == "59")

    fixture.clock.advance(by: .seconds(61))
    let third = try await fixture.get()
    #expect(third.decision == HTTPDecision(.revalidated, reason: "stale for 1m, revalidated by ETag"))
    #expect(third.text == "one")
    #expect(third.status == 200)
    #expect(third.bodyIdentity == first.bodyIdentity)
    #expect(fixture.sent["If-None-Match"] == "\"1\"")
    #expect(fixture.sent["If-Modified-Since"] == dateText(-500))

    fixture.clock.advance(by: .seconds(500))
    let fourth = try await fixture.get()
    #expect(fourth.decision.place == .cache)
    #expect(fourth.head.headers["X-A"] == "new")
    #expect(fourth.head.headers["Age"] == "500")
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a changed answer takes the place of the old")
  func changed() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""]),
      .text("two", ["Cache-Control": "max-age=60", "ETag": "\"2\""]))
    let first = try await fixture.get()
    fixture.clock.advance(by: .seconds(2))
    let second = try await fixture.get()
    #expect(second.decision == HTTPDecision(.network, reason: "stale for 1s, changed"))
    #expect(second.bodyIdentity != first.bodyIdentity)
    #expect(try await fixture.get().text == "two")
    #expect(fixture.client.requests.count == 2)
  }

  @Test("two variants are kept side by side, and each is validated by its own tag")
  func variants() async throws {
    let fixture = CacheFixture()
    fixture.client.reply { request in
      let accept = request.headers["Accept"] ?? ""
      let tag = "\"\(accept)\""
      let fields: HTTPHeaders = ["Vary": "Accept", "ETag": tag, "Cache-Control": "max-age=60"]
      let wanted = request.headers["If-None-Match"].map { HTTPList.elements(of: $0) } ?? []
      return wanted.contains(tag) ? .status(304, headers: fields) : .text(accept, fields)
    }
    for accept in ["png", "webp", "png", "webp"] {
      #expect(try await fixture.get(["Accept": accept]).text == accept)
    }
    #expect(fixture.client.requests.count == 2)
    fixture.clock.advance(by: .seconds(100))
    for accept in ["webp", "png"] {
      let answer = try await fixture.get(["Accept": accept])
      #expect(answer.text == accept)
      #expect(answer.decision.place == .revalidated)
    }
    #expect(try await fixture.get(["Accept": "webp"]).decision.place == .cache)
    #expect(fixture.client.requests.count == 4)
  }

  @Test("an origin may answer a new variant by one that is stored")
  func sharedVariant() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Vary": "Accept", "ETag": "\"1\"", "Cache-Control": "max-age=60"]),
      .status(304, headers: ["Vary": "Accept", "ETag": "\"1\""]))
    try await fixture.get(["Accept": "png"])
    let answer = try await fixture.get(["Accept": "jpeg"])
    #expect(fixture.sent["If-None-Match"] == "\"1\"")
    #expect(answer.text == "one")
    #expect(answer.decision.reason == "no stored variant matches, revalidated by ETag")
  }

  @Test("a 304 about something that is not here is followed by a request for the whole")
  func strayNotModified() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["ETag": "\"1\""]), .status(304, headers: ["ETag": "\"2\""]), .text("two"))
    try await fixture.get()
    #expect(try await fixture.get().text == "two")
    #expect(fixture.sent["If-None-Match"] == nil)
    #expect(fixture.client.requests.count == 3)
  }

  @Test("stale while one validation runs behind; the next one has its answer")
  func staleWhileRevalidate() async throws {
    let fixture = CacheFixture()
    let gate = Gate()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=10, stale-while-revalidate=60"]),
      .text("two", ["Cache-Control": "max-age=10"]).held(by: gate))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(20))
    for _ in 0..<3 {
      let answer = try await fixture.get()
      #expect(answer.text == "one")
      #expect(
        answer.decision == HTTPDecision(.stale, reason: "stale for 10s, within stale-while-revalidate"))
    }
    gate.open()
    await fixture.cache.backgroundValidations()
    #expect(fixture.client.requests.count == 2)
    #expect(try await fixture.get().text == "two")
    #expect(fixture.client.requests.count == 2)
  }

  @Test("an answer that must not be kept removes what it outdates")
  func noStore() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=1"]), .text("two", ["Cache-Control": "no-store"]),
      .text("three"))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(5))
    let second = try await fixture.get()
    #expect(second.decision.reason == "stale for 4s, changed; not kept: no-store")
    #expect(second.freshUntil == .distantPast)
    #expect(fixture.storage.byteCount == 0)
    #expect(try await fixture.get(mode: .forceCache).text == "three")
  }

  @Test(
    "negative caching: 404 and 410 by their lifetime, else for a minute where anything is guessed; errors never",
    arguments: [
      (404, ["Cache-Control": "max-age=120"], 120.0), (410, ["Cache-Control": "max-age=120"], 120),
      (404, ["Last-Modified": dateText(-1e8)], 60), (410, ["Last-Modified": dateText(-1e8)], 60),
      (404, [:], 0),
      (500, ["Cache-Control": "max-age=120"], 0), (503, ["Cache-Control": "max-age=120"], 0),
      (599, ["Expires": dateText(120)], 0),
    ] as [(Int, HTTPHeaders, Double)])
  func negative(_ status: Int, _ headers: HTTPHeaders, _ seconds: Double) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("no", headers, status: status))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(max(0, seconds - 1)))
    #expect(try await fixture.get().decision.place == (seconds > 0 ? .cache : .network))
    fixture.clock.advance(by: .seconds(2))
    #expect(try await fixture.get().decision.place == .network)
  }

  @Test("modes: who is asked, and what is sent")
  func modes() async throws {
    let fixture = CacheFixture()
    fixture.client.reply { request in
      request.headers["If-None-Match"] == "\"1\""
        ? .status(304) : .text("one", ["Cache-Control": "max-age=60", "ETag": "\"1\""])
    }
    #expect(try await fixture.get(mode: .onlyIfCached).status == 504)
    #expect(fixture.client.requests.isEmpty)
    #expect(try await fixture.get(mode: .noStore).decision.place == .network)
    #expect(fixture.storage.byteCount == 0)
    #expect(try await fixture.get(mode: .forceCache).decision.place == .network)
    #expect(try await fixture.get(mode: .noCache).decision.place == .revalidated)
    #expect(fixture.sent["Cache-Control"] == "max-age=0")
    #expect(try await fixture.get(mode: .reload).decision.place == .network)
    #expect(fixture.sent["Cache-Control"] == "no-cache")
    #expect(!fixture.sent.contains(name: "If-None-Match"))
    fixture.clock.advance(by: .seconds(100))
    #expect(try await fixture.get(mode: .onlyIfCached).decision.place == .stale)
    #expect(try await fixture.get(mode: .forceCache).decision.place == .stale)
  }

  @Test("a request's own condition or range is answered from what is fresh")
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
    }
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a condition that nothing stored meets goes to the origin as it is, and so does its answer")
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

  @Test("a POST that succeeds removes what is stored; one that fails does not")
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

  @Test("through redirects: fresh no longer than they are, and conditional only where the answer came from")
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
    let hops = fixture.client.requests.suffix(2).map { $0.headers["If-None-Match"] }
    #expect(hops == [nil, "\"1\""])
    #expect(fixture.client.requests.allSatisfy { $0.redirectPolicy == .manual })

    let kept = try await fixture.get(url: permanent)
    #expect(kept.freshUntil == noon.addingTimeInterval(50))
    #expect(try await fixture.get(url: permanent).decision.place == .cache)
  }

  @Test("a redirect that the caller wants to see is another answer than what it leads to")
  func manualRedirects() async throws {
    let fixture = CacheFixture()
    fixture.serve(.status(301, headers: ["Location": "/b", "Cache-Control": "max-age=60"]))
    fixture.serve(.text("there", ["Cache-Control": "max-age=60"]), at: url("https://example.com/b"))
    let manual = HTTPRequest(url: CacheFixture.url, redirectPolicy: .manual)
    #expect(try await fixture.cache.response(for: manual).status == 301)
    #expect(try await fixture.get().status == 200)
    #expect(try await fixture.cache.response(for: manual).decision.place == .cache)
  }

  @Test("storing can wait for the caller's word")
  func deferredStoring() async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=60"]))
    let request = HTTPRequest(url: CacheFixture.url)
    let answer = try await fixture.cache.response(for: request, storing: .byCaller)
    #expect(fixture.storage.byteCount == 0)
    await fixture.cache.store(try #require(answer.unstored), for: request)
    #expect(try await fixture.get().decision.place == .cache)
  }

  @Test("what a request would do can be asked without doing it")
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

  @Test("the storage in memory keeps to its bound; the least recently used goes first")
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
