import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Common steps of two results are run once")
struct PrefixSharingTests {
  /// Requests for one picture with different processors; their download is shared and their decodes have not begun.
  private static func started(
    _ fixture: Fixture, _ processors: [[any ImageProcessing]], stepCount: Int
  ) async throws -> [ImageTask] {
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    fixture.pipeline.suspend(.decode)
    let tasks = processors.map {
      fixture.pipeline.task(for: ImageRequest(url: url, resize: Fixture.small, processors: $0))
    }
    try await eventually(fixture.pipeline.fetchSubscriberCount >= tasks.count)
    gate.open()
    try await eventually(fixture.pipeline.stepCount >= stepCount)
    return tasks
  }

  @Test("one decode, and each step once, for recipes with the same first steps")
  func prefixes() async throws {
    let fixture = Fixture()
    let (a, b, c) = (CountingStep("a"), CountingStep("b"), CountingStep("c"))
    let tasks = try await Self.started(fixture, [[], [a], [a, b], [a, c], [c]], stepCount: 5)
    #expect(fixture.pipeline.waitingCount(on: .decode) == 1)
    fixture.pipeline.resume(.decode)
    for task in tasks { #expect(try await task.image.size == PixelSize(32, 24)) }
    #expect(fixture.decoder.decodeCount == 1)
    #expect([a.runCount, b.runCount, c.runCount] as [Int] == [1, 1, 2])
    #expect(fixture.pipeline.stepCount == 0)
  }

  @Test("a shared step continues when its first subscriber leaves")
  func cancelledPrefix() async throws {
    let fixture = Fixture()
    let (a, b) = (CountingStep("a"), CountingStep("b"))
    let tasks = try await Self.started(fixture, [[a], [a, b]], stepCount: 3)
    tasks[0].cancel()
    await #expect(throws: ImageError.self) { try await tasks[0].image }
    fixture.pipeline.resume(.decode)
    _ = try await tasks[1].image
    #expect(fixture.decoder.decodeCount == 1)
    #expect([a.runCount, b.runCount] as [Int] == [1, 1])
  }

  @Test("when the last subscriber leaves, nothing is decoded")
  func lastOut() async throws {
    let fixture = Fixture()
    let (a, b) = (CountingStep("a"), CountingStep("b"))
    let tasks = try await Self.started(fixture, [[a], [a, b]], stepCount: 3)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: ImageError.self) { try await task.image } }
    #expect(fixture.pipeline.stepCount == 0)
    #expect(fixture.pipeline.waitingCount(on: .decode) == 0)
    fixture.pipeline.resume(.decode)
    #expect(fixture.decoder.decodeCount == 0)
    #expect(a.runCount == 0)
  }

  @Test("the failure of a step fails all steps after it, and no others")
  func failure() async throws {
    let fixture = Fixture()
    let bad = CountingStep("bad") { () throws(ProcessingError) in throw .failed("bad", reason: "test") }
    let good = CountingStep("good")
    let tasks = try await Self.started(fixture, [[bad], [bad, good], [good]], stepCount: 4)
    fixture.pipeline.resume(.decode)
    for task in tasks[..<2] {
      await #expect(throws: ImageError.self) { try await task.image }
    }
    _ = try await tasks[2].image
    #expect([bad.runCount, good.runCount] as [Int] == [1, 1])
  }

  @Test("a step is as urgent as the most urgent result that needs it")
  func urgency() async throws {
    let fixture = Fixture()
    let tasks = try await Self.started(fixture, [[CountingStep("a")], [CountingStep("b")]], stepCount: 3)
    #expect(fixture.pipeline.waitingCount(.decode, from: .high) == 0)
    tasks[1].priority = .veryHigh
    try await eventually(fixture.pipeline.waitingCount(.decode, from: .veryHigh) >= 1)
    tasks[1].cancel()
    try await eventually(fixture.pipeline.stepCount <= 2)
    #expect(fixture.pipeline.waitingCount(.decode, from: .high) == 0)
    fixture.pipeline.resume(.decode)
    _ = try await tasks[0].image
  }

  @Test("longer recipes begin with a picture in memory")
  func fromMemory() async throws {
    let fixture = Fixture()
    let (a, b) = (CountingStep("a"), CountingStep("b"))
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url, resize: Fixture.small, processors: [a]))
    let response = try await fixture.pipeline.response(
      for: ImageRequest(url: url, resize: Fixture.small, processors: [a, b]))
    #expect(response.source == .derived)
    #expect(response.httpDecision?.reason.contains("fresh") == true)
    #expect([a.runCount, b.runCount] as [Int] == [1, 1])
    #expect(fixture.decoder.decodeCount == 1)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a request that comes during the first decode finds its bytes, before any cache has them")
  func liveBytes() async throws {
    let fixture = Fixture {
      $0.caching.isDerivationEnabled = false
      $0.testing.currentDate = { Date(timeIntervalSince1970: 0) }
    }
    let url = try fixture.serve("a.jpg") { $0.header("Cache-Control", "max-age=60") }
    fixture.pipeline.suspend(.decode)
    let first = fixture.pipeline.task(for: ImageRequest(url: url, resize: Fixture.small))
    await fixture.pipeline.waiting(1, for: .decode)
    let second = fixture.pipeline.task(for: ImageRequest(url: url, resize: Resize(PixelSize(100, 100))))
    await fixture.pipeline.waiting(2, for: .decode)
    fixture.pipeline.resume(.decode)
    _ = try await (first.image, second.image)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("without coalescing nothing is shared")
  func off() async throws {
    let fixture = Fixture { $0.isCoalescingEnabled = false }
    let url = try fixture.serve("a.jpg")
    fixture.pipeline.suspend(.decode)
    let tasks = (0..<3).map { _ in fixture.pipeline.task(for: ImageRequest(url: url, resize: Fixture.small)) }
    await fixture.pipeline.waiting(3, for: .decode)
    fixture.pipeline.resume(.decode)
    for task in tasks { #expect(try await !task.response.isCoalesced) }
    #expect(fixture.client.requests.count == 3)
    #expect(fixture.decoder.decodeCount == 3)
  }
}
