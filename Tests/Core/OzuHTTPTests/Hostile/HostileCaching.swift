#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Answers that a cache stores and serves again, or does not (RFC 9111, RFC 5861).
  enum HostileCaching {
    static let cases = stored + stale + modes

    /// Two requests, with `wait` seconds after each. The origin gives its replies in turn, and repeats the last.
    private static func cached(
      _ name: String, _ what: String, _ verdict: String, after wait: Double = 30,
      mode: HTTPCacheMode = .default,
      _ replies: FakeHTTPReply...
    ) -> HostileCase {
      HostileCase(name, what, .seen(verdict)) { _ in
        let fixture = CacheFixture()
        fixture.client.reply(to: CacheFixture.url, with: replies)
        var places: [String] = []
        for number in 0..<2 {
          do {
            let answer = try await fixture.get(mode: number == 0 ? .default : mode)
            places.append((answer.status == 200 ? "" : "\(answer.status) ") + answer.decision.place.rawValue)
          } catch let error as HTTPError {
            places.append("\(HostileVerdict.refused(.init(error.reason)))")
          }
          fixture.clock.advance(by: .seconds(wait))
        }
        await fixture.cache.backgroundValidations()
        return .seen(places.joined(separator: ", then "))
      }
    }

    private static func reply(_ headers: HTTPHeaders) -> FakeHTTPReply {
      .text("a", headers.contains(name: "Date") ? headers : headers.adding("Date", dateText()))
    }

    private static func control(_ value: String) -> FakeHTTPReply { reply(["Cache-Control": value]) }
    private static let twice = "network, then network"
    private static let again = "network, then cache"

    private static let stored: [HostileCase] = [
      cached("cache-max-age", "`max-age=60`", again, control("max-age=60")),
      cached(
        "cache-private", "`private`, which is meant for one user", again, control("private, max-age=60")),
      cached("cache-no-store", "`no-store`", twice, control("no-store, max-age=60")),
      cached("cache-vary-star", "`Vary: *`", twice, reply(["Vary": "*", "Cache-Control": "max-age=60"])),
      cached(
        "cache-set-cookie", "`Set-Cookie` beside a lifetime", again,
        reply(["Set-Cookie": "a=b", "Cache-Control": "max-age=60"])),
      cached(
        "cache-age", "`Age: 100` beside `max-age=60`", twice,
        reply(["Age": "100", "Cache-Control": "max-age=60"])),
      cached("cache-expires-0", "`Expires: 0`", twice, reply(["Expires": "0"])),
      cached(
        "cache-expires-2100", "`Expires` in the year 2100", again,
        reply(["Expires": "Fri, 01 Jan 2100 00:00:00 GMT"])),
      cached("cache-misspelt", "`max-age=sixty`", twice, control("max-age=sixty")),
      cached(
        "cache-clock-ahead", "a `Date` a day ahead", again,
        reply(["Date": dateText(86_400), "Cache-Control": "max-age=60"])),
      cached(
        "cache-clock-behind", "a `Date` a day behind", twice,
        reply(["Date": dateText(-86_400), "Cache-Control": "max-age=60"])),
      cached(
        "cache-500", "500 with a lifetime", "500 network, then 500 network",
        FakeHTTPReply.text("a", ["Cache-Control": "max-age=60", "Date": dateText()], status: 500)),
      cached(
        "cache-206", "206 nobody asked for, with a lifetime", "206 network, then 206 network",
        FakeHTTPReply.text(
          "a", ["Cache-Control": "max-age=60", "Date": dateText(), "Content-Range": "bytes 0-0/9"],
          status: 206)),
      cached(
        "cache-cut", "a body that ends early, with a lifetime", "refused: body ended early, then network",
        control("max-age=60").failing(.bodyTruncated(received: 1, expected: 2), afterByteCount: 1),
        control("max-age=60")),
      HostileCase(
        "cache-cut-coding", "half of gzip, with a lifetime", .seen("refused: damaged body, then asked again")
      ) { stage in
        let body = Encodings.gzip(HostileStage.picture)
        stage.server.route(
          "/a",
          LoopbackResponse(
            headers: ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"],
            body: body.prefix(body.count / 2)))
        let cache = HTTPCache(client: stage.client, storage: InMemoryHTTPCacheStorage())
        let request = HTTPRequest(url: stage.server.url("/a"), timeouts: .patient)
        var isTaken = false
        for _ in 0..<2 where (try? await cache.response(for: request)) != nil { isTaken = true }
        let isAsked = stage.server.requestCount == 2
        return .seen(
          "\(isTaken ? "taken" : "refused: damaged body"), then \(isAsked ? "asked again" : "kept")")
      },
    ]

    private static func old(_ control: String = "") -> FakeHTTPReply {
      reply(["Cache-Control": "max-age=1\(control)", "ETag": "\"1\""])
    }

    private static func lost(
      _ name: String, _ what: String, _ verdict: String, control: String = "", _ reason: HTTPError.Reason
    ) -> HostileCase {
      cached(name, what, verdict, old(control), .failure(reason))
    }

    private static let standIn = "network, then stale"

    private static let stale: [HostileCase] = [
      lost(
        "stale-refused", "the origin's port closes, and what is stored is stale", standIn, .connectionRefused),
      lost("stale-lost", "the connection is lost", standIn, .connectionLost),
      lost("stale-unresolved", "the name is not resolved", standIn, .nameNotResolved),
      lost("stale-silent", "the origin is silent", standIn, .timedOut(.idle)),
      lost(
        "stale-must-revalidate", "the connection is lost, and what is stored has `must-revalidate`",
        "network, then refused: connection lost", control: ", must-revalidate", .connectionLost),
      lost(
        "stale-no-cache", "the connection is lost, and what is stored has `no-cache`",
        "network, then refused: connection lost", control: ", no-cache", .connectionLost),
      lost(
        "stale-not-http", "the origin answers in something else than HTTP",
        "network, then refused: not valid HTTP",
        .protocolError("x")),
      lost(
        "stale-untrusted", "the origin's certificate is not accepted",
        "network, then refused: no secure connection",
        .tlsFailed("x")),
      lost(
        "stale-address", "the network guard refuses the origin's address",
        "network, then refused: address refused",
        .addressRefused("127.0.0.1")),
      lost(
        "stale-anything", "a failure of the client itself", "network, then refused: anything else",
        .other(code: 27, message: "x")),
      lost(
        "stale-too-large", "the body is too large now", "network, then refused: body too large",
        .bodyTooLarge(limit: 1)),
      cached(
        "stale-503", "503, and what is stored is stale", "network, then 503 network", old(), .status(503)),
      cached(
        "stale-if-error", "503 within `stale-if-error`", standIn, old(", stale-if-error=60"), .status(503)),
      cached(
        "stale-while-revalidate", "stale within `stale-while-revalidate`", standIn,
        old(", stale-while-revalidate=60"), .status(304)),
    ]

    private static let modes: [HostileCase] = [
      cached("validated", "304 to what is stale", "network, then revalidated", old(), .status(304)),
      cached(
        "mode-no-cache", "the mode `no-cache` and what is fresh", "network, then revalidated", mode: .noCache,
        reply(["Cache-Control": "max-age=60", "ETag": "\"1\""]), .status(304)),
      cached(
        "mode-no-cache-immutable", "the mode `no-cache` and what is `immutable`", "network, then revalidated",
        mode: .noCache, reply(["Cache-Control": "max-age=60, immutable", "ETag": "\"1\""]), .status(304)),
      cached(
        "mode-reload", "the mode `reload` and what is fresh", twice, mode: .reload, control("max-age=60")),
      cached(
        "mode-force-cache", "the mode `force-cache` and what is stale", standIn, mode: .forceCache, old()),
      cached(
        "mode-only-if-cached", "the mode `only-if-cached` and nothing stored", "network, then 504 cache",
        mode: .onlyIfCached, control("no-store")),
    ]
  }
#endif
