import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("The turnstile before a transport without priorities", .timeLimit(.minutes(15)))
struct StartTurnstileTests {
  private let turnstile = StartTurnstile(maximumActive: 1, maximumActivePerOrigin: 1)
  private let origin: HTTPOrigin

  init() throws {
    origin = try HTTPOrigin(of: url("http://a.example/"))
  }

  @Test("tasks pass by priority, one at a time")
  func order() async throws {
    let passed = Log()
    #expect(await turnstile.enter(origin: origin, priority: .normal))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, priority) in [HTTPPriority.low, .veryHigh, .normal].enumerated() {
        group.addTask { [turnstile, origin] in
          guard await turnstile.enter(origin: origin, priority: priority) else { return }
          passed.add("\(priority)")
          turnstile.leave(origin: origin)
        }
        try await eventually(turnstile.statistics.waitingRequestCount > index)
      }
      turnstile.leave(origin: origin)
    }
    #expect(passed.entries == ["veryHigh", "normal", "low"])
    #expect(turnstile.statistics == HTTPClientStatistics())
  }

  @Test("a task whose priority changes while it waits goes where the new one puts it")
  func livePriority() async throws {
    let passed = Log()
    let cells = (0..<4).map { _ in TestPriority(.normal) }
    #expect(await turnstile.enter(origin: origin, priority: .normal))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, cell) in cells.enumerated() {
        group.addTask { [turnstile, origin] in
          let live = HTTPLivePriority(cell)
          guard await turnstile.enter(origin: origin, priority: .low, live: live) else { return }
          passed.add("\(index)")
          turnstile.leave(origin: origin)
        }
        try await eventually(turnstile.statistics.waitingRequestCount > index)
      }
      cells[0].set(.low)
      cells[2].set(.veryHigh)
      // There and back again: behind the others of its priority.
      cells[1].set(.high)
      cells[1].set(.normal)
      turnstile.leave(origin: origin)
    }
    #expect(passed.entries == ["2", "3", "1", "0"])
    #expect(turnstile.statistics == HTTPClientStatistics())
    #expect(cells.allSatisfy { $0.observerCount == 0 })
  }

  @Test("a cancelled task leaves the row, whenever it is cancelled", arguments: [true, false])
  func cancellation(isEarly: Bool) async throws {
    #expect(await turnstile.enter(origin: origin, priority: .normal))
    let gate = Gate()
    let task = Task { [turnstile, origin] in
      if isEarly { try? await gate.pass() }
      return await turnstile.enter(origin: origin, priority: .normal)
    }
    if !isEarly {
      try await eventually(turnstile.statistics.waitingRequestCount != 0)
    }
    task.cancel()
    #expect(await task.value == false)
    #expect(turnstile.statistics.waitingRequestCount == 0)
    turnstile.leave(origin: origin)
    #expect(await turnstile.enter(origin: origin, priority: .normal))
  }

  @Test("closing turns away who waits and who comes")
  func closing() async throws {
    #expect(await turnstile.enter(origin: origin, priority: .normal))
    async let waiting = turnstile.enter(origin: origin, priority: .normal)
    try await eventually(turnstile.statistics.waitingRequestCount != 0)
    turnstile.close()
    #expect(await waiting == false)
    #expect(turnstile.statistics.waitingRequestCount == 0)
    #expect(await turnstile.enter(origin: origin, priority: .normal) == false)
  }
}

/// What happened, in order.
private final class Log: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var entries: [String] { lines.withLock { $0 } }
}
