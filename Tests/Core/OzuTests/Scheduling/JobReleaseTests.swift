import OzuImaging
import Testing

@testable import Ozu

@Suite("Finished jobs keep nothing alive")
struct JobReleaseTests {
  private final class Payload: Sendable {}

  private final class Listener: ProgressListener {
    var wantsSize: Bool { true }

    func receive(_ event: ProgressEvent) {}
  }

  private final class Source: SizeSource {
    func sizeIsWanted() {}
  }

  @Test("a removed job passes its input to its owner, which releases it outside the lock")
  func input() throws {
    var graph = JobGraph<Int, Payload, Int>(stations: StationID.allCases.map { _ in Station(width: 1) })
    let now = JobInstant(.now)
    var effects = JobGraph<Int, Payload, Int>.Effects()
    graph.setSuspended(.decode, true, now: now, &effects)
    let (subscription, _) = graph.subscribe(1, to: 1, priority: .normal, now: now, &effects) {
      (Payload(), .nowhere)
    }
    let job = graph.job(ofSubscription: subscription).id
    weak var input: Payload?
    let dependence = graph.depend(job, on: 2, then: .station(.decode, size: 0), now: now, &effects) {
      let payload = Payload()
      input = payload
      return (payload, .nowhere)
    }
    #expect(dependence == .parked)
    // Outside of the macros: they cannot call a value that is not copied.
    let found = graph.job(of: 2)
    let other = try #require(found)
    let isFinished = graph.finish(other, succeeded: true, now: now, &effects)
    #expect(isFinished)
    effects = .init()
    #expect(input != nil)
    let hasLeft = graph.unsubscribe(subscription, now: now, &effects)
    #expect(hasLeft)
    #expect(input != nil)
    #expect(effects.spent.count == 1)
    effects = .init()
    #expect(input == nil)
  }

  @Test("a closed broadcast retains neither later listeners nor the source of the size")
  func board() {
    let board = ProgressBroadcast()
    board.report(LoadProgress(receivedByteCount: 1, expectedByteCount: nil))
    weak var listener: Listener?
    weak var source: Source?
    func come() {
      let (late, lateSource) = (Listener(), Source())
      (listener, source) = (late, lateSource)
      board.add(late)
      board.setSizeSource(lateSource)
    }
    come()
    #expect(listener != nil && source != nil)
    board.close()
    #expect(listener == nil && source == nil)
    come()
    #expect(listener == nil && source == nil)
  }
}
