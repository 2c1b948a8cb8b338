import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

/// The same heads, sent to the parser and to Debian's nginx. A request that one of them sees and the other does not, or sees
/// with another target or host, is a failure unless it is among the differences that are named here.
///
/// Each connection has one to three mutated heads and a good one behind them. `OZU_HEAD_SECONDS` says for how long further
/// seeds are tried; by default a few thousand connections are.
@Suite(
  "Heads of requests, compared with nginx",
  .enabled(if: RealNginx.program != nil, "nginx is not installed: scripts/install-test-tools does that"),
  .timeLimit(.minutes(60)))
struct HeadDifferenceTests {
  /// A request as one of the two parsers read it.
  private struct Seen: Equatable {
    var method: String
    var target: String
    var host: String
  }

  /// The allowed differences, each with its reason. With none of them our parser accepts a request that nginx does not accept.
  private enum Difference: String, CaseIterable {
    /// Our parser refuses requests that nginx tolerates or forwards: methods, bodies, bare line ends, wrong white space and
    /// names, bytes beyond ASCII in a target, other versions. The connection ends there.
    case refusedByUs = "refused by us alone"
    /// nginx refuses a path that leads above its root. To our parser it is an address of a picture like others.
    case climbs = "a path climbs above the root"
    /// nginx keeps a connection of HTTP/1.0 open on request. Our parser never does.
    case oldKept = "HTTP/1.0 is kept alive"
    /// Of several fields `Connection`, nginx uses the last one. For our parser each of them may end the connection.
    case connections = "several Connection fields"
  }

  private static let good = "GET /end HTTP/1.1\r\nHost: e\r\nConnection: close\r\n\r\n"

  /// Mostly valid heads, because a head that is refused at its first byte tests nothing.
  private static let seeds =
    [
      "GET /a/b?c=d HTTP/1.1\r\nHost: a\r\n\r\n",
      "HEAD /a%20b/%2Fc HTTP/1.1\r\nHost: a.example:80\r\nAccept: */*\r\n\r\n",
      "GET /s/rs:fill:32:24/plain/http://e.test/a.png@webp HTTP/1.1\r\nHost: a\r\nAccept: image/webp\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nX-A: b\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX: y\r\n\r\n",
      "GET /a HTTP/1.0\r\n\r\n", "GET /a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
      "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /./a/../b//c HTTP/1.1\r\nHost: [::1]:8\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
      "GET /a HTTP/1.1\r\nhost:a\r\ncOOkie:b=c; d\r\nIf-None-Match: W/\"a\", \"b\"\r\n\r\n",
    ]

  private static let pieces: [[UInt8]] =
    ([
      "\r", "\n", "\r\n", " ", "\t", ":", ",", "\0", "\u{1}", "/", "//", "/../", "?", "#", "@", "%", "%0",
      "%00",
      "%2e%2e/", "\\", "\u{7F}", "_", "Host: b\r\n", "Content-Length: 0\r\n", "Content-Length: 3\r\n",
      "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n", "GET ",
      " HTTP/1.1",
      "\r\n\r\n", "close", "HTTP/1.0", "\t0", "0x", "+", "-", ";", "[", "]", "\"",
    ] as [String]).map { Array($0.utf8) } + [[0x80], [0xFF], [0xC3, 0xA9]]

