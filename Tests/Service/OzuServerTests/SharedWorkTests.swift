import OzuBase
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Work that several callers request is done once", .timeLimit(.minutes(5)))
struct SharedWorkTests {
  /// Waits until it is cancelled or released.
  private final class Job: Sendable {
    let begun = Atomic(0)
    private let end = Atomic(false)

    var isCancelled: Bool { end.load(ordering: .relaxed) }

    func run(_ gate: Gate) async -> Int {
      let number = begun.add(1, ordering: .relaxed).newValue
      do {
        try await gate.pass()
      } catch {
        end.store(true, ordering: .relaxed)
      }
      return number
    }
  }

  @Test("all waiting callers get one result, and later callers a new one")
  func sharing() async throws {
    let (shared, job, gate) = (SharedWork<String, Int>(), Job(), Gate())
    let waiters = (0..<10).map { _ in
      Task { await shared.value(for: "a", cancelled: 0) { await job.run(gate) } }
    }
    try await eventually(job.begun.load(ordering: .relaxed) == 1 && shared.waiterCount(for: "a") == 10)
    gate.open()
    for waiter in waiters { #expect(await waiter.value == 1) }
    #expect(shared.count == 0)
    #expect(await shared.value(for: "a", cancelled: 0) { await job.run(gate) } == 2)
  }

  @Test("a caller that is cancelled does not wait for the work that others wait for")
  func leaving() async throws {
    let (shared, job, gate) = (SharedWork<String, Int>(), Job(), Gate())
    let waiters = (0..<2).map { _ in
      Task { await shared.value(for: "a", cancelled: 0) { await job.run(gate) } }
    }
    try await eventually(shared.waiterCount(for: "a") == 2)
    waiters[0].cancel()
    // The gate is closed.
    #expect(await waiters[0].value == 0)
    gate.open()
    #expect(await waiters[1].value == 1)
  }

  /// Counts how many of its answers are gone.
  private final class Answer: Sendable {
    final class Count: Sendable {
      let gone = Atomic(0)
    }

    private let count: Count

    init(_ count: Count) { self.count = count }

    deinit { _ = count.gone.add(1, ordering: .relaxed) }
  }

  @Test("a caller that has left leaves nothing behind while the work goes on for others")
  func nothingLeft() async throws {
    let (shared, gate, count) = (SharedWork<String, Answer>(), Gate(), Answer.Count())
    let waiters = (0..<2).map { _ in
      Task {
        _ = await shared.value(for: "a", cancelled: Answer(count)) {
          try? await gate.pass()
          return Answer(count)
        }
      }
    }
    try await eventually(shared.waiterCount(for: "a") == 2)
    waiters[0].cancel()
    // The gate is closed.
    try await eventually(count.gone.load(ordering: .relaxed) == 1)
    gate.open()
    await waiters[1].value
  }

  @Test("continues while a caller waits, and is cancelled with the last one", arguments: [0, 1, 5])
  func cancelling(remaining: Int) async throws {
    let (shared, job, gate) = (SharedWork<String, Int>(), Job(), Gate())
    let waiters = (0..<6).map { _ in
      Task { await shared.value(for: "a", cancelled: 0) { await job.run(gate) } }
    }
    try await eventually(shared.waiterCount(for: "a") == 6)
    for waiter in waiters.dropFirst(remaining) { waiter.cancel() }
    try await eventually(shared.waiterCount(for: "a") == remaining)
    if remaining == 0 {
      try await eventually(job.isCancelled)
    } else {
      #expect(!job.isCancelled)
      gate.open()
    }
    for waiter in waiters { _ = await waiter.value }
    #expect(shared.count == 0)
  }

  /// Random callers come, leave and end. Work runs exactly while the count of waiting callers is not zero.
  @Test("runs exactly while a caller waits", arguments: 0..<UInt64(20))
  func model(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let shared = SharedWork<Int, Int>()
    let keys = 0..<3
    var (jobs, gates) = (keys.map { _ in Job() }, keys.map { _ in Gate() })
    var waiters: [[Task<Int, Never>]] = keys.map { _ in [] }
    for _ in 0..<60 {
      let key = Int.random(in: keys, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let (job, gate) = (jobs[key], gates[key])
        waiters[key].append(Task { await shared.value(for: key, cancelled: 0) { await job.run(gate) } })
      case 2:
        guard !waiters[key].isEmpty else { continue }
        waiters[key].remove(at: Int.random(in: waiters[key].indices, using: &random)).cancel()
        guard waiters[key].isEmpty else { break }
        let job = jobs[key]
        try await eventually(job.isCancelled)
        (jobs[key], gates[key]) = (Job(), Gate())
      default:
        guard !waiters[key].isEmpty else { continue }
        gates[key].open()
        for waiter in waiters[key] { #expect(await waiter.value == 1) }
        #expect(!jobs[key].isCancelled)
        (jobs[key], gates[key], waiters[key]) = (Job(), Gate(), [])
      }
      let count = waiters[key].count
      try await eventually(shared.waiterCount(for: key) == count)
      #expect(jobs[key].begun.load(ordering: .relaxed) <= 1)
    }
    for gate in gates { gate.open() }
    for waiter in waiters.joined() { _ = await waiter.value }
    #expect(shared.count == 0)
  }
}
