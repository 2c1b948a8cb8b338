import Dispatch
import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// Lists that scroll fast: many loads, of which most are cancelled before they begin. More of them
/// than may wait for a download, so that the others have to wait.
@Suite("A list that scrolls fast", .timeLimit(.minutes(15)))
struct FlingTests {
  /// Downloads that wait at a gate, and then fail.
  private func fixture(_ gate: Gate) -> Fixture {
    let fixture = Fixture {
      $0.caching.diskStorage = .none
      $0.network.isRateLimiterEnabled = false
      $0.network.concurrentFetches = 6
    }
    // An answer that is not remembered.
    fixture.client.reply { _ in .status(503).held(by: gate) }
    return fixture
  }

  /// Whether all cancelled loads have ended, and no place is free while a download waits that may have it: those of low
  /// priority leave one free.
  private func isBusyOrIdle(_ fixture: Fixture) -> Bool {
    let diagnostics = fixture.pipeline.diagnostics()
    guard let downloads = diagnostics.queues.first(where: { $0.kind == .data })
    else { return false }
    let isReserved = fixture.pipeline.waitingCount(.data, from: .normal) == 0
    return downloads.waitingCount == 0 || downloads.runningCount >= downloads.limit - (isReserved ? 1 : 0)
  }

  @Test(
    "the pictures at which it stops are all downloaded, with all places in use",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func thrown(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    for fling in 0..<Self.flingCount {
      let gate = Gate()
      let fixture = fixture(gate)
      let tasks = (0..<200).map { fixture.pipeline.task(for: Fixture.url("\($0).jpg")) }
      let runningCount = fixture.pipeline.configuration.network.concurrentFetches
      try await eventually(fixture.pipeline.waitingCount(on: .data) == 200 - runningCount)
      #expect(fixture.pipeline.loadCount == 200)
      // The cancellations come at various points of the work.
      let pause = Int.random(in: 0..<200, using: &random)
      for task in tasks.dropLast(20) {
        task.cancel()
        for _ in 0..<Int.random(in: 0...pause, using: &random) { _ = task.result }
      }
      let wanted = tasks.suffix(20)
      let place: Comment = "seed \(seed), fling \(fling)"
      let isBusy = await comesAbout { isBusyOrIdle(fixture) }
      #expect(isBusy, place)
      gate.open()
      let isAnswered = await comesAbout { wanted.allSatisfy { $0.result != nil } }
      #expect(isAnswered, place)
      guard isBusy, isAnswered else { return }
      #expect(wanted.allSatisfy { if case .failure(.httpStatus) = $0.result { true } else { false } }, place)
    }
  }

  private static let flingCount = 3

  private func comesAbout(_ condition: () -> Bool) async -> Bool {
    do {
      try await eventually(condition())
      return true
    } catch {
      return false
    }
  }

  @Test(
    "random starts, cancellations, ends and changes of priority: each load is answered exactly once",
    arguments: Cases.every(2, of: [11, 12, 13, 14] as [UInt64]))
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let gate = Gate()
    let fixture = fixture(gate)
    for number in stride(from: 0, to: Self.addressCount, by: 6) {
      try fixture.serve("\(number).jpg", PatternPicture(PixelSize(16, 12), tint: number % 5)) {
        $0.held(by: gate)
      }
    }
    let queue = DispatchQueue(label: "answers")
    let answers = Shared<[Int]>([])
    var tasks: [ImageTask] = []
    var live: [Int] = []
    var addresses: Set<Int> = []
    var mostHeld = 0

    func start() {
      let (number, address) = (tasks.count, Int.random(in: 0..<Self.addressCount, using: &random))
      let priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
      answers.change { $0.append(0) }
      addresses.insert(address)
      live.append(number)
      tasks.append(
        fixture.pipeline.loadImage(
          for: ImageRequest(url: Fixture.url("\(address).jpg"), priority: priority), queue: queue
        ) { _ in answers.change { $0[number] += 1 } })
    }

    for _ in 0..<10 {
      for _ in 0..<200 { start() }
      // More than may wait for a download: the others have to wait.
      let isCrowded = await comesAbout { fixture.pipeline.waitingCount(on: .data) > 60 }
      #expect(isCrowded, "seed \(seed)")
      guard isCrowded else { return }
      for _ in 0..<100 {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: start()
        case 30..<50:
          guard let index = live.indices.randomElement(using: &random) else { continue }
          tasks[live.remove(at: index)].cancel()
        case 50..<70:
          guard let number = live.randomElement(using: &random) else { continue }
          tasks[number].priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
        case 70..<90: gate.admit(min(gate.waitingCount, Int.random(in: 1...8, using: &random)))
        default: await Task.yield()
        }
        mostHeld = max(mostHeld, fixture.pipeline.waitingCount(on: .data))
      }
      // Most leave, in the order in which they would begin, so that those that come next leave before they begin.
      live.sort { (tasks[$1].priority, $0) < (tasks[$0].priority, $1) }
      let pause = Int.random(in: 0..<1000, using: &random)
      for _ in 0..<max(0, live.count - 10) {
        let task = tasks[live.removeFirst()]
        task.cancel()
        for _ in 0..<Int.random(in: 0...pause, using: &random) { _ = task.result }
      }
      let isBusy = await comesAbout { isBusyOrIdle(fixture) }
      #expect(isBusy, "seed \(seed)")
      guard isBusy else { return }
    }
    gate.open()
    let place: Comment = "seed \(seed)"
    #expect(await comesAbout { tasks.allSatisfy { $0.result != nil } }, place)
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(answers.value.allSatisfy { $0 == 1 }, place)
    #expect(addresses.count > 200, place)
    #expect(mostHeld > 0, place)
    #expect(fixture.pipeline.loadCount == 0, place)
    #expect(fixture.pipeline.fetchCount == 0, place)
  }

  private static let addressCount = 600
}
