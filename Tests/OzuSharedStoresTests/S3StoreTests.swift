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

  private func store(_ change: (inout S3Configuration) -> Void = { _ in }) throws -> S3Store {
    let keys = FakeS3.credentials
    var configuration = S3Configuration(
      endpoint: service.server.url(""), bucket: "bucket", region: keys.region,
      credentials: S3Credentials(accessKey: keys.accessKey, secretKey: keys.secretKey))
    configuration.now = clock.now
    // Long enough for a machine that does other things too: none of these tests waits for it.
    configuration.deadline = .seconds(60)
    configuration.connections.proxy = .none
    change(&configuration)
    return try S3Store(configuration)
  }

  @Test(
    "an entry is written, read, looked at and removed, with signatures that fit",
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
      // It could not be done in one step: another machine's newer body would be lost.
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

  @Test("of two who write where there is nothing, one does")
  func conditionalWrite() async throws {
    let store = try store()
    try await blocking { [key, entry] () throws in
      #expect(try store.writeIfAbsent(entry, for: key))
      #expect(try !store.writeIfAbsent(ImageStoreEntry(metadata: Data(), body: Data()), for: key))
      #expect(try store.read(key) == entry)
    }
    #expect(service.faults == [] && store.statistics.nodes[0].counts.refused == 0)
  }

  @Test("all of a kind, or of the prefix, are removed, page by page, and nobody else's")
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
    "what is damaged, cut off, another's or too large is a miss, and is removed",
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

  @Test("a wrong secret is an error, and after three the service is left alone")
  func wrongSecret() async throws {
    let store = try store { $0.credentials = { S3Credentials(accessKey: "AKIDEXAMPLE", secretKey: "wrong") } }
    for _ in 0..<3 {
      let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
      #expect(error == .refused(status: 403, code: "SignatureDoesNotMatch"))
    }
    #expect(!store.mayContain(key) && service.faults.count == 3)
    let error = await #expect(throws: S3Error.self) { try await blocking { [key] in try store.read(key) } }
    #expect(error == .leftAlone && service.server.requestCount == 3)
  }

  @Test("a service that fails is left alone, and asked again by one probe")
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

  @Test("a service that does not answer is not waited for longer than the deadline")
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
    "settings that would need escaping, or name no service, are refused",
    arguments: [
      ("ftp://a", "b", "p/"), ("http://a/path", "b", "p/"), ("http://a?x", "b", "p/"),
      ("http://a", "b/c", "p/"),
      ("http://a", "", "p/"), ("http://a", "b", "p q/"), ("http://a", "b", "/p"), ("http://a", "b", "../"),
      ("http://a", "b", "p//q"), ("relative", "b", "p/"),
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

  /// AWS, "Signature Calculations for the Authorization Header", examples of the S3 API Reference.
  private static let published:
    [(method: String, path: String, query: String?, HTTPHeaders, body: String, signature: String)] = [
      (
        "GET", "/test.txt", nil, ["Range": "bytes=0-9"], "",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test%24file.text", nil,
        ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
        "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      ("GET", "/", "lifecycle", [:], "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      (
        "GET", "/", "max-keys=2&prefix=J", [:], "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ]

  @Test("the double computes the signatures that AWS has published", arguments: 0..<4)
  func publishedSignatures(number: Int) {
    let (method, path, query, fields, body, signature) = Self.published[number]
    let keys = SignatureV4(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1")
    var headers = fields
    headers["Host"] = "examplebucket.s3.amazonaws.com"
    headers["x-amz-date"] = "20130524T000000Z"
    headers["x-amz-content-sha256"] = SHA256.hexDigest(of: Array(body.utf8))
    let signed = headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    func authorization(_ signature: String) -> String {
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=\(signed),Signature=\(signature)"
    }
    for (signature, isRight) in [(signature, true), (String(signature.reversed()), false)] {
      headers["Authorization"] = authorization(signature)
      let fault = keys.fault(
        method: method, path: path, query: query, headers: headers, body: Data(body.utf8))
      #expect((fault == nil) == isRight, "\(fault ?? "")")
    }
  }

  /// The requests of a store as botocore 1.44.8 signs them (`S3SigV4Auth`, at 127.0.0.1:9000, with payloads signed).
  private static let botocore:
    [(method: String, path: String, query: String?, HTTPHeaders, body: String, signature: String)] = [
      (
        "GET", "/bucket/ozu/encoded/00ff", nil, [:], "",
        "42081c24b1e59a1fd261e97bf42c4be1ca5de0ff94992f0390c4c1c86e52559d"
      ),
      (
        "GET", "/bucket/ozu/encoded/00ff", nil, ["Range": "bytes=0-8191"], "",
        "9e147bf84b75ecfd71caf4394673acd7074310a151fe8b4436b98cdebc4a5ff7"
      ),
      (
        "PUT", "/bucket/ozu/encoded/00ff", nil,
        ["Content-Type": "application/octet-stream", "If-None-Match": "*"], "picture",
        "777a433e6d795827d74a981115966994621fa54164d71d764949e66a95eb2ebb"
      ),
      (
        "HEAD", "/bucket/ozu/encoded/00ff", nil, ["X-Amz-Security-Token": "a/session+token=="], "",
        "6815802e21aa868c1a9f87dfb516251a30932118127e443595e4010f8052524a"
      ),
      (
        "DELETE", "/bucket/ozu/original/a-b_c.d~e", nil, [:], "",
        "12e3152d10aaf014724066a7867039a8c870d709551ca64fd9fc990d5aea8bb5"
      ),
      (
        "GET", "/bucket", "list-type=2&prefix=ozu%2Fencoded%2F", [:], "",
        "f7e2d95bde4e3450cb5e284151a843975192eaab9c5dd14ccf2e6ac8391f529a"
      ),
      (
        "GET", "/bucket", "continuation-token=a%20%26%2B%3D%2F&list-type=2&prefix=ozu%2F", [:], "",
        "a8dc4ff7d6718dc7e6197638209765f87fd8201293e6d787eb05f5671926b79a"
      ),
    ]

  @Test("the double computes the signatures that botocore makes", arguments: 0..<7)
  func botocoreSignatures(number: Int) {
    let (method, path, query, fields, body, signature) = Self.botocore[number]
    var headers = fields
    headers["Host"] = "127.0.0.1:9000"
    headers["X-Amz-Date"] = "20260304T050607Z"
    headers["X-Amz-Content-SHA256"] = SHA256.hexDigest(of: Array(body.utf8))
    let signed = headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    headers["Authorization"] =
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260304/eu-central-1/s3/aws4_request, "
      + "SignedHeaders=\(signed), Signature=\(signature)"
    let fault = FakeS3.credentials.fault(
      method: method, path: path, query: query, headers: headers, body: Data(body.utf8))
    #expect(fault == nil)
  }
}
