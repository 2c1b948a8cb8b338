import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Where a body ends (RFC 9112 §6.3)", .timeLimit(.minutes(15)))
struct HTTPFramingTests {
  private let server: LoopbackServer
  private let client = directClient()

  init() throws {
    server = try LoopbackServer()
  }

  private func serve(_ fields: String..., body: String) {
    let head = (["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n")
    server.route("/a", .verbatim(Data((head + body).utf8)))
  }

  @Test(
    "a length that is not a number, or contradicts another, is refused",
    arguments: [
      ["5, 6"], ["5", "6"], ["0x5"], ["123456789012345678901234567890"], ["-5"], ["+5"], ["5.0"], ["5 5"],
      ["five"], [""],
    ])
  func malformed(_ lengths: [String]) async {
    let lines = lengths.map { "Content-Length: \($0)\r\n" }.joined()
    server.route("/a", .verbatim(Data("HTTP/1.1 200 OK\r\n\(lines)\r\n123456".utf8)))
    let reason = await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
    guard case .protocolError? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
  }

  @Test(
    "an equal length twice is accepted",
    arguments: ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"])
  func repeated(_ line: String) async throws {
    serve(line, body: "12345")
    #expect(try await client.data(from: server.url("/a")).body == Data("12345".utf8))
  }

  @Test("chunks decide where the body ends, even if there is also a length", arguments: ["3", "99", "3, 4"])
  func chunksWithLength(_ length: String) async throws {
    serve("Content-Length: \(length)", "Transfer-Encoding: chunked", body: "6\r\n123456\r\n0\r\n\r\n")
    let (body, response) = try await client.data(from: server.url("/a"))
    #expect(body == Data("123456".utf8))
    #expect(!response.headers.contains(name: "Content-Length"))
  }

  @Test("an answer to HEAD may have any length")
  func withoutBody() async throws {
    serve("Content-Length: 5, 6", body: "")
    let response = try await client.send(HTTPRequest(url: server.url("/a"), method: .head), into: DataSink())
    #expect(response.status == 200)
  }
}
