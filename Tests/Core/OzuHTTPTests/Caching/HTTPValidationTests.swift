import OzuBase
import Testing

@testable import OzuHTTP

@Suite("Validation (RFC 9111 §4.3)")
struct HTTPValidationTests {
  private let policy = HTTPCachePolicy.standard

  @Test(
    "both validators are sent as they were written (§4.3.1)",
    arguments: [
      (["ETag": "\"a\""], ["If-None-Match": "\"a\""]), (["ETag": "W/\"a\""], ["If-None-Match": "W/\"a\""]),
      (["ETag": "a"], ["If-None-Match": "a"]),
      (
        ["ETag": "\"a\"", "Last-Modified": dateText(-5)],
        ["If-None-Match": "\"a\"", "If-Modified-Since": dateText(-5)]
      ), (["Last-Modified": dateText(-5)], ["If-Modified-Since": dateText(-5)]),
      (["Last-Modified": "last week"], [:]), ([:], [:]), (["ETag": ""], [:]),
    ] as [(HTTPHeaders, HTTPHeaders)])
  func conditional(_ stored: HTTPHeaders, _ sent: HTTPHeaders) {
    #expect(policy.conditionalHeaders(for: [storedResponse(stored)], choice: 0) == sent)
  }

  @Test("the tags of the other variants are sent too, their dates are not")
  func variants() {
    let stored = [["ETag": "\"a\"", "Last-Modified": dateText()], ["ETag": "\"b\""], ["ETag": "\"a\""]]
      .map { storedResponse($0 as HTTPHeaders) }
    #expect(policy.conditionalHeaders(for: stored, choice: 1) == ["If-None-Match": "\"b\", \"a\""])
    #expect(policy.conditionalHeaders(for: stored, choice: nil) == ["If-None-Match": "\"a\", \"b\""])
  }

  struct Match: Sendable, CustomTestStringConvertible {
    let name: String
    let stored: [HTTPHeaders]
    var choice: Int?
    let answer: HTTPHeaders
    let found: Int?
    var testDescription: String { name }
  }

  static let matches: [Match] = [
    Match(name: "the same tag", stored: [["ETag": "\"a\""]], choice: 0, answer: ["ETag": "\"a\""], found: 0),
    Match(
      name: "weakly the same", stored: [["ETag": "\"a\""]], choice: 0, answer: ["ETag": "W/\"a\""], found: 0),
    Match(name: "another tag", stored: [["ETag": "\"a\""]], choice: 0, answer: ["ETag": "\"b\""], found: nil),
    Match(
      name: "the tag of another variant", stored: [["ETag": "\"a\""], ["ETag": "\"b\""]], choice: 0,
      answer: ["ETag": "\"b\""], found: 1),
    Match(name: "no tag in the answer", stored: [["ETag": "\"a\""]], choice: 0, answer: [:], found: 0),
    Match(
      name: "no tag, several variants, none chosen", stored: [["ETag": "\"a\""], ["ETag": "\"b\""]],
      answer: [:], found: nil),
    Match(
      name: "the same date", stored: [["Last-Modified": dateText()]], choice: 0,
      answer: ["Last-Modified": dateText()], found: 0),
    Match(
      name: "another date", stored: [["Last-Modified": dateText()]], choice: 0,
      answer: ["Last-Modified": dateText(5)], found: nil),
    Match(
      name: "a tag where there was a date", stored: [["Last-Modified": dateText()]], choice: 0,
      answer: ["ETag": "\"n\""], found: 0),
  ]

  @Test("the stored response that a 304 confirms (§4.3.4)", arguments: matches)
  func selection(_ item: Match) {
    let stored = item.stored.map { storedResponse($0) }
    #expect(policy.validated(by: head(304, item.answer), among: stored, choice: item.choice) == item.found)
  }

