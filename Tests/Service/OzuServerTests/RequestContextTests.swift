import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite(
  "What is around a request: its number, its trace, the prefix of its address, fields and lifetimes of its answer"
)
struct RequestContextTests {
  @Test(
    "a request has the number that it came with, or a new one",
    arguments: [
      ("abc-1.2_3:4/5+6=~", true), (String(repeating: "a", count: 128), true),
      (String(repeating: "a", count: 129), false), ("", false), ("a b", false), ("a\"b", false),
      ("\u{E4}", false),
    ])
  func numbers(given: String, isKept: Bool) async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture {
      $0.log = { record in records.withLock { $0.append(record) } }
      $0.newRequestNumber = RequestIdentity.next
    }
    try fixture.serve("a.png")
    var numbers: [String] = []
    for target in ["/health", "/32/a.png", "/32/a.png", "/metrics", "/none"] {
      let answer = await fixture.get(target, ["X-Request-Id": given])
      numbers.append(try #require(answer.headers["X-Request-Id"]))
    }
    #expect(records.withLock { $0.map(\.id) } == numbers)
    #expect(Set(numbers).count == (isKept ? 1 : numbers.count))
    #expect((numbers.first == given) == isKept)
    #expect(records.withLock { $0[0].jsonLine.contains("\"id\": \"\(numbers[0])\"") })
  }

