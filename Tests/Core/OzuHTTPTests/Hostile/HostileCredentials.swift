#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Fields that must not reach another origin, and text that must not be written into a request.
  enum HostileCredentials {
    static let cases = fields + others + injections + locations

    private static let secrets: HTTPHeaders = [
      "Authorization": "secret", "Cookie": "secret", "Cookie2": "secret", "Proxy-Authorization": "secret",
    ]

    private static let fields: [HostileCase] = secrets.map(\.name).map { name in
      HostileCase(
        "\(name.lowercased())-elsewhere", "a redirect to another port, with `\(name)` in the request",
        .seen("kept from it")
      ) { stage in
        let other = try LoopbackServer()
        other.route("/b", .ok(Data()))
        stage.server.route("/a", .redirect(to: other.url("/b").absoluteString))
        var request = HTTPRequest(url: stage.server.url("/a"), timeouts: .patient)
        request.headers[name] = "secret"
        _ = await stage.outcome(of: request)
        guard let seen = other.requests.first else { return .seen("no request") }
        return .seen(seen.headers.contains(name: name) ? "sent to it" : "kept from it")
      }
    }

    private static let others: [HostileCase] = [
      HostileCase(
        "host-elsewhere", "a redirect to another port, with a `Host` of one's own", .seen("its own Host")
      ) {
        stage in
        let other = try LoopbackServer()
        other.route("/b", .ok(Data()))
        stage.server.route("/a", .redirect(to: other.url("/b").absoluteString))
        _ = await stage.outcome(
          of: HTTPRequest(
            url: stage.server.url("/a"), headers: ["Host": "inside.example"], timeouts: .patient))
        let host = other.requests.first?.headers["Host"]
        return .seen(host == "127.0.0.1:\(other.port)" ? "its own Host" : "\(host ?? "no") Host")
      },
      HostileCase(
        "back-again", "a redirect elsewhere and back, with credentials", .seen("none on the way back")
      ) { stage in
        let other = try LoopbackServer()
        stage.server.route("/a", .redirect(to: other.url("/b").absoluteString))
        other.route("/b", .redirect(to: stage.server.url("/c").absoluteString))
        _ = await stage.outcome(
          of: HTTPRequest(url: stage.server.url("/a"), headers: secrets, timeouts: .patient))
        let last = stage.server.requests(for: "/c").first
        return .seen("\(last.map { carriesSecret($0) ? "some" : "none" } ?? "no request") on the way back")
      },
      HostileCase("same-origin", "a redirect within the origin, with credentials", .seen("they go along")) {
        stage in
        stage.server.route("/a", .redirect(to: "/b"))
        _ = await stage.outcome(
          of: HTTPRequest(url: stage.server.url("/a"), headers: secrets, timeouts: .patient))
        return .seen(
          stage.server.requests(for: "/b").first.map(carriesSecret) == true ? "they go along" : "none")
      },
      HostileCase("set-cookie", "`Set-Cookie`, then another request", .seen("no cookie is sent")) { stage in
        stage.server.route("/a", LoopbackResponse.ok(Data()).header("Set-Cookie", "a=b; Path=/"))
        for _ in 0..<2 { _ = await stage.get("/a") }
        let hasCookie = stage.server.requests.contains { $0.headers.contains(name: "Cookie") }
        return .seen(hasCookie ? "a cookie is sent" : "no cookie is sent")
      },
      HostileCase(
        "password-elsewhere", "a redirect to another port, with a password in the URL", .seen("kept from it")
      ) {
        stage in
        let other = try LoopbackServer()
        stage.server.route("/a", .redirect(to: other.url("/b").absoluteString))
        _ = await stage.outcome(
          of: HTTPRequest(url: url("http://user:word@127.0.0.1:\(stage.server.port)/a"), timeouts: .patient))
        guard let seen = other.requests.first, stage.server.requests.first.map(carriesSecret) == true else {
          return .seen("no request")
        }
        return .seen(carriesSecret(seen) ? "sent to it" : "kept from it")
      },
    ]

    private static func carriesSecret(_ request: LoopbackRequest) -> Bool {
      secrets.contains { request.headers.contains(name: $0.name) }
    }

    private static let injections: [HostileCase] = [
      injection("line-in-value", "a line break in the value of a field") { $0.headers["X"] = "a\r\nY: b" },
      injection("nul-in-value", "a NUL in the value of a field") { $0.headers["X"] = "a\0b" },
      injection("line-in-name", "a line break in the name of a field") { $0.headers["X\r\nY"] = "a" },
      injection("space-in-method", "a space in the method") { $0.method = HTTPMethod(rawValue: "GET /b") },
    ]

    private static func injection(
      _ name: String, _ what: String, _ change: @escaping @Sendable (inout HTTPRequest) -> Void
    ) -> HostileCase {
      HostileCase(name, what, .seen("refused: invalid request, and nothing sent")) { stage in
        var request = HTTPRequest(url: stage.server.url("/a"), timeouts: .patient)
        change(&request)
        let verdict = await stage.outcome(of: request)
        return .seen("\(verdict), and \(stage.server.connectionCount == 0 ? "nothing" : "something") sent")
      }
    }

    /// Where parsers of addresses have differed. A is the origin that the credentials are for, B another.
    private static let odd = [
      "http://{B}/", "http://{A}@{B}/", "http://{B}#@{A}/", "http://{B}?@{A}/", "http://{B}\\@{A}/",
      "http://{A}\\@{B}/", "\\\\{B}/", "//{B}/", "/\\{B}/", "////{B}/", "http:\\\\{B}/", "http:/{B}/",
      "http:{B}/",
      "http:////{B}/", "HTTP://{B}/", " http://{B}/", "\thttp://{B}/", "http://{A}\t@{B}/",
      "http://{A}%00@{B}/",
      "http://{A}%40{B}/", "http://{A}%2F@{B}/", "http://{A}%23@{B}/", "http://{A};@{B}/", "http://{A}&@{B}/",
      "http://user:word@{B}/", "http://{A}:word@{B}/", "http://[::ffff:127.0.0.1]:{PB}/",
      "http://127.1:{PB}/",
      "http://localhost:{PA}/", "http://127.0.0.2:{PA}/", "http://127.0.0.1.:{PA}/", "http://127.0.0.1:{PB}",
    ]

    private static let locations: [HostileCase] = odd.enumerated().map { number, location in
      let shown = location.replacing("\t", with: "(tab)").replacing(" ", with: "(space)")
        .replacing("{PA}", with: "port of A").replacing("{PB}", with: "port of B").replacing("{A}", with: "A")
        .replacing("{B}", with: "B")
      return HostileCase(
        "odd-location-\(number + 1)", "a redirect to `\(shown)`", .seen("no credential leaves the origin")
      ) { stage in
        let other = try LoopbackServer()
        other.routeRest { _ in .ok(Data()) }
        let place =
          location
          .replacing("{A}", with: "127.0.0.1:\(stage.server.port)")
          .replacing("{B}", with: "127.0.0.1:\(other.port)")
          .replacing("{PA}", with: "\(stage.server.port)").replacing("{PB}", with: "\(other.port)")
        stage.server.route("/a", .redirect(to: place))
        _ = await stage.outcome(
          of: HTTPRequest(url: stage.server.url("/a"), headers: secrets, timeouts: .patient))
        let own = "127.0.0.1:\(stage.server.port)"
        // Another name for the origin's own address is another origin.
        let strangers = other.requests + stage.server.requests.filter { $0.headers["Host"] != own }
        let leaks = strangers.flatMap { request in
          secrets.filter { request.headers.values(for: $0.name).contains("secret") }
        }
        return .seen(leaks.isEmpty ? "no credential leaves the origin" : "\(leaks[0].name) leaves the origin")
      }
    }
  }
#endif
