import Foundation
import Ozu
import OzuBase
import OzuSharedStores
import OzuTesting
import Testing

/// The samples of the article "A level shared by many machines", copied unchanged. Only the public API of the modules is
/// imported.
@Suite("The samples of the documentation of shared stores work", .timeLimit(.minutes(5)))
struct SharedStoresDocumentationTests {
  private let secret = "secret"
  private let name = "name"

  @Test("A level shared by many machines")
  func sharing() async throws {
    let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
    let client = FakeHTTPClient()
    let url = try #require(URL(string: "https://example.com/a.png"))
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(width: 32, height: 24)).data(as: .png)))

    var redis = RedisConfiguration(nodes: [.tcp("127.0.0.1", port: 1), .tcp("127.0.0.1", port: 2)])
    redis.credentials = RedisCredentials(user: "images", password: secret)
    redis.onEvent = { event in print("\(event)") }

    let bucket = S3Configuration(
      endpoint: endpoint, bucket: "pictures", region: "eu-central-1",
      credentials: S3Credentials(accessKey: name, secretKey: secret))

    let stores: [any ImageStoring] = [RedisStore(redis), try S3Store(bucket)]
    let pipeline = ImagePipeline.testing(client: client) {
      $0.caching.stores = stores
      $0.caching.onStoreError = { error in print("\(error)") }
    }
    // Neither server exists, and the load still succeeds.
    #expect(try await pipeline.image(for: url).size == PixelSize(width: 32, height: 24))
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

/// The samples of the article "A store that uses your own client", with stand-ins for the packages' types.
@Suite("The samples of the documentation of other clients work")
struct OtherClientsDocumentationTests {
  private let entry = ImageStoreEntry(metadata: Data("m".utf8), body: Data("body".utf8))

  private func live(_ store: ClientStore) async throws {
    let key = ImageStoreKey(.encoded, "a")
    try await blocking { [entry] () throws in
      #expect(try store.read(key) == nil)
      try store.write(entry, for: key)
      #expect(try store.read(key) == entry)
      try store.remove(key)
      #expect(try store.read(key) == nil)
    }
    #expect(store.statistics.nodes[0].state == .closed)
  }

  @Test("valkey-swift")
  func valkey() async throws {
    typealias ValkeyKey = Valkey.ValkeyKey
    typealias ByteBuffer = NIO.ByteBuffer
    let client = Valkey.ValkeyClient()
    // Long enough for a busy machine.
    let store = ClientStore(
      name: "valkey",
      get: { name in try await client.get(ValkeyKey(name)).map { Data(ByteBuffer($0).readableBytesView) } },
      set: { name, data in
        _ = try await client.set(ValkeyKey(name), value: data, expiration: .seconds(7 * 24 * 3600))
      },
      remove: { name in _ = try await client.unlink(keys: [ValkeyKey(name)]) }
    ) {
      $0.deadline = .seconds(60)
      $0.keepsOriginals = false
    }
    try await live(store)
  }

  @Test("Soto")
  func soto() async throws {
    typealias S3ErrorType = Soto.S3ErrorType
    let s3 = Soto.S3()
    let store = ClientStore(
      name: "s3",
      get: { name in
        do {
          let object = try await s3.getObject(bucket: "pictures", key: name)
          return Data(try await object.body.collect(upTo: 32 << 20).readableBytesView)
        } catch let error as S3ErrorType where error == .noSuchKey {
          return nil
        }
      },
      set: { name, data in
        _ = try await s3.putObject(body: .init(bytes: data), bucket: "pictures", key: name)
      },
      remove: { name in _ = try await s3.deleteObject(bucket: "pictures", key: name) }
    ) {
      $0.keyPrefix = "ozu/"
      $0.deadline = .seconds(60)
    }
    try await live(store)
  }
}

/// A stand-in for the buffer of SwiftNIO, which both packages use in their API.
private enum NIO {
  struct ByteBuffer: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate init(bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }
    var readableBytesView: ArraySlice<UInt8> { bytes[...] }
  }
}

