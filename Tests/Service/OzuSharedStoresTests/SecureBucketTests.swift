import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

/// A bucket behind TLS, whose certificate is trusted only through a file of the test.
@Suite(
  "A bucket over TLS", .timeLimit(.minutes(10)),
  .enabled(
    if: SecureProxy.isAvailable, "nginx and the program openssl are needed (scripts/install-test-tools)"))
struct SecureBucketTests {
  private let bucket: FakeS3
  private let proxy: SecureProxy

  init() async throws {
    bucket = try FakeS3()
    proxy = try await SecureProxy(port: bucket.server.port)
  }

  private func store(_ authorities: String?) throws -> S3Store {
    let keys = FakeS3.credentials
    var configuration = S3Configuration(
      endpoint: proxy.url, bucket: "bucket", region: keys.region,
      credentials: S3Credentials(accessKey: keys.accessKey, secretKey: keys.secretKey))
    configuration.deadline = .seconds(60)
    configuration.connections.proxy = .none
    if let authorities { configuration.connections.certificateAuthorities = .file(path: authorities) }
    return try S3Store(configuration)
  }

  @Test("with its authority the bucket is written and read, and the signatures are valid")
  func trusted() async throws {
    let store = try store(proxy.certificate)
    let (key, entry) = (ImageStoreKey(.encoded, "a"), ImageStoreEntry(metadata: Data(), body: Data("b".utf8)))
    try await blocking { () throws in
      try store.write(entry, for: key)
      #expect(try store.read(key) == entry)
    }
    #expect(bucket.faults == [] && bucket.names.count == 1)
  }

  @Test("without its authority nothing is sent to it", arguments: [false, true])
  func untrusted(hasOther: Bool) async throws {
    let other = hasOther ? try await SecureProxy(port: bucket.server.port) : nil
    let store = try store(other?.certificate)
    await #expect(throws: S3Error.self) {
      try await blocking { try store.read(ImageStoreKey(.encoded, "a")) }
    }
    #expect(bucket.server.requestCount == 0 && store.statistics.nodes[0].counts.lost > 0)
  }

  @Test("ozu serve trusts the file of s3_ca; without it no request fails", arguments: [true, false])
  func service(hasAuthority: Bool) async throws {
    let origin = try LoopbackServer()
    let picture = try PatternPicture(PixelSize(160, 120)).data(as: .png)
    origin.routeRest { _ in
      LoopbackResponse.ok(picture, type: "image/png").header("Cache-Control", "max-age=600")
    }
    let keys = FakeS3.credentials
    var variables = [
      "OZU_S3_ENDPOINT": proxy.url.absoluteString, "OZU_S3_BUCKET": "bucket", "OZU_S3_REGION": keys.region,
      "AWS_ACCESS_KEY_ID": keys.accessKey, "AWS_SECRET_ACCESS_KEY": keys.secretKey, "no_proxy": "127.0.0.1",
      // A busy machine must not make a refused certificate a late answer.
      "OZU_S3_DEADLINE": "60000",
    ]
    if hasAuthority { variables["OZU_S3_CA"] = proxy.certificate }
    let machine = try await FleetMachine(variables)
    let answer = try await machine.get("/x/rs:fit:80:60/plain/http://127.0.0.1:\(origin.port)/a.png@png")
    #expect(answer.status == 200)
    guard hasAuthority else {
      let lost = "ozu_shared_store_commands_total{store=\"s3\",node=\"127.0.0.1/bucket\",result=\"lost\"}"
      // A write is tried after the answer.
      var attemptCount = 0
      while attemptCount < 10_000, try await machine.metric(lost) == 0 { attemptCount += 1 }
      #expect(try await machine.metric(lost) > 0 && bucket.server.requestCount == 0)
      return
    }
    try await eventually(bucket.names.count == 2)
    #expect(bucket.faults == [])
  }
}
