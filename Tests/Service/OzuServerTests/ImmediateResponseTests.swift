import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Answers without a Swift task", .timeLimit(.minutes(5)))
struct ImmediateResponseTests {
  @Test("the immediate answers from memory equal the usual answers, and all other requests have none")
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
    let refused = ServiceRequest(method: "GET", target: "/none")
    #expect(fixture.service.immediateResponse(to: refused)?.status == 404)
    for (method, target) in [("GET", "/metrics"), ("GET", "/33/a.png"), ("POST", "/32/a.png")] {
      #expect(fixture.service.immediateResponse(to: ServiceRequest(method: method, target: target)) == nil)
    }
    let text = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(
      text.contains("ozu_requests_total{status=\"200\"} 5\n") && text.contains("ozu_requests_under_way 1\n"))
    // After its lifetime it needs a request to its origin.
    fixture.clock.advance(by: .seconds(601))
    #expect(fixture.service.immediateResponse(to: request) == nil)
  }

  @Test(
    "a request without a place is refused without a Swift task, and counted; pictures in memory and other hosts are served"
  )
  func refusal() async throws {
    let fixture = try ServiceFixture { $0.maximumPendingCount = 4 }
    let gate = Gate()
    for name in ["slow-0", "slow-1", "slow-2", "other-1"] { try fixture.serve(name, gate: gate) }
    try fixture.serve("fast-1")
    #expect(await fixture.get("/32/fast-1").status == 200)
    func immediate(_ target: String) -> ServiceResponse? {
      fixture.service.immediateResponse(to: ServiceRequest(method: "GET", target: target))
    }
    #expect(immediate("/32/slow-2") == nil)
    async let first = fixture.get("/32/slow-0")
    async let second = fixture.get("/32/slow-1")
    try await eventually(fixture.service.admission.count == 2)
    let refused = try #require(immediate("/32/slow-2"))
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
    #expect(await fixture.get("/32/slow-2") == refused)
    #expect(immediate("/32/fast-1")?.status == 200)
    #expect(immediate("/32/other-1") == nil)
    let text = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(text.contains("ozu_requests_total{status=\"503\"} 2\n"))
    #expect(text.contains("ozu_request_duration_seconds_count{result=\"refused\"} 2\n"))
    gate.open()
    #expect(await [first.status, second.status] == [200, 200])
    #expect(immediate("/32/slow-2") == nil)
  }

  @Test(
    "health and refusals are answered while no thread of the cooperative pool is free, over a real connection"
  )
  func withoutThreads() async throws {
    let fixture = try ServiceFixture { $0.maximumPendingCount = 4 }
    let gate = Gate()
    for name in ["slow-0", "slow-1", "slow-2"] { try fixture.serve(name, gate: gate) }
    let listener = try ServiceListener(fixture.service)
    async let first = fixture.get("/32/slow-0")
    async let second = fixture.get("/32/slow-1")
    try await eventually(fixture.service.admission.count == 2)
    let client = try TestClient(port: listener.port)
    // One task for each thread of the pool; each task blocks its thread.
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let width = ProcessInfo.processInfo.activeProcessorCount
    let text: String = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        @Sendable func keepThread() {
          begun.signal()
          end.wait()
        }
        for _ in 0..<width { Task { keepThread() } }
        // If the pool has fewer threads, the other tasks never begin.
        for _ in 0..<width { _ = begun.wait(timeout: .now() + 10) }
        for path in ["/health", "/32/slow-2", "/ready"] {
          client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        let bytes = client.rest()
        for _ in 0..<width { end.signal() }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
    #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "503", "200"])
    gate.open()
    #expect(await [first.status, second.status] == [200, 200])
    await listener.stop(within: .seconds(10))
  }

  /// Counts the addresses that are read.
  private final class CountedAddresses: PictureAddressing {
    let count = Mutex(0)

    func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
      count.withLock { $0 += 1 }
      return try ServiceFixture.Addresses().picture(for: request, at: date)
    }
  }

  @Test("a listener has an address read once, also if the answer needs waiting")
  func once() async throws {
    let addresses = CountedAddresses()
    let fixture = try ServiceFixture(addressing: addresses)
    try fixture.serve("a.png")
    let listener = try ServiceListener(fixture.service)
    let client = try TestClient(port: listener.port)
    for (number, target) in ["/32/a.png", "/32/missing.png", "/none"].enumerated() {
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await client.answer()
      #expect(addresses.count.withLock { $0 } == number + 1)
    }
    await listener.stop(within: .seconds(10))
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

    func begin(_ request: ServiceRequest) -> ServiceBeginning {
      guard request.target.hasPrefix("/now") else { return .work { await self.respond(to: request) } }
      counts.withLock { $0.now += 1 }
      return .response(ServiceResponse(status: 200, body: Data(request.target.utf8)))
    }
  }

  @Test("a listener keeps the order, and serves other connections after sixteen requests")
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
    // Bytes that are sent in one piece may arrive in several. Each piece gives sixteen more.
    let counts = responder.counts.withLock { $0 }
    #expect(counts.now + counts.later == 200 && counts.now >= 16 && counts.later > 1)
  }
}
