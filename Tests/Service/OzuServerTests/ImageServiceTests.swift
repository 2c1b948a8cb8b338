import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuSharedStores
import OzuTesting
import Testing

@testable import OzuServer

@Suite("A service for pictures", .timeLimit(.minutes(5)))
struct ImageServiceTests {
  @Test("makes a picture once, and then has it in memory")
  func once() async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png")
    let first = await fixture.get("/32/a.png", ["Accept": "image/webp"])
    #expect(first.status == 200)
    #expect(first.headers["Content-Type"] == "image/webp")
    #expect(first.headers["Vary"] == "Accept")
    #expect(first.headers["Cache-Control"] == "public, max-age=600")
    #expect(first.headers["X-Content-Type-Options"] == "nosniff")
    #expect(try CodecRegistry.standard.header(of: first.body).storedSize == PixelSize(32, 24))
    fixture.clock.advance(by: .seconds(100))
    let second = await fixture.get("/32/a.png", ["Accept": "image/webp"])
    #expect(second.body == first.body)
    #expect(second.headers["Cache-Control"] == "public, max-age=500")
    #expect(fixture.service.pipeline.statistics.decodes == 1)
    #expect(fixture.network.requestCount(for: ServiceFixture.url("a.png")) == 1)
    // HEAD has the fields of GET.
    #expect(
      await fixture.get("/32/a.png", ["Accept": "image/webp"], method: "HEAD").headers == second.headers)
  }

  @Test("answers 304 without decoding, from memory, from a store and from the origin")
  func unchanged() async throws {
    let store = MemoryImageStore()
    let fixture = try ServiceFixture(stores: [store])
    try fixture.serve("a.png")
    let first = await fixture.get("/32/a.png")
    let tag = try #require(first.headers["ETag"])
    #expect(tag.hasPrefix("W/\""))
    await fixture.service.pipeline.flush()
    /// A process without memory and stores; then with the original alone; then with the file.
    for kinds: [ImageStoreKind] in [[], [.original], [.original, .encoded]] {
      let other = MemoryImageStore()
      for key in store.keys where kinds.contains(key.kind) { try other.write(#require(store[key]), for: key) }
      let next = try ServiceFixture(network: fixture.network, clock: fixture.clock, stores: [other])
      for condition in [tag, "\"x\", \(tag)", "*", String(tag.dropFirst(2))] {
        let answer = await next.get("/32/a.png", ["If-None-Match": condition])
        #expect(answer.status == 304, "\(kinds) \(condition)")
        #expect(answer.body.isEmpty)
        #expect(answer.headers["Content-Type"] == nil)
        if condition != "*" {
          #expect(answer.headers["ETag"] == tag)
          #expect(answer.headers["Cache-Control"] == "public, max-age=600")
          #expect(answer.headers["Vary"] == "Accept")
        }
      }
      #expect(next.service.pipeline.statistics.decodes == 0)
      // Another size is another picture.
      #expect(await next.get("/16/a.png", ["If-None-Match": tag]).status == 200)
    }
  }

  @Test("a changed source has another tag, an unchanged one keeps it when it is validated")
  func validation() async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png", number: 1)
    let first = await fixture.get("/32/a.png")
    let tag = try #require(first.headers["ETag"])
    fixture.clock.advance(by: .seconds(601))
    #expect(await fixture.get("/32/a.png", ["If-None-Match": tag]).status == 304)
    #expect(fixture.network.requestCount(for: ServiceFixture.url("a.png")) == 2)
    #expect(fixture.service.pipeline.statistics.decodes == 1)
    try fixture.serve("a.png", number: 2)
    fixture.clock.advance(by: .seconds(601))
    let changed = await fixture.get("/32/a.png", ["If-None-Match": tag])
    #expect(changed.status == 200)
    #expect(changed.headers["ETag"] != tag)
    #expect(changed.body != first.body)
  }

  @Test(
    "while the origin is lost a client with a tag gets what one without a tag gets",
    arguments: [("max-age=600", 304), ("max-age=600, must-revalidate", 502)])
  func lostOrigin(control: String, status: Int) async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png", control: control)
    let first = await fixture.get("/32/a.png")
    let tag = try #require(first.headers["ETag"])
    fixture.clock.advance(by: .seconds(601))
    fixture.network.reply(to: ServiceFixture.url("a.png"), with: .failure(.connectionRefused))
    let plain = status == 304 ? 200 : status
    #expect(await fixture.get("/32/a.png").status == plain)
    #expect(await fixture.get("/32/a.png", ["If-None-Match": "\"x\""]).status == plain)
    #expect(await fixture.get("/32/a.png", ["If-None-Match": tag]).status == status)
  }

  private struct ReloadingAddresses: PictureAddressing {
    func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
      var picture = try ServiceFixture.Addresses().picture(for: request, at: date)
      picture.request.cachePolicy = .reload
      return picture
    }
  }

  @Test("where the cache policy asks the origin in any case, a client with a tag gets no stored file either")
  func reloading() async throws {
    let fixture = try ServiceFixture(addressing: ReloadingAddresses())
    try fixture.serve("a.png")
    let first = await fixture.get("/32/a.png")
    let tag = try #require(first.headers["ETag"])
    #expect(await fixture.get("/32/a.png", ["If-None-Match": tag]).status == 304)
    fixture.network.reply(to: ServiceFixture.url("a.png"), with: .failure(.connectionRefused))
    #expect(await fixture.get("/32/a.png").status == 502)
    #expect(await fixture.get("/32/a.png", ["If-None-Match": tag]).status == 502)
  }

  @Test(
    "passes the freshness of the origin to the client",
    arguments: [
      (control: "max-age=600" as String?, "public, max-age=600"),
      ("max-age=600, s-maxage=60", "public, max-age=60"),
      ("max-age=99999999", "public, max-age=31536000"),
      ("no-cache", "public, no-cache"),
      ("private, max-age=600", "private, no-store"),
      ("no-store", "private, no-store"),
      (nil, "public, max-age=3600"),
    ])
  func lifetimes(control: String?, expected: String) async throws {
    let store = MemoryImageStore()
    let fixture = try ServiceFixture(stores: [store])
    try fixture.serve("a.png", control: control)
    let answer = await fixture.get("/32/a.png")
    #expect(answer.status == 200)
    #expect(answer.headers["Cache-Control"] == expected)
    await fixture.service.pipeline.flush()
    #expect(store.keys.isEmpty == (expected == "private, no-store"))
  }

  @Test(
    "no cache may keep a picture longer than its address is valid",
    arguments: [
      (control: "max-age=600", seconds: 3, "public, max-age=3, must-revalidate"),
      ("max-age=600", 3600, "public, max-age=600, must-revalidate"), ("no-cache", 3, "public, no-cache"),
      ("no-store", 3, "private, no-store"), ("max-age=600", 0, "public, max-age=600"),
    ])
  func expiries(control: String, seconds: Int, expected: String) async throws {
    let fixture = try ServiceFixture(addressing: SignedAddresses(AddressTests.openRules))
    try fixture.serve("a.png", control: control)
    let now = Int(fixture.clock.date().timeIntervalSince1970)
    let path = "/x/exp:\(seconds == 0 ? 0 : now + seconds)/plain/https://origin.test/a.png@png"
    let first = await fixture.get(path)
    #expect(first.headers["Cache-Control"] == expected)
    // From memory, where the address is remembered, and as a 304.
    #expect(await fixture.get(path).headers["Cache-Control"] == expected)
    let tag = try #require(first.headers["ETag"])
    let unchanged = await fixture.get(path, ["If-None-Match": tag])
    #expect(unchanged.status == 304 && unchanged.headers["Cache-Control"] == expected)
    fixture.clock.advance(by: .seconds(4))
    #expect(await fixture.get(path).status == (seconds == 3 ? 404 : 200))
  }

  @Test("a request whose client has left is none that a busy service refused")
  func leaving() async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let gate = Gate()
    let fixture = try ServiceFixture { $0.log = { record in records.withLock { $0.append(record) } } }
    try fixture.serve("a.png", gate: gate)
    let request = Task { await fixture.get("/32/a.png") }
    await gate.arrivals(1)
    request.cancel()
    #expect(await request.value.status == 499)
    #expect(records.withLock { $0.map(\.status) } == [499])
    gate.open()
  }

  @Test("the time limit counts from the request on, whatever steps its answer has")
  func timeLeft() throws {
    let clock = ManualClock()
    let fixture = try ServiceFixture(clock: clock) {
      $0.pipeline.testing.now = clock.now
      $0.answerLimit = .seconds(30)
    }
    let picture = try fixture.service.pictureRequest(of: ServiceRequest(method: "GET", target: "/32/a.png"))
    for (wait, left) in [(0, 30), (12, 18), (17, 1), (2, 0)] {
      clock.advance(by: .seconds(wait))
      #expect(picture.request(at: clock.now()).deadline == .seconds(left))
    }
  }

  @Test(
    "tells a client the reason of a failure, without the origin",
    arguments: [
      (reply: FakeHTTPReply.status(404), status: 404, text: "no such picture"),
      (.status(410), 404, "no such picture"),
      (.status(500), 502, "answered 500"),
      (.failure(.nameNotResolved), 502, "cannot be reached"),
      (.failure(.timedOut(.idle)), 504, "too long"),
      (.failure(.hostNotAllowed("10.0.0.1")), 403, "not allowed"),
      (.failure(.addressRefused("10.0.0.1")), 403, "not allowed"),
      (.ok(Data("<html>".utf8)), 422, "not a picture"),
      (.ok(Data()), 422, "not a picture"),
    ])
  func failures(reply: FakeHTTPReply, status: Int, text: String) async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture { $0.log = { record in records.withLock { $0.append(record) } } }
    fixture.network.reply(to: ServiceFixture.url("a.png"), with: reply)
    let answer = await fixture.get("/32/a.png")
    #expect(answer.status == status)
    let body = String(decoding: answer.body, as: UTF8.self)
    #expect(body.contains(text))
    #expect(!body.contains("origin.test") && !body.contains("10.0.0.1"))
    let record = try #require(records.withLock { $0.first })
    #expect(record.result == "failed")
    #expect(record.failure?.contains("origin.test") == true)
  }

  @Test(
    "requests above the limit are refused at once; one origin leaves places for others; health is answered")
  func busy() async throws {
    let fixture = try ServiceFixture { $0.maximumPendingCount = 4 }
    let gate = Gate()
    for number in 0..<3 { try fixture.serve("slow-\(number)", gate: gate) }
    try fixture.serve("fast-1")
    try fixture.serve("slow_8443-1")
    try fixture.serve("other-1", gate: gate)
    try fixture.serve("other-2", gate: gate)
    async let first = fixture.get("/32/slow-0")
    async let second = fixture.get("/32/slow-1")
    try await eventually(fixture.service.admission.count == 2)
    let refused = await fixture.get("/32/slow-2")
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "1")
    #expect(await fixture.get("/32/fast-1").status == 200)
    // Another port is another origin.
    #expect(await fixture.get("/32/slow_8443-1").status == 200)
    async let third = fixture.get("/32/other-1")
    async let fourth = fixture.get("/32/other-2")
    try await eventually(fixture.service.admission.count == 4)
    // A picture in memory takes no place.
    #expect(await fixture.get("/32/fast-1").status == 200)
    #expect(await fixture.get("/16/fast-1").status == 503)
    #expect(await fixture.get("/health").status == 200)
    #expect(await fixture.get("/ready").status == 200)
    gate.open()
    #expect(await [first.status, second.status, third.status, fourth.status] == [200, 200, 200, 200])
    #expect(fixture.service.admission.count == 0)
    #expect(await fixture.get("/32/slow-2").status == 200)
  }

  @Test("is not ready while it drains, but still answers")
  func draining() async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png")
    fixture.service.beginDraining()
    #expect(await fixture.get("/ready").status == 503)
    #expect(await fixture.get("/health").status == 200)
    #expect(await fixture.get("/32/a.png").status == 200)
  }

  @Test(
    "answers only GET and HEAD, and only known addresses",
    arguments: [
      ("POST", "/32/a.png", 405), ("DELETE", "/health", 405), ("GET", "/", 404), ("GET", "/health/", 404),
      ("GET", "/metrics?x", 404), ("HEAD", "/health", 200),
    ])
  func methods(method: String, target: String, status: Int) async throws {
    let fixture = try ServiceFixture()
    let answer = await fixture.get(target, method: method)
    #expect(answer.status == status)
    #expect((answer.headers["Allow"] != nil) == (status == 405))
    // Strangers can ask for as many different ones as they like.
    #expect(answer.headers["Cache-Control"] == "no-store")
  }

  @Test(
    "names a file as the address says, with the extension of the result",
    arguments: [
      ("cat.png", "attachment; filename=\"cat.jpg\""), ("cat", "attachment; filename=\"cat.jpg\""),
      ("cat.jpg", "attachment; filename=\"cat.jpg\""), ("v1.2", "attachment; filename=\"v1.2.jpg\""),
      (".png", "attachment; filename=\"image.jpg\""),
      ("sch%C3%B6n%22.png", "attachment; filename*=UTF-8''sch%C3%B6n%22.jpg"),
      ("a%0D%0Ab", "attachment; filename*=UTF-8''a%0D%0Ab.jpg"),
    ])
  func disposition(name: String, expected: String) async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png")
    #expect(await fixture.get("/32/a.png/\(name)").headers["Content-Disposition"] == expected)
    let webp = await fixture.get("/32/a.png/\(name)", ["Accept": "image/webp"])
    #expect(webp.headers["Content-Disposition"] == expected.replacing(".jpg", with: ".webp"))
    #expect(await fixture.get("/32/a.png").headers["Content-Disposition"] == nil)
  }

  @Test("an attachment without a name has the name of its source")
  func attachment() async throws {
    let fixture = try ServiceFixture(addressing: SignedAddresses(AddressTests.openRules))
    try fixture.serve("a.png")
    let answer = await fixture.get("/x/att:1/plain/https://origin.test/a.png@webp")
    #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"a.webp\"")
  }

  @Test("goes on without a disk cache that fails, and says so in /ready, in a metric and to the log")
  func failingDisk() async throws {
    let errors = Mutex<[String]>([])
    let fixture = try ServiceFixture {
      // No user can make a folder there.
      $0.pipeline.caching.diskStorage = .folder(URL(filePath: "/proc/none/cache"), capacity: 1 << 20)
      $0.pipeline.caching.onDiskError = { error in errors.withLock { $0.append("\(error)") } }
    }
    try fixture.serve("a.png")
    #expect(await fixture.get("/ready").body == Data("ready\n".utf8))
    #expect(await fixture.get("/32/a.png").status == 200)
    let ready = await fixture.get("/ready")
    #expect(ready.status == 200 && ready.body == Data("ready\ncache: has had errors\n".utf8))
    let metrics = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(metrics.contains("\nozu_disk_cache_errors_total 1\n"))
    #expect(errors.withLock { $0.count } == 1)
  }

  @Test("a Redis that fails is a line of /ready, without its address")
  func failingStore() async throws {
    var redis = RedisConfiguration(nodes: [.unix("/none/a"), .unix("/none/b")])
    redis.breaker.failureLimit = 1
    redis.deadline = .seconds(60)
    let store = RedisStore(redis)
    let fixture = try ServiceFixture(stores: [store])
    #expect(await fixture.get("/ready").body == Data("ready\n".utf8))
    #expect(await store.check().count == 2)
    let ready = await fixture.get("/ready")
    #expect(ready.status == 200 && ready.body == Data("ready\nredis: 2 of 2 servers not asked\n".utf8))
  }

  @Test("requests that the listener refused are counted and logged, and their answers have the usual fields")
  func refusedHeads() async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture {
      $0.log = { record in records.withLock { $0.append(record) } }
      $0.responseFields = ["X-A": "b"]
    }
    var configuration = ServiceListener.Configuration()
    configuration.uploads = UploadRule(path: "/up", maximumByteCount: 9, maximumTotalByteCount: 9) { _ in
      ServiceResponse(status: 401)
    }
    let listener = try ServiceListener(fixture.service, configuration: configuration)
    for (head, status) in [
      ("GET / HTTP/1.1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", 413),
      ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
      ("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", 401),
    ] {
      let client = try TestClient(port: listener.port)
      client.send(head)
      let answer = try await client.answer()
      #expect([400, 401, 405, 413, 501].contains(answer.status), "\(status)")
      #expect(answer.headers["X-A"] == "b")
      let record = try #require(records.withLock { $0.last })
      #expect(record.status == answer.status && record.result == "failed" && record.failure?.isEmpty == false)
      #expect(record.remoteAddress == "127.0.0.1" && record.id == answer.headers["X-Request-Id"])
      let metrics = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
      #expect(metrics.contains("ozu_requests_total{status=\"\(answer.status)\"}"))
    }
    #expect(records.withLock { $0.filter { $0.target.isEmpty }.count } == 3)
    await listener.stop(within: .seconds(10))
  }

  @Test("counts its work")
  func metrics() async throws {
    let fixture = try ServiceFixture()
    try fixture.serve("a.png")
    for _ in 0..<3 { _ = await fixture.get("/32/a.png") }
    _ = await fixture.get("/nothing")
    let lines = String(decoding: await fixture.get("/metrics").body, as: UTF8.self).split(separator: "\n")
    for line in [
      "ozu_requests_total{status=\"200\"} 3", "ozu_requests_total{status=\"404\"} 1", "ozu_decodes_total 1",
      "ozu_origin_requests_total 1", "ozu_requests_under_way 1", "ozu_requests_pending 0", "ozu_draining 0",
      "ozu_request_duration_seconds_count{result=\"memory\"} 2",
      "ozu_request_duration_seconds_bucket{result=\"memory\",le=\"+Inf\"} 2",
      "ozu_queue_running{kind=\"decode\"} 0",
    ] {
      #expect(lines.contains(Substring(line)), "\(line)")
    }
    for line in lines where !line.hasPrefix("# ") {
      #expect(line.split(separator: " ").count == 2, "\(line)")
    }
    let hidden = try ServiceFixture { $0.showsMetrics = false }
    #expect(await hidden.get("/metrics").status == 404)
  }

  @Test("an answer to HEAD counts no bytes, in the log and in the metrics")
  func headBytes() async throws {
    let counts = Mutex<[Int]>([])
    let fixture = try ServiceFixture {
      $0.log = { record in counts.withLock { $0.append(record.byteCount) } }
    }
    try fixture.serve("a.png")
    let byteCount = await fixture.get("/32/a.png").body.count
    _ = await fixture.get("/32/a.png", method: "HEAD")
    #expect(counts.withLock { $0 } == [byteCount, 0])
    let page = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    #expect(byteCount > 0 && page.contains("\nozu_response_bytes_total \(byteCount)\n"))
  }

  @Test("a line of the log is JSON, and contains the trace")
  func log() async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture { $0.log = { record in records.withLock { $0.append(record) } } }
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    _ = await fixture.get("/\"\\\u{1}ö", ["traceparent": "00-\(trace)-00f067aa0ba902b7-01"])
    _ = await fixture.get("/health", ["traceparent": "00-\(trace)x-00f067aa0ba902b7-01"])
    _ = await fixture.get("/health", ["traceparent": "00-\(trace)-0000000000000000-01"])
    let lines = records.withLock { $0.map(\.jsonLine) }
    let first = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(first["target"] as? String == "/\"\\\u{1}ö")
    #expect(first["status"] as? Int == 404)
    let time = try #require(first["time"] as? String)
    #expect(time.hasSuffix("Z") && ISO8601DateFormatter().date(from: "\(time.prefix(19))Z") != nil)
    #expect(first["result"] as? String == "failed")
    #expect(first["trace"] as? String == trace)
    #expect(!lines[0].contains("\n"))
    // A field that is not of the standard's form, and one whose span is none.
    for line in lines[1...2] {
      let other = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(other["trace"] == nil && other["failure"] == nil)
    }
  }
}

