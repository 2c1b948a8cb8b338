import OzuBase
import Testing

@testable import OzuHTTP

@Suite("Decisions from a request and the stored responses (RFC 9111 §4, §5.2; RFC 5861)")
struct HTTPDecidingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let stored: [HTTPHeaders]
    var ask: HTTPHeaders = [:]
    var method = HTTPMethod.get
    var mode = HTTPCacheMode.default
    var after = 100.0
    let action: HTTPCacheDecision.Action
    let reason: String
    var testDescription: String { name }
  }

  private static func control(_ text: String) -> HTTPHeaders { ["Cache-Control": text] }

  static let cases: [Case] = [
    Case(name: "nothing stored", stored: [], action: .fetch, reason: "not stored"),
    Case(name: "§4.2 fresh", stored: [control("max-age=3700")], action: .serve, reason: "fresh for 1h"),
    Case(
      name: "§4.2 fresh by a guess", stored: [["Last-Modified": dateText(-10_000)]], action: .serve,
      reason: "fresh for 15m (heuristic)"),
    Case(
      name: "§4.2 the last second of freshness is over when it ends", stored: [control("max-age=100")],
      action: .validate, reason: "stale for 0s"),
    Case(name: "§4.2 stale", stored: [control("max-age=40")], action: .validate, reason: "stale for 1m"),
    Case(
      name: "no lifetime at all", stored: [[:]], action: .validate, reason: "stale, without a lifetime"),
    Case(
      name: "§5.2.2.4 no-cache, though fresh", stored: [control("no-cache, max-age=3600")],
      action: .validate, reason: "no-cache"),
    Case(
      name: "§5.2.2.4 no-cache of one field", stored: [control("no-cache=\"X-A\", max-age=3700")],
      action: .serve, reason: "fresh for 1h"),
    Case(
      name: "RFC 8246 immutable does not outlive freshness", stored: [control("immutable, max-age=40")],
      action: .validate, reason: "stale for 1m"),
    Case(
      name: "§5.2.2.2 must-revalidate stops max-stale", stored: [control("max-age=40, must-revalidate")],
      ask: control("max-stale"), action: .validate, reason: "stale for 1m, must-revalidate"),
    // Directives of requests.
    Case(
      name: "§5.2.1.1 max-age", stored: [control("max-age=3700")], ask: control("max-age=99"),
      action: .validate, reason: "older than asked"),
    Case(
      name: "§5.2.1.1 max-age that is met", stored: [control("max-age=3700")], ask: control("max-age=100"),
      action: .serve, reason: "fresh for 1h"),
    Case(
      name: "§5.2.1.3 min-fresh", stored: [control("max-age=150")], ask: control("min-fresh=51"),
      action: .validate, reason: "fresh for less than asked"),
    Case(
      name: "§5.2.1.3 min-fresh that is met", stored: [control("max-age=150")], ask: control("min-fresh=49"),
      action: .serve, reason: "fresh for 50s"),
    Case(
      name: "§5.2.1.2 max-stale of any length", stored: [control("max-age=40")], ask: control("max-stale"),
      action: .serve, reason: "stale for 1m, within max-stale"),
    Case(
      name: "§5.2.1.2 max-stale", stored: [control("max-age=40")], ask: control("max-stale=60"),
      action: .serve, reason: "stale for 1m, within max-stale"),
    Case(
      name: "§5.2.1.2 past max-stale", stored: [control("max-age=40")], ask: control("max-stale=59"),
      action: .validate, reason: "stale for 1m"),
    Case(
      name: "§5.2.1.4 no-cache", stored: [control("max-age=3600")], ask: control("no-cache"),
      action: .validate, reason: "no-cache in the request"),
    Case(
      name: "§5.2.1.5 no-store", stored: [control("max-age=3600")], ask: control("no-store"),
      action: .bypass, reason: "no-store in the request"),
    Case(
      name: "§5.2.1.7 only-if-cached, nothing stored", stored: [], ask: control("only-if-cached"),
      action: .refuse, reason: "only-if-cached, and nothing is stored"),
    Case(
      name: "§5.2.1.7 only-if-cached, stale", stored: [control("max-age=40")],
      ask: control("only-if-cached"), action: .refuse,
      reason: "only-if-cached, and what is stored is stale for 1m"),
    Case(
      name: "§5.2.1.7 only-if-cached, fresh", stored: [control("max-age=3700")],
      ask: control("only-if-cached"), action: .serve, reason: "fresh for 1h"),
    Case(
      name: "RFC 9110 §13 a precondition is the origin's", stored: [control("max-age=3600")],
      ask: ["If-Match": "\"a\""], action: .bypass, reason: "the request has a precondition for the origin"),
    Case(
      name: "a range of what is stored decoded",
      stored: [["Expires": dateText(900), "Content-Encoding": "gzip"]], ask: ["Range": "bytes=0-9"],
      action: .bypass,
      reason: "what is stored is decoded, and the request wants it as it is sent"),
    Case(
      name: "a range of what has no coding", stored: [control("max-age=3700")], ask: ["Range": "bytes=0-9"],
      action: .serve, reason: "fresh for 1h"),
    // RFC 5861.
    Case(
      name: "RFC 5861 §3 in the window", stored: [control("max-age=40, stale-while-revalidate=60")],
      action: .serveAndValidate, reason: "stale for 1m, within stale-while-revalidate"),
    Case(
      name: "RFC 5861 §3 past the window", stored: [control("max-age=40, stale-while-revalidate=59")],
      action: .validate, reason: "stale for 1m"),
    Case(
      name: "RFC 5861 §3 not with must-revalidate",
      stored: [control("max-age=40, stale-while-revalidate=600, must-revalidate")], action: .validate,
      reason: "stale for 1m, must-revalidate"),
    Case(
      name: "RFC 5861 §3 not with no-cache",
      stored: [control("max-age=40, stale-while-revalidate=600, no-cache")], action: .validate,
      reason: "no-cache"),
    Case(
      name: "RFC 5861 §3 not against the request's max-age",
      stored: [control("max-age=40, stale-while-revalidate=600")], ask: control("max-age=0"),
      action: .validate, reason: "stale for 1m"),
    // Modes.
    Case(
      name: "no-store", stored: [control("max-age=3600")], mode: .noStore, action: .bypass,
      reason: "the request bypasses the cache"),
    Case(name: "reload", stored: [control("max-age=3600")], mode: .reload, action: .fetch, reason: "reload"),
    Case(
      name: "no-cache", stored: [control("max-age=3600")], mode: .noCache, action: .validate,
      reason: "validation was asked for"),
    Case(
      name: "no-cache, immutable and fresh", stored: [control("max-age=3700, immutable")], mode: .noCache,
      action: .validate, reason: "validation was asked for"),
    Case(
      name: "force-cache", stored: [control("max-age=40, must-revalidate")], mode: .forceCache,
      action: .serve, reason: "stale for 1m, served as asked"),
    Case(
      name: "force-cache, nothing stored", stored: [], mode: .forceCache, action: .fetch, reason: "not stored"
    ),
    Case(
      name: "only-if-cached, stale", stored: [control("no-cache")], mode: .onlyIfCached, action: .serve,
      reason: "stale, without a lifetime, served as asked"),
    Case(
      name: "only-if-cached, nothing stored", stored: [], mode: .onlyIfCached, action: .refuse,
      reason: "only-if-cached, and nothing is stored"),
    Case(
      name: "only-if-cached, no-store", stored: [control("max-age=3600")], ask: control("no-store"),
      mode: .onlyIfCached, action: .refuse, reason: "only-if-cached, and no-store in the request"),
    Case(
      name: "only-if-cached, a precondition", stored: [control("max-age=3600")], ask: ["If-Match": "\"a\""],
      mode: .onlyIfCached, action: .refuse,
      reason: "only-if-cached, and the request has a precondition for the origin"),
    Case(
      name: "only-if-cached, POST", stored: [], method: .post, mode: .onlyIfCached, action: .refuse,
      reason: "only-if-cached, and the method POST is not cached"),
    Case(
      name: "POST", stored: [control("max-age=3600")], method: .post, action: .bypass,
      reason: "the method POST is not cached"),
    Case(
      name: "HEAD", stored: [control("max-age=3700")], method: .head, action: .serve, reason: "fresh for 1h"),
  ]

  @Test("action and reason", arguments: cases)
  func decide(_ item: Case) {
    let decision = HTTPCachePolicy.standard.decide(
      stored: item.stored.map { storedResponse($0) }, request: request(item.ask, method: item.method),
      mode: item.mode, now: noon.addingTimeInterval(item.after))
    #expect(decision.action == item.action)
    #expect(decision.reason == item.reason)
  }

  struct Selection: Sendable, CustomTestStringConvertible {
    let vary: String
    let selecting: HTTPHeaders
    let ask: HTTPHeaders
    let isMatch: Bool
    var testDescription: String { "\(vary): \(selecting) / \(ask)" }
  }

  static let selections: [Selection] = [
    Selection(vary: "Accept", selecting: ["accept": "a"], ask: ["Accept": "a"], isMatch: true),
    Selection(vary: "Accept", selecting: ["accept": "a"], ask: ["Accept": "b"], isMatch: false),
    Selection(vary: "Accept", selecting: ["accept": "a"], ask: [:], isMatch: false),
    Selection(vary: "Accept", selecting: [:], ask: ["Accept": "a"], isMatch: false),
    Selection(vary: "Accept", selecting: [:], ask: ["X": "a"], isMatch: true),
    Selection(
      vary: "ACCEPT, X", selecting: ["accept": "a", "x": "b"], ask: ["accept": "a", "x": "b"], isMatch: true),
    Selection(
      vary: "Accept,X", selecting: ["accept": "a", "x": "b"], ask: ["accept": "a", "x": "c"], isMatch: false),
    Selection(vary: "X", selecting: ["x": "a, b"], ask: ["X": "a", "x": "b"], isMatch: true),
    Selection(vary: "X", selecting: ["x": "a, b"], ask: ["X": " a,b"], isMatch: true),
    Selection(vary: "X", selecting: ["x": "a"], ask: ["X": "A"], isMatch: false),
    Selection(
      vary: "Accept-Language", selecting: ["accept-language": "de"], ask: ["Accept-Language": "DE"],
      isMatch: true),
    Selection(
      vary: "Accept-Language", selecting: ["accept-language": "de, en;q=0.5"],
      ask: ["Accept-Language": "en;q=0.5,DE"], isMatch: true),
    Selection(vary: "*", selecting: [:], ask: [:], isMatch: false),
    Selection(vary: "Accept, *", selecting: ["accept": "a"], ask: ["Accept": "a"], isMatch: false),
    Selection(vary: "Cookie", selecting: [:], ask: ["Cookie": "a"], isMatch: true),
  ]

  @Test("Vary (§4.1)", arguments: selections)
  func vary(_ item: Selection) {
    let stored = storedResponse(
      ["Vary": item.vary, "Cache-Control": "max-age=60"], selecting: item.selecting)
    let decision = HTTPCachePolicy.standard.decide(stored: [stored], request: request(item.ask), now: noon)
    #expect(decision.action == (item.isMatch ? .serve : .validate))
    #expect((decision.choice != nil) == item.isMatch)
  }

  @Test("the newest of several matching responses is chosen (§4.1), and one that is dated in the future last")
  func newest() {
    var stored = [-50.0, 0, -90, 100_000].map {
      storedResponse(["Date": dateText($0), "Cache-Control": "max-age=600"])
    }
    stored[3].responseDate += 100_000
    #expect(HTTPCachePolicy.standard.decide(stored: stored, request: request(), now: noon).choice == 1)
  }

  struct Stale: Sendable, CustomTestStringConvertible {
    let control: String
    var ask = ""
    var mode = HTTPCacheMode.default
    let onError: String?
    let offline: String?
    var testDescription: String { "\(control) / \(ask) \(mode)" }
  }

  private static let offline = "stale for 1m, the origin cannot be reached"
  private static let ifError = "stale for 1m, within stale-if-error"

  static let stale: [Stale] = [
    Stale(control: "max-age=40", onError: nil, offline: offline),
    Stale(control: "max-age=40, stale-if-error=60", onError: ifError, offline: ifError),
    Stale(control: "max-age=40, stale-if-error=59", onError: nil, offline: offline),
    Stale(control: "max-age=40", ask: "stale-if-error=60", onError: ifError, offline: ifError),
    Stale(control: "max-age=40, stale-if-error=600, must-revalidate", onError: nil, offline: nil),
    Stale(control: "max-age=40, stale-if-error=600, no-cache", onError: nil, offline: nil),
    Stale(control: "max-age=40, stale-if-error=600", ask: "no-cache", onError: nil, offline: nil),
    Stale(control: "max-age=40, stale-if-error=600", mode: .noCache, onError: nil, offline: nil),
    Stale(control: "max-age=40, stale-if-error=600", mode: .reload, onError: nil, offline: nil),
  ]

  @Test("stale without an origin (RFC 5861 §4, RFC 9111 §4.2.4)", arguments: stale)
  func staleOnError(_ item: Stale) {
    let response = storedResponse(["Cache-Control": item.control])
    let ask = item.ask.isEmpty ? request() : request(["Cache-Control": item.ask])
    func reason(_ isDisconnected: Bool) -> String? {
      HTTPCachePolicy.standard.reasonToServeStale(
        response, request: ask, mode: item.mode, isDisconnected: isDisconnected,
        now: noon.addingTimeInterval(100))
    }
    #expect(reason(false) == item.onError)
    #expect(reason(true) == item.offline)
  }

  @Test(
    "a result may be used offline exactly where the answer that it was made from may",
    arguments: [
      "max-age=40", "max-age=40, must-revalidate", "max-age=40, no-cache",
      "max-age=40, no-cache=\"Set-Cookie\"",
    ])
  func resultsOffline(_ control: String) {
    let response = storedResponse(["Cache-Control": control])
    var strict = HTTPCachePolicy.standard
    strict.servesStaleWhenDisconnected = false
    for policy in [HTTPCachePolicy.standard, strict] {
      let reason = policy.reasonToServeStale(
        response, request: request(), isDisconnected: true, now: noon.addingTimeInterval(100))
      #expect(policy.mayUseOffline(response.cacheControl) == (reason != nil))
    }
  }

  @Test(
    "durations are short",
    arguments: [
      (0.0, "0s"), (59.9, "59s"), (60, "1m"), (119, "1m"), (3600, "1h"), (3720, "1h 2m"), (86_400, "1d"),
      (100_000, "1d 3h"), (-5, "0s"),
    ])
  func durations(_ seconds: Double, _ text: String) {
    #expect(HTTPDurationText.text(seconds) == text)
  }
}
