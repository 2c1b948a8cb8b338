import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("The playground", .timeLimit(.minutes(5)))
struct PlaygroundTests {
  static let secret = "a-token-for-a-test"
  static let bearer: HTTPHeaders = ["Authorization": "Bearer \(secret)"]

  static let rules: AddressRules = {
    guard
      var rules = try? AddressRules(keys: [AddressKey(hexKey: String(repeating: "0a", count: 32), salt: "0b")]
      )
    else { preconditionFailure("a constant") }
    rules.sources = ["https://origin.test/pictures/"]
    try? rules.definePreset("thumb", options: "rs:fill:16:12")
    return rules
  }()

  static func fixture(
    _ rules: AddressRules = rules, stores: [any ImageStoring] = [], clock: ManualClock = ManualClock()
  ) throws -> ServiceFixture {
    let page = try Playground(SignedAddresses(rules), token: secret)
    return try ServiceFixture(clock: clock, stores: stores) {
      $0.playground = page
      $0.pipeline.testing.now = clock.now
    }
  }

  static func upload(_ data: Data, _ fixture: ServiceFixture) async throws -> String {
    var request = ServiceRequest(method: "POST", target: "/playground/uploads", headers: bearer)
    request.body = data
    let answer = await fixture.service.respond(to: request)
    #expect(answer.status == 200)
    return try #require(try json(answer)["key"] as? String)
  }

