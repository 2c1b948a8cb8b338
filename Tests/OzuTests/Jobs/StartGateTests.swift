import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite("The gate before jobs that would only wait", .timeLimit(.minutes(15)))
struct StartGateTests {
  private typealias Jobs = SharedJobs<Int, Int>

  /// One who waits for a job, and may be awaited itself.
  private final class Waiting: JobSubscriber {
    // Touched under the lock of the jobs alone.
    nonisolated(unsafe) var seat: SharedJobs<Int, Int>.Seat
    let wouldOnlyWait: Bool
    let end = Gate()

    init(_ level: ImagePriority = .normal, wouldOnlyWait: Bool = true) {
      seat = SharedJobs<Int, Int>.Seat(level: level)
      self.wouldOnlyWait = wouldOnlyWait
    }

    func receive(_ news: JobNews) {}

    func receive(_ outcome: Result<Int, ImageError>, after news: JobNews) { end.open() }
  }

  /// Jobs before a gate that the test opens and shuts.
  private struct Fixture {
    let open = Shared<ImagePriority?>(nil)
    let begun = Shared<[Int]>([])
    let jobs: Jobs

    init() {
      let open = open
      jobs = Jobs(gate: StartGate { open.value })
    }

    @discardableResult
    func start(_ key: Int, _ level: ImagePriority = .normal, wouldOnlyWait: Bool = true) -> Waiting {
      let waiting = Waiting(level, wouldOnlyWait: wouldOnlyWait)
      let begun = begun
      _ = jobs.join(key, waiting) {
        { _ in
          begun.change { $0.append(key) }
          return .success(key)
        }
      }
      return waiting
    }

    func held(_ count: Int) async {
      while jobs.heldCount != count { await Task.yield() }
    }
  }

  @Test("holds them back, lets others pass, and all begin in their order once it is open")
  func order() async throws {
    let fixture = Fixture()
    let held = (0..<50).map { fixture.start($0, $0 % 2 == 0 ? .low : .normal) }
    await fixture.held(50)
    try await fixture.start(100, wouldOnlyWait: false).end.pass()
    #expect(fixture.begun.value == [100])
    fixture.open.change { $0 = .veryLow }
    // One event is enough: each that ends lets the next in.
    fixture.jobs.reconsider()
    for waiting in held { try await waiting.end.pass() }
    #expect(fixture.jobs.heldCount == 0)
    let odd = (0..<50).filter { $0 % 2 == 1 }
    let even = (0..<50).filter { $0 % 2 == 0 }
    #expect(fixture.begun.value == [100] + odd + even)
  }

  @Test("is open for who is more urgent than the crowd, and for who becomes so")
  func urgency() async throws {
    let fixture = Fixture()
    fixture.open.change { $0 = .high }
    let later = fixture.start(0)
    fixture.start(1)
    await fixture.held(2)
    try await fixture.start(2, .high).end.pass()
    fixture.jobs.change(later, to: .veryHigh)
    try await later.end.pass()
    #expect(fixture.begun.value == [2, 0])
    #expect(fixture.jobs.heldCount == 1)
  }

  @Test("forgets who leaves, and takes them back")
  func leaving() async throws {
    let fixture = Fixture()
    let waiting = (0..<1000).map { fixture.start($0) }
    await fixture.held(1000)
    for one in waiting.dropLast() { #expect(fixture.jobs.leave(one) != nil) }
    #expect(fixture.jobs.heldCount == 1)
    #expect(fixture.jobs.count == 1)
    let again = fixture.start(0)
    await fixture.held(2)
    fixture.open.change { $0 = .veryLow }
    fixture.jobs.reconsider()
    try await again.end.pass()
    try await waiting[999].end.pass()
    #expect(fixture.begun.value == [999, 0])
  }
}