@Suite("A picture in the place of one that cannot be served")
struct FallbackPictureTests {
  @Test(
    "a source that fails is answered with the fallback in the size and format of the address, and a refusal is not",
    arguments: [
      ("gone.png", 404, true), ("lost.png", 502, true), ("text.png", 422, true), ("large.png", 422, true),
      ("right.png", 200, false), ("refused.png", 403, false),
    ])
  func failures(name: String, failureStatus: Int, isFallback: Bool) async throws {
    let network = FakeHTTPClient()
    try ServiceFixture(network: network).serve("right.png")
    network.reply(to: ServiceFixture.url("gone.png"), with: .status(404))
    network.reply(to: ServiceFixture.url("lost.png"), with: .failure(.refused("test")))
    network.reply(to: ServiceFixture.url("text.png"), with: .ok(Data("a text".utf8)))
    network.reply(to: ServiceFixture.url("large.png"), with: .failure(.bodyTooLarge(limit: 1)))
    network.reply(to: ServiceFixture.url("refused.png"), with: .failure(.hostNotAllowed("test")))
    for status in [nil, 200] as [Int?] {
      let records = Mutex<[ServiceLogRecord]>([])
      let fixture = try ServiceFixture(network: network) {
        $0.fallback = FallbackPicture((try? PatternPicture(PixelSize(40, 80)).data(as: .png)) ?? Data())
        $0.fallback?.status = status
        $0.fallback?.lifetime = 7
        $0.log = { record in records.withLock { $0.append(record) } }
      }
      let answer = await fixture.get("/32/\(name)", ["Accept": "image/webp"])
      #expect(answer.status == (isFallback ? status ?? failureStatus : failureStatus))
      let record = try #require(records.withLock { $0.last })
      #expect(record.result == (failureStatus == 200 ? "made" : "failed"))
      #expect(isFallback == (answer.headers["Cache-Control"] == "public, max-age=7"))
      guard isFallback else { continue }
      #expect(try CodecRegistry.standard.header(of: answer.body).storedSize == PixelSize(16, 32))
      #expect(answer.headers["Content-Type"] == "image/webp" && answer.headers["Vary"] == "Accept")
      #expect(answer.headers["Cache-Control"] == "public, max-age=7" && answer.headers["ETag"] == nil)
      #expect(record.failure?.isEmpty == false)
    }
  }

  @Test(
    "no cache may keep the fallback or a failure longer than its address is valid", arguments: [true, false])
  func expiry(hasFallback: Bool) async throws {
    let picture = try PatternPicture(PixelSize(4, 4)).data(as: .png)
    let fixture = try ServiceFixture(addressing: SignedAddresses(AddressTests.openRules)) {
      if hasFallback { $0.fallback = FallbackPicture(picture) }
    }
    fixture.network.reply(to: ServiceFixture.url("gone.png"), with: .status(404))
    let end = Int(fixture.clock.date().timeIntervalSince1970) + 3
    let answer = await fixture.get("/x/exp:\(end)/plain/https://origin.test/gone.png@png")
    #expect((answer.headers["Content-Type"] == "image/png") == hasFallback)
    #expect(answer.headers["Cache-Control"] == "public, max-age=3, must-revalidate")
    let facts = await fixture.get("/info/x/exp:\(end)/plain/https://origin.test/gone.png")
    #expect(facts.status == 404 && facts.headers["Cache-Control"] == "public, max-age=3, must-revalidate")
  }
}
