import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("Pictures in private buckets", .timeLimit(.minutes(10)))
struct S3SourceTests {
  /// A process reads from a service on a private address, which no other address may name.
  @Test(
    "an object is read with a signature and validated by its tag, and its failures are those of any source")
  func reading() async throws {
    let bucket = try FakeS3()
    let picture = try PatternPicture(PixelSize(64, 48)).data(as: .png)
    let confirmations = Atomic(0)
    bucket.react = { request in
      switch request.path {
      case "/bucket/photos/%C3%A4%20b%2Bc%2540.png":
        if request.headers["If-None-Match"] == "\"v1\"" {
          _ = confirmations.add(1, ordering: .relaxed)
          return LoopbackResponse.status(304)
        }
        return LoopbackResponse.ok(picture, type: "image/png").header("ETag", "\"v1\"").header(
          "Cache-Control", "max-age=0")
      case "/bucket/private.png": return LoopbackResponse.status(403)
      case "/bucket/busy.png": return LoopbackResponse.status(503)
      default: return nil
      }
    }
    let keys = FakeS3.credentials
    // Only an original that is kept can be validated.
    let cache = FileManager.default.temporaryDirectory.appending(path: "ozu-buckets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: cache) }
    let machine = try await FleetMachine([
      "OZU_CACHE": cache.path(percentEncoded: false),
      "OZU_BUCKETS": "bucket, other", "OZU_BUCKETS_ENDPOINT": bucket.server.url("").absoluteString,
      "OZU_BUCKETS_REGION": keys.region, "AWS_ACCESS_KEY_ID": keys.accessKey,
      "AWS_SECRET_ACCESS_KEY": keys.secretKey, "OZU_PRIVATE_NETWORKS": "no", "no_proxy": "127.0.0.1",
    ])
    func status(_ source: String) async throws -> Int {
      let text = source.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
      return try await machine.get("/x/w:32/plain/\(text)@png").status
    }
    for _ in 0..<2 { #expect(try await status("s3://bucket/photos/ä b+c%2540.png") == 200) }
    // The second answer may be the stale picture, while the bucket is asked.
    try await eventually(confirmations.load(ordering: .relaxed) == 1)
    #expect(try await machine.metric("ozu_decodes_total") == 1)
    for (source, expected) in [
      ("s3://bucket/missing.png", 404), ("s3://bucket/private.png", 502), ("s3://bucket/busy.png", 502),
      ("s3://other/a.png", 404), ("s3://third/a.png", 403), ("s3://BUCKET/a.png", 403), ("s3://bucket", 403),
      ("s3://bucket/", 403), ("s3://bucket/../other/a.png", 403), ("s3://bucket/a/%2e%2e/b.png", 403),
      ("s3://bucket/a.png?x=1", 403), ("s3://bucket/a%00.png", 403), ("s3://me@bucket/a.png", 403),
      (bucket.server.url("/bucket/photos/%C3%A4%20b%2Bc%2540.png").absoluteString, 403),
    ] {
      #expect(try await status(source) == expected, "\(source)")
    }
    #expect(bucket.faults == [])
  }

  @Test(
    "the bucket is in the path or in the host of an object's address, and a name that could change the host is refused"
  )
  func addresses() throws {
    let source = try #require(URL(string: "s3://cats.of.2026/a%2Fb~.png"))
    for (endpoint, style, address) in [
      (nil, nil, "https://cats.of.2026.s3.eu-central-1.amazonaws.com/a/b~.png"),
      (nil, .path, "https://s3.eu-central-1.amazonaws.com/cats.of.2026/a/b~.png"),
      ("http://minio:9000/", nil, "http://minio:9000/cats.of.2026/a/b~.png"),
      ("http://minio:9000", .host, "http://cats.of.2026.minio:9000/a/b~.png"),
      ("http://[::1]:9000", nil, "http://[::1]:9000/cats.of.2026/a/b~.png"),
    ] as [(String?, S3Buckets.Style?, String)] {
      let buckets = try S3Buckets(
        endpoint: endpoint.flatMap { URL(string: $0) }, names: ["cats.of.2026"], region: "eu-central-1",
        style: style,
        credentials: nil)
      #expect(buckets.address(of: source)?.absoluteString == address)
    }
    for name in [
      "", "ab", "A.b", "a/b", "evil.test/", "a..b", "-ab", "a_b", "a@b", "a:80",
      String(repeating: "a", count: 64),
    ] {
      #expect(throws: S3Store.InvalidConfiguration.self) { try S3Buckets(names: [name], credentials: nil) }
    }
  }
}