  private static func mutated(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var head = Array(seeds.randomElement(using: &random)!.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<head.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: head.remove(at: place)
        case 1: head[place] = pieces.randomElement(using: &random)![0]
        case 2: head[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default: head.insert(contentsOf: pieces.randomElement(using: &random)!, at: place)
        }
      }
      bytes += head
    }
    return bytes + Array(good.utf8)
  }

  // MARK: The readers

  /// The requests that the listener reads from a connection, up to a refusal or the end.
  private static func ours(_ bytes: [UInt8]) -> (seen: [Seen], refusal: HeadRefusal?, last: RequestHead?) {
    var (parser, rest) = (RequestHeadParser(), bytes[...])
    var (seen, last): ([Seen], RequestHead?) = ([], nil)
    do throws(HeadRefusal) {
      while let head = try parser.take(&rest) {
        seen.append(Seen(method: head.method, target: head.target, host: head.headers["Host"] ?? ""))
        last = head
        guard head.keepsAlive else { break }
      }
      return (seen, nil, last)
    } catch {
      return (seen, error, last)
    }
  }

  /// The requests that nginx read: each answer has its request in a field.
  private static func nginx(_ answers: [UInt8]) throws -> (seen: [Seen], hasRefused: Bool) {
    var (seen, hasRefused, rest): ([Seen], Bool, ArraySlice<UInt8>) = ([], false, answers[...])
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      // Not as Unicode: here each byte is a character.
      let head = String(String.UnicodeScalarView(rest[..<end.lowerBound].map { Unicode.Scalar($0) }))
      rest = rest[end.upperBound...]
      let lines = head.components(separatedBy: "\r\n")
      let status = try #require(Int(lines[0].split(separator: " ")[1]))
      func value(_ name: String) -> String? {
        lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
      }
      if status != 204 { rest = rest.dropFirst(value("Content-Length").flatMap { Int($0) } ?? 0) }
      guard status == 204 || status == 405 else {
        hasRefused = true
        continue
      }
      let target = value("X-Target") ?? ""
      // nginx leaves out the slash of an absolute URL without a path (RFC 9112 §3.2.1).
      seen.append(
        Seen(
          method: value("X-Method") ?? "", target: target.hasPrefix("?") ? "/" + target : target,
          host: value("X-Host") ?? ""))
    }
    return (seen, hasRefused)
  }

  private static let echo = """
    large_client_header_buffers 4 16k; keepalive_requests 1000; reset_timedout_connection on;
    server {
      listen unix:SOCKET backlog=1024;
      lingering_close off;
      add_header X-Method $request_method always;
      add_header X-Target $request_uri always;
      add_header X-Host $http_host always;
      location / { return 204; }
    }
    """

  // MARK: The comparison

  /// The reason for a difference; `nil` if it is not allowed. The order of the cases counts: requests that only our parser reads
  /// come first.
  private static func reason(_ bytes: [UInt8], _ other: (seen: [Seen], hasRefused: Bool)) -> Difference? {
    let own = ours(bytes)
    let common = zip(own.seen, other.seen).prefix { $0 == $1 }.count
    let rest = (own: own.seen.dropFirst(common), other: other.seen.dropFirst(common))
    if let seen = rest.own.first {
      if rest.other.isEmpty, climbs(seen.target) { return .climbs }
      return nil
    }
    if own.refusal != nil { return .refusedByUs }
    guard let last = own.last else { return nil }
    if last.headers.values(for: "Connection").count > 1 { return .connections }
    if !last.keepsAlive, last.headers["Connection"]?.lowercased().contains("keep-alive") == true {
      return .oldKept
    }
    return nil
  }

  private static func climbs(_ target: String) -> Bool {
    let path = String(target.prefix { $0 != "?" }).removingPercentEncoding ?? ""
    var depth = 0
    for part in path.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return true }
    }
    return false
  }

  @Test("both parsers read the same requests from mutated heads")
  func comparison() async throws {
    let nginx = try await RealNginx { Self.echo.replacingOccurrences(of: "SOCKET", with: $0 + "/nginx.sock") }
    let seconds = ProcessInfo.processInfo.environment["OZU_HEAD_SECONDS"].flatMap { Int($0) }
    let socket = nginx.socket
    let report = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Self.compare(at: socket, seconds: seconds) })
      }
    }
    print("heads beside nginx: \(report.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
    #expect(report.failures == [])
    // The comparison had requests, not only refusals.
    #expect(report.counts["connections with the same requests", default: 0] > 800)
    #expect(report.counts["requests seen by both", default: 0] > 1500)
  }

  private struct Report {
    var counts: [String: Int] = [:]
    var failures: [String] = []
  }

  private static func compare(at socket: String, seconds: Int?) throws -> Report {
    var report = Report()
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    var seed: UInt64 = seconds == nil ? 1 : UInt64(Date().timeIntervalSince1970)
    repeat {
      var random = SeededGenerator(seed: seed)
      for number in 0..<3000 {
        let bytes = mutated(&random)
        let client = try TestClient(path: socket)
        client.send(bytes)
        let other = try nginx(client.rest())
        let own = ours(bytes)
        report.counts["connections", default: 0] += 1
        report.counts["requests seen by both", default: 0] +=
          zip(own.seen, other.seen).prefix { $0 == $1 }.count
        if own.seen == other.seen {
          report.counts["connections with the same requests", default: 0] += 1
        } else if let reason = reason(bytes, other) {
          report.counts[reason.rawValue, default: 0] += 1
        } else if report.failures.count < 20 {
          report.failures.append(
            "seed \(seed), number \(number): \(String(decoding: bytes, as: UTF8.self).debugDescription) "
              + "is \(own.seen) here, \(own.refusal?.reason ?? "no refusal"), and \(other.seen) there")
        }
      }
      seed += 1
    } while end.map { ContinuousClock.now < $0 } ?? false
    return report
  }
}
