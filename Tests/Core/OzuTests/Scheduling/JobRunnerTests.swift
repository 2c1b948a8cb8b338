import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

@Suite("Jobs on threads and in Swift tasks", .timeLimit(.minutes(15)))
struct JobRunnerTests {
  private typealias Jobs = JobRunner

  @Test("a job goes from station to station, and its subscriber is notified when it is over")
  func stages() async throws {
    let (log, waiter) = (Log(), Waiter())
    let runner = Jobs(stations: Self.stations())
    log.gate.open()
    _ = runner.subscribe(waiter, to: .store(1), priority: .normal) {
      JobStart(Work(1, log, [.go(.network, size: 0), .go(.decode, size: 0)]), in: .disk)
    }
    try await eventually(waiter.endCount == 1)
    #expect(log.all == ["run 1 in 0", "run 1 in 1", "run 1 in 2"])
    #expect(runner.look { $0.isEmpty })
  }

  @Test("a second subscriber joins the job, and gets the same end")
  func sharing() async throws {
    let log = Log()
    let runner = Jobs(stations: Self.stations())
    let waiters = (0..<5).map { _ in Waiter() }
    let works = waiters.map { waiter in
      runner.subscribe(waiter, to: .store(1), priority: .normal) { JobStart(Work(1, log, []), in: .network) }
        .work
    }
    #expect(works.allSatisfy { $0 === works[0] })
    await log.gate.arrivals(1)
    log.gate.open()
    try await eventually(waiters.allSatisfy { $0.endCount == 1 })
    #expect(log.all == ["run 1 in 1"])
  }

  @Test("a step that depends on another takes over its place and receives it as input")
  func following() async throws {
    let (log, waiter) = (Log(), Waiter())
    let runner = Jobs(stations: Self.stations(1))
    _ = runner.subscribe(waiter, to: .store(1), priority: .normal) {
      let first = JobStep.depend(
        JobDependence(key: .store(2), then: .decode) { JobStart(Work(2, log, []), in: .decode) })
      return JobStart(Work(1, log, [first]), in: .disk)
    }
    try await eventually(waiter.endCount == 1)
    #expect(log.all == ["run 1 in 0", "run 2 in 2", "run 1 in 2 after 2"])
  }

  @Test("two jobs that would wait for each other both continue")
  func circle() async throws {
    let (log, waiter) = (Log(), Waiter())
    let runner = Jobs(stations: Self.stations())
    _ = runner.subscribe(waiter, to: .store(1), priority: .normal) {
      let back = JobStep.depend(JobDependence(key: .store(1)) { JobStart(Work(3, log, []), in: .disk) })
      let there = JobStep.depend(JobDependence(key: .store(2)) { JobStart(Work(2, log, [back]), in: .disk) })
      return JobStart(Work(1, log, [there]), in: .disk)
    }
    try await eventually(waiter.endCount == 1)
    #expect(log.all == ["run 1 in 0", "run 2 in 0", "resume 2", "resume 1"])
  }

  @Test("when the last subscriber leaves, the running work is cancelled, and its place is given back")
  func leaving() async throws {
    let (log, waiter, next) = (Log(), Waiter(), Waiter())
    let runner = Jobs(stations: Self.stations(1))
    let work = Work(1, log, [])
    let id = runner.subscribe(waiter, to: .store(1), priority: .normal) { JobStart(work, in: .network) }.id
    await log.gate.arrivals(1)
    _ = runner.subscribe(next, to: .store(2), priority: .normal) { JobStart(Work(2, log, []), in: .network) }
    #expect(runner.unsubscribe(id))
    #expect(!runner.unsubscribe(id))
    let isRaised = work.cancellation.isRaised
    #expect(isRaised)
    log.gate.open()
    try await eventually(next.endCount == 1)
    #expect(waiter.endCount == 0)
    try await eventually(runner.look { $0.isEmpty })
  }

  @Test("a place is lent while no job waits for it, and is given back")
  func lending() async throws {
    let waiter = Waiter()
    let log = Log()
    let runner = Jobs(stations: Self.stations(1))
    let gate = DispatchSemaphore(value: 0)
    #expect(runner.lend(.decode) { gate.wait() })
    // The place is taken.
    #expect(!runner.lend(.decode) {})
    _ = runner.subscribe(waiter, to: .store(1), priority: .normal) {
      JobStart(Work(1, log, []), in: .decode)
    }
    #expect(runner.look { ($0.runningCount(in: .decode), $0.queuedCount(in: .decode)) } == (1, 1))
    gate.signal()
    try await eventually(runner.look { $0.isEmpty })
    #expect(runner.lend(.decode) {})
    try await eventually(runner.look { $0.isEmpty })
    runner.setSuspended(.decode, true)
    #expect(!runner.lend(.decode) {})
  }

