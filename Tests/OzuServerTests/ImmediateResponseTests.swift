import Foundation
import OzuHTTP
import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Answers without a Swift task", .timeLimit(.minutes(5)))
struct ImmediateResponseTests {
  @Test("a service answers from memory at once what it answers otherwise, and nothing else")
  func service() async throws {
    let records = Mutex<[String]>([])
    let fixture = try ServiceFixture { $0.log = { record in records.withLock { $0.append(record.result) } } }
    try fixture.serve("a.png")
    let request = ServiceRequest(method: "GET", target: "/32/a.png")
    #expect(fixture.service.immediateResponse(to: request) == nil)
    let cold = await fixture.service.respond(to: request)
    let hot = try #require(fixture.service.immediateResponse(to: request))
    #expect(hot == cold)
    #expect(await fixture.service.respond(to: request) == hot)
    let tag = try #require(hot.headers["ETag"])
    let unchanged = ServiceRequest(method: "GET", target: "/32/a.png", headers: ["If-None-Match": tag])
    #expect(fixture.service.immediateResponse(to: unchanged)?.status == 304)
    #expect(records.withLock { $0 } == ["made", "memory", "memory", "unchanged"])
    for target in ["/health", "/ready"] {
      let request = ServiceRequest(method: "GET", target: target)
      #expect(fixture.service.immediateResponse(to: request)?.status == 200)
    }
    for (method, target) in [
      ("GET", "/metrics"), ("GET", "/none"), ("GET", "/33/a.png"), ("POST", "/32/a.png"),
    ] {
      #expect(fixture.service.immediateResponse(to: ServiceRequest(method: method, target: target)) == nil)
    }
    let text = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(
      text.contains("ozu_requests_total{status=\"200\"} 5\n") && text.contains("ozu_requests_under_way 1\n"))
    // Past its lifetime it needs a question to its origin.
    fixture.clock.advance(by: .seconds(601))
    #expect(fixture.service.immediateResponse(to: request) == nil)
  }

  /// Answers `/now…` at once.
  private final class Responder: ServiceResponding {
    let gate = Gate()
    let counts = Mutex((now: 0, later: 0))

    func respond(to request: ServiceRequest) async -> ServiceResponse {
      counts.withLock { $0.later += 1 }
      if request.target.hasPrefix("/slow") { try? await gate.pass() }
      return ServiceResponse(status: 200, body: Data(request.target.utf8))
    }

    func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
      guard request.target.hasPrefix("/now") else { return nil }
      counts.withLock { $0.now += 1 }
      return ServiceResponse(status: 200, body: Data(request.target.utf8))
    }
  }

  @Test("a listener keeps the order, and gives the others their turn after sixteen")
  func listener() async throws {
    let responder = Responder()
    let listener = try ServiceListener(responder)
    let client = try TestClient(port: listener.port)
    let paths = (0..<200).map { $0 == 5 ? "/slow" : "/now\($0)" }
    client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for path in paths {
      if path == "/slow" { responder.gate.open() }
      #expect(try await client.answer().body == Array(path.utf8))
    }
    await listener.stop(within: .seconds(10))
    // What is sent in one piece may arrive in several; each gives sixteen more.
    let counts = responder.counts.withLock { $0 }
    #expect(counts.now + counts.later == 200 && counts.now >= 16 && counts.later > 1)
  }
}
