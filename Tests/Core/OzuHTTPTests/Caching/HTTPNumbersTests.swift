import Foundation
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Numbers and dates of strangers never end the process")
struct HTTPNumbersTests {
  static let awkward: [Double] = [
    .nan, .infinity, -.infinity, 1e19, -1e19, 1e308, -1e308, 0x1p63, -0x1p63, 0x1p53, -1, 0, 7_258_118_401,
  ]

  @Test(
    "a Content-Range has an end that can be counted",
    arguments: [
      ("bytes 0-9/10", 10), ("bytes 4-9/*", 6), ("bytes 0-9223372036854775806/*", Int.max),
      ("bytes 0-9223372036854775807/*", nil), ("bytes 9223372036854775807-9223372036854775807/*", nil),
      ("bytes 0-9223372036854775808/*", nil), ("bytes 9-0/10", nil), ("bytes 0-10/10", nil),
      ("bytes 0-9/9223372036854775807", 10), ("bytes 0-9/9223372036854775808", nil), ("bytes -1-9/10", nil),
      ("bytes 0-9", nil), ("bytes /", nil), ("bytes -/*", nil), ("bytes", nil), ("", nil), (" ", nil),
      ("/ -", nil),
    ] as [(String, Int?)])
  func contentRange(_ text: String, byteCount: Int?) {
    #expect(ContentRange(text)?.byteCount == byteCount)
  }

  @Test(
    "a request's range may have any end",
    arguments: [
      ("bytes=0-9223372036854775807", 0..<10), ("bytes=0-99999999999999999999", 0..<10),
      ("bytes=9-9223372036854775807", 9..<10), ("bytes=9223372036854775807-", nil),
      ("bytes=99999999999999999999-", nil), ("bytes=9223372036854775807-9223372036854775807", nil),
      ("bytes=-9223372036854775807", 0..<10), ("bytes=-99999999999999999999", 0..<10), ("bytes=-0", nil),
    ] as [(String, Range<Int>?)])
  func ownRange(_ text: String, bytes: Range<Int>?) throws {
    #expect(try #require(ByteRangeRequest(text, of: 10)).bytes == bytes)
  }

  @Test(
    "an address has a port that exists, or is refused",
    arguments: [
      "-1", "0", "65536", "2147483648", "9223372036854775807", "9223372036854775808", "99999999999999999999",
      "1e9",
    ])
  func ports(_ port: String) {
    guard let address = URL(string: "http://h.example:\(port)/") else { return }
    #expect(throws: HTTPError(.invalidURL, url: address)) { try HTTPRequest(url: address).validatedOrigin() }
  }

  @Test(
    "colons and digits that are no port",
    arguments: [
      "http://name:80@h.example/a", "http://[::1]/", "http://h.example:/", "http://10.0.0.1",
      "https://h.example/a:99999",
      "http://h.example?at=:99999", "http://1:2@[fe80::1]",
    ])
  func noPorts(_ text: String) throws {
    let address = try #require(URL(string: text))
    #expect(try HTTPRequest(url: address).validatedOrigin().port == (text.hasPrefix("https") ? 443 : 80))
  }

  @Test("any date is written as one of the years 0 to 9999", arguments: awkward)
  func writtenDates(_ seconds: Double) {
    let text = HTTPDate.string(from: Date(timeIntervalSince1970: seconds))
    #expect(text.utf8.count == 29)
    #expect(HTTPDate.date(from: text) != nil)
    _ = HTTPDate.date(from: "Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: seconds))
  }

  @Test("a response with any dates has an age that can be written, and texts for people", arguments: awkward)
  func ages(_ seconds: Double) throws {
    let policy = HTTPCachePolicy.standard
    var response = storedResponse(["Cache-Control": "max-age=60"])
    response.responseDate = Date(timeIntervalSince1970: seconds)
    let head = policy.servedHead(of: response, now: noon)
    let age = try #require(head.headers["Age"].flatMap { Int($0) })
    #expect((0...DeltaSeconds.maximum).contains(age))
    let decision = policy.decide(stored: [response], request: request(), now: noon)
    #expect(!decision.reason.isEmpty)
    _ = HTTPDecision.fresh(forSeconds: seconds)
    var retry = HTTPRetryPolicy()
    retry.maximumRetryCount = 3
    for text in ["Fri, 31 Dec 9999 23:59:59 GMT", "99999999999999999999", "-1", "NaN", "1e19"] {
      _ = retry.delay(
        afterRetries: 0, retryAfter: text, fraction: 0.5, now: Date(timeIntervalSince1970: seconds))
    }
  }

  @Test("a lifetime without end ends in the year 9999")
  func endlessLifetime() {
    let policy = HTTPCachePolicy.ignoring(lifetime: .seconds(Int64.max))
    let end = policy.freshUntil(storedResponse([:]))
    #expect(HTTPDate.string(from: end) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPStoredResponse.deadlines.contains(end))
  }

  @Test("a rest whose length goes beyond all numbers is a broken transfer")
  func endlessRest() async throws {
    let fixture = CacheFixture()
    let rest = HTTPResumeAndRetryTests.rest().header("Content-Length", "9223372036854775807")
    fixture.serve(HTTPResumeAndRetryTests.broken, rest)
    var request = HTTPRequest(url: CacheFixture.url)
    request.maximumBodyByteCount = .max
    _ = try? await fixture.cache.response(for: request)
    let error = await #expect(throws: HTTPError.self) {
      try await fixture.cache.response(for: request, onProgress: { _, _ in })
    }
    #expect(error?.reason == .bodyTruncated(received: 10, expected: .max))
  }

  private func record(_ change: (inout [String: Any]) -> Void) throws -> Data {
    var stored = storedResponse(["ETag": "\"1\""], selecting: ["accept": "x"])
    stored.redirectsFreshUntil = .distantPast
    let data = try JSONEncoder().encode(stored)
    var fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    change(&fields)
    return try JSONSerialization.data(withJSONObject: fields)
  }

  static let flaws: [(String, String)] = {
    var flaws: [(String, String)] = [
      ("redirectsFreshUntil", "1e19"), ("redirectsFreshUntil", "-1e19"), ("status", "0"), ("status", "99"),
      ("status", "9223372036854775807"), ("status", "-1"), ("headers", "[[\"A\"]]"), ("headers", "[[]]"),
      ("headers", "[[\"A\",\"b\",\"c\"]]"), ("headers", "[[\"A\",\"b\\r\\nX: y\"]]"),
      ("headers", "[[\"A b\",\"c\"]]"), ("selectingHeaders", "[[\"A\",\"\\n\"]]"),
    ]
    for key in ["requestDate", "responseDate"] {
      for number in ["1e19", "-1", "7258118401", "1e308", "9223372036854775807"] {
        flaws.append((key, number))
      }
    }
    return flaws
  }()

  @Test(
    "a stored response is read only if all its numbers and fields are ones that a cache writes",
    arguments: flaws)
  func flawed(_ key: String, _ json: String) throws {
    let whole = try record { _ in }
    #expect(throws: Never.self) { try JSONDecoder().decode(HTTPStoredResponse.self, from: whole) }
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    let flawed = try record { $0[key] = value }
    #expect(throws: (any Error).self) { try JSONDecoder().decode(HTTPStoredResponse.self, from: flawed) }
  }
}
