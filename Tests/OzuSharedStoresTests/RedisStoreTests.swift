import Foundation
import Ozu
import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("A level of storage in Redis", .timeLimit(.minutes(5)))
struct RedisStoreTests {
  private let redis: FakeRedis
  private let clock = ManualClock()
  private let events = Events()
  private let key = ImageStoreKey(.encoded, "a")
  private let entry = ImageStoreEntry(metadata: Data("m".utf8), body: Data(repeating: 7, count: 20_000))

  private final class Events: Sendable {
    let all = Mutex<[SharedStoreEvent]>([])
    /// The changes of state, without their reasons.
    var states: [SharedStoreNodeState] {
      all.withLock { $0.compactMap { if case .nodeChanged(_, let state, _) = $0 { state } else { nil } } }
    }
  }

  init() throws { redis = try FakeRedis() }

  private func store(_ change: (inout RedisConfiguration) -> Void = { _ in }) -> RedisStore {
    var configuration = RedisConfiguration(nodes: [.unix(redis.path)])
    configuration.now = clock.now
    configuration.onEvent = { [events] event in events.all.withLock { $0.append(event) } }
    change(&configuration)
    return RedisStore(configuration)
  }

  /// Reads as the clock passes the deadline, once the server has the command.
  private func readInVain(_ store: RedisStore, _ count: Int) async throws -> (any Error)? {
    let read = Task { try await blocking { [key] in try store.read(key) } }
    try await eventually(redis.count("GETRANGE") == count)
    clock.advance(by: .milliseconds(50))
    _ = store.loop.submit(.tick)
    switch await read.result {
    case .success: return nil
    case .failure(let error): return error
    }
  }

