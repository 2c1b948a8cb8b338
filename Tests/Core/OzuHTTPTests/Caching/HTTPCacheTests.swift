import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

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

  @Test("a changed answer replaces the old one")
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

  @Test("a variant in a coding that its request wanted is not kept, and leaves the one without it")
  func codedVariant() async throws {
    let fixture = CacheFixture()
    let fields: HTTPHeaders = ["Vary": "Accept-Encoding", "Cache-Control": "max-age=60"]
    fixture.serve(.text("one", fields), .text("coded", fields.adding("Content-Encoding", "gzip")))
    for (asked, text) in [([:], "one"), (["Accept-Encoding": "gzip"], "coded"), ([:], "one")]
      as [(HTTPHeaders, String)]
    {
      #expect(try await fixture.get(asked).text == text)
    }
    #expect(fixture.client.requests.count == 2)
  }

  @Test("an origin may confirm a stored response for a new variant")
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
    // The origin is asked for neither of them again.
    for accept in ["png", "jpeg"] {
      #expect(try await fixture.get(["Accept": accept]).decision.place == .cache)
    }
  }

  @Test("after a 304 for a response that is not stored, the whole response is requested")
  func strayNotModified() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["ETag": "\"1\""]), .status(304, headers: ["ETag": "\"2\""]), .text("two"))
    try await fixture.get()
    #expect(try await fixture.get().text == "two")
    #expect(fixture.sent["If-None-Match"] == nil)
    #expect(fixture.client.requests.count == 3)
  }

  @Test("if that request fails, the stale response is served as after any other failure")
  func failureAfterStrayNotModified() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["ETag": "\"1\""]), .status(304, headers: ["ETag": "\"2\""]), .failure(.connectionLost))
    try await fixture.get()
    let answer = try await fixture.get()
    #expect(answer.text == "one")
    #expect(answer.decision.place == .stale)
  }

  @Test("stale while a validation runs in the background; the next request gets the new answer")
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

  @Test("an answer that may not be stored removes the outdated response")
  func noStore() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=1"]), .text("two", ["Cache-Control": "no-store"]),
      .text("three"))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(5))
    let second = try await fixture.get()
    #expect(second.decision.reason == "stale for 4s; not kept: no-store")
    #expect(second.freshUntil == .distantPast)
    #expect(fixture.storage.byteCount == 0)
    #expect(try await fixture.get(mode: .forceCache).text == "three")
  }

  @Test(
    "an answer to a condition or a range of the request itself does not count as changed",
    arguments: [
      (["If-None-Match": "\"1\""], .status(304)),
      (["Range": "bytes=0-0"], .text("o", ["Content-Range": "bytes 0-0/3"], status: 206)),
    ] as [(HTTPHeaders, FakeHTTPReply)])
  func ownCondition(_ own: HTTPHeaders, _ reply: FakeHTTPReply) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text("one", ["Cache-Control": "max-age=1", "ETag": "\"1\""]), reply)
    try await fixture.get()
    fixture.clock.advance(by: .seconds(5))
    let answer = try await fixture.get(own)
    #expect(answer.decision.reason == "stale for 4s; not kept: the request was conditional")
  }

  @Test(
    "what a validation forbids to store is removed, and nothing else",
    arguments: [
      (false, "max-age=1", "no-store", true), (true, "max-age=1", "private, max-age=60", true),
      (false, "max-age=1", "private, max-age=60", false),
      // The status is understood, so no-store has no meaning.
      (false, "must-understand, no-store, max-age=60", "must-understand, no-store, max-age=60", false),
    ])
  func validatedAway(_ isShared: Bool, _ first: String, _ second: String, _ isRemoved: Bool) async throws {
    let fixture = CacheFixture { $0.policy.isShared = isShared }
    fixture.serve(
      .text("one", ["Cache-Control": first, "ETag": "\"1\""]),
      .status(304, headers: ["Cache-Control": second]))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(90))
    let answer = try await fixture.get()
    #expect(answer.decision.place == .revalidated)
    #expect(answer.text == "one")
    #expect((fixture.storage.byteCount == 0) == isRemoved)
    #expect((answer.reasonNotStored != nil) == isRemoved && (answer.freshUntil == .distantPast) == isRemoved)
  }

  @Test(
    "negative caching: 404 and 410 for their lifetime, else for a minute if heuristics are allowed; server errors never",
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

  @Test("each mode asks the cache or the origin, and sends its fields")
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
}
