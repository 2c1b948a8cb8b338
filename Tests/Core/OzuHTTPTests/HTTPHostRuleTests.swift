import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("The rule about hosts")
struct HTTPHostRuleTests {
  private static let addresses = HTTPHostRule.addresses([
    "https://example.com/images/", "http://*.example.com:8080/a*/b", "https://Bare.example.org",
    "https://port.example.org:443/a", "http://port.example.org:80", "http://[::1]:8080/a",
  ])

  @Test(
    "addresses that begin as a pattern says",
    arguments: [
      ("https://example.com/images/a.png", true), ("HTTPS://EXAMPLE.com:443/images/?a=../%2e", true),
      ("https://example.com/images", false), ("https://example.com/Images/a", false),
      ("http://example.com/images/a", false), ("https://example.com:444/images/a", false),
      ("https://example.com.evil.org/images/a", false), ("https://user@example.com/images/a", false),
      ("https://example.com/images/../secret", false), ("https://example.com/images/%2E%2e/secret", false),
      ("https://example.com/images/a%2f../secret", false), ("https://example.com/images/..%5csecret", false),
      ("http://a.example.com:8080/ax/b", true), ("http://a.example.com:8080/a/x/b", false),
      ("http://a/.example.com:8080/a/b", false), ("http://a.example.com/a/b", false),
      ("https://bare.example.org", true), ("https://bare.example.org/any", true),
      ("https://port.example.org/a", true), ("https://port.example.org:443/ab", true),
      ("https://port.example.org:4430/a", false), ("http://port.example.org/any", true),
      ("https://bare.example.org.evil.org/", false), ("ftp://example.com/images/a", false),
      ("http://[::1]:8080/ab", true), ("http://[::1]:8081/a", false), ("http://[::2]:8080/a", false),
    ])
  func addresses(text: String, isAllowed: Bool) {
    #expect(Self.addresses.allows(url(text)) == isAllowed)
  }

  private static let rule = HTTPHostRule.only([
    "example.com", "*.images.example.com", "127.0.0.1", "[::1]", "fd00::7", "*.münchen.de", "*", "a.*.org",
    "*.0.0.1",
  ])

  @Test(
    "allowed",
    arguments: [
      "http://example.com/a", "https://EXAMPLE.com:8443/a", "http://example.com./",
      "http://user:word@example.com/",
      "http://a.images.example.com/", "http://a.b.images.example.com/", "http://127.0.0.1:8080/",
      "http://[::1]/",
      "http://[FD00::7]/", "http://ex%61mple.com/", "http://a.münchen.de/", "http://a.m%C3%BCnchen.de/",
    ])
  func allowed(_ text: String) {
    #expect(Self.rule.allows(url(text)))
  }

  @Test(
    "not allowed",
    arguments: [
      "http://images.example.com/", "http://notexample.com/", "http://example.com.evil.org/",
      "http://evilimages.example.com/", "http://.images.example.com/", "http://a..images.example.com/",
      "http://evil.org%2F.images.example.com/", "http://evil.org%23.images.example.com/",
      "http://evil.org%00.images.example.com/", "http://evil.org%40a.images.example.com/",
      "http://a.images.example.com\\@evil.org/", "http://a.images.example.com@evil.org/", "http://127.1/",
      "http://2130706433/", "http://127.0.0.2/", "http://1.0.0.1/", "http://[::2]/",
      "http://[0:0:0:0:0:0:0:1]/",
      "http://a.b.org/", "http://example.com../", "/relative", "http://münchen.de/", "http://*/",
    ])
  func notAllowed(_ text: String) {
    #expect(!Self.rule.allows(url(text)))
  }

  @Test("without patterns no host is allowed; without a rule every host is")
  func extremes() {
    #expect(!HTTPHostRule.only([]).allows(url("http://example.com/")))
    #expect(HTTPHostRule.any.allows(url("http://evil.org%2F.example.com/")))
    #expect(HTTPClientConfiguration().hostRule == .any)
  }

  @Test(
    "each hop of a chain of redirects is checked, whether the client or a cache follows it",
    arguments: [true, false])
  func redirects(isByCache: Bool) async throws {
    let server = try LoopbackServer()
    let client = directClient { $0.hostRule = .only(["127.0.0.1"]) }
    let error = await redirectFailure(of: client, from: server, toHost: "localhost", isByCache: isByCache)
    #expect(error == HTTPError(.hostNotAllowed("localhost"), url: server.url("/secret", host: "localhost")))
    #expect(error?.message == "localhost is not one of the allowed hosts")
    #expect(server.requests.map(\.path) == ["/one", "/two"])
  }

  @Test("the first request to a host that is not allowed is not sent, and its name is not looked up")
  func firstRequest() async throws {
    let server = try LoopbackServer()
    let client = directClient { $0.hostRule = .only(["example.com"]) }
    for address in [server.url("/"), url("http://does-not-exist.invalid/")] {
      let host = try #require(address.host())
      #expect(await failure(of: HTTPRequest(url: address), by: client) == .hostNotAllowed(host))
    }
    #expect(server.connectionCount == 0)
  }

  @Test("a refused request is neither retried nor answered with a stale response")
  func meaning() {
    let error = HTTPError(.hostNotAllowed("evil.org"))
    #expect(!error.isDisconnection)
    #expect(!HTTPRetryPolicy.standard.isTransient(error.reason))
  }
}
