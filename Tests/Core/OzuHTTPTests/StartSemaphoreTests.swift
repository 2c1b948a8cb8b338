import OzuBase
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
