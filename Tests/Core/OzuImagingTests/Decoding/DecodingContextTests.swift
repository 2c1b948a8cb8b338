import OzuImaging
import Testing

@Suite("Decoding context")
struct DecodingContextTests {
  /// A thread clock and a flag for cancelling, for one test.
  final class Surroundings {
    var time: Duration
    var isCancelled = false

    init(time: Duration = .seconds(100)) {
      self.time = time
    }
  }

  private func context(_ surroundings: Surroundings, limit: Duration = .seconds(2)) -> DecodingContext {
    DecodingContext(
      limits: DecodingLimits(cpuTime: limit), isCancelled: { surroundings.isCancelled },
      threadTime: { surroundings.time })
  }

  @Test("a decode goes on until it is cancelled")
  func cancellation() throws {
    let surroundings = Surroundings()
    let context = context(surroundings)
    try context.checkpoint()
    surroundings.isCancelled = true
    #expect(throws: ImageDecodingError.cancelled) { try context.checkpoint() }
  }

  @Test("processor time counts from the moment at which the context is made")
  func time() throws {
    let surroundings = Surroundings()
    let context = context(surroundings)
    surroundings.time += .seconds(2)
    try context.checkpoint()
    surroundings.time += .milliseconds(500)
    #expect(
      throws: ImageDecodingError.limitExceeded(DecodingLimits.Violation(.cpuTime, value: 2500, limit: 2000))
    ) { try context.checkpoint() }
  }

  @Test("time a little beyond the limit does not read as the limit")
  func rounding() {
    let surroundings = Surroundings()
    let context = context(surroundings)
    surroundings.time += .seconds(2) + .nanoseconds(1)
    #expect(
      throws: ImageDecodingError.limitExceeded(DecodingLimits.Violation(.cpuTime, value: 2001, limit: 2000))
    ) { try context.checkpoint() }
  }

  @Test("a cancelled decode is reported as cancelled, even if its time is up too")
  func order() {
    let surroundings = Surroundings()
    let context = context(surroundings)
    surroundings.time += .seconds(60)
    surroundings.isCancelled = true
    #expect(throws: ImageDecodingError.cancelled) { try context.checkpoint() }
  }

  @Test("the time of a thread does not run backwards and counts work")
  func systemClock() throws {
    let start = DecodingContext.systemThreadTime()
    #expect(start > .zero)
    #expect(DecodingContext.systemThreadTime() >= start)
    let context = DecodingContext()
    try context.checkpoint()
    #expect(!context.allowsTruncation)
  }
}
