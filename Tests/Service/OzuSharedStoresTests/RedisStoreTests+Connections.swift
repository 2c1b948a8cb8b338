import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuSharedStores

extension RedisStoreTests {
  @Test("a login with user, password and database is sent first; the error of a refusal has no password")
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

  @Test("many commands run on one connection")
  func pipelining() async throws {
    let store = store()
    let redis = redis
    // The server answers only after all commands have arrived; then each command gets its own value.
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
    "a server that does not answer is a miss after the deadline; after three the circuit opens, and one probe closes it"
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
    #expect(refused?.reason == .circuitOpen && redis.count("GETRANGE") == 3)
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
    #expect(node.counts.timedOut == 4 && node.counts.circuitOpen == 1 && node.state == .closed)
  }

  @Test(
    "a broken connection counts as one failure for all of its commands, and the next command makes a new connection"
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
    "an invalid answer ends the connection, and no command gets the answer of another",
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
      // The loss of the connection may be found only now.
      do { try store.write(entry, for: key) } catch { try store.write(entry, for: key) }
      #expect(try store.read(key) == entry)
    }
  }

  @Test(
    "a server that cannot work now counts as failed; one that refuses a command does not",
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

  @Test("the address of a server that accepts no more writes is resolved again, at most once a second")
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

  @Test("commands above the limit are dropped, and this is reported")
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

  @Test("each key has one of several servers; if one is lost, only its keys are lost")
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
    "a missing server causes no wait",
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

  @Test("a name that is looked up for longer than the deadline leads to a connection for later commands")
  func slowLookup() throws {
    var attempts: [Int] = []
    let connection = RedisConnection(place: 0, configuration: store().configuration) { attempts.append($0) }
    let results = Mutex<[Result<RESPValue, RedisError>]>([])
    let now = clock.now()
    connection.start(
      RedisRequest(RESPCommand("EXISTS", "a"), deadline: now) { result in
        results.withLock { $0.append(result) }
      })
    connection.expire(at: now)
    #expect(
      results.withLock { $0 } == [.failure(RedisError(.timedOut(.milliseconds(50)), node: redis.path))])
    connection.resolved(1, .success(try RedisEndpoint.resolving(.unix(redis.path))))
    #expect(connection.interest?.descriptor != nil && attempts == [1])
    connection.lose(.closed)
    #expect(connection.interest?.descriptor == nil)
  }

  @Test("an address has a whole deadline to answer in, however long its name was looked up")
  func slowConnection() throws {
    var attempts: [Int] = []
    let connection = RedisConnection(place: 0, configuration: store().configuration) { attempts.append($0) }
    let start = clock.now()
    connection.start(
      RedisRequest(RESPCommand("EXISTS", "a"), deadline: start.advanced(by: .milliseconds(50))) { _ in })
    clock.advance(by: .milliseconds(40))
    // No answer is noticed before the events of the socket are handled.
    connection.resolved(1, .success(try RedisEndpoint.resolving(.tcp("127.0.0.1", port: 1))))
    for (milliseconds, isConnecting) in [(50, true), (89, true), (90, false)] {
      connection.expire(at: start.advanced(by: .milliseconds(milliseconds)))
      #expect((connection.interest != nil) == isConnecting)
      let end = isConnecting ? start.advanced(by: .milliseconds(90)) : nil
      #expect(connection.nextDeadline == end)
    }
    #expect(attempts == [1])
  }

  @Test("a released store ends its thread and answers waiting callers")
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
