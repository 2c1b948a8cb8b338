import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("A level of storage in Redis", .timeLimit(.minutes(5)))
struct RedisStoreTests {
  let redis: FakeRedis
  let clock = ManualClock()
  let events = Events()
  let key = ImageStoreKey(.encoded, "a")
  let entry = ImageStoreEntry(metadata: Data("m".utf8), body: Data(repeating: 7, count: 20_000))

  final class Events: Sendable {
    let all = Mutex<[SharedStoreEvent]>([])
    /// The changes of state, without their reasons.
    var states: [SharedStoreNodeState] {
      all.withLock { $0.compactMap { if case .nodeChanged(_, let state, _) = $0 { state } else { nil } } }
    }
  }

  init() throws { redis = try FakeRedis() }

  func store(_ change: (inout RedisConfiguration) -> Void = { _ in }) -> RedisStore {
    var configuration = RedisConfiguration(nodes: [.unix(redis.path)])
    configuration.now = clock.now
    configuration.onEvent = { [events] event in events.all.withLock { $0.append(event) } }
    change(&configuration)
    return RedisStore(configuration)
  }

  /// Reads an entry, and moves the clock beyond the deadline when the server has the command.
  func readInVain(_ store: RedisStore, _ count: Int) async throws -> (any Error)? {
    let read = Task { try await blocking { [key] in try store.read(key) } }
    try await eventually(redis.count("GETRANGE") == count)
    clock.advance(by: .milliseconds(50))
    _ = store.loop.submit(.tick)
    switch await read.result {
    case .success: return nil
    case .failure(let error): return error
    }
  }