  @Test(
    "the log has the address that the nearest proxy saw, if the settings say so and it is one",
    arguments: [
      ("10.0.0.1", "10.0.0.1"), ("1.1.1.1, 2001:db8::1", "2001:db8::1"), ("1.1.1.1,evil\"", "9.9.9.9"),
      ("", "9.9.9.9"), (String(repeating: "1", count: 46), "9.9.9.9"),
    ], [true, false])
  func forwarded(field: (value: String, address: String), reads: Bool) async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture {
      $0.log = { record in records.withLock { $0.append(record) } }
      $0.readsForwardedAddress = reads
    }
    let request = ServiceRequest(
      method: "GET", target: "/health", headers: ["X-Forwarded-For": field.value], remoteAddress: "9.9.9.9")
    _ = await fixture.service.respond(to: request)
    #expect(records.withLock { $0.first?.remoteAddress } == (reads ? field.address : "9.9.9.9"))
  }

  @Test(
    "requests to origins continue a trace if the settings say so, and pictures are the same",
    arguments: [true, false])
  func traces(continues: Bool) async throws {
    let (id, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
    let fixture = try ServiceFixture { $0.continuesTraces = continues }
    try fixture.serve("a.png")
    try fixture.serve("b.png")
    _ = await fixture.get("/32/a.png", ["traceparent": "00-\(id)-\(parent)-01"])
    _ = await fixture.get("/32/b.png")
    let fields = fixture.network.requests.map { $0.headers["traceparent"] }
    #expect(fields.count == 2 && fields[1] == nil)
    let parts = fields[0].map { $0.split(separator: "-").map(String.init) } ?? []
    #expect(parts.count == (continues ? 4 : 0))
    if continues {
      #expect(
        parts[0] == "00" && parts[1] == id && parts[2] != parent && parts[2].count == 16 && parts[3] == "01")
    }
    #expect(fixture.network.requests[0].headers["Accept"] == fixture.network.requests[1].headers["Accept"])
    // Another trace is no other picture.
    _ = await fixture.get("/32/a.png", ["traceparent": "00-\(id)-\(parent)-00"])
    #expect(fixture.network.requests.count == 2)
  }

  @Test(
    "the log has no login of an address, and a line for people has what is known",
    arguments: [
      ("/x/w:1/plain/https://ann:secret@a.test/b.png@webp", "/x/w:1/plain/https://…@a.test/b.png@webp"),
      ("/x/plain/https%3A%2F%2Fann%3Asecret%40a.test%2Fb.png", "/x/plain/https%3A%2F%2F…@a.test%2Fb.png"),
      ("/x/plain/https:/ann:secret@a.test/b.png", "/x/plain/https:/…@a.test/b.png"),
      ("/x/plain/https://ann:a@secret%40a.test/b.png@webp", "/x/plain/https://…@a.test/b.png@webp"),
      ("/x/plain/https://a.test:/ann:secret@b.test/%zz%4", "/x/plain/https://a.test:/…@b.test/%zz%4"),
      ("/x/w:10/plain/https://a.test/b@c.png@webp", "/x/w:10/plain/https://a.test/b@c.png@webp"),
    ])
  func logins(target: String, shown: String) async throws {
    let records = Mutex<[ServiceLogRecord]>([])
    let fixture = try ServiceFixture { $0.log = { record in records.withLock { $0.append(record) } } }
    _ = await fixture.get(target, ["X-Request-Id": "n1"])
    let record = try #require(records.withLock { $0.first })
    #expect(record.target == shown && !record.jsonLine.contains("secret"))
    let line = record.textLine
    #expect(line.contains(" 404 failed GET \(shown) ") && line.hasSuffix(" id=n1"), "\(line)")
    #expect(line.contains("failure=\"no such address\"") && !line.contains("\n"))
  }

  @Test(
    "addresses have the prefix of the settings, and the service's own pages have none",
    arguments: [
      ("/p/q/32/a.png", 200), ("/32/a.png", 404), ("/p/q32/a.png", 404), ("/p/q", 404),
      ("/P/q/32/a.png", 404),
      ("/health", 200), ("/metrics", 200), ("/p/q/health", 200),
      ("/p/q/metrics", 404),
    ])
  func prefix(target: String, status: Int) async throws {
    let fixture = try ServiceFixture { $0.pathPrefix = "/p/q" }
    try fixture.serve("a.png")
    #expect(await fixture.get(target).status == status)
  }

  @Test("every answer has the fields of the settings, and a picture goes on naming what it depends on")
  func fields() async throws {
    let fixture = try ServiceFixture {
      $0.responseFields = ["Access-Control-Allow-Origin": "*", "X-A": "b", "vary": "Origin"]
    }
    try fixture.serve("a.png")
    let tag = await fixture.get("/32/a.png").headers["ETag"]
    for (target, headers) in [
      ("/32/a.png", [:]), ("/32/a.png", ["If-None-Match": tag ?? ""]), ("/none", [:]),
    ] as [(String, HTTPHeaders)] {
      let answer = await fixture.get(target, headers)
      #expect(answer.headers["Access-Control-Allow-Origin"] == "*" && answer.headers["X-A"] == "b")
      #expect(answer.headers["Vary"] == (target == "/none" ? "Origin" : "Accept, Origin"))
    }
  }

  @Test(
    "the lifetime of a picture follows from its source, is fixed, or is none, and nobody keeps what an origin forbids",
    arguments: [
      (PictureLifetime.source, "max-age=600", "public, max-age=600"),
      (.source, "no-store", "private, no-store"),
      (.fixed(7), "max-age=600", "public, max-age=7"), (.fixed(7), "no-cache", "public, max-age=7"),
      (.fixed(7), "no-store", "private, no-store"), (.none, "max-age=600", "public, no-cache"),
    ])
  func lifetimes(lifetime: PictureLifetime, control: String, expected: String) async throws {
    let fixture = try ServiceFixture { $0.lifetime = lifetime }
    try fixture.serve("a.png", control: control)
    #expect(await fixture.get("/32/a.png").headers["Cache-Control"] == expected)
  }

  @Test("only formats of the settings are written and negotiated, and JPEG and PNG always are")
  func formats() throws {
    let rules = AddressTests.open { $0.writtenTypes = [.webp] }
    func types(_ options: String, _ accept: String?) throws -> [ImageType] {
      let request = ServiceRequest(
        method: "GET", target: "/x\(options)\(AddressTests.plain)",
        headers: accept.map { ["Accept": $0] } ?? [:])
      return try SignedAddresses(rules).picture(for: request, at: AddressTests.now).output.types
    }
    #expect(try types("", "image/avif, IMAGE/WEBP;q=0.8,*/*") == [.webp, .jpeg, .png])
    #expect(try types("", nil) == [.jpeg, .png] && types("/f:png", nil) == [.png])
    #expect(throws: AddressRefusal.self) { try types("/f:avif", nil) }
  }

  @Test("addresses are read by a new grammar from the moment it is set, remembered ones too")
  func replacement() async throws {
    func addresses(_ key: AddressKey) -> SignedAddresses { SignedAddresses(AddressRules(keys: [key])) }
    let old = try AddressKey(hexKey: AddressTests.key, salt: AddressTests.salt)
    let new = try AddressKey(hexKey: AddressTests.salt, salt: AddressTests.key)
    let fixture = try ServiceFixture(addressing: addresses(old))
    try fixture.serve("a.png")
    let source = ServiceFixture.url("a.png")
    let path = try addresses(old).path(of: source, options: "w:10")
    for _ in 0..<3 { #expect(await fixture.get(path).status == 200) }
    #expect(fixture.service.addresses.count == 1)
    let read = try fixture.service.pictureRequest(of: ServiceRequest(method: "GET", target: path))
    fixture.service.replaceAddressing(by: addresses(new))
    #expect(await fixture.get(path).status == 403)
    #expect(await fixture.get(try addresses(new).path(of: source, options: "w:10")).status == 200)
    // A request that was read before remembers nothing.
    let count = fixture.service.addresses.count
    fixture.service.addresses.remember(
      read.known, of: ServiceRequest(method: "GET", target: path), grammar: read.grammar)
    #expect(fixture.service.addresses.count == count)
    #expect(await fixture.get(path).status == 403)
  }

  @Test("a client that is replaced ends what it has begun")
  func clients() async throws {
    let (first, second) = (FakeHTTPClient(), FakeHTTPClient())
    let (url, gate) = (ServiceFixture.url("a"), Gate())
    first.reply(to: url, with: FakeHTTPReply.ok(Data([1]), type: "image/png").held(by: gate))
    second.reply(to: url, with: .ok(Data([2]), type: "image/png"))
    let client = ReplaceableClient(first)
    async let old = client.data(for: HTTPRequest(url: url)).body
    try await eventually(first.requests.count == 1)
    client.replace(by: second)
    #expect(try await client.data(for: HTTPRequest(url: url)).body == Data([2]))
    gate.open()
    #expect(try await old == Data([1]))
  }

  @Test("metrics of the process, of the build and of the steps of new pictures, in the text format")
  func metrics() async throws {
    let fixture = try ServiceFixture { $0.version = "1.2.3" }
    try fixture.serve("a.png")
    _ = await fixture.get("/32/a.png", ["Accept": "image/webp"])
    _ = await fixture.get("/32/a.png", ["Accept": "image/webp"])
    let text = String(decoding: await fixture.get("/metrics").body, as: UTF8.self)
    for line in [
      "# HELP ozu_build_info The version of the program, and for what it was built.",
      "# TYPE process_cpu_seconds_total counter",
      "ozu_step_duration_seconds_count{step=\"decode\",format=\"webp\"} 1",
      "ozu_step_duration_seconds_bucket{step=\"encode\",format=\"webp\",le=\"+Inf\"} 1",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
    for name in ["process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"] {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
      #expect(line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? 0 > 0, "\(name)")
    }
    // Each line is a comment or a name, perhaps labels, and a number; names are unique by their labels.
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.allSatisfy { Double($0.split(separator: " ").last ?? "") != nil })
    #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == lines.count)
  }

  @Test(
    "the pages of the service alone, whose metrics do not depend on the setting",
    arguments: [("/health", 200), ("/ready", 200), ("/metrics", 200), ("/", 404), ("/32/a.png", 404)])
  func statusPages(target: String, status: Int) async throws {
    let fixture = try ServiceFixture { $0.showsMetrics = false }
    let pages = fixture.service.statusPages
    #expect(await pages.respond(to: ServiceRequest(method: "GET", target: target)).status == status)
    #expect(await pages.respond(to: ServiceRequest(method: "POST", target: target)).status == 405)
    fixture.service.beginDraining()
    #expect(await pages.respond(to: ServiceRequest(method: "GET", target: "/ready")).status == 503)
  }
}
