import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

extension RealRedisTests {
  @Test("a server with a password and users")
  func authentication() async throws {
    let redis = try await RealRedis(
      "--requirepass", "sesame", "--user", "images", "on", ">secret", "~pic:*", "resetchannels", "-@all",
      "+getrange",
      "+set", "+exists", "+unlink", "+pexpire", "+scan", "+incr", "+eval", "+get", "+del", "+select")
    let stranger = store(redis)
    #expect(try await loadAll(stranger) == 4)
    #expect(stranger.statistics.nodes[0].lastError?.contains("NOAUTH") == true)
    #expect(try await loadAll(store(redis) { $0.credentials = RedisCredentials(password: "wrong") }) == 4)
    let known: (inout RedisConfiguration) -> Void = {
      $0.credentials = RedisCredentials(user: "images", password: "secret")
      ($0.keyPrefix, $0.database) = ("pic:", 5)
    }
    #expect(try await loadAll(store(redis, known)) == 4)
    #expect(try await loadAll(store(redis, known)) == 0)
    let elsewhere = store(redis) {
      known(&$0)
      $0.database = 6
    }
    #expect(try await loadAll(elsewhere) == 4)
    // The rights of the user in the article are enough for all calls.
    let key = ImageStoreKey(.encoded, "a")
    guard case .acquired(let lease) = await elsewhere.acquireLease(for: key, lasting: .seconds(600)) else {
      throw CancellationError()
    }
    #expect(await elsewhere.renew(lease, lasting: .seconds(600)))
    try await blocking { () throws in
      #expect(try elsewhere.write(ImageStoreEntry(metadata: Data(), body: Data()), under: lease))
      #expect(try elsewhere.touch(key) && elsewhere.contains(key))
      try elsewhere.removeAll()
    }
    await elsewhere.release(lease)
    #expect(elsewhere.statistics.nodes[0].counts.refused == 0)
  }

  @Test("eight machines with eight callers each: one of them makes the value")
  func fleet() async throws {
    let redis = try await RealRedis()
    let key = ImageStoreKey(.encoded, "a")
    let makes = Counter()
    let entry = ImageStoreEntry(metadata: Data(), body: Data("picture".utf8))
    let machines = (0..<8).map { _ in
      store(redis) {
        $0.now = { ContinuousClock.now }; $0.deadline = .seconds(60)
      }
    }
    let policy = {
      var policy = FillPolicy()
      (policy.leaseDuration, policy.waitLimit) = (.seconds(60), .seconds(600))
      return policy
    }()
    try await withThrowingTaskGroup(of: ImageStoreEntry.self) { group in
      for number in 0..<64 {
        let machine = machines[number / 8]
        let fills = FillCoordinator(leases: machine, policy: policy)
        group.addTask {
          try await fills.value(for: key) {
            await machine.entry(for: key)
          } make: { lease in
            makes.count.add(1, ordering: .relaxed)
            let lease = try #require(lease)
            let isWritten = try await blocking { () throws -> Bool in try machine.write(entry, under: lease) }
            #expect(isWritten)
            return entry
          }
        }
      }
      for try await value in group { #expect(value == entry) }
    }
    #expect(makes.count.load(ordering: .relaxed) == 1)
  }

  @Test(
    "a lease that ended is not renewed, writes nothing, and does not release another lease; tokens grow, also after a restart"
  )
  func fencing() async throws {
    let redis = try await RealRedis()
    let store = store(redis)
    let key = ImageStoreKey(.encoded, "a")
    func acquire() async throws -> FillLease {
      guard case .acquired(let lease) = await store.acquireLease(for: key, lasting: .seconds(600)) else {
        throw CancellationError()
      }
      return lease
    }
    func write(_ text: String, _ lease: FillLease) async throws -> Bool {
      let entry = ImageStoreEntry(metadata: Data(), body: Data(text.utf8))
      return try await blocking { () throws -> Bool in try store.write(entry, under: lease) }
    }
    let first = try await acquire()
    #expect(await store.acquireLease(for: key, lasting: .seconds(600)) == .held)
    #expect(await store.renew(first, lasting: .seconds(600)))
    #expect(try await write("first", first))
    try await tell(redis, "FLUSHALL")
    let second = try await acquire()
    #expect(await !store.renew(first, lasting: .seconds(600)))
    await store.release(first)
    #expect(try await !write("late", first))
    #expect(await store.entry(for: key) == nil)
    #expect(try await write("second", second))
    #expect(await store.entry(for: key)?.body == Data("second".utf8))
    #expect(second.fencingToken > first.fencingToken)
    await store.release(second)
    #expect(try await acquire().fencingToken > second.fencingToken)
    redis.crash()
    #expect(await store.acquireLease(for: key, lasting: .seconds(600)) == .unavailable)
  }
}