  @Test("an entry is written, read, inspected, touched and removed")
  func life() async throws {
    let store = store()
    try await blocking { [key, entry] () throws in
      #expect(try store.read(key) == nil)
      #expect(try !store.contains(key) && !store.touch(key))
      #expect(try store.metadata(of: key) == nil)
      try store.write(entry, for: key)
      #expect(try store.read(key) == entry && store.metadata(of: key) == entry.metadata)
      // The store cannot do this in one step, so the newer body of another machine could be lost.
      #expect(try !store.updateMetadata(Data("n".utf8), of: key) && store.read(key) == entry)
      try store.write(ImageStoreEntry(metadata: Data("n".utf8), body: entry.body), for: key)
      #expect(try store.read(key) == ImageStoreEntry(metadata: Data("n".utf8), body: entry.body))
    }
    let name = try #require(redis.keys.first)
    #expect(name == "ozu:e:\(key.kind.identifier):\(key.key)")
    let week = 7 * 24 * 3600 * 1000
    #expect(redis[name]?.lifetime == week)
    redis[name]?.lifetime = 5
    try await blocking { [key] () throws in
      #expect(try store.touch(key))
      try store.remove(key)
      #expect(try store.read(key) == nil)
    }
    #expect(await store.entry(for: key) == nil)
    #expect(redis.keys == [] && redis.connectionCount == 1)
    let statistics = store.statistics
    #expect(
      statistics.hits == 3 && statistics.writes == 2 && statistics.misses == 3 && statistics.damaged == 0)
    #expect(statistics.nodes.map(\.state) == [.closed])
  }

  @Test("without a time to live entries do not expire")
  func withoutEnd() async throws {
    let store = store { $0.timeToLive = nil }
    try await blocking { [key, entry] () throws in
      try store.write(entry, for: key)
      #expect(try store.touch(key))
    }
    #expect(redis[try #require(redis.keys.first)]?.lifetime == nil)
    // A use does not read the entry.
    #expect(redis.log.allSatisfy { !$0.contains("PX") && !["PEXPIRE", "GETRANGE"].contains($0[0]) })
  }

  @Test("large metadata is read with the body, small metadata without")
  func metadata() async throws {
    let large = ImageStoreEntry(metadata: Data(repeating: 1, count: 30_000), body: entry.body)
    let store = store()
    try await blocking { [key, entry] () throws in
      try store.write(large, for: key)
      #expect(try store.metadata(of: key) == large.metadata)
      try store.write(entry, for: key)
      #expect(try store.metadata(of: key) == entry.metadata)
    }
    #expect(redis.log.filter { $0[0] == "GETRANGE" }.map { $0[3] } == ["8191", "4194304", "8191"])
  }

  @Test(
    "a damaged, truncated or foreign entry, or another type of value, is a miss and is removed",
    arguments: ["flip", "cut", "other", "foreign", "large", "type"], [false, true])
  func foreignBytes(how: String, asksForMetadata: Bool) async throws {
    let store = store { $0.maximumEntryByteCount = 30_000 }
    let good = SharedEntry.encode(entry, for: key)
    let data =
      switch how {
      case "flip": good.prefix(10) + [good[10] ^ 1] + good.dropFirst(11)
      case "cut": good.prefix(11)
      case "other": SharedEntry.encode(entry, for: ImageStoreKey(.encoded, "b"))
      case "large": Data(repeating: 1, count: 40_000)
      default: Data("PNG".utf8)
      }
    let name = store.name(of: key)
    redis[name] = FakeRedis.Value(data: data)
    if how == "type" {
      redis.react = { words, _ in
        words[0] == "GETRANGE" ? .bytes("-WRONGTYPE Operation against a key\r\n") : .done
      }
    }
    try await blocking { [key] () throws in
      if asksForMetadata {
        #expect(try store.metadata(of: key) == nil)
      } else {
        #expect(try store.read(key) == nil)
      }
    }
    try await eventually(redis[name] == nil)
    #expect(store.statistics.damaged == 1)
    await store.reporter.reported()
    #expect(events.all.withLock { $0 } == [.damaged(node: redis.path)])
  }

  @Test(
    "the entry that another machine has written meanwhile is not removed with the damaged one that was read")
  func replacedEntry() async throws {
    let store = store()
    let name = store.name(of: key)
    redis[name] = FakeRedis.Value(data: Data("damaged".utf8))
    let good = FakeRedis.Value(data: SharedEntry.encode(entry, for: key))
    redis.react = { [redis] words, _ in
      if ["EVAL", "UNLINK"].contains(words[0]) { redis[name] = good }
      return .done
    }
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    try await eventually(redis.count("EVAL") + redis.count("UNLINK") == 1)
    // The server executes the commands of a connection in order.
    try await blocking { [key, entry] () throws in #expect(try store.read(key) == entry) }
  }

  @Test(
    "a server that wants a login is not asked for a while; a full one is asked, and is reported once a minute"
  )
  func refusals() async throws {
    let store = store()
    redis.react = { _, _ in .bytes("-OOM command not allowed\r\n") }
    func fail(_ count: Int) async throws {
      for _ in 0..<count {
        try await blocking { [key] () throws in _ = #expect(throws: RedisError.self) { try store.read(key) } }
      }
      await store.reporter.reported()
    }
    try await fail(5)
    let full = SharedStoreEvent.refused(
      node: redis.path, error: "\(redis.path) refused: OOM command not allowed")
    #expect(events.all.withLock { $0 } == [full])
    #expect(await store.check().map(\.isRefusal) == [true])
    clock.advance(by: .seconds(60))
    try await fail(1)
    #expect(events.all.withLock { $0 } == [full, full])
    #expect(store.statistics.nodes[0].state == .closed)
    redis.react = { _, _ in .bytes("-NOAUTH Authentication required.\r\n") }
    try await fail(3)
    #expect(store.statistics.nodes[0].state == .open && events.states == [.open])
  }

  @Test("an entry that is too large is not stored, and the former entry is removed")
  func tooLarge() async throws {
    let store = store { $0.maximumEntryByteCount = 10_000 }
    redis[store.name(of: key)] = FakeRedis.Value(data: Data("old".utf8))
    try await blocking { [key, entry] in try store.write(entry, for: key) }
    #expect(redis.keys == [] && store.statistics.tooLarge == 1)
  }

  @Test("kinds that are not shared are not requested")
  func kinds() async throws {
    let store = store()
    for kind in [ImageStoreKind.original, .partial, .variants] {
      let key = ImageStoreKey(kind, "a")
      #expect(!store.mayContain(key))
      try await blocking { [entry] () throws in
        try store.write(entry, for: key)
        #expect(try store.read(key) == nil && store.metadata(of: key) == nil && !store.contains(key))
        #expect(try !store.touch(key))
        try store.remove(key)
        try store.removeAll(of: kind)
      }
    }
    #expect(redis.log == [] && store.mayContain(ImageStoreKey(.format("x"), "a")))
    #expect(self.store { $0.keepsOriginals = true }.mayContain(ImageStoreKey(.original, "a")))
  }

  @Test("all entries of a kind, or with the prefix, are removed, and no others")
  func removal() async throws {
    let store = store { $0.keyPrefix = "o[z]*u:" }
    let keys = [ImageStoreKey(.encoded, "a"), ImageStoreKey(.encoded, "b"), ImageStoreKey(.rendition, "a")]
    try await blocking { [entry] () throws in for key in keys { try store.write(entry, for: key) } }
    redis["ozu:e:other"] = FakeRedis.Value(data: Data())
    redis["o[z]*u:x"] = FakeRedis.Value(data: Data())
    try await blocking { try store.removeAll(of: .encoded) }
    #expect(redis.keys == ["o[z]*u:x", store.name(of: keys[2]), "ozu:e:other"].sorted())
    try await blocking { try store.removeAll() }
    #expect(redis.keys == ["o[z]*u:x", "ozu:e:other"])
    #expect(redis.log.first { $0[0] == "SCAN" }?[3].hasPrefix("o\\[z\\]\\*u:e:") == true)
  }
}