  private static func json(_ answer: ServiceResponse) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
  }

  static func address(_ source: String, _ options: String, format: String = "") -> String {
    let text = [source, options].map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    return "/playground/address?source=\(text[0])&options=\(text[1])&format=\(format)"
  }

  @Test("exists only if it is configured")
  func off() async throws {
    let fixture = try ServiceFixture()
    for target in ["/", "/playground/settings", "/playground/uploads", "/playground/picture?upload=a"] {
      #expect(await fixture.get(target, Self.bearer).status == 404)
    }
    #expect(await fixture.get("/playground/uploads", Self.bearer, method: "POST").status == 405)
  }

  @Test("the page contains no secret, loads nothing, and runs only its own script")
  func page() async throws {
    let fixture = try Self.fixture()
    let answer = await fixture.get("/")
    #expect(answer.status == 200 && answer.headers["Cache-Control"] == "no-store")
    let policy = try #require(answer.headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; connect-src 'self'; "))
    #expect(policy.contains("script-src 'sha256-") && policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(!text.contains(Self.secret) && !text.contains("src=\"http") && !text.contains("@import"))
    #expect(!text.contains(" style=") && !text.contains(" onclick="))
    #expect(await fixture.get("/", Self.bearer, method: "POST").status == 405)
  }

  @Test(
    "without the token only the page is answered",
    arguments: [
      nil, "Bearer", "Bearer ", "Bearer a-token-for-a-tes", "Bearer a-token-for-a-test2", "Basic \(secret)",
      "Bearer  \(secret)", "Digest \(secret)", "Bearer\t\(secret)",
    ])
  func token(field: String?) async throws {
    let fixture = try Self.fixture()
    let headers: HTTPHeaders = field.map { ["Authorization": $0] } ?? [:]
    for target in [
      "settings", "address?source=https://origin.test/pictures/a.png", "picture?upload=a", "else",
    ] {
      let answer = await fixture.get("/playground/\(target)", headers)
      #expect(answer.status == 401 && answer.headers["WWW-Authenticate"] == "Bearer")
    }
    #expect(await fixture.get("/playground/uploads", headers, method: "POST").status == 401)
    #expect(await fixture.get("/playground/settings?token=\(Self.secret)", headers).status == 401)
    var twice = Self.bearer
    twice.add(name: "Authorization", value: "Bearer \(Self.secret)")
    #expect(await fixture.get("/playground/settings", twice).status == 401)
    let refused = ServiceRequest(method: "POST", target: "/playground/uploads", headers: headers)
    let rule = try #require(fixture.service.uploads)
    #expect(rule.refusal(of: refused, 1, beside: 0)?.status == 401)
  }

  @Test("the whole token is compared, not only the beginning of its digest")
  func wholeToken() async throws {
    let token = try PlaygroundToken(Self.secret)
    let first = SHA256.digest(of: Array(Self.secret.utf8)).first
    let others = (0..<5000).map { "a-token-\($0)" }
      .filter { SHA256.digest(of: Array($0.utf8)).first == first }
    #expect(others.count > 4)
    for other in others + [Self.secret] {
      let request = ServiceRequest(
        method: "GET", target: "/", headers: ["Authorization": "bearer \(other)"])
      #expect(token.isSent(by: request) == (other == Self.secret))
    }
  }

  @Test(
    "a token that could be guessed, or that cannot be in an address, is refused",
    arguments: [
      "", "short", "fifteen-letters", "with a blank in it", String(repeating: "a", count: 257),
      "a-token-for-a-tést", "a-token-for-a-test#",
    ])
  func weakTokens(token: String) {
    #expect(throws: ServiceConfigurationError.weakPlaygroundToken) {
      _ = try Playground(SignedAddresses(Self.rules), token: token)
    }
  }

  @Test("made tokens differ and are strong enough")
  func madeTokens() throws {
    let tokens = Set((0..<100).map { _ in Playground.makeToken() })
    #expect(tokens.count == 100)
    for token in tokens { _ = try Playground(SignedAddresses(Self.rules), token: token) }
  }

  @Test("gives the rules to the page")
  func settings() async throws {
    let fixture = try Self.fixture()
    let settings = try Self.json(await fixture.get("/playground/settings", Self.bearer))
    #expect(settings["presets"] as? [String: String] == ["thumb": "rs:fill:16:12"])
    #expect(settings["isSigned"] as? Bool == true && settings["quality"] as? Int == 80)
  }

  @Test(
    "signs only addresses that the service will answer",
    arguments: [
      ("https://origin.test/pictures/a.png", "rs:fill:16:12/q:70", "webp", 200),
      ("https://origin.test/pictures/a.png", "", "", 200),
      ("https://origin.test/pictures/a.png", "pr:thumb", "", 200),
      ("https://origin.test/pictures/a.png?b=c@d", "w:9", "png", 200),
      ("https://origin.test/secret/a.png", "", "", 403), ("https://other.test/pictures/a.png", "", "", 403),
      ("file:///etc/passwd", "", "", 403), ("origin.test", "", "", 400), ("", "", "", 400),
      ("https://origin.test/pictures/a.png", "rs:force:16:0", "", 200),
      ("https://origin.test/pictures/a.png", "w:5000", "", 400),
      ("https://origin.test/pictures/a.png", "raw:1", "", 200),
      ("https://origin.test/pictures/a.png", "pr:none", "", 400),
      ("https://origin.test/pictures/a.png", "", "bmp", 400),
      ("https://origin.test/pictures/a.png", "exp:1", "", 404),
      // Options with another source in them.
      ("https://origin.test/pictures/a.png", "w:9/plain/https://origin.test/pictures/b.png", "", 400),
      ("https://origin.test/pictures/a.png", "w:9/plain/https:%2F%2Fother.test%2F", "", 403),
      ("https://origin.test/pictures/a.png", "w:9?", "", 400),
      ("https://origin.test/pictures/a.png", "w:9 ", "", 400),
      // Options that may contain any text.
      ("https://origin.test/pictures/a.png", "cb:a-b", "", 200),
      ("https://origin.test/pictures/a.png", "cb:a b", "", 400),
      ("https://origin.test/pictures/a.png", "cb:ä", "", 400),
      ("https://origin.test/pictures/a.png", "cb:a\u{7F}", "", 400),
      ("https://origin.test/pictures/a.png", "cb:a?b", "", 400),
      ("https://origin.test/pictures/a.png", "cb:a#b", "", 400),
      ("https://origin.test/pictures/a.png", "cb:a@b", "", 400),
    ])
  func signing(source: String, options: String, format: String, status: Int) async throws {
    let fixture = try Self.fixture(clock: ManualClock(date: Date(timeIntervalSince1970: 1_000_000)))
    let answer = await fixture.get(Self.address(source, options, format: format), Self.bearer)
    #expect(answer.status == status, "\(String(decoding: answer.body, as: UTF8.self))")
    guard status == 200 else { return }
    let path = try #require(try Self.json(answer)["path"] as? String)
    let address = try ImageAddress(path, rules: Self.rules, now: Date())
    #expect(address.source.absoluteString == source)
    #expect(path.hasPrefix("/") && path.contains("/\(options)"))
  }

  @Test(
    "signs a source whose beginning stands for another one as it is written",
    arguments: ["cats/a.png", "https://old.test/a.png", "a.png"])
  func rewritten(source: String) async throws {
    let folder = "https://origin.test/pictures/"
    var rules = Self.rules
    rules.base = try AddressRewrite(to: folder)
    rules.rewrites = [
      try AddressRewrite("cats/", to: folder), try AddressRewrite("https://old.test/", to: folder),
    ]
    let answer = await (try Self.fixture(rules)).get(Self.address(source, "w:9"), Self.bearer)
    let path = try #require(try Self.json(answer)["path"] as? String)
    #expect(path.hasSuffix("/w:9/plain/\(source)"))
    let address = try ImageAddress(path, rules: rules, now: Date())
    #expect(address.source.absoluteString == "\(folder)a.png")
  }

  @Test("gives addresses with the prefix of the settings, which are answered")
  func prefix() async throws {
    let page = try Playground(SignedAddresses(Self.rules), token: Self.secret)
    let fixture = try ServiceFixture(addressing: SignedAddresses(Self.rules)) {
      $0.playground = page
      $0.pathPrefix = "/p"
    }
    try fixture.serve("pictures/a.png")
    let answer = await fixture.get(
      Self.address("https://origin.test/pictures/a.png", "w:9"), Self.bearer)
    let path = try #require(try Self.json(answer)["path"] as? String)
    #expect(await fixture.get(path).status == 200)
  }

  @Test("if only presets are allowed, it signs only presets")
  func onlyPresets() async throws {
    var rules = Self.rules
    rules.onlyPresets = true
    let fixture = try Self.fixture(rules)
    let source = "https://origin.test/pictures/a.png"
    #expect(await fixture.get(Self.address(source, "thumb"), Self.bearer).status == 200)
    #expect(await fixture.get(Self.address(source, "w:9"), Self.bearer).status == 400)
  }
}