  @Test("an entry is written, read, looked at, kept alive and removed")
  func life() async throws {
    let store = store()
    try await blocking { [key, entry] () throws in
      #expect(try store.read(key) == nil)
      #expect(try !store.contains(key) && !store.touch(key))
      #expect(try store.metadata(of: key) == nil)
      try store.write(entry, for: key)
      #expect(try store.read(key) == entry && store.metadata(of: key) == entry.metadata)
      // It could not be done in one step: another machine's newer body would be lost.
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

  @Test("entries that live as long as the server likes have no end")
  func withoutEnd() async throws {
    let store = store { $0.timeToLive = nil }
    try await blocking { [key, entry] () throws in
      try store.write(entry, for: key)
      #expect(try store.touch(key))
    }
    #expect(redis[try #require(redis.keys.first)]?.lifetime == nil)
    #expect(redis.log.allSatisfy { !$0.contains("PX") && $0[0] != "PEXPIRE" })
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
    "what is damaged, cut off, another's or no text is a miss, and is removed",
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

  @Test("an entry that is too large is not kept, nor is what was there before")
  func tooLarge() async throws {
    let store = store { $0.maximumEntryByteCount = 10_000 }
    redis[store.name(of: key)] = FakeRedis.Value(data: Data("old".utf8))
    try await blocking { [key, entry] in try store.write(entry, for: key) }
    #expect(redis.keys == [] && store.statistics.tooLarge == 1)
  }

  @Test("kinds that are not shared are not asked for")
  func kinds() async throws {
    let store = store()
    for kind in [ImageStoreKind.original, .partial, .relatives] {
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

  @Test("all entries of a kind, or of the prefix, are removed, and nobody else's")
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

  @Test("a login with user, password and database comes first; a refusal is told without the password")
  func login() async throws {
    let change: (inout RedisConfiguration) -> Void = {
      $0.credentials = RedisCredentials(user: "images", password: "secret")
      $0.database = 3
    }
    let first = store(change)
    try await blocking { [key] () throws in #expect(try first.read(key) == nil) }
    #expect(Array(redis.log.map(\.first)) == ["AUTH", "SELECT", "GETRANGE"])
    #expect(redis.log[0] == ["AUTH", "images", "secret"] && redis.log[1] == ["SELECT", "3"])
    redis.react = { words, _ in words[0] == "AUTH" ? .bytes("-WRONGPASS invalid\r\n") : .done }
    let store = store(change)
    let error = await #expect(throws: RedisError.self) { try await blocking { [key] in try store.read(key) } }
    #expect(
      "\(try #require(error))" == "no connection to \(redis.path): the login was refused: WRONGPASS invalid")
    #expect("\(store.configuration.credentials!)" == "images:…")
  }

  @Test("many commands are under way on one connection")
  func pipelining() async throws {
    let store = store()
    let redis = redis
    // Nothing is answered until all have come; then each by its own name.
    redis.react = { words, _ in
      guard words[0] == "EXISTS" else { return .done }
      let all = redis.log.filter { $0[0] == "EXISTS" }
      return all.count < 40 ? .silence : .bytes(String(repeating: ":1\r\n", count: 40))
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          try await store.answer(store.nodes[0], RESPCommand("EXISTS", .text("\(number)"))) == .integer(1)
        }
      }
      for try await isThere in group { #expect(isThere) }
    }
    #expect(redis.connectionCount == 1)
  }

  @Test(
    "a server that does not answer is a miss after the deadline, and is left alone after three; one probe finds it well"
  )
  func breaker() async throws {
    let store = store()
    redis.react = { _, _ in .silence }
    for count in 1...3 {
      #expect(store.mayContain(key))
      let error = try await readInVain(store, count) as? RedisError
      #expect(error?.reason == .timedOut(.milliseconds(50)))
    }
    #expect(!store.mayContain(key))
    let refused = await #expect(throws: RedisError.self) {
      try await blocking { [key] in try store.read(key) }
    }
    #expect(refused?.reason == .leftAlone && redis.count("GETRANGE") == 3)
    clock.advance(by: .seconds(1))
    #expect(store.mayContain(key))
    _ = try await readInVain(store, 4)
    clock.advance(by: .seconds(1))
    #expect(!store.mayContain(key), "the pause is two seconds now")
    clock.advance(by: .seconds(1))
    redis.react = { _, _ in .done }
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    await store.reporter.reported()
    #expect(events.states == [.open, .halfOpen, .open, .halfOpen, .closed])
    let node = store.statistics.nodes[0]
    #expect(node.counts.timedOut == 4 && node.counts.leftAlone == 1 && node.state == .closed)
  }

  @Test(
    "a connection that breaks is one failure, however many commands it takes with it, and the next command makes another"
  )
  func lostConnection() async throws {
    let store = store()
    redis.react = { _, number in number == 1 ? .silence : .done }
    let reads = (0..<10).map { _ in
      Task { [key] in try await store.answer(store.nodes[0], store.readCommand(key)) }
    }
    try await eventually(redis.count("GETRANGE") == 10)
    redis.disconnect()
    for read in reads {
      let error = await #expect(throws: RedisError.self) { try await read.value }
      #expect(error?.reason == .connectionLost)
    }
    #expect(store.statistics.nodes[0].state == .closed && store.statistics.nodes[0].counts.lost == 10)
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    #expect(redis.connectionCount == 2)
  }

  @Test(
    "an answer that is none ends the connection, and nobody gets another's",
    arguments: [
      "$5\r\nabcdefg\r\n", "HTTP/1.1 400 Bad Request\r\n", "$999999999\r\n", ":1\r\n", "*1\r\n$1\r\na\r\n",
      "+OK\r\n",
    ])
  func nonsense(answer: String) async throws {
    let store = store()
    redis.react = { _, number in number == 1 ? .bytes(answer) : .done }
    await #expect(throws: RedisError.self) { try await blocking { [key] in try store.read(key) } }
    redis.react = { _, _ in .done }
    redis.disconnect()
    try await blocking { [key, entry] () throws in
      // The connection may only now be found to be gone.
      do { try store.write(entry, for: key) } catch { try store.write(entry, for: key) }
      #expect(try store.read(key) == entry)
    }
  }

  @Test(
    "a server that can do nothing now fails; one that refuses a command is well",
    arguments: [
      ("LOADING Redis is loading the dataset in memory", true), ("MASTERDOWN Link with MASTER is down", true),
      ("BUSY Redis is busy running a script", true),
      ("READONLY You can't write against a read only replica.", false),
      ("OOM command not allowed when used memory > 'maxmemory'.", false), ("NOPERM no permissions", false),
    ])
  func refusals(text: String, isFailure: Bool) async throws {
    let store = store()
    redis.react = { words, _ in words[0] == "SET" ? .bytes("-\(text)\r\n") : .done }
    for _ in 0..<3 {
      let error = await #expect(throws: RedisError.self) {
        try await blocking { [key, entry] in try store.write(entry, for: key) }
      }
      #expect(error?.reason == .refused(text))
    }
    #expect(store.statistics.nodes[0].state == (isFailure ? .open : .closed))
    #expect(store.statistics.nodes[0].counts.refused == 3)
  }

  @Test("a server that takes no writes any more is looked up anew, once a second at most")
  func failover() async throws {
    let store = store()
    redis.react = { words, _ in words[0] == "SET" ? .bytes("-READONLY replica\r\n") : .done }
    for connections in [1, 1, 2, 2] {
      if connections == 2 { clock.advance(by: .milliseconds(600)) }
      _ = try? await blocking { [key, entry] in try store.write(entry, for: key) }
      try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
      #expect(redis.connectionCount <= connections)
    }
  }

  @Test("what comes on top of what may wait is dropped, which is told")
  func overload() async throws {
    let store = store { $0.maximumWaitingCount = 2 }
    redis.react = { _, _ in .silence }
    let reads = (0..<2).map { _ in Task { try await blocking { [key] in try store.read(key) } } }
    try await eventually(redis.count("GETRANGE") == 2)
    for _ in 0..<5 {
      let error = await #expect(throws: RedisError.self) {
        try await blocking { [key] in try store.read(key) }
      }
      #expect(error?.reason == .overloaded)
    }
    await store.reporter.reported()
    #expect(events.all.withLock { $0 } == [.dropped(node: redis.path)])
    #expect(store.statistics.nodes[0].counts.dropped == 5)
    clock.advance(by: .milliseconds(50))
    _ = store.loop.submit(.tick)
    for read in reads { await #expect(throws: RedisError.self) { try await read.value } }
  }

  @Test("too many bytes are dropped too, but a single large command is sent")
  func overloadInBytes() async throws {
    let store = store { $0.maximumWaitingByteCount = 1000 }
    redis.react = { words, _ in words[0] == "SET" ? .silence : .done }
    let write = Task { try await blocking { [key, entry] in try store.write(entry, for: key) } }
    try await eventually(redis.count("SET") == 1)
    await #expect(throws: RedisError.self) { try await blocking { [key] in try store.read(key) } }
    clock.advance(by: .milliseconds(50))
    _ = store.loop.submit(.tick)
    await #expect(throws: RedisError.self) { try await write.value }
  }

  @Test("each key has one of several servers; the loss of one loses its keys alone")
  func severalNodes() async throws {
    let other = try FakeRedis()
    var configuration = RedisConfiguration(nodes: [.unix(redis.path), .unix(other.path)])
    configuration.now = clock.now
    let store = RedisStore(configuration)
    let keys = (0..<40).map { ImageStoreKey(.encoded, CacheKey("\($0)")) }
    try await blocking { [entry] () throws in for key in keys { try store.write(entry, for: key) } }
    #expect(redis.keys.count + other.keys.count == 40 && (10...30).contains(other.keys.count))
    other.react = { _, _ in .close }
    let found = try await blocking { keys.count { (try? store.read($0)) != nil } }
    #expect(found == redis.keys.count)
    #expect(store.statistics.nodes.map(\.state) == [.closed, .open])
    #expect(keys.count { store.mayContain($0) } == found)
  }

  @Test(
    "a server that is not there is not waited for",
    arguments: [
      RedisAddress.unix("/nonexistent/redis.sock"), .tcp("127.0.0.1", port: 1), .tcp("127.0.0.1", port: 0),
      .tcp("a b"),
    ])
  func absent(address: RedisAddress) async throws {
    var configuration = RedisConfiguration(nodes: [address])
    configuration.deadline = .seconds(600)
    let store = RedisStore(configuration)
    let error = await #expect(throws: RedisError.self) { try await blocking { [key] in try store.read(key) } }
    guard case .notConnected = error?.reason else { throw try #require(error) }
  }

  @Test("a store that is released ends its thread and answers who waits")
  func release() async throws {
    redis.react = { _, _ in .silence }
    let read: Task<Void, any Error>
    do {
      let store = store()
      let node = store.nodes[0]
      read = Task {
        _ = try await withCheckedContinuation { continuation in
          node.send(RESPCommand("EXISTS", "a")) { continuation.resume(returning: $0) }
        }.get()
      }
      try await eventually(redis.count("EXISTS") == 1)
      withExtendedLifetime(store) {}
    }
    let error = await #expect(throws: RedisError.self) { try await read.value }
    #expect(error?.reason == .closed)
  }
}
