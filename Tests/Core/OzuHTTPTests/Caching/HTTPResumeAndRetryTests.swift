import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Interrupted transfers are resumed, and transient failures are retried")
struct HTTPResumeAndRetryTests {
  static let whole = "0123456789"
  private static let tag: HTTPHeaders = ["ETag": "\"1\""]
  static let broken = FakeHTTPReply.text(whole, tag).failing(.connectionLost, afterByteCount: 4)

  static func rest(
    _ range: String = "bytes 4-9/10", _ body: String = "456789", tag: String = "\"1\""
  ) -> FakeHTTPReply {
    .text(body, ["ETag": tag, "Content-Range": range, "X-A": "late"], status: 206)
  }

  @Test("the rest is requested with Range and If-Range, joined, and stored as a whole")
  func resume() async throws {
    let fixture = CacheFixture()
    fixture.serve(Self.broken, Self.rest(), .status(304))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    let answer = try await fixture.get()
    #expect(answer.text == Self.whole)
    #expect(answer.status == 200)
    #expect(answer.head.headers["Content-Length"] == "10")
    #expect(answer.head.headers["X-A"] == "late")
    #expect(!answer.head.headers.contains(name: "Content-Range"))
    #expect(fixture.sent["Range"] == "bytes=4-")
    #expect(fixture.sent["If-Range"] == "\"1\"")
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.sent["Range"] == nil)
  }

  @Test("a transfer may be interrupted twice")
  func resumeTwice() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      Self.broken, Self.rest().failing(.connectionLost, afterByteCount: 2), Self.rest("bytes 6-9/10", "6789"))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.sent["Range"] == "bytes=6-")
  }

  @Test(
    "the new body of a stale response is resumed too, unless the stored one is current again",
    arguments: [true, false])
  func resumeChanged(isChanged: Bool) async throws {
    let fixture = CacheFixture()
    let old: HTTPHeaders = ["Cache-Control": "max-age=1, must-revalidate", "ETag": "\"0\""]
    fixture.serve(
      .text("old", old), Self.broken, isChanged ? Self.rest() : .status(304, headers: ["ETag": "\"0\""]))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(2))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(try await fixture.get().text == (isChanged ? Self.whole : "old"))
    #expect(fixture.sent["Range"] == "bytes=4-")
    #expect(fixture.sent["If-None-Match"] == "\"0\"")
    let key = HTTPCacheKey(HTTPRequest(url: CacheFixture.url))
    #expect(await fixture.storage.partialBody(for: key) == nil)
  }

  struct Other: Sendable, CustomTestStringConvertible {
    let name: String
    let replies: [FakeHTTPReply]
    let text: String
    let requestCount: Int
    var testDescription: String { name }
  }

  static let others: [Other] = [
    Other(
      name: "200: the whole anew", replies: [.text("changed", ["ETag": "\"2\""])], text: "changed",
      requestCount: 2),
    Other(
      name: "200, encoded, though no coding was offered",
      replies: [.text("coded", ["ETag": "\"2\"", "Content-Encoding": "gzip"]), .text("w")], text: "w",
      requestCount: 3),
    Other(
      name: "416: from the beginning", replies: [.status(416), .text("short")], text: "short", requestCount: 3
    ),
    Other(
      name: "416 with a long page: from the beginning",
      replies: [.text(String(repeating: "x", count: 100_000), status: 416), .text("short")], text: "short",
      requestCount: 3),
    Other(
      name: "another start", replies: [rest("bytes 3-9/10", "3456789"), .text("w")], text: "w",
      requestCount: 3),
    Other(name: "another length", replies: [rest("bytes 4-9/11"), .text("w")], text: "w", requestCount: 3),
    Other(name: "another tag", replies: [rest(tag: "\"2\""), .text("w")], text: "w", requestCount: 3),
    Other(name: "a weak tag", replies: [rest(tag: "W/\"1\""), .text("w")], text: "w", requestCount: 3),
    Other(
      name: "no tag, though the beginning had one",
      replies: [.text("456789", ["Content-Range": "bytes 4-9/10"], status: 206), .text("w")], text: "w",
      requestCount: 3),
    Other(
      name: "another coding",
      replies: [
        .text(
          "456789", tag.adding("Content-Range", "bytes 4-9/10").adding("Content-Encoding", "br"), status: 206),
        .text("w"),
      ], text: "w", requestCount: 3),
    Other(name: "no Content-Range", replies: [rest(""), .text("w")], text: "w", requestCount: 3),
  ]

  @Test("bytes that are not the rest of the body are not joined", arguments: others)
  func mismatch(_ item: Other) async throws {
    let fixture = CacheFixture()
    fixture.client.reply(to: CacheFixture.url, with: [Self.broken] + item.replies)
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    let answer = try await fixture.get()
    #expect(answer.text == item.text)
    #expect(answer.status == 200)
    #expect(fixture.client.requests.count == item.requestCount)
    let key = HTTPCacheKey(HTTPRequest(url: CacheFixture.url))
    #expect(await fixture.storage.partialBody(for: key) == nil)
  }

  @Test("a 206 that ends early is an error and never a whole body; the next request continues from there")
  func shortRest() async throws {
    let fixture = CacheFixture()
    fixture.serve(Self.broken, Self.rest("bytes 4-6/10", "456"), Self.rest("bytes 7-9/10", "789"))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    let error = await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(error?.reason == .bodyTruncated(received: 7, expected: 10))
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.sent["Range"] == "bytes=7-")
  }

  @Test(
    "the rest of a body whose length was not announced is joined only if its range names the length",
    arguments: [("bytes 4-9/10", 2), ("bytes 4-9/*", 3)])
  func unannouncedLength(_ range: String, requestCount: Int) async throws {
    let fixture = CacheFixture()
    var broken = Self.broken
    broken.announcesLength = false
    fixture.serve(broken, Self.rest(range), .text(Self.whole))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.client.requests.count == requestCount)
  }

  @Test("a server that sends a little at a time is asked for the rest until all is there")
  func pieceByPiece() async throws {
    let fixture = CacheFixture { $0.retryPolicy = .standard }
    fixture.serve(Self.broken, Self.rest("bytes 4-6/10", "456"), Self.rest("bytes 7-9/10", "789"))
    #expect(try await fixture.get().text == Self.whole)
  }

  @Test("a rest with which the body becomes too large is refused while it arrives")
  func largeRest() async throws {
    let fixture = CacheFixture()
    fixture.serve(Self.broken, Self.rest().inPieces(of: 1))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    let request = HTTPRequest(url: CacheFixture.url, maximumBodyByteCount: 8)
    let error = await #expect(throws: HTTPError.self) { try await fixture.cache.response(for: request) }
    #expect(error?.reason == .bodyTooLarge(limit: 8))
    #expect(fixture.client.sentByteCount < Self.whole.utf8.count)
  }

  @Test("an error in the rest states the bytes of the whole body")
  func brokenRest() async throws {
    let server = try LoopbackServer()
    let body = patternedBytes(300_000)
    let tag: HTTPHeaders = ["ETag": "\"1\""]
    server.route(
      "/a",
      [
        LoopbackResponse(headers: tag, body: body).closing(afterByteCount: 100_000),
        LoopbackResponse(
          status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 100000-299999/300000"],
          body: body.dropFirst(100_000)
        ).closing(afterByteCount: 50_000),
      ])
    let cache = HTTPCache(client: directClient(), storage: InMemoryHTTPCacheStorage())
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    for count in [100_000, 150_000] {
      let error = await #expect(throws: HTTPError.self) { try await cache.response(for: request) }
      #expect(error?.reason == .bodyTruncated(received: count, expected: 300_000))
    }
  }

  @Test(
    "without a strong validator nothing is kept",
    arguments: [
      [:], ["ETag": "W/\"1\""], ["Last-Modified": dateText(-59), "Date": dateText()],
      ["ETag": "\"1\"", "Accept-Ranges": "none"], ["ETag": "\"1\"", "Content-Encoding": "gzip"],
      ["ETag": "\"1\"", "Cache-Control": "no-store"],
    ] as [HTTPHeaders])
  func notKept(_ headers: HTTPHeaders) async throws {
    let fixture = CacheFixture()
    fixture.serve(.text(Self.whole, headers).failing(.connectionLost, afterByteCount: 4), .text(Self.whole))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    try await fixture.get()
    #expect(fixture.sent["Range"] == nil)
  }

  @Test("a date that is a minute older than the answer is a strong validator")
  func strongDate() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text(Self.whole, ["Last-Modified": dateText(-60), "Date": dateText()])
        .failing(.connectionLost, afterByteCount: 4), Self.rest())
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(try await fixture.get().text == Self.whole)
    #expect(fixture.sent["If-Range"] == dateText(-60))
  }

  @Test("a rest that has changed since the date of the beginning is not joined")
  func changedDate() async throws {
    let fixture = CacheFixture()
    let range: HTTPHeaders = ["Content-Range": "bytes 4-9/10", "Last-Modified": dateText(-30)]
    fixture.serve(
      .text(Self.whole, ["Last-Modified": dateText(-90), "Date": dateText()])
        .failing(.connectionLost, afterByteCount: 4), .text("456789", range, status: 206), .text("anew"))
    await #expect(throws: HTTPError.self) { try await fixture.get() }
    #expect(try await fixture.get().text == "anew")
  }

  @Test("a cancelled transfer is resumed, over real sockets")
  func cancelled() async throws {
    let server = try LoopbackServer()
    let body = patternedBytes(300_000)
    let gate = Gate()
    gate.admit(3)
    server.route("/a") { request in
      guard let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) else {
        return LoopbackResponse(headers: ["ETag": "\"1\""], body: body).dripping(50_000, through: gate)
      }
      return LoopbackResponse(
        status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(from)-299999/300000"],
        body: body.dropFirst(from))
    }
    let storage = InMemoryHTTPCacheStorage()
    let cache = HTTPCache(client: directClient(), storage: storage)
    let arrived = Gate()
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    let task = Task {
      try await cache.response(for: request) { received, _ in if received >= 150_000 { arrived.open() } }
    }
    try await arrived.pass()
    task.cancel()
    await #expect(throws: HTTPError.self) { try await task.value }
    let answer = try await cache.response(for: request)
    #expect(answer.body == body)
    #expect(server.requests(for: "/a").last?.headers["Range"] == "bytes=150000-")
  }
}

extension HTTPHeaders {
  func adding(_ name: String, _ value: String) -> HTTPHeaders {
    var headers = self
    headers.add(name: name, value: value)
    return headers
  }
}
