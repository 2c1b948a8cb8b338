import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

/// Two machines that share a redis-server of the system: pipelines with a disk and a memory each. The tests count
/// requests to the origin and failures. The clock of the stores moves only when a test moves it.
@Suite("With redis-server", .enabled(if: RealRedis.program != nil), .timeLimit(.minutes(10)))
struct RealRedisTests {
  private let client = FakeHTTPClient()
  private let clock = ManualClock()
  private let urls = (0..<4).map { URL(string: "https://example.com/\($0).png")! }

  init() throws {
    for (number, url) in urls.enumerated() {
      let picture = try PatternPicture(PixelSize(64, 48), tint: number).data(as: .png)
      client.reply(to: url, with: .ok(picture).header("Cache-Control", "max-age=3600"))
    }
  }

  final class Counter: Sendable { let count = Atomic(0) }

  func store(_ redis: RealRedis, _ change: (inout RedisConfiguration) -> Void = { _ in })
    -> RedisStore
  {
    var configuration = RedisConfiguration(nodes: [.unix(redis.path)])
    configuration.now = clock.now
    configuration.keepsOriginals = true
    change(&configuration)
    return RedisStore(configuration)
  }

  /// Loads every picture on a machine with empty caches. Throws if a load fails.
  ///
  /// - Parameter movesTime: whether the clock of the stores is moved meanwhile.
  /// - Returns: the number of requests to the origin.
  func loadAll(_ store: RedisStore, movesTime: Bool = false) async throws -> Int {
    let before = client.requests.count
    let pipeline = ImagePipeline.testing(client: client) {
      $0.caching.stores = [store]
      $0.caching.storeReadLimit = .seconds(600)
    }
    let time = Task.detached { [clock] in
      while movesTime, !Task.isCancelled {
        clock.advance(by: .milliseconds(5))
        _ = store.loop.submit(.tick)
        await Task.yield()
      }
    }
    defer { time.cancel() }
    for (number, url) in urls.enumerated() {
      let picture = try await pipeline.image(for: ImageRequest(url: url, resize: Resize(PixelSize(32, 24))))
      #expect(PatternPicture(PixelSize(64, 48), tint: number).resembles(picture.bitmap))
    }
    await pipeline.flush()
    return client.requests.count - before
  }

  func tell(_ redis: RealRedis, _ arguments: RESPCommand.Argument...) async throws {
    let teller = store(redis) {
      $0.now = { ContinuousClock.now }; $0.deadline = .seconds(60)
    }
    _ = try await teller.answer(teller.nodes[0], RESPCommand(arguments))
  }

  @Test("a picture that one machine loaded is served by another without a request to the origin")
  func sharing() async throws {
    let redis = try await RealRedis()
    #expect(try await loadAll(store(redis)) == 4)
    let second = store(redis)
    #expect(try await loadAll(second) == 0)
    #expect(second.statistics.hits >= 4 && second.statistics.damaged == 0)
    try await blocking { () throws in try second.removeAll() }
    #expect(try await loadAll(store(redis)) == 4)
  }

  @Test("while a server is down pictures are rendered again; when it is back, empty, it is filled again")
  func crash() async throws {
    let redis = try await RealRedis()
    _ = try await loadAll(store(redis))
    let store = store(redis)
    redis.crash()
    #expect(try await loadAll(store) == 4)
    #expect(store.statistics.nodes[0].state == .open && store.statistics.hits == 0)
    try await redis.start()
    #expect(try await loadAll(store) == 4, "its circuit is open")
    clock.advance(by: .seconds(30))
    #expect(try await loadAll(store) == 4, "it is empty")
    #expect(store.statistics.nodes[0].state == .closed)
    #expect(try await loadAll(store) == 0)
  }

  @Test(
    "while a server hangs, each command ends at its deadline and pictures are rendered; when it continues, it is used again"
  )
  func hang() async throws {
    let redis = try await RealRedis()
    _ = try await loadAll(store(redis))
    let store = store(redis)
    redis.hang()
    #expect(try await loadAll(store, movesTime: true) == 4)
    #expect(store.statistics.nodes[0].counts.timedOut >= 3 && store.statistics.nodes[0].state != .closed)
    redis.continueRunning()
    clock.advance(by: .seconds(60))
    #expect(try await loadAll(store) == 0)
    #expect(store.statistics.nodes[0].state == .closed)
  }

  @Test("a full server accepts no writes, returns its entries, and its circuit stays closed")
  func full() async throws {
    let redis = try await RealRedis("--maxmemory-policy", "noeviction")
    #expect(try await loadAll(store(redis)) == 4)
    try await tell(redis, "CONFIG", "SET", "maxmemory", "1")
    let second = store(redis)
    #expect(try await loadAll(second) == 0)
    try await blocking { () throws in try second.removeAll() }
    #expect(try await loadAll(second) == 4)
    let node = second.statistics.nodes[0]
    #expect(node.counts.refused > 0 && node.state == .closed && node.lastError?.contains("OOM") == true)
  }

  @Test("a server that became a replica accepts no writes and returns its entries")
  func readOnly() async throws {
    let redis = try await RealRedis()
    #expect(try await loadAll(store(redis)) == 4)
    try await tell(redis, "REPLICAOF", "127.0.0.1", "1")
    #expect(try await loadAll(store(redis)) == 0)
  }

  @Test("a damaged value and one of another type are removed, and a login is tried")
  func removal() async throws {
    let redis = try await RealRedis()
    let store = store(redis) {
      $0.now = { ContinuousClock.now }; $0.deadline = .seconds(60)
    }
    let key = ImageStoreKey(.encoded, "a")
    for command in [
      RESPCommand("SET", .text(store.name(of: key)), "damaged"),
      RESPCommand("LPUSH", .text(store.name(of: key)), "a"),
    ] {
      _ = try await store.answer(store.nodes[0], command)
      try await blocking { () throws in #expect(try store.read(key) == nil) }
      // The server executes the commands of a connection in order.
      #expect(try await blocking { () throws in try store.contains(key) } == false)
    }
    #expect(await store.check().isEmpty)
    let locked = try await RealRedis("--requirepass", "sesame")
    for credentials in [nil, RedisCredentials(password: "wrong")] {
      let stranger = self.store(locked) {
        $0.now = { ContinuousClock.now }; $0.deadline = .seconds(60)
        $0.credentials = credentials
      }
      #expect(await stranger.check().map(\.isRefusal) == [true])
    }
  }

  @Test("values that other programs changed are misses, and are replaced")
  func corruption() async throws {
    let redis = try await RealRedis()
    _ = try await loadAll(store(redis))
    let script = """
      for i, key in ipairs(redis.call('KEYS', '*')) do
        if i % 3 == 0 then redis.call('SETRANGE', key, 40 + i, 'x')
        elseif i % 3 == 1 then redis.call('APPEND', key, 'x') else redis.call('DEL', key) redis.call('LPUSH', key, 'x') end
      end return 'OK'
      """
    try await tell(redis, "EVAL", .text(script), 0)
    let store = store(redis)
    #expect(try await loadAll(store) == 4)
    #expect(store.statistics.damaged >= 4 && store.statistics.hits == 0)
    #expect(try await loadAll(self.store(redis)) == 0)
  }
}
