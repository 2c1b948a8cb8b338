#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Chains of redirects and odd `Location`s (RFC 9110 §15.4).
  enum HostileRedirects {
    static let cases = chains + refused + followed

    private static let chains: [HostileCase] = [
      chain("hops-10", "ten hops", 10, .taken()),
      chain("hops-11", "eleven hops", 11, .refused(.redirectCount)),
      HostileCase("loop", "a redirect to itself", .refused(.redirectCount)) { stage in
        stage.server.route("/a", .redirect(to: "/a"))
        return await stage.get("/a")
      },
      HostileCase("loop-fragment", "a redirect to a fragment of itself", .refused(.redirectCount)) { stage in
        stage.server.route("/a", .redirect(to: "#b"))
        return await stage.get("/a")
      },
      HostileCase("loop-of-two", "two addresses that lead to each other", .refused(.redirectCount)) { stage in
        stage.server.route("/a", .redirect(to: "/b", status: 301))
        stage.server.route("/b", .redirect(to: "/a", status: 308))
        return await stage.get("/a")
      },
    ]

    private static func chain(
      _ name: String, _ what: String, _ count: Int, _ verdict: HostileVerdict
    ) -> HostileCase {
      HostileCase(name, what, verdict) { stage in
        stage.server.routeRest { request in
          let hop = Int(request.path.dropFirst(2)) ?? 0
          return hop < count ? .redirect(to: "/a\(hop + 1)") : .ok(HostileStage.picture)
        }
        return await stage.get("/a0")
      }
    }

    private static let refused: [HostileCase] = [
      ("to-file", "file:///etc/passwd"), ("to-data", "data:text/plain,a"), ("to-ftp", "ftp://127.0.0.1/a"),
      ("to-gopher", "gopher://127.0.0.1/1"), ("to-javascript", "javascript:alert(1)"),
      ("to-no-host", "http:///a"),
      ("to-nothing", "http://"), ("to-empty", ""), ("to-port-99999", "http://127.0.0.1:99999/"),
      ("to-port-word", "http://127.0.0.1:http/"),
    ].map { name, location in
      HostileCase(
        name, location.isEmpty ? "a redirect to nothing" : "a redirect to `\(location)`",
        .seen("refused: redirect refused, after one request")
      ) { stage in
        stage.server.route("/a", .redirect(to: location))
        return .seen(
          "\(await stage.get("/a")), after \(stage.server.requestCount == 1 ? "one request" : "more")")
      }
    }

    private static let followed: [HostileCase] = [
      location("to-query", "?q=1", "/d/a?q=1"), location("to-relative", "b", "/d/b"),
      location("to-dots", "./../../../b", "/b"), location("to-space", "/b c", "/b%20c"),
      location("to-letters", "/\u{FC}", "/%C3%BC"), location("to-backslash", "/\\b", "/%5Cb"),
      location("to-percent-nul", "/%00", "/%00"),
      location("to-percent-line", "/%0d%0aX:%201", "/%0d%0aX:%201"),
      location("to-upper-case-scheme", "HTTP://{A}/b", "/b"),
      HostileCase("to-twice", "two `Location`s, of which the first counts", .seen("/first")) { stage in
        stage.server.route("/a", LoopbackResponse.redirect(to: "/first").header("Location", "/second"))
        return await target(stage, from: "/a")
      },
    ]

    // The path that is asked for in the end.
    private static func location(_ name: String, _ location: String, _ path: String) -> HostileCase {
      HostileCase(
        name, "a redirect to `\(location.replacing("{A}", with: "origin"))`", .seen(path)
      ) { stage in
        let place = location.replacing("{A}", with: "127.0.0.1:\(stage.server.port)")
        stage.server.route("/d/a", .redirect(to: place))
        return await target(stage, from: "/d/a")
      }
    }

    private static func target(_ stage: HostileStage, from path: String) async -> HostileVerdict {
      let outcome = await stage.get(path)
      guard let last = stage.server.requests.last, last.path + (last.query ?? "") != path else {
        return outcome
      }
      return .seen(last.path + (last.query.map { "?" + $0 } ?? ""))
    }
  }
#endif
