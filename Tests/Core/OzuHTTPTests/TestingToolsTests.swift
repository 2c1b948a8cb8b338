import OzuBase
import OzuHTTP
import Testing

@testable import OzuDemonstration
@testable import OzuTesting

@Suite("The fake client", .timeLimit(.minutes(15)))
struct FakeHTTPClientTests {
  private let client = FakeHTTPClient()
  private let address = url("http://h.example/a")

  @Test("it answers by URL, in turn, and the last reply stays")
  func replies() async throws {
    client.reply(to: address, with: [.failure(.connectionLost), .status(503), .ok(Data("a".utf8))])
    #expect(await failure(of: HTTPRequest(url: address), by: client) == .connectionLost)
    #expect(try await client.data(from: address).response.status == 503)
    for _ in 0..<2 { #expect(try await client.data(from: address).body == Data("a".utf8)) }
    #expect(client.requestCount(for: address) == 4)
  }

  @Test("an unknown path is 404, unless a handler answers")
  func unknown() async throws {
    #expect(try await client.data(from: address).response.status == 404)
    client.reply { $0.method == .head ? .status(200) : nil }
    #expect(try await client.data(for: HTTPRequest(url: address, method: .head)).response.status == 200)
    #expect(try await client.data(from: address).response.status == 404)
  }

  @Test("it delivers bodies in pieces and fails where the test says")
  func pieces() async throws {
    client.reply(
      to: address, with: .ok(Data(count: 10)).inPieces(of: 4).failing(.connectionLost, afterByteCount: 9))
    let sink = DataSink()
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(HTTPRequest(url: address), into: sink)
    }
    #expect(error == HTTPError(.connectionLost, url: address))
    #expect(sink.byteCount == 9)
  }

  @Test("it keeps the limits of the request", arguments: [true, false])
  func limit(announces: Bool) async {
    var reply = FakeHTTPReply.ok(Data(count: 10)).inPieces(of: 3)
    reply.announcesLength = announces
    client.reply(to: address, with: reply)
    let request = HTTPRequest(url: address, maximumBodyByteCount: 9)
    #expect(await failure(of: request, by: client) == .bodyTooLarge(limit: 9))
  }

  @Test("a body shorter than its Content-Length is an error")
  func truncated() async {
    client.reply(to: address, with: .ok(Data(count: 5)).header("Content-Length", "6"))
    let expected = HTTPError.Reason.bodyTruncated(received: 5, expected: 6)
    #expect(await failure(of: HTTPRequest(url: address), by: client) == expected)
  }

  @Test("it waits at its gates and can be cancelled there", arguments: [true, false])
  func gates(isCancelled: Bool) async {
    let gate = Gate()
    client.reply(to: address, with: .ok(Data(count: 5)).dripping(1, through: gate))
    let request = HTTPRequest(url: address)
    let task = Task { [client] in await failure(of: request, by: client) }
    gate.admit(2)
    await gate.arrivals(3)
    #expect(client.activeCount == 1)
    if isCancelled { task.cancel() } else { gate.open() }
    #expect(await task.value == (isCancelled ? .cancelled : nil))
    #expect(client.cancelledCount == (isCancelled ? 1 : 0))
    #expect(client.activeCount == 0)
    #expect(gate.waitingCount == 0)
  }
}

@Suite("The loopback server", .timeLimit(.minutes(15)))
struct LoopbackServerTests {
  @Test("it can be stopped at any time, also twice, while requests run")
  func stopping() async throws {
    let server = try LoopbackServer()
    let gate = Gate()
    server.route("/a", .ok(Data()).held(by: gate))
    let client = directClient()
    let address = server.url("/a")
    async let reason = failure(of: HTTPRequest(url: address), by: client)
    await gate.arrivals(1)
    server.stop()
    server.stop()
    await server.stopped()
    #expect(await reason == .connectionLost)
    #expect(server.openConnectionCount == 0)
    #expect(server.inFlightCount == 0)
  }

  @Test("connections beyond its bound wait for a place")
  func bounded() async throws {
    let server = try LoopbackServer(maximumConnections: 2)
    let gate = Gate()
    server.route("/a", .ok(Data(count: 1)).held(by: gate).withoutLength())
    let client = directClient()
    let address = server.url("/a")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 { group.addTask { try await client.data(from: address).body.count } }
      await gate.arrivals(2)
      #expect(server.openConnectionCount == 2)
      gate.open()
      var sum = 0
      for try await count in group { sum += count }
      #expect(sum == 6)
    }
  }

  @Test("it records and counts, and a path without route is 404")
  func records() async throws {
    let server = try LoopbackServer()
    server.route("/a", [.status(503), .ok(Data("x".utf8))])
    let client = directClient()
    var statuses: [Int] = []
    for path in ["/a", "/a?q", "/a", "/b"] {
      statuses.append(try await client.data(from: server.url(path)).response.status)
    }
    #expect(statuses == [503, 200, 200, 404])
    await server.received(4)
    #expect(server.requestCount(for: "/a") == 3)
    #expect(server.requests(for: "/a").map(\.query) == [nil, "q", nil])
    #expect(server.requestCount == 4)
    #expect(server.sentByteCount > 0)
  }

  @Test(
    "it reads bodies with a length and in chunks",
    arguments: [
      "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
      "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: u\r\n\r\n",
    ], [1, 7, 1000])
  func bodies(text: String, stride: Int) throws {
    var parser = LoopbackRequestParser()
    var rest = Array(text.utf8)[...]
    let request = try parser.next(connection: 1) { buffer in
      buffer.append(contentsOf: rest.prefix(stride))
      defer { rest = rest.dropFirst(stride) }
      return !rest.isEmpty
    }
    #expect(request.body == Data("hello".utf8))
    #expect(request.path == "/a")
  }
}
