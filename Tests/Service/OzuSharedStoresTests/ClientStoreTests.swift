import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("A level that uses a client of the app", .timeLimit(.minutes(5)))
struct ClientStoreTests {
  private final class Client: Sendable {
    let values = Mutex<[String: Data]>([:])
    let calls = Atomic(0)
    let isFailing = Atomic(false)
    let gate = Gate(isOpen: true)

    struct Broken: Error {}

    func call() async throws {
      calls.add(1, ordering: .relaxed)
      try await gate.pass()
      if isFailing.load(ordering: .relaxed) { throw Broken() }
    }
  }

  private let client = Client()
  private let clock = ManualClock()
  private let key = ImageStoreKey(.encoded, "a")
  private let entry = ImageStoreEntry(metadata: Data("m".utf8), body: Data("body".utf8))

  private func store(deadline: Duration = .seconds(60)) -> ClientStore {
    ClientStore(
      name: "client",
      get: { [client] name in
        try await client.call()
        return client.values.withLock { $0[name] }
      },
      set: { [client] name, data in
        try await client.call()
        client.values.withLock { $0[name] = data }
      },
      remove: { [client] name in
        try await client.call()
        client.values.withLock { $0[name] = nil }
      }
    ) {
      $0.keyPrefix = "p:"
      $0.deadline = deadline
      $0.keepsOriginals = false
      $0.now = clock.now
    }
  }

  @Test("a damaged or foreign entry is a miss and is removed")
  func damage() async throws {
    let store = store()
    try await blocking { [key, entry] () throws in
      try store.write(entry, for: key)
      try store.write(entry, for: ImageStoreKey(.original, "a"))
    }
    // Originals are not kept.
    #expect(client.values.withLock { Array($0.keys) } == ["p:\(key.kind.identifier):\(key.key)"])
    client.values.withLock { values in for name in values.keys { values[name]?[10] ^= 1 } }
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    #expect(client.values.withLock(\.isEmpty) && store.statistics.damaged == 1)
    await #expect(throws: ClientStore.Failure.cannotRemoveAll) {
      try await blocking { try store.removeAll() }
    }
  }

  @Test("a use of an entry is no call of the client, and no hit")
  func touch() {
    let store: any ImageStoring = store()
    #expect((try? store.touch(key)) == true)
    #expect(client.calls.load(ordering: .relaxed) == 0)
  }

  @Test("a look at the metadata is no read: neither a hit nor a miss")
  func metadata() async throws {
    let store = store()
    try await blocking { [key, entry] () throws in
      #expect(try store.metadata(of: key) == nil && !store.contains(key))
      try store.write(entry, for: key)
      #expect(try store.metadata(of: key) == entry.metadata && store.contains(key))
    }
    #expect(store.statistics.hits == 0 && store.statistics.misses == 0)
  }

  @Test("the circuit of a failing client opens, and one probe tries again")
  func breaker() async throws {
    let store = store()
    client.isFailing.store(true, ordering: .relaxed)
    for _ in 0..<3 {
      await #expect(throws: ClientStore.Failure.client("Broken()")) {
        try await blocking { [key] in try store.read(key) }
      }
    }
    #expect(!store.mayContain(key) && store.statistics.nodes[0].state == .open)
    await #expect(throws: ClientStore.Failure.circuitOpen) {
      try await blocking { [key] in try store.read(key) }
    }
    #expect(client.calls.load(ordering: .relaxed) == 3)
    client.isFailing.store(false, ordering: .relaxed)
    clock.advance(by: .seconds(1))
    #expect(store.mayContain(key))
    try await blocking { [key] () throws in #expect(try store.read(key) == nil) }
    #expect(store.statistics.nodes[0].state == .closed && store.statistics.misses == 5)
  }

  @Test("a call without an answer ends at the deadline and is cancelled")
  func deadline() async throws {
    let store = store(deadline: .milliseconds(20))
    client.gate.close()
    await #expect(throws: ClientStore.Failure.timedOut(.milliseconds(20))) {
      try await blocking { [key] in try store.read(key) }
    }
    try await eventually(client.gate.waitingCount == 0)
  }
}
