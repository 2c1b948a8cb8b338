import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("A level of storage in S3", .timeLimit(.minutes(5)))
struct S3StoreTests {
  private let service: FakeS3
  private let clock = ManualClock()
  private let key = ImageStoreKey(.encoded, "a")
  private let entry = ImageStoreEntry(
    metadata: Data("m".utf8), body: Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0) }))

  init() throws { service = try FakeS3(pageSize: 3) }

  func store(_ change: (inout S3Configuration) -> Void = { _ in }) throws -> S3Store {
    let keys = FakeS3.credentials
    var configuration = S3Configuration(
      endpoint: service.server.url(""), bucket: "bucket", region: keys.region,
      credentials: S3Credentials(accessKey: keys.accessKey, secretKey: keys.secretKey))
    configuration.now = clock.now
    // Long enough for a busy machine. None of these tests waits for it.
    configuration.deadline = .seconds(60)
    configuration.connections.proxy = .none
    change(&configuration)
    return try S3Store(configuration)
  }

  @Test(
    "an entry is written, read, inspected and removed, with valid signatures",
    arguments: [nil, "a/session+token=="])
  func life(token: String?) async throws {
    let store = try store { configuration in
      let keys = FakeS3.credentials
      let credentials = S3Credentials(
        accessKey: keys.accessKey, secretKey: keys.secretKey, sessionToken: token)
      configuration.credentials = { credentials }
    }
    try await blocking { [key, entry] () throws in
      #expect(try store.read(key) == nil)
      #expect(try !store.contains(key))
      #expect(try store.metadata(of: key) == nil)
      try store.write(entry, for: key)
      #expect(
        try store.contains(key) && store.metadata(of: key) == entry.metadata && store.read(key) == entry)
      // The store cannot do this in one step, so the newer body of another machine could be lost.
      #expect(try !store.updateMetadata(Data("n".utf8), of: key) && store.read(key) == entry)
      try store.write(ImageStoreEntry(metadata: Data("n".utf8), body: entry.body), for: key)
      #expect(try store.read(key)?.metadata == Data("n".utf8))
    }
    #expect(service.faults == [])
    #expect(service.names == ["ozu/\(key.kind.identifier)/\(key.key)"])
    #expect(service.server.requests.allSatisfy { $0.headers["x-amz-security-token"] == token })
    try await blocking { [key] () throws in
      try store.remove(key)
      #expect(try store.read(key) == nil)
    }
    #expect(service.names == [] && service.faults == [])
    #expect(
      store.statistics.hits == 3 && store.statistics.writes == 2 && store.statistics.nodes[0].state == .closed
    )
  }

  @Test("all objects of a kind, or with the prefix, are removed, page by page, and no others")
  func removal() async throws {
    let store = try store()
    let keys = (0..<8).map { ImageStoreKey(.encoded, CacheKey("\($0)")) } + [ImageStoreKey(.original, "a")]
    try await blocking { [entry] () throws in for key in keys { try store.write(entry, for: key) } }
    service["other/x"] = Data()
    try await blocking { try store.removeAll(of: .encoded) }
    #expect(service.names == ["other/x", store.requests.name(of: keys[8])].sorted())
    try await blocking { try store.removeAll() }
    #expect(service.names == ["other/x"] && service.faults == [])
  }

  @Test(
    "a damaged, truncated, foreign or too large entry is a miss and is removed",
    arguments: ["flip", "cut", "other", "foreign", "large"], [false, true])
  func foreignBytes(how: String, asksForMetadata: Bool) async throws {
    let store = try store { $0.maximumEntryByteCount = 40_000 }
    let good = SharedEntry.encode(entry, for: key)
    let name = store.requests.name(of: key)
    service[name] =
      switch how {
      case "flip": good.prefix(10) + [good[10] ^ 1] + good.dropFirst(11)
      case "cut": good.prefix(11)
      case "other": SharedEntry.encode(entry, for: ImageStoreKey(.encoded, "b"))
      case "large": Data(repeating: 1, count: 50_000)
      default: Data("PNG".utf8)
      }
    try await blocking { [key] () throws in
      if asksForMetadata {
        #expect(try store.metadata(of: key) == nil)
      } else {
        #expect(try store.read(key) == nil)
      }
    }
    #expect(service[name] == nil && store.statistics.damaged == 1)
  }

  @Test("objects that are too large do not open the circuit: the service works")
  func largeObjects() async throws {
    let store = try store { $0.maximumEntryByteCount = 40_000 }
    let keys = (0..<4).map { ImageStoreKey(.encoded, CacheKey("\($0)")) }
    for key in keys { service[store.requests.name(of: key)] = Data(repeating: 1, count: 50_000) }
    try await blocking { () throws in for key in keys { #expect(try store.read(key) == nil) } }
    #expect(service.names == [] && store.statistics.damaged == 4)
    let node = store.statistics.nodes[0]
    #expect(node.state == .closed && node.counts.lost == 0)
  }

  @Test(
    "the object that another machine has written meanwhile is not removed with the damaged one that was read")
  func replacedObject() async throws {
    let store = try store()
    let name = store.requests.name(of: key)
    service[name] = Data("damaged".utf8)
    let good = SharedEntry.encode(entry, for: key)
    service.react = { [service] request in
      if request.method == "DELETE" { service[name] = good }
      return nil
    }
    try await blocking { [key, entry] () throws in
      #expect(try store.read(key) == nil)
      #expect(try store.read(key) == entry)
    }
    #expect(service[name] == good && service.faults == [])
  }

  @Test("a wrong secret is an error, and after three the circuit opens")
  func wrongSecret() async throws {
    let store = try store { $0.credentials = { S3Credentials(accessKey: "AKIDEXAMPLE", secretKey: "wrong") } }
    for _ in 0..<3 {
      let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
      #expect(error == .refused(status: 403, code: "SignatureDoesNotMatch"))
    }
    #expect(!store.mayContain(key) && service.faults.count == 3)
    let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
    #expect(error == .circuitOpen && service.server.requestCount == 3)
  }

  @Test("a check tells what is wrong: the bucket or the secret, and not that an object is missing")
  func check() async throws {
    let stores = [
      try store(), try store { $0.bucket = "none" },
      try store { $0.credentials = { S3Credentials(accessKey: "AKIDEXAMPLE", secretKey: "wrong") } },
    ]
    let refusals: [S3Error?] = [
      nil, .refused(status: 404, code: "NoSuchBucket"), .refused(status: 403, code: "SignatureDoesNotMatch"),
    ]
    for (store, refusal) in zip(stores, refusals) {
      let error: S3Error? = try await blocking {
        do throws(S3Error) { try store.check() } catch { return error }
        return nil
      }
      #expect(error == refusal)
    }
  }

  @Test("the circuit of a failing service opens, and one probe tries again")
  func breaker() async throws {
    let store = try store()
    service.react = { _ in .status(503) }
    for _ in 0..<3 {
      await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
    }
    #expect(store.statistics.nodes[0].state == .open && !store.mayContain(key))
    clock.advance(by: .seconds(1))
    service.react = { _ in nil }
    #expect(store.mayContain(key))
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    #expect(store.statistics.nodes[0].state == .closed)
  }

  @Test("a call to a service that does not answer ends at the deadline")
  func deadline() async throws {
    let store = try store { $0.deadline = .milliseconds(20) }
    let gate = Gate(isOpen: false)
    service.react = { _ in LoopbackResponse.status(200).held(by: gate) }
    let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
    #expect(error == .timedOut(.milliseconds(20)))
    gate.open()
  }

  @Test("a redirect is not followed: another host would get a signed request")
  func redirect() async throws {
    let (store, server) = (try store(), service.server)
    service.react = { _ in .redirect(to: server.url("/elsewhere").absoluteString, status: 307) }
    let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
    #expect(error == .refused(status: 307, code: "") && server.requestCount == 1)
  }

  @Test(
    "settings that need escaping, or do not name a service, are refused",
    arguments: [
      ("ftp://a", "b", "p/"), ("http://a/path", "b", "p/"), ("http://a?x", "b", "p/"),
      ("http://a", "b/c", "p/"),
      ("http://a", "", "p/"), ("http://a", "b", "p q/"), ("http://a", "b", "/p"), ("http://a", "b", "../"),
      ("http://a", "b", "p//q"), ("relative", "b", "p/"),
      ("http://me:word@a", "b", "p/"), ("http://a#b", "b", "p/"),
    ])
  func invalid(endpoint: String, bucket: String, prefix: String) throws {
    let endpoint = try #require(URL(string: endpoint))
    #expect(throws: S3Store.InvalidConfiguration.self) {
      try store {
        $0.endpoint = endpoint
        $0.bucket = bucket
        $0.keyPrefix = prefix
      }
    }
  }
}
