import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("A client's exchanges", .timeLimit(.minutes(15)))
struct HTTPClientTests {
  let server: LoopbackServer
  let client = directClient()

  init() throws {
    server = try LoopbackServer()
  }

  @Test(
    "every status is a response, not an error", arguments: [200, 201, 204, 206, 304, 400, 404, 410, 500, 503])
  func statuses(status: Int) async throws {
    let expected = [204, 304].contains(status) ? Data() : Data("body".utf8)
    server.route("/a", LoopbackResponse(status: status, headers: ["X": "y"], body: Data("body".utf8)))
    let (body, response) = try await client.data(from: server.url("/a"))
    #expect(response.status == status)
    #expect(response.isSuccess == (200..<300).contains(status))
    #expect(response.headers["x"] == "y")
    #expect(response.url == server.url("/a"))
    #expect(response.version == .http1_1)
    #expect(body == expected)
    #expect(response.bodyByteCount == expected.count)
  }

  @Test(
    "a body arrives whole with every framing",
    arguments: [0, 1, 16_384, 1_000_000], [LoopbackResponse.Framing.contentLength, .chunked, .untilClose])
  func framing(count: Int, framing: LoopbackResponse.Framing) async throws {
    let bytes = patternedBytes(count)
    server.route("/a", LoopbackResponse(body: bytes, framing: framing))
    let (body, response) = try await client.data(from: server.url("/a"))
    #expect(body == bytes)
    #expect(response.metrics.receivedByteCount == count)
  }

  @Test(
    "a request carries its method, query, fields and body",
    arguments: ["POST", "PUT", "PATCH", "DELETE", "PURGE"])
  func requests(method: String) async throws {
    server.route("/a", .ok(Data()))
    var request = HTTPRequest(url: server.url("/a?b=c%20d"), method: HTTPMethod(rawValue: method))
    request.headers = ["Accept": "image/*", "X-Empty": "", "X-Twice": "1"]
    request.headers.add(name: "X-Twice", value: "2")
    request.body = patternedBytes(300_000)
    _ = try await client.data(for: request)
    let received = try #require(server.requests.first)
    #expect(received.method == method)
    #expect(received.query == "b=c%20d")
    #expect(received.headers["Accept"] == "image/*")
    #expect(received.headers["X-Empty"] == "")
    #expect(received.headers.values(for: "X-Twice") == ["1", "2"])
    #expect(received.headers["User-Agent"] == "Ozu")
    #expect(received.headers["Content-Type"] == nil)
    #expect(received.headers["Expect"] == nil)
    #expect(received.body == request.body)
  }

  @Test("a POST without body says so, a GET has none")
  func noBody() async throws {
    server.route("/a", .ok(Data()))
    _ = try await client.data(for: HTTPRequest(url: server.url("/a"), method: .post))
    _ = try await client.data(for: HTTPRequest(url: server.url("/a"), timeouts: .patient))
    #expect(server.requests.map { $0.headers["Content-Length"] } == ["0", nil])
  }

  @Test("HEAD returns the fields, and a length beyond the limit is no error")
  func head() async throws {
    server.route("/a", .ok(Data(count: 1000)))
    var request = HTTPRequest(url: server.url("/a"), method: .head, maximumBodyByteCount: 10)
    request.headers["Range"] = "bytes=0-"
    let (body, response) = try await client.data(for: request)
    #expect(body.isEmpty)
    #expect(response.headers["Content-Length"] == "1000")
  }

  @Test("one connection serves several requests, and the metrics state that it was reused")
  func keepAlive() async throws {
    server.route("/a", .ok(Data(count: 100)))
    var reused: [Bool] = []
    for _ in 0..<20 {
      reused.append(try await client.data(from: server.url("/a")).response.metrics.isConnectionReused)
    }
    #expect(server.connectionCount == 1)
    #expect(reused == [false] + Array(repeating: true, count: 19))
  }

  @Test("an idle connection that was closed is replaced without an error")
  func staleConnection() async throws {
    server.route("/a", .ok(Data("a".utf8)))
    server.route("/last", [.ok(Data("b".utf8)).closing(afterByteCount: 1), .ok(Data("b".utf8))])
    _ = try await client.data(from: server.url("/a"))
    _ = try await client.data(from: server.url("/last"))
    await server.allConnectionsClosed()
    #expect(try await client.data(from: server.url("/a")).body == Data("a".utf8))
  }

  @Test("the sink gets the head once, then the pieces in order")
  func sink() async throws {
    let gate = Gate()
    let bytes = patternedBytes(5000)
    server.route("/a", .ok(bytes).dripping(1000, through: gate))
    gate.admit(5)
    let sink = RecordingSink()
    let response = try await client.send(HTTPRequest(url: server.url("/a"), timeouts: .patient), into: sink)
    #expect(sink.heads == [response.head])
    #expect(sink.body == bytes)
    #expect(response.bodyByteCount == 5000)
  }

  @Test("the caller gets the error that the sink throws", arguments: [true, false])
  func refusingSink(atHead: Bool) async throws {
    server.route("/a", .endless(repeating: Data(count: 1000)))
    let refusal = HTTPError(.refused("not an image"))
    let sink = RecordingSink(
      onBegin: { () throws(HTTPError) in if atHead { throw refusal } },
      onPiece: { (_) throws(HTTPError) in throw refusal })
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(HTTPRequest(url: server.url("/a"), timeouts: .patient), into: sink)
    }
    #expect(error?.reason == refusal.reason)
    #expect(error?.url == server.url("/a"))
    await server.allConnectionsClosed()
  }
}
