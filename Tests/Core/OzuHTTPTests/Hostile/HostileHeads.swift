#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Status lines and fields (RFC 9112 §2 to §5).
  enum HostileHeads {
    static let cases = statusLines + sizes + lines + interim

    private static let rest = "Content-Length: 3698\r\n\r\n{P}"

    private static let statusLines: [HostileCase] = [
      line("http-0.9", "a body without a head", .refused(.protocolError), "<html>", "\r\n"),
      line("http-9.9", "version 9.9", .refused(.protocolError), "HTTP/9.9 200 OK"),
      line("icy", "`ICY 200 OK`", .refused(.protocolError), "ICY 200 OK"),
      line("status-1000", "the status 1000", .refused(.protocolError), "HTTP/1.1 1000 OK"),
      line("status-099", "the status 099", .refused(.protocolError), "HTTP/1.1 099 OK"),
      line("status-letters", "the status abc", .refused(.protocolError), "HTTP/1.1 abc OK"),
      line("status-none", "no status", .refused(.protocolError), "HTTP/1.1 "),
      line("status-no-phrase", "no reason phrase", .taken(), "HTTP/1.1 200"),
      line("status-escape", "a reason phrase with an escape sequence", .taken(), "HTTP/1.1 200 \u{1B}[31mOK"),
      line(
        "status-huge", "a reason phrase of a megabyte", .refused(.protocolError),
        "HTTP/1.1 200 " + String(repeating: "x", count: 1 << 20)),
      line("http-1.0", "HTTP/1.0", .taken(), "HTTP/1.0 200 OK"),
    ]

    private static func line(
      _ name: String, _ what: String, _ verdict: HostileVerdict, _ line: String, _ rest: String = rest
    ) -> HostileCase {
      .wire(name, what, verdict, "\(line)\r\n\(rest)")
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    private static let sizes: [HostileCase] = [
      .wire(
        "field-huge", "a field of a megabyte", .refused(.protocolError),
        ok + "X-Long: \(String(repeating: "x", count: 1 << 20))\r\n" + rest),
      .wire(
        "field-70000", "a field of 70,000 bytes", .refused(.protocolError),
        ok + "X-Long: \(String(repeating: "x", count: 70_000))\r\n" + rest),
      .wire(
        "field-60000", "a field of 60,000 bytes", .taken(),
        ok + "X-Long: \(String(repeating: "x", count: 60_000))\r\n" + rest),
      .wire(
        "fields-10000", "10,000 fields, 300 KB", .refused(.protocolError),
        ok + (0..<10_000).map { "X-Field-\($0): 012345678901\r\n" }.joined() + rest),
      .wire(
        "fields-5000", "5,000 short fields", .refused(.protocolError),
        ok + (0..<5000).map { "X-\($0): 0\r\n" }.joined() + rest),
      .wire(
        "fields-1900", "1,900 short fields", .taken(),
        ok + (0..<1900).map { "X-\($0): 0\r\n" }.joined() + rest),
      .answer("fields-endless", "fields without end", .refused(.protocolError), endlessFields),
    ]

    private static var endlessFields: LoopbackResponse {
      var response = LoopbackResponse.endless(
        repeating: Data("HTTP/1.1 200 OK\r\nX-Field: 0123456789\r\n".utf8))
      response.ending = .verbatim
      return response
    }

    private static let lines: [HostileCase] = [
      field("folded", "a field folded onto a second line", "no-store", "X: \r\n no-store"),
      field("bare-carriage-return", "a carriage return alone within a value", "a b", "X: a\rb"),
      field("latin-1", "a value in Latin-1", "caf\u{E9}", "X: caf\u{E9}"),
      field("name-with-space", "a space before the colon", "nothing", "X : a"),
      field("name-empty", "no name before the colon", "nothing", ": a"),
      field(
        "status-as-field", "a second status line as the name of a field", "nothing", "HTTP/1.1 404 X: a"),
      .wire(
        "bare-line-feeds", "line feeds alone as line ends", .taken(),
        "HTTP/1.1 200 OK\nContent-Length: 3698\n\n{P}"),
      .wire("nul", "a NUL within a value", .refused(.protocolError), ok + "X: a\0b\r\n" + rest),
      .wire("no-colon", "a line without a colon", .refused(.protocolError), ok + "X\r\n" + rest),
      .wire("cut-in-head", "the end within the fields", .refused(.connectionLost), ok + "X: a\r\n"),
    ]

    // The value of the field X that the caller gets.
    private static func field(
      _ name: String, _ what: String, _ value: String, _ line: String
    ) -> HostileCase {
      let verdict = "whole body; the field is \(value)"
      return HostileCase(name, what, .seen(verdict)) { stage in
        let head = (ok + line + "\r\nContent-Length: 3698\r\n\r\n").unicodeScalars.map { UInt8($0.value) }
        stage.server.route("/a", .verbatim(Data(head) + HostileStage.picture))
        let (body, response) = try await stage.client.data(
          for: HTTPRequest(url: stage.server.url("/a"), timeouts: .patient))
        return .seen(
          "\(HostileStage.verdict(response.status, body)); the field is \(response.headers["X"] ?? "nothing")"
        )
      }
    }

    private static let interim: [HostileCase] = [
      .wire("continue", "100, then the answer", .taken(), "HTTP/1.1 100 Continue\r\n\r\n" + ok + rest),
      HostileCase("early-hints", "103, then the answer", .seen("whole body, without the fields of the 103")) {
        stage in
        stage.server.route(
          "/a",
          .verbatim(HostileStage.bytes("HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n" + ok + rest)))
        let (body, response) = try await stage.client.data(
          for: HTTPRequest(url: stage.server.url("/a"), timeouts: .patient))
        let isMixed = response.headers.contains(name: "X")
        return .seen(
          "\(HostileStage.verdict(200, body)), \(isMixed ? "with" : "without") the fields of the 103")
      },
      .answer("interim-endless", "102 without end", .refused(.protocolError), endlessInterim),
      .wire(
        "switching", "101 nobody asked for", .refused(.protocolError),
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + ok + rest),
    ]

    private static var endlessInterim: LoopbackResponse {
      var response = LoopbackResponse.endless(repeating: Data("HTTP/1.1 102 Processing\r\n\r\n".utf8))
      response.ending = .verbatim
      return response
    }
  }
#endif
