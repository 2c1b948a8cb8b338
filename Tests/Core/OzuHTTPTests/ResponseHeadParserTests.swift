import Testing

@testable import OzuHTTP

@Suite("Response heads from lines")
struct ResponseHeadParserTests {
  // Feeds the lines; returns the parser and the number of the line that ended the head.
  private func parse(_ lines: [String]) throws -> (ResponseHeadParser, end: Int?) {
    var parser = ResponseHeadParser()
    var end: Int?
    for (number, line) in lines.enumerated() {
      let bytes = Array((line + "\r\n").utf8)
      if try bytes.withUnsafeBytes({ try parser.take($0) }) { end = number }
    }
    return (parser, end)
  }

  @Test(
    "the status line gives status and version",
    arguments: [
      ("HTTP/1.1 200 OK", 200, HTTPVersion.http1_1), ("HTTP/1.0 404 Not Found", 404, .http1_0),
      ("HTTP/2 301", 301, .http2), ("HTTP/3 200 ", 200, .http3), ("HTTP/1.1 299", 299, .http1_1),
    ])
  func statusLine(line: String, status: Int, version: HTTPVersion) throws {
    let (parser, end) = try parse([line, "A: b", ""])
    #expect(parser.status == status)
    #expect(parser.version == version)
    #expect(parser.headers == ["A": "b"])
    #expect(end == 2)
  }

  @Test(
    "malformed status lines are errors",
    arguments: ["HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 99 x", "HTTP/1.1  200"])
  func malformed(line: String) {
    #expect(throws: HTTPError(.protocolError("the status line is malformed"))) { try parse([line]) }
  }

  @Test("interim responses and trailers are ignored")
  func interim() throws {
    let (parser, end) = try parse([
      "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200 OK", "A: b", "",
      "Trailer: c", "",
    ])
    #expect(end == 7)
    #expect(parser.headers == ["A": "b"])
  }

  @Test("a folded line continues the value; a line without colon is dropped")
  func folding() throws {
    let (parser, _) = try parse(["HTTP/1.1 200 OK", "A: b", "  c", "nonsense", ": d", "E:", ""])
    #expect(parser.headers == ["A": "b c", "E": ""])
  }

  @Test("bytes that are not UTF-8 are read as Latin-1")
  func latin1() throws {
    var parser = ResponseHeadParser()
    for line in [Array("HTTP/1.1 200 OK".utf8), Array("A: caf".utf8) + [0xE9]] {
      _ = try line.withUnsafeBytes { try parser.take($0) }
    }
    #expect(parser.headers["A"] == "café")
  }

  @Test(
    "a head with too many lines, a line that is too long, or too many bytes is an error",
    arguments: [
      (2000, 8, "the header section has more than 2000 lines"),
      (1, 65_536, "a line of the header section exceeds 65536 bytes"),
      (1500, 200, "the header section exceeds 262144 bytes"), (1999, 8, nil), (1, 65_534, nil),
      (1500, 100, nil),
    ])
  func endless(count: Int, length: Int, error: String?) throws {
    let lines =
      ["HTTP/1.1 200 OK"] + Array(repeating: "X: " + String(repeating: "a", count: length - 3), count: count)
    guard let error else { return _ = try parse(lines) }
    #expect(throws: HTTPError(.protocolError(error))) { try parse(lines) }
  }
}
