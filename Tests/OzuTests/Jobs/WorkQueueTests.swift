import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite struct WorkQueueTests {
  /// Counts how many pieces of work run at once.
  private final class Meter: Sendable {
    private let state = Mutex((running: 0, most: 0, done: 0))

    func pass() {
      state.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
      state.withLock {
        $0.running -= 1
        $0.done += 1
      }
    }

    var most: Int { state.withLock { $0.most } }
    var done: Int { state.withLock { $0.done } }
  }

  @Test("never more work at once than its width, and all of it done", arguments: [1, 2, 5])
  func width(_ width: Int) async {
    let queue = WorkQueue(label: "test", width: width)
    let meter = Meter()
    await withTaskGroup { group in
      for _ in 0..<500 {
        group.addTask { await queue.run(priority: ImagePriority.normal) { _ in meter.pass() } }
      }
    }
    #expect(meter.done == 500)
    #expect(meter.most <= width)
  }

  @Test("waiting work starts by priority, then by age")
  func order() async {
    let queue = WorkQueue(label: "test", width: 1)
    let order = Shared<[String]>([])
    queue.isSuspended = true
    for (name, priority) in [("a", ImagePriority.low), ("b", .high), ("c", .low), ("d", .veryHigh)] {
      queue.enqueue(priority: priority) { order.change { $0.append(name) } }
    }
    queue.isSuspended = false
    await queue.run(priority: ImagePriority.veryLow) { _ in }
    #expect(order.value == ["d", "b", "a", "c"])
  }

  @Test("work whose urgency changes while it waits moves to its new place")
  func change() async throws {
    let queue = WorkQueue(label: "test", width: 1)
    let order = Shared<[Int]>([])
    queue.isSuspended = true
    let cells = (0..<4).map { _ in PriorityCell(.normal) }
    try await withThrowingTaskGroup { group in
      for (index, cell) in cells.enumerated() {
        group.addTask {
          await queue.run(priority: .changing(cell)) { _ in order.change { $0.append(index) } }
        }
        try await eventually(queue.waitingCount > index)
      }
      cells[2].value = .veryHigh
      cells[0].value = .low
      cells[1].value = .high
      cells[1].value = .normal
      queue.isSuspended = false
      try await group.waitForAll()
    }
    // The second left its level and came back: it stands behind the fourth now.
    #expect(order.value == [2, 3, 1, 0])
  }

  @Test("cancelled work is told so by its flag")
  func cancellation() async {
    let queue = WorkQueue(label: "test", width: 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await queue.run(priority: ImagePriority.normal) { flag in flag.isRaised }
    }
    #expect(await task.value)
  }
}
