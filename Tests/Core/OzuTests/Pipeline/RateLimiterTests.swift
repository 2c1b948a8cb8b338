import OzuTesting
import Testing

@testable import Ozu

@Suite("A storm of starts and cancellations", .timeLimit(.minutes(15)))
struct RateLimiterTests {
  @Test(
    "after 25 cancelled downloads the next one waits a moment, unless that is switched off",
    arguments: [true, false])
  func storm(_ isLimited: Bool) async throws {
    let clock = ManualClock()
    let fixture = Fixture {
      $0.testing.now = clock.now
      $0.testing.sleep = { try await clock.sleep(for: $0) }
      $0.network.isRateLimiterEnabled = isLimited
    }
    let gate = Gate()
    for number in 1...25 {
      let task = fixture.pipeline.task(for: try fixture.serve("\(number).jpg") { $0.held(by: gate) })
      await gate.arrivals(number)
      task.cancel()
      try await eventually(fixture.pipeline.runningCount(.data) == 0)
    }
    let last = fixture.pipeline.task(for: try fixture.serve("last.jpg"))
    if isLimited {
      await clock.sleepers(1)
      #expect(fixture.client.requests.count == 25)
      // Tokens come back at 80 a second.
      clock.advance(by: .milliseconds(13))
    }
    #expect(try await last.response.source == .network)
    #expect(fixture.client.requests.count == 26)
  }
}
