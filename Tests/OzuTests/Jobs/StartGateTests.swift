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
    let answerCount = Shared(0)

    init(_ level: ImagePriority = .normal, wouldOnlyWait: Bool = true) {
      seat = SharedJobs<Int, Int>.Seat(level: level)
      self.wouldOnlyWait = wouldOnlyWait
    }

    func receive(_ news: JobNews) {}

    func receive(_ outcome: Result<Int, ImageError>, after news: JobNews) {
      answerCount.change { $0 += 1 }
      end.open()
    }
  }

  /// Jobs before a gate that the test opens and shuts.
  private struct Fixture {
    let open = Shared<ImagePriority?>(nil)
    let begun = Shared<[Int]>([])
    /// Called each time when the gate is asked.
    let onLook = Shared<@Sendable () -> Void>({})
    let jobs: Jobs

    init() {
      let (open, onLook) = (open, onLook)
      jobs = Jobs(
        gate: StartGate {
          onLook.value()
          return open.value
        })
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

    func held(_ count: Int) async throws {
      try await eventually(jobs.heldCount == count)
    }
  }

  @Test("holds them back, lets others pass, and all begin in their order once it is open")
  func order() async throws {
    let fixture = Fixture()
    let held = (0..<50).map { fixture.start($0, $0 % 2 == 0 ? .low : .normal) }
    try await fixture.held(50)
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
    try await fixture.held(2)
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
    try await fixture.held(1000)
    for one in waiting.dropLast() { #expect(fixture.jobs.leave(one) != nil) }
    #expect(fixture.jobs.heldCount == 1)
    #expect(fixture.jobs.count == 1)
    let again = fixture.start(0)
    try await fixture.held(2)
    fixture.open.change { $0 = .veryLow }
    fixture.jobs.reconsider()
    try await again.end.pass()
    try await waiting[999].end.pass()
    #expect(fixture.begun.value == [999, 0])
  }

  @Test("a job that is let through and cancelled before it begins lets the next one through")
  func cancelledBeforeItBegins() async throws {
    let fixture = Fixture()
    let waiting = (0..<3).map { fixture.start($0) }
    try await fixture.held(3)
    fixture.open.change { $0 = .veryLow }
    // The gate is asked when it lets job 0 through, and again by the Swift task that is to begin it.
    let lookCount = Shared(0)
    fixture.onLook.change { onLook in
      onLook = {
        let isBeforeBegin = lookCount.change { count in
          count += 1
          return count == 2
        }
        if isBeforeBegin { fixture.jobs.leave(waiting[0]) }
      }
    }
    fixture.jobs.reconsider()
    try await eventually(fixture.begun.value == [1, 2])
    try await eventually(fixture.jobs.count == 0)
    #expect(fixture.jobs.heldCount == 0)
  }

  @Test("jobs that change their urgency again and again take no more room")
  func bounded() async throws {
    let fixture = Fixture()
    let held = (0..<10).map { fixture.start($0) }
    try await fixture.held(10)
    for number in 0..<10_000 {
      fixture.jobs.change(held[number % 10], to: number / 10 % 2 == 0 ? .low : .high)
    }
    #expect(fixture.jobs.heldCount == 10)
    #expect(fixture.jobs.state.withLock { $0.held.count } <= 65)
    fixture.open.change { $0 = .veryLow }
    fixture.jobs.reconsider()
    for waiting in held { try await waiting.end.pass() }
    #expect(fixture.begun.value.count == 10)
  }

  @Test(
    "whoever leaves at whatever moment, all others are answered exactly once",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func random(seed: UInt64) async throws {
    let fixture = Fixture()
    let random = Shared(SeededGenerator(seed: seed))
    let all = (0..<300).map {
      fixture.start($0, random.change { .allCases.randomElement(using: &$0) ?? .normal })
    }
    try await fixture.held(300)
    let live = Shared(Set(all.indices))
    let left = Shared<Set<Int>>([])
    @Sendable func leave(_ number: Int) {
      live.change { _ = $0.remove(number) }
      if fixture.jobs.leave(all[number]) != nil { left.change { _ = $0.insert(number) } }
    }
    for _ in 0..<200 {
      let number = random.change { Int.random(in: all.indices, using: &$0) }
      switch random.change({ Int.random(in: 0..<4, using: &$0) }) {
      case 0: leave(number)
      default:
        fixture.jobs.change(all[number], to: random.change { .allCases.randomElement(using: &$0) ?? .normal })
      }
    }
    // The gate is asked before it lets a job through, and again before that job begins: some leave just then.
    fixture.onLook.change { onLook in
      onLook = {
        guard random.change({ Int.random(in: 0..<3, using: &$0) == 0 }) else { return }
        let next = live.value.filter { all[$0].answerCount.value == 0 }.min {
          let levels = (fixture.jobs.level(of: all[$0]), fixture.jobs.level(of: all[$1]))
          return levels.0 == levels.1 ? $0 < $1 : levels.0 > levels.1
        }
        if let next { leave(next) }
      }
    }
    fixture.open.change { $0 = .veryLow }
    fixture.jobs.reconsider()
    let place: Comment = "seed \(seed)"
    do {
      try await eventually(fixture.jobs.count == 0)
    } catch {
      Issue.record("seed \(seed): \(fixture.jobs.heldCount) jobs are held back for good")
    }
    let answered = Set(all.indices.filter { all[$0].answerCount.value == 1 })
    #expect(all.allSatisfy { $0.answerCount.value <= 1 }, place)
    #expect(answered == Set(all.indices).subtracting(left.value), place)
    #expect(!answered.isEmpty && !left.value.isEmpty, place)
    #expect(fixture.jobs.heldCount == 0, place)
  }
}
