import Testing

@testable import OzuHTTP

@Suite("Time limits")
struct TransferTimingTests {
  private let start = ContinuousClock.now
  private let limits = HTTPTimeouts(connect: .seconds(1), idle: .seconds(3), total: .seconds(10))

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

  @Test("nothing is overdue before the start")
  func notStarted() {
    var timing = TransferTiming(limits: limits)
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

  @Test("each hop has its own time to connect, until it has a connection")
  func connecting() {
    var timing = TransferTiming(limits: limits)
    #expect(timing.connectDeadline == nil)
    timing.beginHop(at: start)
    #expect(timing.connectDeadline == start + .seconds(1))
    timing.restartConnecting(at: start + .seconds(5))
    #expect(timing.connectDeadline == start + .seconds(6))
    timing.noteActivity(at: start + .seconds(5))
    #expect(timing.isConnected)
    #expect(timing.connectDeadline == nil)
    timing.beginHop(at: start + .seconds(7))
    #expect(timing.connectDeadline == start + .seconds(8))
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

  private func timing(_ speed: Int, window: Int = 2) -> TransferTiming {
    let limits = HTTPTimeouts(
      connect: .seconds(1), idle: .seconds(60), total: .seconds(100),
      minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: speed, window: .seconds(window)))
    var timing = TransferTiming(limits: limits)
    timing.beginHop(at: at(0))
    return timing
  }

  @Test("while a redirected hop waits for its turn, only the total limit runs")
  func waitingHop() {
    var timing = timing(100)
    timing.noteResponse(at: at(1))
    timing.endHop()
    #expect(timing.overduePhase(at: at(90)) == nil)
    #expect(timing.nextCheck(after: at(90)) == at(92))
    #expect(timing.overduePhase(at: at(100)) == .total)
  }

  @Test("a head that arrives in small pieces is too slow, however often a piece arrives")
  func slowHead() {
    var timing = timing(100)
    timing.noteActivity(at: at(0))
    timing.noteResponse(at: at(10))
    timing.noteResponse(at: at(11))
    #expect(timing.overduePhase(at: at(11)) == nil)
    #expect(timing.nextCheck(after: at(11)) == at(12))
    timing.noteResponse(at: at(12))
    #expect(timing.overduePhase(at: at(12)) == .speed(bytesPerSecond: 100))
  }

  @Test(
    "a body must arrive at the minimum speed in each window; there is no minimum before the response begins")
  func speed() {
    var timing = timing(100)
    #expect(timing.overduePhase(at: at(50)) == nil)
    timing.beginBody(at: at(50))
    #expect(timing.nextCheck(after: at(50)) == at(52))
    timing.noteBody(byteCount: 150, at: at(51))
    timing.noteBody(byteCount: 50, at: at(52))
    #expect(timing.overduePhase(at: at(52)) == nil)
    #expect(timing.nextCheck(after: at(52)) == at(54))
    timing.noteBody(byteCount: 199, at: at(53))
    #expect(timing.overduePhase(at: at(53)) == nil)
    #expect(timing.overduePhase(at: at(54)) == .speed(bytesPerSecond: 100))
  }

  @Test("a burst does not count for later windows, and a late check counts all windows")
  func burst() {
    var timing = timing(100)
    timing.beginBody(at: at(0))
    timing.noteBody(byteCount: 1_000_000, at: at(1))
    #expect(timing.overduePhase(at: at(2)) == nil)
    #expect(timing.overduePhase(at: at(4)) == .speed(bytesPerSecond: 100))
    timing.noteBody(byteCount: 799, at: at(9))
    #expect(timing.overduePhase(at: at(10)) == .speed(bytesPerSecond: 100))
    timing.noteBody(byteCount: 1, at: at(10))
    #expect(timing.overduePhase(at: at(10)) == nil)
  }

  @Test("a paused receiver stops the limits on silence and on speed")
  func pause() {
    var timing = timing(100)
    timing.beginBody(at: at(0))
    timing.setPaused(true, at: at(1))
    #expect(timing.overduePhase(at: at(90)) == nil)
    #expect(timing.nextCheck(after: at(90)) == at(92))
    #expect(timing.overduePhase(at: at(100)) == .total)
    timing.setPaused(false, at: at(90))
    #expect(timing.overduePhase(at: at(91)) == nil)
    #expect(timing.overduePhase(at: at(92)) == .speed(bytesPerSecond: 100))
  }

  @Test("there is no minimum speed by default")
  func anySpeed() {
    var timing = TransferTiming(limits: limits)
    timing.beginHop(at: at(0))
    timing.beginBody(at: at(0))
    timing.noteBody(byteCount: 1, at: at(2))
    #expect(timing.overduePhase(at: at(4)) == nil)
  }

  @Test(
    "limits of any length cause no overflow",
    arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5), .seconds(Int64.min)])
  func extremes(limit: Duration) {
    var timing = TransferTiming(limits: HTTPTimeouts(connect: limit, idle: limit, total: limit))
    timing.beginHop(at: at(0))
    #expect(timing.overduePhase(at: at(1)) == (limit > .zero ? nil : .total))
  }

  @Test(
    "milliseconds are limited to the range of C",
    arguments: [
      (Duration.milliseconds(1500), 1500), (.microseconds(1999), 1), (.zero, 0),
      (.seconds(Int64.max), 1_000_000_000), (.seconds(Int64.min + 1), -1_000_000_000),
    ])
  func milliseconds(duration: Duration, count: Int) {
    #expect(duration.wholeMilliseconds == count)
  }
}
