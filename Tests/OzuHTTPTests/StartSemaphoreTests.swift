import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("The semaphore before a transport without priorities", .timeLimit(.minutes(15)))
struct StartSemaphoreTests {
  private let semaphore = StartSemaphore(maximumActive: 1, maximumActivePerOrigin: 1)
  private let origin: HTTPOrigin

  init() throws {
    origin = try HTTPOrigin(of: url("http://a.example/"))
  }

  @Test("tasks enter by priority, one at a time")
  func order() async throws {
    let passed = Log()
    #expect(await semaphore.enter(origin: origin, priority: .normal))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, priority) in [HTTPPriority.low, .veryHigh, .normal].enumerated() {
        group.addTask { [semaphore, origin] in
          guard await semaphore.enter(origin: origin, priority: priority) else { return }
          passed.add("\(priority)")
          semaphore.leave(origin: origin)
        }
        try await eventually(semaphore.statistics.waitingRequestCount > index)
      }
      semaphore.leave(origin: origin)
    }
    #expect(passed.entries == ["veryHigh", "normal", "low"])
    #expect(semaphore.statistics == HTTPClientStatistics())
  }

  @Test("a waiting task moves in the queue when its priority changes")
  func livePriority() async throws {
    let passed = Log()
    let cells = (0..<4).map { _ in TestPriority(.normal) }
    #expect(await semaphore.enter(origin: origin, priority: .normal))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, cell) in cells.enumerated() {
        group.addTask { [semaphore, origin] in
          let live = HTTPLivePriority(cell)
          guard await semaphore.enter(origin: origin, priority: .low, live: live) else { return }
          passed.add("\(index)")
          semaphore.leave(origin: origin)
        }
        try await eventually(semaphore.statistics.waitingRequestCount > index)
      }
      cells[0].set(.low)
      cells[2].set(.veryHigh)
      // Its priority changes and changes back: it is now behind the others of its priority.
      cells[1].set(.high)
      cells[1].set(.normal)
      semaphore.leave(origin: origin)
    }
    #expect(passed.entries == ["2", "3", "1", "0"])
    #expect(semaphore.statistics == HTTPClientStatistics())
    #expect(cells.allSatisfy { $0.observerCount == 0 })
  }

  @Test("a cancelled task leaves the queue, whenever it is cancelled", arguments: [true, false])
  func cancellation(isEarly: Bool) async throws {
    #expect(await semaphore.enter(origin: origin, priority: .normal))
    let gate = Gate()
    let task = Task { [semaphore, origin] in
      if isEarly { try? await gate.pass() }
      return await semaphore.enter(origin: origin, priority: .normal)
    }
    if !isEarly {
      try await eventually(semaphore.statistics.waitingRequestCount != 0)
    }
    task.cancel()
    #expect(await task.value == false)
    #expect(semaphore.statistics.waitingRequestCount == 0)
    semaphore.leave(origin: origin)
    #expect(await semaphore.enter(origin: origin, priority: .normal))
  }

  @Test("closing refuses waiting tasks and new ones")
  func closing() async throws {
    #expect(await semaphore.enter(origin: origin, priority: .normal))
    async let waiting = semaphore.enter(origin: origin, priority: .normal)
    try await eventually(semaphore.statistics.waitingRequestCount != 0)
    semaphore.close()
    #expect(await waiting == false)
    #expect(semaphore.statistics.waitingRequestCount == 0)
    #expect(await semaphore.enter(origin: origin, priority: .normal) == false)
  }
}

/// The events, in order.
private final class Log: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var entries: [String] { lines.withLock { $0 } }
}
