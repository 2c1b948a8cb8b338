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
