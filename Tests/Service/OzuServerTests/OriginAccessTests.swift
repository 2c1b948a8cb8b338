import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Private origins and rewritten addresses")
struct OriginAccessTests {
  private static func fields() throws -> [OriginFields] {
    [
      try OriginFields("https://private.test/images/", ["Authorization": "Bearer secret"]),
      try OriginFields("https://private.test/", ["X-Api-Key": "secret"]),
    ]
  }

  /// Which fields the requests of a chain of redirects have, for each address of the chain.
  @Test(
    "the fields of an origin are sent with the address that is asked for, and after no redirect",
    arguments: [
      (["https://private.test/images/a"], [2]), (["https://private.test/other/a"], [1]),
      (["https://public.test/a"], [0]), (["https://private.test.evil.test/images/a"], [0]),
      (["http://private.test/images/a"], [0]), (["https://private.test/images/../a"], [0]),
      (["https://private.test/images/a", "https://evil.test/a"], [2, 0]),
      (["https://private.test/images/a", "https://private.test/images/b"], [2, 0]),
      (["https://evil.test/a", "https://private.test/images/a"], [0, 0]),
      (
        ["https://private.test/images/a", "https://evil.test/a", "https://private.test/images/b"], [2, 0, 0]
      ),
    ] as [([String], [Int])])
  func redirects(chain: [String], counts: [Int]) async throws {
    let network = FakeHTTPClient()
    for (from, to) in zip(chain, chain.dropFirst()) {
      network.reply(
        to: try #require(URL(string: from)),
        with: .status(302, headers: ["Location": to, "Cache-Control": "max-age=600"]))
    }
    network.reply(
      to: try #require(URL(string: chain[chain.count - 1])),
      with: .ok(try ServiceFixture.picture(), type: "image/png").header("Cache-Control", "max-age=600"))
    let access = OriginAccess(fields: try Self.fields())
    var rules = AddressTests.openRules
    rules.access = access
    let lines = Mutex<[String]>([])
    let fixture = try ServiceFixture(network: network, addressing: SignedAddresses(rules)) {
      $0.pipeline.use(access)
      $0.log = { record in lines.withLock { $0.append(record.jsonLine) } }
    }
    let answer = await fixture.get("/x/plain/\(chain[0])@png")
    #expect(answer.status == 200)
    // With credentials too the picture is for everybody: the settings say who may ask for it.
    #expect(answer.headers["Cache-Control"] == "public, max-age=600")
    #expect(network.requests.map(\.url.absoluteString) == chain)
    let sent = network.requests.map { request in
      request.headers.count { ["Authorization", "X-Api-Key"].contains($0.name) }
    }
    #expect(sent == counts)
    #expect(network.requests.allSatisfy { $0.headers[OriginAccess.markName] == nil })
    #expect(!lines.withLock { $0 }.joined().contains("secret"))
  }

  @Test(
    "what cannot be a beginning or a field is refused, without its value in the message",
    arguments: [
      ("private.test/", "A", "secret"), ("ftp://private.test/", "A", "secret"),
      ("https://*.test/", "A", "secret"),
      ("https:///", "A", "secret"), ("https://private.test/", "A b", "secret"),
      ("https://private.test/", "A", "secret\r\nB: c"), ("https://private.test/", "", "secret"),
    ])
  func wrongFields(prefix: String, name: String, value: String) {
    let error = #expect(throws: AddressRulesError.self) { try OriginFields(prefix, [name: value]) }
    #expect(error?.description.contains("secret") == false)
  }

  @Test(
    "a source is rewritten once, and the rules apply to the result",
    arguments: [
      ("a.png", "https://cdn.test/images/a.png"), ("/a.png", "https://cdn.test/images/a.png"),
      ("b/c d.png", "https://cdn.test/images/b/c%20d.png"),
      ("//evil.test/a", "https://cdn.test/images/evil.test/a"),
      ("cats/a.png", "https://cats.test/a.png"),
      ("cats//evil.test/a.png", "https://cats.test/evil.test/a.png"),
      ("https://old.test/a.png", "https://cdn.test/old/a.png"),
      ("pets/cats/a.png", "local://photos/cats/a.png"),
      ("https://cdn.test/images/a.png", "https://cdn.test/images/a.png"),
      // Out of the beginning, to another host, and to what the rules do not allow.
      ("../a.png", nil), ("%2e%2e/a.png", nil), ("b/..\\..\\a.png", nil), ("cats/../a.png", nil),
      ("pets/../a.png", nil), ("inner/a.png", nil), ("https://evil.test/a.png", nil),
      ("@evil.test/a", "https://cdn.test/images/@evil.test/a"),
      (":80/a", "https://cdn.test/images/:80/a"),
    ] as [(String, String?)])
  func rewrites(text: String, source: String?) throws {
    let rules = try AddressTests.open {
      $0.sources = ["https://cdn.test/", "https://cats.test/"]
      $0.folders = ["photos"]
      $0.base = try AddressRewrite(to: "https://cdn.test/images/")
      $0.rewrites = [
        try AddressRewrite("cats/", to: "https://cats.test/"),
        try AddressRewrite("https://old.test/", to: "https://cdn.test/old/"),
        try AddressRewrite("pets/", to: "local://photos/"),
        try AddressRewrite("inner/", to: "https://127.0.0.1/"),
      ]
    }
    let target = "/x/\(Base64URL.text(of: Array(text.utf8)))"
    do throws(AddressRefusal) {
      let address = try ImageAddress(target, rules: rules, now: AddressTests.now)
      #expect(address.source.absoluteString == source)
    } catch {
      #expect(source == nil && error.status == 403, "\(error)")
    }
  }

  @Test(
    "a rewrite ends with a slash, and leads to what can be a source",
    arguments: [
      "https://cdn.test", "cdn.test/", "", "https://cdn.test/?a=/", "ftp://cdn.test/", "https:///",
      "https://u:p@cdn.test/", "file:///srv/",
    ])
  func wrongRewrites(replacement: String) {
    #expect(throws: AddressRulesError.self) { try AddressRewrite("a", to: replacement) }
  }
}
