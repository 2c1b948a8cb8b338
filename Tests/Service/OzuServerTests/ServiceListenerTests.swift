import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

@Suite("A listener, over real connections", .timeLimit(.minutes(10)))
struct ServiceListenerTests {
  /// Answers with the requested path; `/slow…` waits at the gate, `/large…` returns a megabyte.
  final class Responder: ServiceResponding {
    let gate = Gate()
    let counts = Mutex((begun: 0, cancelled: 0))
    let connectionCounts: ConnectionCounts? = ConnectionCounts()

    func respond(to request: ServiceRequest) async -> ServiceResponse {
      counts.withLock { $0.begun += 1 }
      if request.target.hasPrefix("/slow") {
        do { try await gate.pass() } catch { counts.withLock { $0.cancelled += 1 } }
      }
      if request.target == "/unchanged" { return ServiceResponse(status: 304, headers: ["ETag": "\"a\""]) }
      if request.target == "/interim" { return ServiceResponse(status: 100, body: Data("x".utf8)) }
      if request.target == "/split" {
        return ServiceResponse(
          status: 200,
          headers: ["X-A": "b\r\nX-C: d", "Connection": "upgrade", "Content-Length": "99", "X-D": "e"])
      }
      let body =
        request.target.hasPrefix("/large") ? Data(repeating: 0x61, count: 4 << 20) : Data(request.target.utf8)
      return ServiceResponse(status: 200, headers: ["Content-Type": "text/plain"], body: body)
    }

    var begunCount: Int { counts.withLock { $0.begun } }
    var cancelledCount: Int { counts.withLock { $0.cancelled } }
  }

  let responder = Responder()
  let clock = ManualClock()

  func listener(_ change: (inout ServiceListener.Configuration) -> Void = { _ in }) throws
    -> ServiceListener
  {
    var configuration = ServiceListener.Configuration()
    configuration.now = clock.now
    change(&configuration)
    return try ServiceListener(responder, configuration: configuration)
  }

  static func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  /// Whether no connection is left after another second of the listener's clock.
  func isEmptySecondsLater(_ listener: ServiceListener) -> Bool {
    clock.advance(by: .seconds(1))
    listener.tick()
    return listener.connectionCount == 0
  }

  @Test(
    "answers requests on one connection in their order, in any pieces", arguments: [1, 3, 50, 5000])
  func pipelining(pieces: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    let paths = (0..<20).map { "/\($0)" }
    let bytes = Array(paths.map { Self.get($0) }.joined().utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      client.send(Array(bytes[start..<min(bytes.count, start + pieces)]))
    }
    for path in paths {
      let answer = try await client.answer()
      #expect(answer.status == 200 && answer.body == Array(path.utf8))
      #expect(answer.headers["Content-Length"] == "\(path.utf8.count)")
      #expect(answer.headers["Date"] != nil && answer.headers["Connection"] == nil)
    }
    await listener.stop(within: .seconds(10))
    #expect(responder.begunCount == 20)
  }

  @Test("HEAD and 304 have no body, and the fields of a service cannot change the frame")
  func bodies() async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(
      Self.get("/abc", method: "HEAD") + Self.get("/unchanged") + Self.get("/split") + Self.get("/interim")
        + Self.get("/next"))
    let head = try await client.answer(hasBody: false)
    #expect(head.headers["Content-Length"] == "4")
    let unchanged = try await client.answer(hasBody: false)
    #expect(
      unchanged.status == 304 && unchanged.headers["Content-Length"] == nil
        && unchanged.headers["ETag"] == "\"a\"")
    let split = try await client.answer()
    #expect(split.headers["X-A"] == nil && split.headers["X-C"] == nil && split.headers["X-D"] == "e")
    #expect(split.headers.values(for: "Content-Length") == ["0"] && split.headers["Connection"] == nil)
    #expect(try await client.answer().status == 500)
    #expect(try await client.answer().body == Array("/next".utf8))
  }

  @Test(
    "a refused request is answered, and its connection is closed",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
      ("GET / HTTP/2.0\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ])
  func refusals(head: String, status: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(head + Self.get("/smuggled"))
    let answer = try await client.answer()
    #expect(answer.status == status && answer.headers["Connection"] == "close")
    #expect((answer.headers["Allow"] != nil) == (status == 405))
    #expect(await client.hasEnded())
    #expect(responder.begunCount == 0)
  }

  @Test(
    "closes the connection on request, and after HTTP/1.0",
    arguments: [
      get("/a", "Connection: close\r\n"), "GET /a HTTP/1.0\r\n\r\n",
    ])
  func closing(head: String) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(head)
    let answer = try await client.answer()
    #expect(answer.body == Array("/a".utf8) && answer.headers["Connection"] == "close")
    #expect(await client.hasEnded())
    client.close()
    try await eventually(listener.connectionCount == 0)
  }

  @Test("the answer for a client that disconnects is cancelled")
  func leaving() async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(Self.get("/slow"))
    try await eventually(responder.begunCount == 1)
    client.close()
    try await eventually(responder.cancelledCount == 1 && listener.connectionCount == 0)
  }
}

/// The file of a Unix socket whose process has ended.
struct ListeningSocketRemains {
  let isThere: Bool

  init(path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    isThere = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    close(descriptor)
  }
}
