import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuSharedStores
import OzuTesting
import Testing

@testable import OzuServer

@Suite("The page of the metrics")
struct ServiceMetricsTests {
  private static func lines(of fixture: ServiceFixture) async -> [String] {
    String(decoding: await fixture.get("/metrics").body, as: UTF8.self).split(separator: "\n").map(
      String.init)
  }

  @Test("counts refused heads, decoders that fail, answers of origins, and what the caches hold")
  func counts() async throws {
    let fixture = try ServiceFixture { $0.version = "1.2" }
    try fixture.serve("a.png")
    fixture.network.reply(to: ServiceFixture.url("gone.png"), with: .status(404))
    fixture.network.reply(to: ServiceFixture.url("lost.png"), with: .failure(.connectionRefused))
    for name in ["a.png", "a.png", "gone.png", "lost.png"] { _ = await fixture.get("/32/\(name)") }
    let body = await fixture.get("/32/a.png").body
    for reason in ["a", "a", "b\"\n"] {
      fixture.service.noteRefusal(
        of: ServiceRequest(method: "", target: ""), ServiceResponse(status: 400), reason: reason)
    }
    for failure in [
      DecoderFailure.crashed(signal: 11), .stopped(.cpuTime(.seconds(1))), .stopped(.cpuTime(.seconds(2))),
    ] {
      fixture.service.metrics.note(failure)
    }
    #expect(await !Self.lines(of: fixture).contains { $0.contains("ozu_connections") })
    let connections = try #require(fixture.service.connectionCounts)
    connections.addLimit(20)
    for state in [ConnectionCounts.State.idle, .idle, .writing] { connections.change(from: nil, to: state) }
    let lines = await Self.lines(of: fixture)
    for line in [
      #"ozu_connections{state="idle"} 2"#, #"ozu_connections{state="writing"} 1"#,
      #"ozu_connections{state="answering"} 0"#, "ozu_connections_limit 20",
      #"ozu_refused_heads_total{reason="a"} 2"#, #"ozu_refused_heads_total{reason="b\"\n"} 1"#,
      #"ozu_decoder_failures_total{reason="crashed"} 1"#,
      #"ozu_decoder_failures_total{reason="processor_time"} 2"#,
      #"ozu_origin_answers_total{status="2xx"} 1"#, #"ozu_origin_answers_total{status="4xx"} 1"#,
      #"ozu_origin_answers_total{status="none"} 1"#, #"ozu_cache_entries{cache="memory"} 1"#,
      #"ozu_cache_limit_bytes{cache="memory"} 134217728"#, #"ozu_cache_evictions_total{cache="memory"} 0"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    let bytes = lines.first { $0.hasPrefix("ozu_cache_bytes{cache=\"memory\"}") }?.split(separator: " ").last
    #expect(bytes.flatMap { Int($0) }.map { $0 >= body.count } == true)
    #expect(lines.contains { $0.hasPrefix("ozu_build_info{version=\"1.2\",architecture=\"") })
  }

  @Test("reasons beyond a number are one, so that no text of clients makes lines without end")
  func boundedReasons() async throws {
    let metrics = ServiceMetrics()
    for number in 0..<1000 { metrics.noteRefusal("reason \(number)") }
    let refusals = metrics.state.withLock { $0.refusals }
    #expect(refusals.count == ServiceMetrics.largestReasonCount + 1 && refusals["other"] == 936)
  }

  @Test("evictions are counted")
  func evictions() async throws {
    let fixture = try ServiceFixture { $0.pipeline.caching.encodedMemoryCache.costLimit = 10_000 }
    for number in 0..<30 {
      try fixture.serve("\(number).png", number: number % 8)
      _ = await fixture.get("/64/\(number).png")
    }
    let contents = await fixture.service.pipeline.cacheContents().encodedMemory
    #expect(contents.evictionCount > 0 && contents.byteCount <= 10_000)
    let lines = await Self.lines(of: fixture)
    #expect(lines.contains("ozu_cache_evictions_total{cache=\"memory\"} \(contents.evictionCount)"))
  }

  /// With two stores, whose lines belong to the same metrics.
  @Test("each metric is described once, before its lines, and all lines of one stand together")
  func form() async throws {
    let redis = RedisStore(RedisConfiguration(nodes: [.unix("/none/a"), .unix("/none/b")]))
    let bucket = try S3Store(
      S3Configuration(
        endpoint: try #require(URL(string: "http://127.0.0.1:9")), bucket: "b", region: "r",
        credentials: S3Credentials(accessKey: "a", secretKey: "b")))
    let fixture = try ServiceFixture(stores: [redis, bucket])
    try fixture.serve("a.png")
    _ = await fixture.get("/32/a.png")
    let lines = await Self.lines(of: fixture)
    var (described, current): (Set<String>, String) = ([], "")
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if words[0] == "#" {
        if words[1] == "HELP" {
          #expect(described.insert(words[2]).inserted, "\(line)")
          current = words[2]
        }
        #expect(words[2] == current)
        continue
      }
      let name = words[0].prefix { $0 != "{" }
      let endings = ["", "_bucket", "_sum", "_count"]
      #expect(endings.contains { name == current + $0 }, "\(line)")
    }
    for name in ["redis", "s3"] {
      #expect(lines.contains { $0.hasPrefix("ozu_shared_store_duration_seconds_count{store=\"\(name)\"") })
    }
  }
}
