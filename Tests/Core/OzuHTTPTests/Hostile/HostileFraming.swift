#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Where a body ends (RFC 9112 §6 and §7).
  enum HostileFraming {
    static let cases = lengths + chunks + codings + endless + leftovers

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    /// 3,698 in hexadecimal.
    private static let chunk = "e72\r\n{P}\r\n"

    private static func length(_ value: String) -> String { ok + "Content-Length: \(value)\r\n\r\n{P}" }

    private static let lengths: [HostileCase] = [
      .wire("length-true", "a true length", .taken(), length("3698")),
      .wire("length-spaces", "a length between spaces", .taken(), length("  3698 \t")),
      .wire("length-longer", "a length longer than the body", .refused(.bodyTruncated), length("4198")),
      .wire("length-list", "`Content-Length: 3698, 6`", .refused(.protocolError), length("3698, 6")),
      .wire("length-list-same", "`Content-Length: 3698, 3698`", .taken(), length("3698, 3698")),
      .wire("length-hexadecimal", "`Content-Length: 0xe72`", .refused(.protocolError), length("0xe72")),
      .wire(
        "length-overflow", "a length of 30 digits", .refused(.protocolError),
        length("\(String(repeating: "9", count: 30))")),
      .wire("length-negative", "`Content-Length: -1`", .refused(.protocolError), length("-1")),
      .wire("length-plus", "`Content-Length: +3698`", .refused(.protocolError), length("+3698")),
      .wire("length-fraction", "`Content-Length: 3698.0`", .refused(.protocolError), length("3698.0")),
      .wire("length-word", "`Content-Length: many`", .refused(.protocolError), length("many")),
      .wire("length-empty", "an empty length", .refused(.protocolError), length("")),
      .wire(
        "length-two-lines", "two lengths that contradict each other", .refused(.protocolError),
        ok + "Content-Length: 3698\r\nContent-Length: 6\r\n\r\n{P}"),
      .wire(
        "length-two-lines-same", "the same length twice", .taken(),
        ok + "Content-Length: 3698\r\nContent-Length: 3698\r\n\r\n{P}"),
      .wire(
        "length-and-chunked", "a length beside chunks, which count", .taken(),
        ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n\r\n"),
      .wire(
        "length-malformed-and-chunked", "a malformed length beside chunks, which count", .taken(),
        ok + "Transfer-Encoding: chunked\r\nContent-Length: 5, 6\r\n\r\n\(chunk)0\r\n\r\n"),
      .wire("length-none", "no length; the connection's end is the body's", .taken(), ok + "\r\n{P}"),
    ]

    private static let chunks: [HostileCase] = [
      .wire("chunked", "chunks", .taken(), chunked + chunk + "0\r\n\r\n"),
      .wire(
        "chunk-upper-case", "a size in upper case with zeros in front", .taken(),
        chunked + "000E72\r\n{P}\r\n0\r\n\r\n"),
      .wire(
        "chunk-garbage", "a size that is no number", .refused(.protocolError),
        chunked + "zz\r\n{P}\r\n0\r\n\r\n"),
      .wire(
        "chunk-negative", "a negative size", .refused(.protocolError), chunked + "-5\r\n{P}\r\n0\r\n\r\n"),
      .wire(
        "chunk-overflow", "a size of 17 digits", .refused(.protocolError),
        chunked + "FFFFFFFFFFFFFFFFF\r\n{P}\r\n0\r\n\r\n"),
      .wire("chunk-empty-size", "no size", .refused(.protocolError), chunked + "\r\n{P}\r\n0\r\n\r\n"),
      .wire(
        "chunk-too-long", "more bytes than the size says", .refused(.protocolError),
        chunked + "e71\r\n{P}\r\n0\r\n\r\n"),
      .wire(
        "chunk-no-line-end", "no line end behind a chunk", .refused(.protocolError),
        chunked + "e72\r\n{P}0\r\n\r\n"),
      .wire("chunk-no-last", "no last chunk", .refused(.bodyTruncated), chunked + chunk),
      .wire("chunk-cut", "the end within a chunk", .refused(.bodyTruncated), chunked + "fff\r\n{P}"),
      .wire(
        "chunk-extension", "an extension of a megabyte", .taken(),
        chunked + "e72;x=\(String(repeating: "y", count: 1 << 20))\r\n{P}\r\n0\r\n\r\n"),
      HostileCase(
        "trailer", "a trailer that would make a field", .seen("whole body, and no field of that name")
      ) {
        stage in
        stage.server.route(
          "/a", .verbatim(HostileStage.bytes(chunked + chunk + "0\r\nX-Trailer: 1\r\n\r\n")))
        let (body, response) = try await stage.client.data(
          for: HTTPRequest(url: stage.server.url("/a"), timeouts: .patient))
        let isMerged = response.headers.contains(name: "X-Trailer")
        return .seen(
          "\(HostileStage.verdict(200, body)), and \(isMerged ? "the trailer among the fields" : "no field of that name")"
        )
      },
      .wire(
        "trailer-long", "a trailer of 5,000 bytes", .refused(.protocolError),
        chunked + chunk + "0\r\nX-Trailer: \(String(repeating: "x", count: 5000))\r\n\r\n"),
      .wire(
        "trailers-3000", "3,000 trailers", .taken(),
        chunked + chunk + "0\r\n" + String(repeating: "X-Trailer: 0\r\n", count: 3000) + "\r\n"),
      .wire(
        "trailer-huge", "a megabyte of trailers", .refused(.protocolError),
        chunked + chunk + "0\r\n" + String(repeating: "X-Trailer: 0123456789\r\n", count: 50_000) + "\r\n"),
    ]

    private static func coded(
      _ name: String, _ coding: String, _ verdict: HostileVerdict, _ body: String
    ) -> HostileCase {
      .wire(
        name, "`Transfer-Encoding: \(coding)`", verdict, ok + "Transfer-Encoding: \(coding)\r\n\r\n" + body)
    }

    private static let codings: [HostileCase] = [
      coded("transfer-upper-case", "Chunked", .taken(), chunk + "0\r\n\r\n"),
      coded("transfer-twice", "chunked, chunked", .taken(), chunk + "0\r\n\r\n"),
      coded("transfer-unknown", "foo", .taken(), "{P}"),
      coded("transfer-identity", "identity", .taken(), "{P}"),
      coded("transfer-gzip-chunked", "gzip, chunked", .refused(.protocolError), chunk + "0\r\n\r\n"),
      coded("transfer-chunked-gzip", "chunked, gzip", .refused(.protocolError), chunk + "0\r\n\r\n"),
    ]

    private static let endless: [HostileCase] = [
      .answer(
        "endless", "a body without end", .refused(.bodyTooLarge), .endless(repeating: Data(count: 10_000)),
        limit: 100_000),
      .answer(
        "endless-chunks", "chunks without end", .refused(.bodyTooLarge),
        .endless(repeating: Data(count: 10_000)).chunked(), limit: 100_000),
      .answer(
        "endless-404", "an error page without end", .refused(.bodyTooLarge), endlessly(404), limit: 100_000),
      HostileCase("endless-redirect", "a redirect's body without end", .taken()) { stage in
        stage.server.route("/a", endlessly(302).header("Location", "/b"))
        stage.server.route("/b", .ok(HostileStage.picture))
        return await stage.get("/a", limit: 100_000)
      },
      HostileCase(
        "length-over-limit", "a length of a gigabyte", .seen("refused: body too large, and no byte asked for")
      ) { stage in
        stage.server.route(
          "/a", HostileStage.open(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".utf8)))
        // The origin sends no byte: only the head can have told.
        return .seen("\(await stage.get("/a")), and no byte asked for")
      },
    ]

    private static func endlessly(_ status: Int) -> LoopbackResponse {
      var response = LoopbackResponse.endless(repeating: Data(count: 10_000))
      response.status = status
      return response
    }

    private static let leftovers: [HostileCase] = [
      leftover(
        "smuggled-response", "a second response behind the length of the first", "{P}", 3698, "whole body"),
      leftover("body-of-length-0", "a body behind the length 0", "", 0, "no body"),
      leftover("body-of-204", "a body behind a 204", "", 0, "204, no body", status: 204),
      leftover("body-of-304", "a body behind a 304 nobody asked for", "", 0, "304, no body", status: 304),
      HostileCase(
        "body-of-head", "a body behind the answer to HEAD", .seen("no body; the rest answers nothing")
      ) { stage in
        stage.server.route("/a", HostileStage.open(HostileStage.bytes(length("3698"))))
        return await next(
          after: HTTPRequest(url: stage.server.url("/a"), method: .head, timeouts: .patient), stage)
      },
    ]

    // Bytes behind a response must not become the answer to the next request on the connection.
    private static func leftover(
      _ name: String, _ what: String, _ body: String, _ length: Int, _ verdict: String, status: Int = 200
    ) -> HostileCase {
      HostileCase(name, what, .seen(verdict + "; the rest answers nothing")) { stage in
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevil!"
        stage.server.route(
          "/a",
          HostileStage.open(
            HostileStage.bytes("HTTP/1.1 \(status) X\r\nContent-Length: \(length)\r\n\r\n\(body)\(evil)")))
        return await next(after: HTTPRequest(url: stage.server.url("/a"), timeouts: .patient), stage)
      }
    }

    private static func next(after request: HTTPRequest, _ stage: HostileStage) async -> HostileVerdict {
      stage.server.route("/own", .ok(Data("own".utf8)))
      let first = await stage.outcome(of: request)
      // The origin sends no more on that connection: a request that is sent there gets no answer.
      var second = HTTPRequest(url: stage.server.url("/own"), timeouts: .patient)
      second.timeouts.idle = .milliseconds(150)
      let body = try? await stage.client.data(for: second).body
      return .seen(
        "\(first); the rest answers \(body.map { $0 == Data("own".utf8) } ?? true ? "nothing" : "the next")")
    }
  }
#endif
