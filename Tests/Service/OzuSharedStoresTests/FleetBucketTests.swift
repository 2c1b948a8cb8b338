import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

/// Real processes that share a bucket, set by their environment. The bucket's service checks every signature.
@Suite("A fleet of real processes with a bucket", .timeLimit(.minutes(10)))
struct FleetBucketTests {
  @Test(
    "a picture that one machine made is read from the bucket by another; a bucket that refuses fails no load")
  func sharing() async throws {
    let (origin, bucket) = (try LoopbackServer(), try FakeS3())
    let picture = try PatternPicture(PixelSize(160, 120)).data(as: .png)
    origin.routeRest { _ in
      LoopbackResponse.ok(picture, type: "image/png").header("Cache-Control", "max-age=600")
    }
    let keys = FakeS3.credentials
    let variables = [
      "OZU_S3_ENDPOINT": bucket.server.url("").absoluteString, "OZU_S3_BUCKET": "bucket",
      "OZU_S3_REGION": keys.region, "OZU_S3_PREFIX": "pictures/", "AWS_ACCESS_KEY_ID": keys.accessKey,
      "AWS_SECRET_ACCESS_KEY": keys.secretKey, "no_proxy": "127.0.0.1",
      // Long enough for a machine that does other things too.
      "OZU_S3_DEADLINE": "10000",
    ]
    func path(_ name: String) -> String {
      "/x/rs:fit:80:60/plain/http://127.0.0.1:\(origin.port)/\(name)@png"
    }
    let first = try await FleetMachine(variables)
    let made = try await first.get(path("a.png"))
    #expect(made.status == 200)
    // The file, and the original.
    try await eventually(bucket.names.count == 2)
    #expect(bucket.names.allSatisfy { $0.hasPrefix("pictures/") } && bucket.faults == [])
    let second = try await FleetMachine(variables)
    let found = try await second.get(path("a.png"))
    #expect(found.status == 200 && found.body == made.body)
    let late = try await second.metric(
      "ozu_shared_store_commands_total{store=\"s3\",node=\"127.0.0.1/bucket\",result=\"timed_out\"}")
    // On a busy machine the bucket may answer too late; then the picture is made.
    #expect(origin.requestCount == 1 || late > 0)
    #expect(try await second.metric("ozu_decodes_total") == 0 || late > 0)

    let stranger = try await FleetMachine(
      variables.merging(["OZU_S3_SECRET_KEY": "wrong", "OZU_S3_ACCESS_KEY": "a"]) { $1 })
    let alone = try await stranger.get(path("a.png"))
    #expect(alone.status == 200 && alone.body == made.body && bucket.faults != [])
  }
}
