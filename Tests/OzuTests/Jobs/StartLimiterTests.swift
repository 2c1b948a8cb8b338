import OzuTesting
import Testing

@testable import Ozu

@Suite struct StartLimiterTests {
  @Test("starts that nobody cancels are free, however many")
  func free() {
    let clock = ManualClock()
    var limiter = StartLimiter()
    var isOpen = false
    for _ in 0..<10_000 {
      isOpen = limiter.isOpen(clock.currentInstant)
      #expect(isOpen)
      limiter.noteCompletion()
    }
  }

  @Test("a bucket of cancellations, then as many starts as time brings tokens")
  func storm() {
    let clock = ManualClock()
    var limiter = StartLimiter(rate: 10, burst: 5)
    var isOpen = false
    for _ in 0..<5 {
      isOpen = limiter.isOpen(clock.currentInstant)
      #expect(isOpen)
      limiter.noteCancellation(clock.currentInstant)
    }
    isOpen = limiter.isOpen(clock.currentInstant)
    #expect(!isOpen)
    #expect(limiter.delay == .milliseconds(100))
    clock.advance(by: .milliseconds(250))
    var count = 0
    while limiter.isOpen(clock.currentInstant) {
      limiter.noteLateStart()
      count += 1
    }
    #expect(count == 2)
    limiter.noteCompletion()
    isOpen = limiter.isOpen(clock.currentInstant)
    #expect(isOpen)
  }

  @Test("in a storm a start waits, and costs nothing when it is cancelled meanwhile")
  func slots() async throws {
    let clock = ManualClock()
    let timer = Gate()
    let slots = Slots(
      count: 2, limitedBy: Slots.Timing(now: clock.now, sleep: { _ in try await timer.pass() }))
    let gate = Gate()
    for number in 1...25 {
      let task = Task { await slots.run(priority: ImagePriority.normal) { try? await gate.pass() } }
      await gate.arrivals(number)
      task.cancel()
      _ = await task.value
    }
    let cancelled = Task { await slots.run(priority: ImagePriority.normal) { try? await gate.pass() } }
    await timer.arrivals(1)
    #expect(slots.waitingCount == 1)
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    let patient = Task { await slots.run(priority: ImagePriority.normal) { true } }
    try await eventually(slots.waitingCount >= 1)
    timer.open()
    #expect(await patient.value == true)
    #expect(gate.arrivalCount == 25)
  }
}