/// Stand-ins for the types of valkey-swift that the article uses, with the signatures that they have there.
private enum Valkey {
  struct ValkeyClientError: Error {}
  struct ValkeyKey: Hashable, Sendable {
    private let name: String
    init(_ string: String) { name = string }
  }
  struct RESPBulkString: Hashable, Sendable {
    fileprivate let buffer: NIO.ByteBuffer
  }
  struct SET<Value: RESPStringRenderable> {
    enum Condition: Hashable, Sendable { case nx, xx, comparisonValue(String) }
    enum Expiration: Hashable, Sendable {
      case seconds(Int), milliseconds(Int), unixTimeSeconds(Date), unixTimeMilliseconds(Date), keepttl
    }
  }
  final class ValkeyClient: Sendable {
    private let values = Mutex<[ValkeyKey: [UInt8]]>([:])

    @discardableResult
    func get(_ key: ValkeyKey) async throws(ValkeyClientError) -> RESPBulkString? {
      values.withLock { $0[key] }.map { RESPBulkString(buffer: NIO.ByteBuffer(bytes: $0)) }
    }
    @discardableResult
    func set<Value: RESPStringRenderable>(
      _ key: ValkeyKey, value: Value, condition: SET<Value>.Condition? = nil, get: Bool = false,
      expiration: SET<Value>.Expiration? = nil
    ) async throws(ValkeyClientError) -> RESPBulkString? {
      values.withLock { $0[key] = value.rendered }
      return nil
    }
    @discardableResult
    func unlink(keys: [ValkeyKey]) async throws(ValkeyClientError) -> Int {
      values.withLock { values in keys.count { values.removeValue(forKey: $0) != nil } }
    }
  }
}

/// A protocol of valkey-swift, to which `Data` conforms too.
private protocol RESPStringRenderable: Sendable, Hashable {
  var rendered: [UInt8] { get }
}

extension Data: RESPStringRenderable {
  fileprivate var rendered: [UInt8] { Array(self) }
}

extension NIO.ByteBuffer {
  fileprivate init(_ bulkString: Valkey.RESPBulkString) { self = bulkString.buffer }
}

/// Stand-ins for the types of Soto that the article uses, with the signatures that they have there, except for the parameters
/// that have a default and are not used.
private enum Soto {
  struct S3ErrorType: Error, Equatable {
    private enum Code: String { case accessDenied = "AccessDenied", noSuchKey = "NoSuchKey" }
    private let error: Code
    private init(_ code: Code) { error = code }
    static var accessDenied: Self { .init(.accessDenied) }
    static var noSuchKey: Self { .init(.noSuchKey) }
  }
  struct AWSHTTPBody: Sendable {
    private let buffer: NIO.ByteBuffer
    init() { buffer = NIO.ByteBuffer(bytes: []) }
    init(buffer: NIO.ByteBuffer) { self.buffer = buffer }
    init(bytes: some Collection<UInt8>) { buffer = NIO.ByteBuffer(bytes: bytes) }
    func collect(upTo length: Int) async throws -> NIO.ByteBuffer { buffer }
  }
  struct S3: Sendable {
    struct GetObjectOutput: Sendable { let body: AWSHTTPBody }
    struct PutObjectOutput: Sendable {}
    struct DeleteObjectOutput: Sendable {}

    private actor Bucket {
      private var objects: [String: AWSHTTPBody] = [:]
      subscript(key: String) -> AWSHTTPBody? { objects[key] }
      func put(_ body: AWSHTTPBody?, _ key: String) { objects[key] = body }
    }
    private let objects = Bucket()

    func getObject(bucket: String, ifMatch: String? = nil, key: String) async throws -> GetObjectOutput {
      guard let body = await objects[key] else { throw S3ErrorType.noSuchKey }
      return GetObjectOutput(body: body)
    }
    func putObject(
      body: AWSHTTPBody? = nil, bucket: String, contentType: String? = nil, key: String
    ) async throws -> PutObjectOutput {
      await objects.put(body, key)
      return PutObjectOutput()
    }
    func deleteObject(bucket: String, key: String) async throws -> DeleteObjectOutput {
      await objects.put(nil, key)
      return DeleteObjectOutput()
    }
  }
}
