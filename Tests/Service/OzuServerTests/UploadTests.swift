import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Bodies of uploads, over real connections", .timeLimit(.minutes(10)))
struct UploadTests {
  /// Answers with the body.
  private final class Responder: ServiceResponding {
    let bodies = Mutex<[Data]>([])

    func respond(to request: ServiceRequest) async -> ServiceResponse {
      bodies.withLock { $0.append(request.body) }
      return ServiceResponse(status: 200, body: request.body)
    }

    var count: Int { bodies.withLock { $0.count } }
  }

  private let responder = Responder()
  private let clock = ManualClock()

  private func listener(hasUploads: Bool = true) throws -> ServiceListener {
    var configuration = ServiceListener.Configuration()
    configuration.now = clock.now
    if hasUploads {
      configuration.uploads = UploadRule(path: "/up", maximumByteCount: 1000, maximumTotalByteCount: 1500) {
        $0.headers["Authorization"] == "a" ? nil : ServiceResponse(status: 401)
      }
    }
    return try ServiceListener(responder, configuration: configuration)
  }

  private static func head(_ length: Int, _ path: String = "/up", _ fields: String = "Authorization: a\r\n")
    -> String
  {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(fields)\r\n"
  }

  @Test(
    "a body is read whole, in any pieces, and the next request is read after it",
    arguments: [1, 7, 5000])
  func bodies(pieces: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    let text = Self.head(300) + String(repeating: "b", count: 300) + Self.head(1) + "c"
    let bytes = Array((text + "GET / HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      client.send(Array(bytes[start..<min(bytes.count, start + pieces)]))
    }
    #expect(try await client.answer().body.count == 300)
    #expect(try await client.answer().body == Array("c".utf8))
    #expect(try await client.answer().body.isEmpty)
    await listener.stop(within: .seconds(10))
  }

  @Test(
    "an upload that is not allowed is refused after its head, and its body is not read",
    arguments: [
      (head(1001), 413), (head(10, "/up", ""), 401), (head(10, "/other"), 413), (head(0), 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\n\r\n", 411),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 0000000000005\r\n\r\n", 413),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
      ("POST /up?a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", 417),
      ("POST /up HTTP/1.0\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
      ("PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
      ("GET /up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
      ("POST http://a/up HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413),
    ])
  func refusals(head: String, status: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(head + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try await client.answer()
    #expect(answer.status == status && answer.headers["Connection"] == "close")
    #expect(await client.hasEnded())
    #expect(responder.count == 0)
  }

  @Test("a body of exactly the limit is accepted, and no bytes after it", arguments: [1, 999, 1000])
  func sizes(count: Int) async throws {
    let listener = try listener()
    let client = try TestClient(port: listener.port)
    client.send(Self.head(count) + String(repeating: "a", count: count))
    let answer = try await client.answer()
    #expect(answer.status == 200 && answer.body.count == count && answer.headers["Connection"] == nil)
    client.send(Self.head(2) + "bc")
    #expect(try await client.answer().body == Array("bc".utf8))
    await listener.stop(within: .seconds(10))
  }

  @Test("a client that disconnects during its body makes no request, and its bytes are no longer counted")
  func left() async throws {
    let listener = try listener()
    for _ in 0..<20 {
      let client = try TestClient(port: listener.port)
      client.send(Self.head(1000) + String(repeating: "a", count: 999))
      try await eventually(listener.connectionCount == 1)
      client.close()
      try await eventually(listener.connectionCount == 0)
    }
    let client = try TestClient(port: listener.port)
    client.send(Self.head(1000) + String(repeating: "b", count: 1000))
    #expect(try await client.answer().body == Array(repeating: UInt8(ascii: "b"), count: 1000))
    #expect(responder.count == 1)
  }

  @Test("without a rule a request with a body is refused")
  func withoutRule() async throws {
    let listener = try listener(hasUploads: false)
    let client = try TestClient(port: listener.port)
    client.send(Self.head(1) + "a")
    #expect(try await client.answer().status == 413)
    #expect(responder.count == 0)
  }

  @Test("all bodies together are bounded; a body that does not arrive is dropped, and makes room")
  func budget() async throws {
    let listener = try listener()
    let slow = try TestClient(port: listener.port)
    slow.send(Self.head(1000) + "half of it")
    // The first body has been read when the listener has no room for a second one.
    var isFull = false
    for _ in 0..<1000 where !isFull {
      isFull = try await post(600, to: listener) == 503
    }
    #expect(isFull)
    // The rest of the budget can be used to the last byte.
    #expect(try await post(501, to: listener) == 503)
    #expect(try await post(500, to: listener) == 200)
    let begun = responder.count
    clock.advance(by: .seconds(60))
    listener.tick()
    #expect(await slow.hasEnded())
    #expect(try await post(600, to: listener) == 200)
    #expect(responder.count == begun + 1)
  }

  /// The status of the answer to a body of this size.
  private func post(_ count: Int, to listener: ServiceListener) async throws -> Int {
    let client = try TestClient(port: listener.port)
    client.send(Self.head(count) + String(repeating: "a", count: count))
    return try await client.answer().status
  }
}
