import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite struct SharedJobsTests {
  private typealias Jobs = SharedJobs<String, Int>
  private static let cancelled = ImageError.cancelled("test")

  private static func value(
    _ jobs: Jobs, _ key: String = "a", onProgress: (@Sendable (LoadProgress) -> Void)? = nil,
    _ operation: @escaping @Sendable (Jobs.Handle) async -> Int
  ) async throws(ImageError) -> (value: Int, isShared: Bool) {
    try await jobs.value(
      for: key, priority: .normal, cancellation: cancelled, onProgress: onProgress,
      operation: { .success(await operation($0)) })
  }

  @Test("all who ask while a job runs share it; who asks later starts another")
  func sharing() async throws {
    let jobs = Jobs()
    let gate = Gate()
    let runs = Shared(0)
    let results = try await withThrowingTaskGroup(of: (value: Int, isShared: Bool).self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await Self.value(jobs) { _ in
            runs.change { $0 += 1 }
            try? await gate.pass()
            return 7
          }
        }
      }
      defer { gate.open() }
      try await eventually(jobs.subscriberCount == 100)
      await gate.arrivals(1)
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 100 && results.allSatisfy { $0.value == 7 })
    #expect(results.count { !$0.isShared } == 1)
    #expect(runs.value == 1)
    #expect(jobs.count == 0)
    let later = try await Self.value(jobs) { _ in 8 }
    #expect(later.value == 8 && !later.isShared)
    #expect(jobs.count == 0)
  }

  @Test("one who is cancelled leaves; the others get the result")
  func oneLeaves() async throws {
    let jobs = Jobs()
    let gate = Gate()
    let stays = Task {
      try await Self.value(jobs) { _ in
        try? await gate.pass()
        return Task.isCancelled ? -1 : 1
      }
    }
    await gate.arrivals(1)
    let leaves = Task { try await Self.value(jobs) { _ in 2 } }
    leaves.cancel()
    await #expect(throws: ImageError.self) { try await leaves.value }
    gate.open()
    #expect(try await stays.value.value == 1)
  }

  @Test("when the last one leaves, the work is cancelled and the key is free for a fresh job")
  func allLeave() async throws {
    let jobs = Jobs()
    let gate = Gate()
    let sawCancellation = Gate()
    let task = Task {
      try await Self.value(jobs) { _ in
        do { try await gate.pass() } catch { sawCancellation.open() }
        return 1
      }
    }
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.value }
    #expect(jobs.count == 0)
    try await sawCancellation.pass()
    #expect(try await Self.value(jobs) { _ in 2 }.value == 2)
  }

  @Test("a task cancelled before it asks starts nothing")
  func cancelledBefore() async {
    let jobs = Jobs()
    let runs = Shared(0)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Self.value(jobs) { _ in
        runs.change { $0 += 1 }
        return 1
      }
    }
    await #expect(throws: ImageError.self) { try await task.value }
    #expect(runs.value == 0)
  }

  @Test("progress reaches all in order, and a newcomer hears the latest at once")
  func progress() async throws {
    let jobs = Jobs()
    let heard = Shared<[Int]>([])
    let gate = Gate()
    let first = Task {
      try await Self.value(
        jobs, onProgress: { progress in heard.change { $0.append(progress.receivedByteCount) } }
      ) { job in
        for count in 1...5 { job.report(LoadProgress(receivedByteCount: count, expectedByteCount: 5)) }
        try? await gate.pass()
        return 1
      }
    }
    await gate.arrivals(1)
    let late = Gate()
    let second = Task {
      try await Self.value(
        jobs, onProgress: { if $0.receivedByteCount == 5 { late.open() } }
      ) { _ in 2 }
    }
    try await late.pass()
    gate.open()
    #expect(try await first.value.value == 1)
    #expect(try await second.value.value == 1)
    #expect(heard.value == [1, 2, 3, 4, 5])
  }

  @Test("a job is as urgent as its most urgent subscriber, whatever they come, go and change")
  func urgency() async throws {
    let jobs = Jobs()
    let gate = Gate()
    let running = Shared<LivePriority?>(nil)
    let cells = [PriorityCell(.low), PriorityCell(.high)]
    let tasks = cells.map { cell in
      Task {
        try await jobs.value(for: "a", priority: .changing(cell), cancellation: Self.cancelled) { job in
          running.change { $0 = job.priority }
          try? await gate.pass()
          return .success(1)
        }
      }
    }
    await gate.arrivals(1)
    try await eventually(jobs.subscriberCount >= 2)
    let priority = { running.value?.value }
    #expect(priority() == .high)
    cells[0].value = .veryHigh
    #expect(priority() == .veryHigh)
    cells[0].value = .veryLow
    #expect(priority() == .high)
    tasks[1].cancel()
    await #expect(throws: ImageError.self) { try await tasks[1].value }
    #expect(priority() == .veryLow)
    gate.open()
    #expect(try await tasks[0].value.value == 1)
  }

  @Test("thousands of random joins and cancellations: each call ends exactly once, nothing is left")
  func storm() async {
    let jobs = Jobs()
    let ended = Shared(0)
    await withTaskGroup { group in
      for number in 0..<2000 {
        group.addTask {
          let task = Task {
            _ = try? await Self.value(jobs, "key \(number % 7)") { _ in
              await Task.yield()
              return number
            }
            ended.change { $0 += 1 }
          }
          if number % 3 == 0 { await Task.yield() }
          if number % 2 == 0 { task.cancel() }
          await task.value
        }
      }
    }
    #expect(ended.value == 2000)
    // A job whose last subscriber left may still be winding down, but it no longer holds its key.
    #expect(jobs.count == 0)
  }
}
