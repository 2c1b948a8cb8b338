import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Messages of errors")
struct HTTPMessageTests {
  private static let page = url("http://host.example/a")

  @Test(
    "state the failure, the host, and the remedy",
    arguments: [
      (
        HTTPError(.proxyFailed(proxy: "10.0.0.1:3128", why: "refused the connection"), url: page),
        "the proxy 10.0.0.1:3128 refused the connection, on the way to http://host.example/a; check http_proxy and "
          + "https_proxy, or the client's setting"
      ),
      (
        HTTPError(.nameNotResolved, url: url("http://m%C3%BCnchen.example/")),
        "the name münchen.example could not be resolved; check its spelling and the connection to the network"
      ),
      (
        HTTPError(.connectionRefused, url: url("http://[::1]:8080/a?b")),
        "[::1] refused the connection for http://[::1]:8080/a?…; is a server running there?"
      ),
      (
        HTTPError(.connectionLost, url: url("http://user:word@m%C3%BCnchen.example:81/a")),
        "münchen.example closed the connection before answering http://münchen.example:81/a"
      ),
      (
        HTTPError(.invalidURL, url: url("http://host.example:99999/")),
        "the port 99999 of http://host.example:99999/ is not between 1 and 65535"
      ),
      (
        HTTPError(.addressRefused("fd00::1"), url: page),
        "host.example is at fd00::1, which is not a public address"
      ),
      (
        HTTPError(.redirectRefused(location: "x://\u{1B}]0;evil\u{07}\u{9B}1m\u{202E}/\r\n"), url: page),
        "http://host.example/a redirects to \"x://\\u001b]0;evil\\u0007\\u009b1m\\u202e/\\u000d\n\", which is not followed"
      ),
      (
        HTTPError(.tlsFailed("x"), url: url("https://a%0Ab.example/")),
        "no secure connection to a%0Ab.example: x"
      ),
    ])
  func messages(_ error: HTTPError, _ text: String) {
    #expect(error.message == text)
  }

  @Test(
    "control characters are written as numbers; line feeds and tabs stay",
    arguments: [
      ("plain é 🙂 \t\n", "plain é 🙂 \t\n"), ("\u{1B}[31m", "\\u001b[31m"),
      ("\0\u{7F}\u{85}", "\\u0000\\u007f\\u0085"),
      ("a\r\nb", "a\\u000d\nb"), ("\u{2066}\u{200F}\u{2028}", "\\u2066\\u200f\\u2028"),
    ])
  func printable(_ text: String, _ escaped: String) {
    #expect(PrintableText.escaped(text) == escaped)
  }

  #if os(Linux)
    @Test("a proxy that refuses is named, and not the origin")
    func refusingProxy() async throws {
      // Nobody listens there, and the system gives it to no server of another test.
      let client = directClient { $0.proxy = .url(url("http://127.0.0.1:1")) }
      for origin in ["http://origin.example/", "https://origin.example/"] {
        let reason = await failure(of: HTTPRequest(url: url(origin), timeouts: .patient), by: client)
        #expect(reason == .proxyFailed(proxy: "127.0.0.1:1", why: "refused the connection"))
      }
    }

    @Test(
      "a proxy that refuses the tunnel is named with its answer",
      arguments: [(403, "answered 403"), (407, "answered 407 (it wants a name and a password)")])
    func answeringProxy(status: Int, why: String) async throws {
      let server = try LoopbackServer()
      server.routeRest { _ in .status(status) }
      let client = directClient { $0.proxy = .url(server.url("/")) }
      let reason = await failure(
        of: HTTPRequest(url: url("https://origin.example/"), timeouts: .patient), by: client)
      #expect(reason == .proxyFailed(proxy: "127.0.0.1:\(server.port)", why: why))
      #expect(server.requests.first?.method == "CONNECT")
    }

    @Test(
      "the proxy of the environment is named, unless the connection was to another port",
      arguments: [
        (["http_proxy": "http://u:w@10.0.0.1:3128/"], 3128, "10.0.0.1:3128"),
        (["http_proxy": "10.0.0.1:3128"], 3128, "10.0.0.1:3128"),
        (["http_proxy": "10.0.0.1:3128"], nil, "10.0.0.1:3128"),
        (["http_proxy": "http://10.0.0.1:3128"], 80, nil),
        (["HTTP_PROXY": "http://10.0.0.1:3128"], 3128, nil),
        (["https_proxy": "http://10.0.0.1:3128"], 3128, nil),
        (["all_proxy": "http://[fd00::1]:3128"], 3128, "[fd00::1]:3128"),
        (["http_proxy": "", "ALL_PROXY": "http://10.0.0.1"], 1080, "10.0.0.1:1080"),
        ([:], 80, nil),
      ] as [([String: String], Int?, String?)])
    func environment(_ variables: [String: String], connectingPort: Int?, proxy: String?) throws {
      let origin = try HTTPOrigin(of: url("http://origin.example/"))
      let text = CurlProxyName.text(
        HTTPClientConfiguration(), origin: origin, connectingPort: connectingPort, environment: variables)
      #expect(text == proxy)
    }
  #endif
}
