import Testing

@testable import OzuHTTP

@Suite("Limits of time")
struct TransferTimingTests {
  private let start = ContinuousClock.now
  private let limits = HTTPTimeouts(connect: .seconds(1), idle: .seconds(3), total: .seconds(10))

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

  @Test("nothing is overdue before the start")
  func notStarted() {
    let timing = TransferTiming(limits: limits)
    #expect(timing.overduePhase(at: at(100)) == nil)
    #expect(timing.nextCheck(after: at(100)) == nil)
  }

  @Test("the idle limit runs from the connection and from each activity")
  func idle() {
    var timing = TransferTiming(limits: limits)
    timing.beginHop(at: at(0))
    #expect(timing.overduePhase(at: at(9)) == nil)
    #expect(timing.nextCheck(after: at(4)) == at(7))
    timing.noteActivity(at: at(4))
    #expect(timing.overduePhase(at: at(6)) == nil)
    #expect(timing.overduePhase(at: at(7)) == .idle)
    timing.noteResponse(at: at(6))
    #expect(timing.overduePhase(at: at(8)) == nil)
    #expect(timing.nextCheck(after: at(8)) == at(9))
    #expect(timing.firstByteAt == at(6))
  }

  @Test("the total limit runs through redirects, the idle limit does not")
  func total() {
    var timing = TransferTiming(limits: limits)
    timing.beginHop(at: at(0))
    timing.noteResponse(at: at(5))
    timing.beginHop(at: at(5))
    #expect(timing.firstByteAt == nil)
    #expect(timing.overduePhase(at: at(9)) == nil)
    #expect(timing.overduePhase(at: at(10)) == .total)
    #expect(timing.nextCheck(after: at(9)) == at(10))
  }

  @Test(
    "limits of any length can be reckoned with",
    arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5), .seconds(Int64.min)])
  func extremes(limit: Duration) {
    var timing = TransferTiming(limits: HTTPTimeouts(connect: limit, idle: limit, total: limit))
    timing.beginHop(at: at(0))
    #expect(timing.overduePhase(at: at(1)) == (limit > .zero ? nil : .total))
  }

  @Test(
    "milliseconds are cut to what C takes",
    arguments: [
      (Duration.milliseconds(1500), 1500), (.microseconds(1999), 1), (.zero, 0),
      (.seconds(Int64.max), 1_000_000_000), (.seconds(Int64.min + 1), -1_000_000_000),
    ])
  func milliseconds(duration: Duration, count: Int) {
    #expect(duration.wholeMilliseconds == count)
  }
}
