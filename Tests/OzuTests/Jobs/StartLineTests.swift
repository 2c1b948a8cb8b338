import OzuTesting
import Testing

@testable import Ozu

@Suite("The line of jobs that wait to begin")
struct StartLineTests {
  @Test("the most urgent first and, of equals, the oldest; also beyond many that have left")
  func order() {
    var line = StartLine<Int>()
    for number in 0..<200 { line.append(number, level: number % 2 == 0 ? .low : .high) }
    #expect(line.count == 200)
    var taken: [Int] = []
    for _ in 0..<150 { taken.append(line.popFirst()?.job ?? -1) }
    line.append(1000, level: .veryHigh)
    line.append(1001, level: .veryLow)
    while let (job, _) = line.popFirst() { taken.append(job) }
    let odd = Array(stride(from: 1, to: 200, by: 2))
    let even = Array(stride(from: 0, to: 200, by: 2))
    var expected: [Int] = odd
    expected += even[..<50]
    expected.append(1000)
    expected += even[50...]
    expected.append(1001)
    #expect(taken == expected)
    #expect(line.count == 0)
    #expect(line.popFirst() == nil)
  }

  @Test("the last of a level is taken out at once; any other stays")
  func removal() {
    var line = StartLine<Int>()
    for number in 0..<3 { line.append(number, level: .normal) }
    line.removeLast(level: .normal) { $0 == 1 }
    line.removeLast(level: .high) { _ in true }
    #expect(line.count == 3)
    line.removeLast(level: .normal) { $0 == 2 }
    #expect(line.count == 2)
    #expect(line.popFirst()?.job == 0)
    line.removeLast(level: .normal) { $0 == 1 }
    #expect(line.count == 0 && line.popFirst() == nil)
    line.append(4, level: .normal)
    #expect(line.popFirst()?.job == 4)
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
