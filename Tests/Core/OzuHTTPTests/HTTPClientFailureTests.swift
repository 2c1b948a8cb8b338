import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Failures of the connection", .timeLimit(.minutes(15)))
struct HTTPClientFailureTests {
  private let server: LoopbackServer
  private let client = directClient()

  init() throws {
    server = try LoopbackServer()
  }

  @Test("a closed port refuses the connection")
  func refused() async {
    // The system gives this port to no server of another test.
    let request = HTTPRequest(url: url("http://127.0.0.1:1/a"))
    #expect(await failure(of: request, by: client) == .connectionRefused)
  }

  @Test("a host name without an address is not resolved")
  func unresolved() async throws {
    let address = url("http://does-not-exist.invalid/a")
    let error = await #expect(throws: HTTPError.self) { try await client.data(from: address) }
    #expect(error == HTTPError(.nameNotResolved, url: address))
    #expect(
      error?.message
        == "the name does-not-exist.invalid could not be resolved; check its spelling and the connection to the network"
    )
  }

  @Test(
    "other schemes are refused before the transport",
    arguments: ["file:///etc/hostname", "gopher://127.0.0.1/1", "ftp://127.0.0.1/a"])
  func schemes(text: String) async throws {
    let scheme = try #require(url(text).scheme)
    #expect(await failure(of: HTTPRequest(url: url(text)), by: client) == .unsupportedScheme(scheme))
  }

  @Test("a connection that ends without an answer is reported as lost", arguments: [true, false])
  func noAnswer(isReset: Bool) async {
    server.route("/a", .noAnswer(isReset: isReset))
    #expect(
      await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client) == .connectionLost
    )
  }

  @Test("a reset in the body is a truncated body")
  func resetInBody() async {
    server.route("/a", .ok(Data(count: 100_000)).resetting(afterByteCount: 10))
    guard
      case .bodyTruncated(_, expected: 100_000)? = await failure(
        of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
    else {
      Issue.record("not reported")
      return
    }
  }

  @Test("plain HTTP on a secure URL is a TLS failure")
  func tls() async {
    let address = url("https://127.0.0.1:\(server.port)/a")
    guard case .tlsFailed = await failure(of: HTTPRequest(url: address), by: client) else {
      Issue.record("not reported")
      return
    }
  }

  @Test(
    "bytes that are not HTTP are a protocol error",
    arguments: [
      "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
  func notHTTP(bytes: String) async {
    server.route("/a", .verbatim(Data(bytes.utf8)))
    let reason = await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
    guard case .protocolError = reason else {
      Issue.record("reported as \(reason as Any)")
      return
    }
  }

  @Test(
    "a silent server reaches the idle limit, before the head and in the body", arguments: [true, false])
  func idle(inBody: Bool) async {
    let gate = Gate()
    let response = LoopbackResponse.ok(Data(count: 10))
    server.route("/a", inBody ? response.dripping(5, through: gate) : response.held(by: gate))
    if inBody { gate.admit(1) }
    var request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    request.timeouts.idle = .milliseconds(200)
    #expect(await failure(of: request, by: client) == .timedOut(.idle))
    await server.allConnectionsClosed()
  }

  @Test(
    "if a host accepts connections but does not answer the handshake, all requests reach the limit on connecting"
  )
  func connecting() async throws {
    // The one place of the server is taken: the system accepts further connections, but no thread reads from them.
    let server = try LoopbackServer(maximumConnections: 1)
    let gate = Gate()
    server.route("/held", .ok(Data()).held(by: gate))
    let (client, other) = (client, directClient())
    let held = Task {
      await failure(of: HTTPRequest(url: server.url("/held"), timeouts: .patient), by: other)
    }
    await gate.arrivals(1)
    var request = HTTPRequest(url: url("https://127.0.0.1:\(server.port)/a"))
    // One after the other would be too late for the total limit.
    request.timeouts = HTTPTimeouts(connect: .seconds(3), total: .seconds(11))
    let reasons = await withTaskGroup(of: HTTPError.Reason?.self) { group in
      for _ in 0..<4 { group.addTask { [request] in await failure(of: request, by: client) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reasons == Array(repeating: .timedOut(.connect), count: 4))
    gate.open()
    #expect(await held.value == nil)
  }

  @Test(
    "a header section that comes slowly reaches the idle limit or the total limit", arguments: [true, false])
  func slowHead(isIdle: Bool) async {
    let gate = Gate()
    gate.admit(20)
    server.route(
      "/a", .verbatim(Data("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)).dripping(1, through: gate))
    var request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    if isIdle {
      request.timeouts.idle = .milliseconds(200)
    } else {
      request.timeouts.total = .milliseconds(200)
    }
    #expect(await failure(of: request, by: client) == .timedOut(isIdle ? .idle : .total))
    await server.allConnectionsClosed()
  }

  @Test("an endless header section is a protocol error before it takes much memory")
  func endlessHead() async {
    var response = LoopbackResponse.endless(repeating: Data("X-Field: 0123456789\r\n".utf8))
    response.ending = .verbatim
    server.route("/a", response)
    let reason = await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
    // Without a status line libcurl itself decides on the error.
    if case .protocolError? = reason {} else { Issue.record("\(String(describing: reason))") }
    var lines = LoopbackResponse.endless(
      repeating: Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))
    lines.ending = .verbatim
    server.route("/hints", lines)
    #expect(
      await failure(of: HTTPRequest(url: server.url("/hints"), timeouts: .patient), by: client)
        == .protocolError("the header section has more than 2000 lines"))
    await server.allConnectionsClosed()
  }

  @Test("a server that never ends its answer reaches the total limit")
  func total() async {
    server.route("/a", .endless(repeating: Data(count: 1000)))
    var request = HTTPRequest(url: server.url("/a"), maximumBodyByteCount: .max)
    request.timeouts.total = .milliseconds(200)
    let sink = RecordingSink()
    let error = await #expect(throws: HTTPError.self) { try await client.send(request, into: sink) }
    #expect(error?.reason == .timedOut(.total))
  }

  @Test(
    "an origin that is never silent but too slow reaches the limit on speed, and the error states the speed")
  func tooSlow() async {
    let gate = Gate()
    gate.admit(3)
    server.route("/a", .ok(Data(count: 1000)).dripping(1, through: gate))
    let timeouts = HTTPTimeouts(
      minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 50_000, window: .milliseconds(100)))
    let request = HTTPRequest(url: server.url("/a"), timeouts: timeouts)
    let error = await #expect(throws: HTTPError.self) { try await client.data(for: request) }
    #expect(error?.reason == .timedOut(.speed(bytesPerSecond: 50_000)))
    #expect(error?.message.contains("came more slowly than 50000 bytes a second") == true)
    #expect(error?.limit == .milliseconds(100))
    await server.allConnectionsClosed()
  }

  @Test("waiting for a turn does not count against the limits")
  func waitingIsFree() async throws {
    let client = directClient { $0.maximumConcurrentRequests = 1 }
    let gate = Gate()
    server.route("/held", .ok(Data()).held(by: gate))
    server.route("/a", .ok(Data()))
    var held = HTTPRequest(url: server.url("/held"), timeouts: .patient)
    // Seconds more than a busy machine takes for the answer after the wait.
    held.timeouts.idle = .seconds(12)
    var waiting = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    waiting.timeouts = HTTPTimeouts(
      connect: .seconds(15), idle: .seconds(15), total: .seconds(10))
    async let first = failure(of: held, by: client)
    await gate.arrivals(1)
    async let second = failure(of: waiting, by: client)
    #expect(await first == .timedOut(.idle))
    #expect(await second == nil)
  }

  @Test("limits may be as long as a Duration")
  func endlessLimits() async throws {
    server.route("/a", .ok(Data("a".utf8)))
    let forever = Duration.seconds(Int64.max)
    let request = HTTPRequest(
      url: server.url("/a"), timeouts: HTTPTimeouts(connect: forever, idle: forever, total: forever))
    #expect(try await client.data(for: request).body == Data("a".utf8))
  }
}
