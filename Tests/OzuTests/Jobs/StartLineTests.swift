import OzuTesting
import Testing

@testable import Ozu

@Suite("The line of jobs that wait to begin")
struct StartLineTests {
  @Test("the most urgent first and, of equals, the oldest; also beyond many that have left")
  func order() {
    var line = StartLine<Int>()
    for number in 0..<200 { line.append(number, turn: number, level: number % 2 == 0 ? .low : .high) }
    #expect(line.count == 200)
    var taken: [Int] = []
    for _ in 0..<150 { taken.append(line.popFirst()?.job ?? -1) }
    line.append(1000, turn: 1000, level: .veryHigh)
    line.append(1001, turn: 1001, level: .veryLow)
    while let entry = line.popFirst() { taken.append(entry.job) }
    let odd = Array(stride(from: 1, to: 200, by: 2))
    let even = Array(stride(from: 0, to: 200, by: 2))
    var expected: [Int] = odd
    expected += even[..<50]
    expected.append(1000)
    expected += even[50...]
    expected.append(1001)
    #expect(taken == expected)
    #expect(line.count == 0)
    #expect(line.popFirst()?.job == nil)
  }

  @Test("the last of a level is taken out at once; any other stays")
  func removal() {
    var line = StartLine<Int>()
    for number in 0..<3 { line.append(number, turn: number, level: .normal) }
    line.removeLast(turn: 1, level: .normal)
    line.removeLast(turn: 2, level: .high)
    #expect(line.count == 3)
    line.removeLast(turn: 2, level: .normal)
    #expect(line.count == 2)
    #expect(line.popFirst()?.job == 0)
    line.removeLast(turn: 1, level: .normal)
    #expect(line.count == 0 && line.popFirst()?.job == nil)
    line.append(4, turn: 4, level: .normal)
    #expect(line.popFirst()?.job == 4)
  }

  @Test("stale entries go when they are the majority; valid ones keep their order")
  func compaction() {
    var line = StartLine<Int>()
    var valid: Set<Int> = []
    for number in 0..<10_000 {
      line.append(number, turn: number, level: number % 3 == 0 ? .high : .low)
      if number % 1000 < 10 { valid.insert(number) }
      line.compact(validCount: valid.count) { valid.contains($0.turn) }
      #expect(line.count <= max(65, 2 * valid.count + 1))
    }
    var taken: [Int] = []
    while let entry = line.popFirst() { if valid.contains(entry.turn) { taken.append(entry.job) } }
    #expect(taken == valid.filter { $0 % 3 == 0 }.sorted() + valid.filter { $0 % 3 != 0 }.sorted())
  }

  @Test("after a storm of starts that are called off at once, the next is answered")
  func storm() async throws {
    let fixture = Fixture()
    let urls = try (0..<8).map { try fixture.serve("\($0).jpg") }
    for _ in 0..<3 {
      for number in 0..<2000 { fixture.pipeline.task(for: urls[number % 8]).cancel() }
      #expect(try await fixture.pipeline.image(for: urls[0]).size == PixelSize(320, 240))
      #expect(fixture.pipeline.parts.loads.count == 0)
      await fixture.pipeline.removeAllImages()
    }
  }

  @Test("jobs that are called off before they begin are never run")
  func calledOff() async throws {
    let jobs = SharedJobs<Int, Int>(launchWidth: 1)
    let runs = Shared<Set<Int>>([])
    let tasks = (0..<300).map { number in
      Task {
        try await jobs.value(for: number, priority: .normal, cancellation: .cancelled("")) { _ in
          runs.change { _ = $0.insert(number) }
          return .success(number)
        }
      }
    }
    for (number, task) in tasks.enumerated() where number % 2 == 0 { task.cancel() }
    for (number, task) in tasks.enumerated() {
      let value = try? await task.value.value
      #expect(value == number || number % 2 == 0)
    }
    #expect(jobs.count == 0)
    #expect(runs.value.count { $0 % 2 == 1 } == 150)
  }
}
