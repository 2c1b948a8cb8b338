import Foundation
import Ozu
import OzuSharedStores
import OzuTesting
import Testing

/// The samples of the article "A level shared by many machines", as they stand there. Only the public face of the modules
/// is imported.
@Suite("The samples of the documentation of shared stores work", .timeLimit(.minutes(5)))
struct SharedStoresDocumentationTests {
  private let secret = "secret"
  private let name = "name"

  @Test("A level shared by many machines")
  func sharing() async throws {
    let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
    let client = FakeHTTPClient()
    let url = try #require(URL(string: "https://example.com/a.png"))
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(32, 24)).data(as: .png)))

    var redis = RedisConfiguration(nodes: [.tcp("127.0.0.1", port: 1), .tcp("127.0.0.1", port: 2)])
    redis.credentials = RedisCredentials(user: "images", password: secret)
    redis.onEvent = { event in print("\(event)") }

    let bucket = S3Configuration(
      endpoint: endpoint, bucket: "pictures", region: "eu-central-1",
      credentials: S3Credentials(accessKey: name, secretKey: secret))

    let stores: [any ImageStoring] = [RedisStore(redis), try S3Store(bucket)]
    let pipeline = ImagePipeline.testing(client: client) {
      $0.stores = stores
      $0.onStoreError = { error in print("\(error)") }
    }
    // Neither is there, which nobody notices.
    #expect(try await pipeline.image(for: url).size == PixelSize(32, 24))
    await pipeline.flush()
  }

  @Test("One of many makes it")
  func leases() async throws {
    let store = RedisStore(RedisConfiguration(nodes: [.tcp("127.0.0.1", port: 1)]))
    let key = ImageStoreKey(.encoded, "a")
    @Sendable func render() async throws -> ImageStoreEntry {
      ImageStoreEntry(metadata: Data(), body: Data([1]))
    }
    @Sendable func keep(_ entry: ImageStoreEntry, _ lease: FillLease?) async throws {}

    let fills = FillCoordinator(leases: store)
    let entry = try await fills.value(for: key) {
      await store.entry(for: key)
    } make: { lease in
      let entry = try await render()
      try await keep(entry, lease)
      return entry
    }
    #expect(entry.body == Data([1]))
  }
}
