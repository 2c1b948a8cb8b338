#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Connections that break, stay silent or are slow. The limits are short, so that nothing waits long.
  enum HostileConnections {
    static let cases = broken + slow + addresses

    private static let broken: [HostileCase] = [
      HostileCase("closed-port", "nobody at the port", .refused(.connectionRefused)) { stage in
        await stage.outcome(of: HTTPRequest(url: url("http://127.0.0.1:1/a"), timeouts: .patient))
      },
      .answer("closed-at-once", "the end in place of an answer", .refused(.connectionLost), .noAnswer()),
      .answer(
        "reset-at-once", "a reset in place of an answer", .refused(.connectionLost), .noAnswer(isReset: true)),
      .answer(
        "reset-in-body", "a reset within the body", .refused(.bodyTruncated),
        .ok(HostileStage.picture).resetting(afterByteCount: 100)),
      HostileCase("unresolved", "a name without address", .refused(.nameNotResolved)) { stage in
        await stage.outcome(of: HTTPRequest(url: url("http://does-not-exist.invalid/"), timeouts: .patient))
      },
    ]

    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 3698\r\n\r\n"

    private static func limited(_ change: (inout HTTPTimeouts) -> Void) -> HTTPTimeouts {
      var timeouts = HTTPTimeouts.patient
      change(&timeouts)
      return timeouts
    }

    private static let idle = limited { $0.idle = .milliseconds(150) }

    private static let slow: [HostileCase] = [
      HostileCase("silent", "silence in place of an answer", .refused(.idleTime)) { stage in
        stage.server.route("/a", LoopbackResponse.ok(Data()).held(by: Gate()))
        return await stage.get("/a", timeouts: idle)
      },
      HostileCase("silent-in-head", "silence within the fields", .refused(.idleTime)) { stage in
        stage.server.route("/a", HostileStage.open(Data("HTTP/1.1 200 OK\r\nX: ".utf8)))
        return await stage.get("/a", timeouts: idle)
      },
      HostileCase("silent-in-body", "silence within the body", .refused(.idleTime)) { stage in
        stage.server.route("/a", HostileStage.open(Data((head + "beginning").utf8)))
        return await stage.get("/a", timeouts: idle)
      },
      HostileCase("never-ending", "a body that outlasts the limit on the whole", .refused(.totalTime)) {
        stage in
        stage.server.route("/a", .endless(repeating: Data(count: 1000)))
        var request = HTTPRequest(url: stage.server.url("/a"), maximumBodyByteCount: .max)
        request.timeouts = limited { $0.total = .milliseconds(200) }
        do throws(HTTPError) {
          _ = try await stage.client.send(request, into: RecordingSink())
          return .seen("an end")
        } catch {
          return .refused(HostileVerdict.Cause(error.reason))
        }
      },
      HostileCase("slow-body", "a few bytes within a window of the minimum speed", .refused(.speed)) {
        stage in
        stage.server.route("/a", HostileStage.open(Data((head + "beginning").utf8)))
        let minimum = HTTPMinimumSpeed(bytesPerSecond: 50_000, window: .milliseconds(100))
        return await stage.get("/a", timeouts: limited { $0.minimumSpeed = minimum })
      },
      HostileCase("handshake-silent", "no word to a TLS handshake", .refused(.connectTime)) { stage in
        // The one place of the server is taken: the system accepts further connections, but no thread reads from them.
        let server = try LoopbackServer(maximumConnections: 1)
        let gate = Gate()
        server.route("/held", .ok(Data()).held(by: gate))
        let other = directClient()
        let held = Task {
          await failure(of: HTTPRequest(url: server.url("/held"), timeouts: .patient), by: other)
        }
        await gate.arrivals(1)
        let request = HTTPRequest(
          url: url("https://127.0.0.1:\(server.port)/"), timeouts: limited { $0.connect = .milliseconds(150) }
        )
        let verdict = await stage.outcome(of: request)
        gate.open()
        _ = await held.value
        return verdict
      },
    ]

    private static let addresses: [HostileCase] =
      [
        ("short", "127.1"), ("number", "2130706433"), ("hexadecimal", "0x7f.1"), ("octal", "0177.0.0.1"),
        ("mapped", "[::ffff:127.0.0.1]"), ("name", "localhost"),
      ].map { name, host in
        HostileCase(
          "guard-\(name)", "loopback as `\(host)`, behind the network guard",
          .seen("refused: address refused, and no connection")
        ) { stage in
          let client = directClient { $0.networkGuard = .publicAddressesOnly }
          let request = HTTPRequest(url: url("http://\(host):\(stage.server.port)/"), timeouts: .patient)
          let verdict = await stage.outcome(of: request, by: client)
          return .seen("\(verdict), and \(stage.server.connectionCount == 0 ? "no" : "a") connection")
        }
      } + [
        HostileCase("ipv6", "an IPv6 address as host", .taken()) { stage in
          let server = try LoopbackServer(isIPv6: true)
          server.route("/a", .ok(HostileStage.picture))
          return await stage.outcome(of: HTTPRequest(url: server.url("/a"), timeouts: .patient))
        }
      ]
  }
#endif
