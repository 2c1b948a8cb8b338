import OzuTesting
import Testing

@testable import Ozu

@Suite struct StartLimiterTests {
  @Test("any number of starts without cancellations is free")
  func free() {
    let clock = ManualClock()
    var limiter = StartLimiter()
    var isOpen = false
    for _ in 0..<10_000 {
      isOpen = limiter.isOpen(JobInstant(clock.currentInstant))
      #expect(isOpen)
      limiter.noteCompletion()
    }
  }

  @Test("cancellations use up the tokens, then starts wait for new ones")
  func storm() {
    let clock = ManualClock()
    var limiter = StartLimiter(rate: 10, burst: 5)
    var isOpen = false
    for _ in 0..<5 {
      isOpen = limiter.isOpen(JobInstant(clock.currentInstant))
      #expect(isOpen)
      limiter.noteCancellation(JobInstant(clock.currentInstant))
    }
    isOpen = limiter.isOpen(JobInstant(clock.currentInstant))
    #expect(!isOpen)
    #expect(limiter.delay == .milliseconds(100))
    let earlier = JobInstant(clock.currentInstant)
    clock.advance(by: .milliseconds(250))
    var count = 0
    while limiter.isOpen(JobInstant(clock.currentInstant)) {
      limiter.noteLateStart()
      count += 1
    }
    #expect(count == 2)
    // A thread that has read the clock before adds no time twice.
    _ = limiter.isOpen(earlier)
    isOpen = limiter.isOpen(JobInstant(clock.currentInstant))
    #expect(!isOpen)
    limiter.noteCompletion()
    isOpen = limiter.isOpen(JobInstant(clock.currentInstant))
    #expect(isOpen)
  }

  @Test("in a storm a start waits, and costs nothing if it is cancelled meanwhile")
  func slots() async throws {
    let clock = ManualClock()
    let timer = Gate()
    let runner = JobRunner(
      stations: StationID.allCases.map { _ in Station(width: 2, limiter: StartLimiter()) }, now: clock.now,
      sleep: { _ in try await timer.pass() })
    let (gate, patient) = (Gate(), Gate())
    func start(_ number: Int) -> SlotID {
      runner.subscribe(Nobody(), to: .store(number), priority: .normal) {
        JobStart(Passing(gate), in: .network)
      }.id
    }
    for number in 1...25 {
      let id = start(number)
      await gate.arrivals(number)
      runner.unsubscribe(id)
      try await eventually(runner.look { $0.runningCount(in: .network) } == 0)
    }
    let cancelled = start(26)
    await timer.arrivals(1)
    #expect(runner.look { $0.queuedCount(in: .network) } == 1)
    runner.unsubscribe(cancelled)
    _ = runner.subscribe(Nobody(), to: .store(27), priority: .normal) {
      JobStart(Passing(patient), in: .network)
    }
    #expect(runner.look { $0.queuedCount(in: .network) } == 1)
    timer.open()
    await patient.arrivals(1)
    patient.open()
    try await eventually(runner.look { $0.isEmpty })
    #expect(gate.arrivalCount == 25)
  }

  private final class Nobody: JobWaiter {
    func jobEnded(_ work: JobWork) {}
  }

  // Its member is constant.
  private final class Passing: JobWork, @unchecked Sendable {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    override func perform(_ job: RunningJob) async -> JobStep {
      try? await gate.pass()
      return .finish(succeeded: true)
    }
  }
}
