import Foundation
import Ozu
import OzuBase
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("One machine makes the value that all request", .timeLimit(.minutes(5)))
struct FillCoordinatorTests {
  private let key = ImageStoreKey(.encoded, "a")
  private let clock = ManualClock()

  private func coordinator(_ leases: InMemoryLeases) -> FillCoordinator {
    var coordinator = FillCoordinator(leases: leases)
    coordinator.now = clock.now
    coordinator.sleep = { [clock] in try await clock.sleep(for: $0) }
    return coordinator
  }

  /// The place of the stored value, and the leases of all makes.
  private final class Storage: Sendable {
    let value = Mutex<Int?>(nil)
    let makes = Mutex<[FillLease?]>([])
    let gate = Gate(isOpen: false)
  }

  private func ask(_ coordinator: FillCoordinator, _ storage: Storage) -> Task<Int, any Error> {
    Task { [key] in
      try await coordinator.value(for: key) {
        storage.value.withLock { $0 }
      } make: { lease in
        storage.makes.withLock { $0.append(lease) }
        try await storage.gate.pass()
        storage.value.withLock { $0 = 7 }
        return 7
      }
    }
  }

  @Test("one of many callers makes the value; the others find it")
  func coalescing() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    let coordinator = coordinator(leases)
    let tasks = (0..<16).map { _ in ask(coordinator, storage) }
    // Fifteen wait, and the heartbeat sleeps.
    await clock.sleepers(16)
    storage.gate.open()
    try await eventually(storage.value.withLock { $0 } == 7)
    try await eventually(leases.state.withLock { $0.holders.isEmpty })
    clock.advance(by: .milliseconds(5))
    for task in tasks { #expect(try await task.value == 7) }
    #expect(storage.makes.withLock { $0.count } == 1)
  }

  @Test("a lease is renewed while the value is made, and released afterwards")
  func heartbeat() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    let task = ask(coordinator(leases), storage)
    for count in 1...6 {
      await clock.sleepers(count)
      clock.advance(by: .seconds(1) / 3)
      try await eventually(leases.state.withLock { $0.renewals } == count)
    }
    #expect(await leases.acquireLease(for: key, lasting: .seconds(1)) == .held)
    storage.gate.open()
    #expect(try await task.value == 7)
    #expect(leases.state.withLock { $0.holders.isEmpty })
  }

  @Test("a renewal that gets no answer is not the last one")
  func missedRenewal() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    let task = ask(coordinator(leases), storage)
    await clock.sleepers(1)
    leases.state.withLock { $0.isAvailable = false }
    clock.advance(by: .seconds(1) / 3)
    try await eventually(clock.sleeperCount == 1)
    leases.state.withLock { $0.isAvailable = true }
    clock.advance(by: .seconds(1) / 3)
    try await eventually(leases.state.withLock { $0.renewals } == 1)
    storage.gate.open()
    #expect(try await task.value == 7)
  }

  @Test("a holder that died is replaced when its lease ends")
  func deadHolder() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    guard case .acquired(let dead) = await leases.acquireLease(for: key, lasting: .seconds(1)) else {
      throw CancellationError()
    }
    storage.gate.open()
    let task = ask(coordinator(leases), storage)
    let begin = clock.currentInstant
    var sleeps = 1
    // Not until the value is made: the heartbeat of the new lease may sleep before that, and is not to be waited for.
    while leases.count == 1 {
      await clock.sleepers(sleeps)
      sleeps += 1
      clock.advance(by: .milliseconds(50))
      try await eventually(clock.sleeperCount > 0 || leases.count > 1)
    }
    #expect(try await task.value == 7)
    #expect(
      (Duration.seconds(1)...Duration.milliseconds(1100)).contains(begin.duration(to: clock.currentInstant)))
    let lease = try #require(storage.makes.withLock { $0[0] })
    #expect(lease.fencingToken > dead.fencingToken)
  }

  @Test("a caller that has waited too long makes the value without a lease")
  func impatience() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    _ = await leases.acquireLease(for: key, lasting: .seconds(3600))
    storage.gate.open()
    let task = ask(coordinator(leases), storage)
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    #expect(try await task.value == 7)
    #expect(storage.makes.withLock { $0 } == [nil])
  }

  @Test("without a service for leases every caller makes the value")
  func unavailable() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    leases.state.withLock { $0.isAvailable = false }
    storage.gate.open()
    for _ in 0..<3 { #expect(try await ask(coordinator(leases), storage).value == 7) }
    #expect(storage.makes.withLock { $0 } == [nil, nil, nil])
  }

  @Test("a value that was stored before the lease was acquired is not made again")
  func lateLook() async throws {
    let (leases, storage) = (InMemoryLeases(now: clock.now), Storage())
    storage.value.withLock { $0 = 5 }
    storage.gate.open()
    #expect(try await ask(coordinator(leases), storage).value == 5)
    #expect(storage.makes.withLock { $0.isEmpty } && leases.state.withLock { $0.holders.isEmpty })
  }

  @Test("a lease lasts until the value is in the store, and the caller does not wait for that")
  func settling() async throws {
    let (leases, gate) = (InMemoryLeases(now: clock.now), Gate())
    let value = try await coordinator(leases).value(for: key) {
      Int?.none
    } make: { _ in
      7
    } settle: {
      try? await gate.pass()
    }
    #expect(value == 7)
    await gate.arrivals(1)
    #expect(await leases.acquireLease(for: key, lasting: .seconds(1)) == .held)
    gate.open()
    try await eventually(leases.state.withLock { $0.holders.isEmpty })
  }

  @Test("a failed maker releases its lease")
  func failure() async throws {
    struct Failed: Error {}
    let leases = InMemoryLeases(now: clock.now)
    await #expect(throws: Failed.self) {
      try await coordinator(leases).value(for: key) {
        Int?.none
      } make: { _ in
        throw Failed()
      }
    }
    #expect(leases.state.withLock { $0.holders.isEmpty })
  }
}