  @Test(
    "paused work gives its place to others and waits for a new one; without subscribers it is cancelled",
    arguments: ["while it rests", "while it waits for a place", "never"])
  func resting(leaving: String) async throws {
    let (waiter, other) = (Waiter(), Waiter())
    let runner = Jobs(stations: Self.stations(1))
    let (work, next) = (Resting(), Resting())
    let id = runner.subscribe(waiter, to: .store(1), priority: .normal) { JobStart(work, in: .network) }.id
    _ = runner.subscribe(other, to: .store(2), priority: .normal) { JobStart(next, in: .network) }
    #expect(runner.look { ($0.runningCount(in: .network), $0.queuedCount(in: .network)) } == (1, 1))
    work.begun.open()
    // The other job takes the place.
    await next.begun.arrivals(1)
    await work.rest.arrivals(1)
    if leaving == "while it rests" { #expect(runner.unsubscribe(id)) }
    work.rest.open()
    if leaving != "while it rests" {
      try await eventually(runner.look { $0.queuedCount(in: .network) } == 1)
      #expect(work.events.withLock { $0.isEmpty })
    }
    if leaving == "while it waits for a place" { #expect(runner.unsubscribe(id)) }
    if leaving != "never" { try await eventually(work.events.withLock { $0 } == ["off"]) }
    next.begun.open()
    next.rest.open()
    next.again.open()
    if leaving == "never" {
      await work.again.arrivals(1)
      #expect(work.events.withLock { $0 } == ["on"])
      work.again.open()
    }
    try await eventually(runner.look { $0.isEmpty })
    // A subscriber is notified a moment after the job has left the graph.
    try await eventually(other.endCount == 1 && waiter.endCount == (leaving == "never" ? 1 : 0))
  }

  @Test("a deadline ends the wait, on the runner's clock")
  func deadline() async throws {
    let clock = ManualClock()
    let (log, waiter) = (Log(), Waiter())
    let runner = Jobs(
      stations: Self.stations(), now: clock.now, sleep: { try await clock.sleep(for: $0) })
    let deadline = JobDeadline(instant: JobInstant(clock.now()).advanced(by: .seconds(5)))
    _ = runner.subscribe(waiter, to: .store(1), priority: .normal, deadline: deadline) {
      JobStart(Work(1, log, []), in: .network)
    }
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    try await eventually(waiter.overdueCount == 1)
    log.gate.open()
    try await eventually(runner.look { $0.isEmpty })
    #expect(waiter.endCount == 0)
  }

  @Test("a later deadline has one timer, however many earlier ones pass before it")
  func timers() async throws {
    let (clock, log, patient) = (ManualClock(), Log(), Waiter())
    let runner = Jobs(
      stations: Self.stations(), now: clock.now, sleep: { try await clock.sleep(for: $0) })
    func subscribe(_ waiter: Waiter, to number: Int, within limit: Duration) {
      let deadline = JobDeadline(instant: JobInstant(clock.now()).advanced(by: limit))
      _ = runner.subscribe(waiter, to: .store(number), priority: .normal, deadline: deadline) {
        JobStart(Work(number, log, []), in: .network)
      }
    }
    subscribe(patient, to: 1, within: .seconds(60))
    await clock.sleepers(1)
    for number in 2...5 {
      let waiter = Waiter()
      subscribe(waiter, to: number, within: .seconds(1))
      await clock.sleepers(number)
      clock.advance(by: .seconds(1))
      try await eventually(waiter.overdueCount == 1)
    }
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(60))
    try await eventually(patient.overdueCount == 1)
    log.gate.open()
    try await eventually(runner.look { $0.isEmpty })
  }

  @Test("a subscriber that is notified may use the runner: no lock is held")
  func reentry() async throws {
    let log = Log()
    let runner = Jobs(stations: Self.stations(), onIdle: {})
    let second = Waiter()
    let first = Waiter { [runner] in
      _ = runner.subscribe(second, to: .store(2), priority: .high) { JobStart(Work(2, log, []), in: .disk) }
      _ = runner.look { $0.snapshots.count }
    }
    _ = runner.subscribe(first, to: .store(1), priority: .normal) { JobStart(Work(1, log, []), in: .disk) }
    try await eventually(second.endCount == 1)
  }

  @Test(
    "from many threads: each subscriber is notified once or has left, and no station exceeds its width",
    arguments: [1, 2, 3, 4] as [UInt64])
  func storm(seed: UInt64) async throws {
    let log = Log()
    log.gate.open()
    let runner = Jobs(stations: Self.stations(3))
    let left = Shared<Set<Int>>([])
    let waiters = (0..<400).map { _ in Waiter() }
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: seed * 10 + UInt64(lane))
          for number in stride(from: lane, to: waiters.count, by: 4) {
            let key = Int.random(in: 0..<60, using: &random)
            let steps: [JobStep] = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
              let station = StationID.allCases[Int.random(in: 0..<5, using: &random)]
              guard Bool.random(using: &random) else { return .go(station, size: 0) }
              let other = Int.random(in: 60..<90, using: &random)
              return .depend(
                JobDependence(key: .store(other), then: station) {
                  JobStart(Work(other, log, []), in: .decode)
                })
            }
            let priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            let id = runner.subscribe(waiters[number], to: .store(key), priority: priority) {
              JobStart(Work(key, log, steps), in: .disk)
            }.id
            switch Int.random(in: 0..<3, using: &random) {
            case 0: if runner.unsubscribe(id) { left.change { _ = $0.insert(number) } }
            case 1: runner.setPriority(id) { .veryHigh }
            default: break
            }
          }
        }
      }
    }
    try await eventually(runner.look { $0.isEmpty })
    let away = left.value
    for (number, waiter) in waiters.enumerated() {
      try await eventually(waiter.endCount == (away.contains(number) ? 0 : 1))
    }
    #expect(!away.isEmpty && away.count < waiters.count)
    #expect(log.counts.withLock { $0.values.allSatisfy { $0.most <= 3 && $0.running == 0 } })
  }
}
