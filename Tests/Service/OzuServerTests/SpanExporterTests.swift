import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

/// A collector on this machine, as OpenTelemetry's takes traces.
@Suite("Spans for a collector of traces", .timeLimit(.minutes(10)))
struct SpanExporterTests {
  private let collector: LoopbackServer

  init() throws {
    collector = try LoopbackServer()
    collector.route("/v1/traces", .ok(Data("{}".utf8), type: "application/json"))
  }

  private func exporter(
    share: Double = 1, headers: HTTPHeaders = [:], client: (any HTTPClient)? = PatientClient()
  ) -> SpanExporter {
    SpanExporter(
      collector.url("/v1/traces"), name: "img", version: "1.2", share: share, headers: headers, client: client
    )
  }

  /// Waits for a collector as long as that takes.
  private struct PatientClient: HTTPClient {
    func send(
      _ request: HTTPRequest, into sink: any HTTPBodySink
    ) async throws(HTTPError) -> HTTPResponse {
      var request = request
      request.timeouts = HTTPTimeouts(idle: .seconds(600), total: .seconds(600))
      return try await DefaultHTTPClient.shared.send(request, into: sink)
    }
  }

  private struct Export: Decodable {
    struct Value: Decodable {
      var stringValue: String?
      var intValue: String?
    }
    struct Attribute: Decodable {
      let key: String
      let value: Value
    }
    struct Status: Decodable { let code: Int }
    struct Span: Decodable {
      let traceId, spanId, name, startTimeUnixNano, endTimeUnixNano: String
      var parentSpanId: String?
      let kind: Int
      let attributes: [Attribute]
      var status: Status?

      func text(_ key: String) -> String? {
        attributes.first { $0.key == key }.map { $0.value.stringValue ?? $0.value.intValue ?? "" }
      }
    }
    struct Resource: Decodable { let attributes: [Attribute] }
    struct Scope: Decodable { let spans: [Span] }
    struct Part: Decodable {
      let resource: Resource
      let scopeSpans: [Scope]
    }
    let resourceSpans: [Part]
  }

  private func exports() throws -> [Export.Part] {
    try collector.requests(for: "/v1/traces").flatMap {
      try JSONDecoder().decode(Export.self, from: $0.body).resourceSpans
    }
  }

  private func exported() throws -> [Export.Span] { try exports().flatMap(\.scopeSpans).flatMap(\.spans) }

  @Test(
    "a request is a span, the stages of a new picture are below it, and a trace of the client and at the origin continue"
  )
  func spans() async throws {
    let exporter = exporter(headers: ["Authorization": "Bearer a"])
    let fixture = try ServiceFixture {
      $0.spans = exporter
      $0.continuesTraces = true
    }
    try fixture.serve("a.png")
    let (id, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
    _ = await fixture.get("/32/a.png", ["traceparent": "00-\(id)-\(parent)-01"])
    _ = await fixture.get("/32/a.png")
    _ = await fixture.get("/none\"\u{1}")
    // Its caller wants no spans.
    _ = await fixture.get("/32/a.png", ["traceparent": "00-\(id)-\(parent)-00"])
    await exporter.flush()
    let request = try #require(collector.requests.first)
    #expect(request.method == "POST" && request.headers["Content-Type"] == "application/json")
    #expect(request.headers["Authorization"] == "Bearer a")
    let resource = try #require(try exports().first).resource.attributes
    #expect(resource.map(\.key) == ["service.name", "service.version"])
    let spans = try exported()
    let servers = spans.filter { $0.kind == 2 }
    #expect(servers.map(\.name) == ["GET made", "GET memory", "GET failed"])
    let first = servers[0]
    #expect(first.traceId == id && first.parentSpanId == parent && first.spanId != parent)
    #expect(first.text("http.response.status_code") == "200" && first.text("url.path") == "/32/a.png")
    #expect(first.text("ozu.source") == "https://origin.test/a.png" && first.status == nil)
    #expect(servers[1].traceId.count == 32 && servers[1].traceId != id && servers[1].parentSpanId == nil)
    #expect(servers[2].text("http.response.status_code") == "404")
    let stages = spans.filter { $0.kind == 1 }
    #expect(stages.allSatisfy { $0.traceId == id && $0.parentSpanId == first.spanId })
    #expect(Set(stages.map(\.name)).isSuperset(of: ["network", "decode", "encode"]))
    for span in spans {
      let (start, end) = (try #require(Int(span.startTimeUnixNano)), try #require(Int(span.endTimeUnixNano)))
      #expect(start <= end && start > 0)
    }
    // The origin's own spans are below that of the request.
    let field = try #require(fixture.network.requests.first?.headers["traceparent"])
    #expect(field == "00-\(id)-\(first.spanId)-01")
    #expect(exporter.counts.sent == 3 && exporter.counts.failed == 0)
    let metrics = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(metrics.contains("ozu_trace_spans_total{result=\"sent\"} 3"))
  }

  @Test("without a share no trace begins, and that of a client continues")
  func share() async throws {
    let exporter = exporter(share: 0)
    let fixture = try ServiceFixture { $0.spans = exporter }
    let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    for _ in 0..<20 { _ = await fixture.get("/health") }
    _ = await fixture.get("/health", ["traceparent": "00-\(id)-00f067aa0ba902b7-01"])
    await exporter.flush()
    #expect(try exported().map(\.traceId) == [id])
  }

  /// The collector takes nothing until the gate opens, so the first span is under way and 2,048 spans wait.
  @Test("what finds no room in the queue is dropped and counted, and no request waits for the collector")
  func bounds() async throws {
    let gate = Gate()
    var held = LoopbackResponse.ok(Data("{}".utf8), type: "application/json")
    held.headGate = gate
    collector.route("/v1/traces", held)
    let exporter = exporter()
    let fixture = try ServiceFixture { $0.spans = exporter }
    func ask(_ count: Int) async {
      for _ in 0..<count { #expect(await fixture.get("/health").status == 200) }
    }
    await ask(1)
    // Not by the exporter's timer, which comes in the middle of many requests on a busy machine.
    let first = Task { await exporter.flush() }
    await collector.received(1, for: "/v1/traces")
    await ask(2048 + 10)
    #expect(exporter.counts == counts(sent: 0, dropped: 10, failed: 0))
    gate.open()
    await exporter.flush()
    await first.value
    #expect(exporter.counts == counts(sent: 1 + 2048, dropped: 10, failed: 0))
    #expect(collector.requestCount == 5)
  }

  private func counts(sent: Int, dropped: Int, failed: Int) -> SpanExporter.Counts {
    var counts = SpanExporter.Counts()
    (counts.sent, counts.dropped, counts.failed) = (sent, dropped, failed)
    return counts
  }

  @Test("what a collector refuses is counted, and not sent again", arguments: [503, 302, 0])
  func refusals(status: Int) async throws {
    if status == 0 { collector.stop() } else { collector.route("/v1/traces", .status(status)) }
    let exporter = exporter(client: nil)
    let fixture = try ServiceFixture { $0.spans = exporter }
    _ = await fixture.get("/health")
    await exporter.flush()
    #expect(exporter.counts == counts(sent: 0, dropped: 0, failed: 1))
    await exporter.flush()
    #expect(exporter.counts == counts(sent: 0, dropped: 0, failed: 1))
  }
}
