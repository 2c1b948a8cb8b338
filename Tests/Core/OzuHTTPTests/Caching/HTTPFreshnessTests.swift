import OzuBase
import Testing

@testable import OzuHTTP

@Suite("How long a response is fresh, and how old it is (RFC 9111 §4.2)")
struct HTTPFreshnessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var status = 200
    let headers: HTTPHeaders
    let lifetime: Double
    let source: HTTPFreshness.Source
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "§5.2.2.1 max-age", headers: ["Cache-Control": "max-age=60"], lifetime: 60, source: .maxAge),
    Case(
      name: "§5.3 max-age over Expires",
      headers: ["Cache-Control": "max-age=60", "Expires": dateText(9999)], lifetime: 60, source: .maxAge),
    Case(
      name: "§5.2.2.10 s-maxage is for shared caches",
      headers: ["Cache-Control": "s-maxage=60", "Expires": dateText(99)], lifetime: 99, source: .expires),
    Case(
      name: "§5.3 Expires counts from Date",
      headers: ["Date": dateText(-100), "Expires": dateText(50)], lifetime: 150, source: .expires),
    Case(name: "§5.3 Expires in the past", headers: ["Expires": dateText(-1)], lifetime: 0, source: .expires),
    Case(
      name: "§5.3 Expires that is no date", headers: ["Expires": "0", "Last-Modified": dateText(-99_999)],
      lifetime: 0, source: .expires),
    Case(
      name: "§4.2.1 two Expires that differ", headers: ["Expires": dateText(60), "expires": dateText(90)],
      lifetime: 0, source: .expires),
    Case(
      name: "§4.2.1 two Expires that agree", headers: ["Expires": dateText(60), "expires": dateText(60)],
      lifetime: 60, source: .expires),
    Case(
      name: "§4.2.1 max-age that is no number beats Expires",
      headers: ["Cache-Control": "max-age=soon", "Expires": dateText(60)], lifetime: 0, source: .maxAge),
    Case(
      name: "§4.2.2 a tenth of the time since the change", headers: ["Last-Modified": dateText(-1000)],
      lifetime: 100, source: .lastModified),
    Case(
      name: "§4.2.2 24 hours at most", headers: ["Last-Modified": dateText(-1e8)], lifetime: 86_400,
      source: .lastModified),
    Case(
      name: "§4.2.2 a change in the future gives nothing", headers: ["Last-Modified": dateText(50)],
      lifetime: 0, source: .lastModified),
    Case(name: "§4.2.2 nothing to go by", headers: [:], lifetime: 0, source: .none),
    Case(
      name: "§4.2.2 no guess for 201", status: 201, headers: ["Last-Modified": dateText(-1000)], lifetime: 0,
      source: .none),
    Case(
      name: "§4.2.2 but with public", status: 201,
      headers: ["Last-Modified": dateText(-1000), "Cache-Control": "public"], lifetime: 100,
      source: .lastModified),
    Case(
      name: "no guess for 503, even with public", status: 503,
      headers: ["Last-Modified": dateText(-1000), "Cache-Control": "public"], lifetime: 0, source: .none),
    Case(
      name: "404 by a guess: 60 s at most", status: 404, headers: ["Last-Modified": dateText(-1e8)],
      lifetime: 60, source: .lastModified),
    Case(
      name: "410 by a guess: 60 s at most", status: 410, headers: ["Last-Modified": dateText(-1e8)],
      lifetime: 60, source: .lastModified),
    Case(
      name: "410 by its Expires", status: 410, headers: ["Expires": dateText(600)], lifetime: 600,
      source: .expires),
    Case(
      name: "500 has none", status: 500, headers: ["Last-Modified": dateText(-1e8)], lifetime: 0,
      source: .none),
    Case(
      name: "404 by its lifetime", status: 404, headers: ["Cache-Control": "max-age=600"], lifetime: 600,
      source: .maxAge),
  ]

  @Test("lifetime", arguments: cases)
  func lifetime(_ item: Case) {
    let freshness = HTTPCachePolicy.standard.freshness(of: storedResponse(item.headers, status: item.status))
    #expect(freshness.lifetime == item.lifetime)
    #expect(freshness.source == item.source)
  }

  @Test("a policy may give a lifetime to responses without one (§4.2.2), within the limits of heuristics")
  func assumed() {
    var policy = HTTPCachePolicy()
    policy.defaultLifetime = .seconds(3600)
    #expect(policy.freshness(of: storedResponse([:])) == HTTPFreshness(lifetime: 3600, source: .assumed))
    #expect(policy.freshness(of: storedResponse([:], status: 404)).lifetime == 60)
    #expect(policy.freshness(of: storedResponse([:], status: 500)).lifetime == 0)
    #expect(policy.freshness(of: storedResponse(["Cache-Control": "max-age=0"])).lifetime == 0)
    policy.defaultLifetime = .seconds(1_000_000)
    #expect(policy.freshness(of: storedResponse([:])).lifetime == 86_400)
  }

  @Test("a policy that ignores the origin decides for every success")
  func ignoring() {
    let policy = HTTPCachePolicy.ignoring(lifetime: .seconds(500))
    let response = storedResponse(["Cache-Control": "no-cache, max-age=0", "Age": "9999"])
    #expect(policy.freshUntil(response) == noon.addingTimeInterval(500))
    #expect(policy.freshness(of: storedResponse([:], status: 404)).source != .policy)
    let decision = policy.decide(stored: [response], request: request(), now: noon.addingTimeInterval(499))
    #expect(decision.action == .serve)
    #expect(decision.reason == "fresh for 1s (policy)")
    #expect(
      policy.decide(stored: [response], request: request(), now: noon.addingTimeInterval(500)).action
        == .validate)
    // The request's own demands are not the origin's.
    for (demand, action) in [
      ("max-age=0", .validate), ("max-age=499", .serve), ("min-fresh=2", .validate), ("no-cache", .validate),
    ] as [(String, HTTPCacheDecision.Action)] {
      let asked = policy.decide(
        stored: [response], request: request(["Cache-Control": demand]), now: noon.addingTimeInterval(499))
      #expect(asked.action == action, "\(demand)")
    }
  }

  struct Age: Sendable, CustomTestStringConvertible {
    let name: String
    let headers: HTTPHeaders
    var delay = 0.0
    let age: Double
    var testDescription: String { name }
  }

  static let ages: [Age] = [
    Age(name: "only the time it lay here", headers: [:], age: 10),
    Age(name: "the Age it came with", headers: ["Age": "30"], age: 40),
    Age(name: "the way it took", headers: ["Age": "30"], delay: 5, age: 45),
    Age(name: "the Date it bears", headers: ["Date": dateText(-100)], delay: 5, age: 110),
    Age(name: "the larger of Age and Date", headers: ["Date": dateText(-100), "Age": "300"], age: 310),
    Age(name: "a Date in the future", headers: ["Date": dateText(100)], age: 10),
    Age(name: "a Date that is none", headers: ["Date": "yesterday"], age: 10),
    Age(name: "§5.1 the first of a list", headers: ["Age": "30, 0"], age: 40),
    Age(name: "§5.1 the first of two lines", headers: ["Age": "0", "age": "30"], age: 10),
    Age(name: "§5.1 a negative one is ignored", headers: ["Age": "-30"], age: 10),
    Age(name: "§5.1 no number is ignored", headers: ["Age": "30a"], age: 10),
    Age(name: "§1.2.2 too large", headers: ["Age": "99999999999999999999"], age: 2_147_483_658),
  ]

  @Test("age (§4.2.3)", arguments: ages)
  func age(_ item: Age) {
    let response = storedResponse(item.headers, delay: item.delay)
    #expect(HTTPCachePolicy.standard.age(of: response, now: noon.addingTimeInterval(10)) == item.age)
  }

  @Test("a clock that was set back gives no negative age, and half a second gives no age")
  func clocks() {
    let policy = HTTPCachePolicy.standard
    #expect(policy.age(of: storedResponse([:]), now: noon.addingTimeInterval(-50)) == 0)
    var response = storedResponse([:])
    response.requestDate = noon.addingTimeInterval(0.9)
    response.responseDate = noon.addingTimeInterval(0.9)
    #expect(policy.age(of: response, now: noon.addingTimeInterval(0.9)) == 0)
  }

  @Test("a response that is dated in the future is stale, and is validated")
  func future() {
    for policy in [HTTPCachePolicy.standard, .ignoring(lifetime: .seconds(1000))] {
      let response = storedResponse(
        ["Cache-Control": "max-age=1000, stale-while-revalidate=5000, stale-if-error=5000", "ETag": "\"1\""])
      func decision(_ offset: Double, _ headers: HTTPHeaders = [:]) -> HTTPCacheDecision {
        policy.decide(stored: [response], request: request(headers), now: noon.addingTimeInterval(offset))
      }
      #expect(decision(1).action == .serve)
      #expect(decision(0).action == .serve)
      // Dates of HTTP have whole seconds.
      #expect(decision(-0.5).action == .serve)
      for offset in [-1.5, -60, -1e9] {
        #expect(decision(offset).action == .validate)
        #expect(decision(offset, ["Cache-Control": "max-stale=9999"]).action == .validate)
        #expect(
          decision(offset).reason == "stale for an unknown time (it is dated in the future)")
        let now = noon.addingTimeInterval(offset)
        #expect(
          policy.reasonToServeStale(response, request: request(), isDisconnected: false, now: now) == nil)
        #expect(policy.freshUntil(response, now: now) == .distantPast)
      }
    }
  }

  @Test("a clock that was set back makes a cache ask once, and then serve again")
  func clockSetBack() async throws {
    let fixture = CacheFixture()
    fixture.serve(
      .text("one", ["Cache-Control": "max-age=600", "ETag": "\"1\""]),
      .status(304, headers: ["Cache-Control": "max-age=600", "ETag": "\"1\""]))
    try await fixture.get()
    fixture.clock.advance(by: .seconds(-3600))
    #expect(try await fixture.get().decision.place == .revalidated)
    #expect(try await fixture.get().decision.place == .cache)
    #expect(fixture.client.requests.count == 2)
  }

  @Test("the freshness ends when a redirect in the chain expires")
  func redirects() {
    var response = storedResponse(["Cache-Control": "max-age=100"])
    response.redirectsFreshUntil = noon.addingTimeInterval(10)
    #expect(HTTPCachePolicy.standard.freshUntil(response) == noon.addingTimeInterval(10))
    response.redirectsFreshUntil = noon.addingTimeInterval(1000)
    #expect(HTTPCachePolicy.standard.freshUntil(response) == noon.addingTimeInterval(100))
  }
}