  @Test("a 304 renews the age and the fields, except those of the body (§3.2)")
  func update() {
    let stored = storedResponse([
      "Cache-Control": "max-age=1", "Content-Type": "image/png", "Content-Length": "9", "X-A": "old",
      "X-Keep": "1", "Age": "500", "ETag": "\"a\"",
    ])
    let later = noon.addingTimeInterval(1000)
    let updated = policy.updated(
      stored,
      by: head(
        304,
        [
          "Cache-Control": "max-age=60", "Content-Type": "text/plain", "Content-Length": "0",
          "Content-Encoding": "gzip", "X-A": "new", "X-B": "1", "x-b": "2", "Connection": "close",
        ]), for: request(), requestDate: later, responseDate: later)
    #expect(updated.headers["Content-Type"] == "image/png")
    #expect(updated.headers["Content-Length"] == "9")
    #expect(!updated.headers.contains(name: "Content-Encoding"))
    #expect(!updated.headers.contains(name: "Connection"))
    #expect(updated.headers["X-A"] == "new")
    #expect(updated.headers["X-B"] == "1, 2")
    #expect(updated.headers["X-Keep"] == "1")
    #expect(policy.age(of: updated, now: later) == 0)
    #expect(policy.freshUntil(updated) == later.addingTimeInterval(60))
  }

  @Test("a served response has its age (§5.1), and not the fields that no-cache names (§5.2.2.4)")
  func served() {
    let stored = storedResponse([
      "Age": "5", "Cache-Control": "max-age=600, no-cache=\"Set-Cookie\"", "Set-Cookie": "a",
    ])
    let served = policy.servedHead(of: stored, now: noon.addingTimeInterval(10.9))
    #expect(served.headers["Age"] == "15")
    #expect(!served.headers.contains(name: "Set-Cookie"))
    #expect(policy.servedHead(of: stored, now: noon, isValidated: true).headers["Set-Cookie"] == "a")
  }

  @Test(
    "a request's own condition is answered by the stored response (§4.3.2)",
    arguments: [
      (["If-None-Match": "\"a\""], true), (["If-None-Match": "\"b\", W/\"a\""], true),
      (["If-None-Match": "*"], true), (["If-None-Match": "\"b\""], false),
      (["If-None-Match": "\"b\"", "If-Modified-Since": dateText()], false),
      (["If-Modified-Since": dateText(-10)], true), (["If-Modified-Since": dateText(-11)], false),
      (["If-Modified-Since": "yesterday"], false),
    ] as [(HTTPHeaders, Bool)])
  func ownCondition(_ ask: HTTPHeaders, _ isMet: Bool) {
    let stored = storedResponse(["ETag": "\"a\"", "Last-Modified": dateText(-10)])
    #expect(policy.satisfiesCondition(of: request(ask), stored) == isMet)
  }

  @Test("a HEAD confirms a stored response that agrees with it (§4.3.5)")
  func confirmation() {
    let stored = storedResponse(["ETag": "\"a\"", "Content-Length": "9"])
    func confirms(_ status: Int, _ headers: HTTPHeaders) -> Bool {
      policy.confirms(head(status, headers), stored)
    }
    #expect(confirms(200, ["ETag": "\"a\"", "Content-Length": "9"]))
    #expect(confirms(200, [:]))
    #expect(!confirms(200, ["ETag": "\"b\""]))
    #expect(!confirms(200, ["Content-Length": "10"]))
    #expect(!confirms(200, ["ETag": "\"a\"", "Last-Modified": dateText()]))
    #expect(!confirms(404, [:]))
  }

  @Test("a stored response is written and read back whole")
  func coding() throws {
    var stored = storedResponse(["Vary": "X", "X-A": "1", "x-a": "2"], selecting: ["x": "y"], delay: 0.25)
    stored.redirectsFreshUntil = noon
    stored.bodyIdentity = "abc"
    let data = try JSONEncoder().encode(stored)
    #expect(try JSONDecoder().decode(HTTPStoredResponse.self, from: data) == stored)
  }
}
