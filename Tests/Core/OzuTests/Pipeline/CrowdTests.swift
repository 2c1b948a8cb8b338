import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Many downloads at once", .timeLimit(.minutes(15)))
struct CrowdTests {
  private static let count = 200

  /// This number of loads that wait for suspended downloads.
  private func crowd(_ fixture: Fixture) async throws -> [ImageTask] {
    fixture.pipeline.suspend(.data)
    let tasks = try (0..<Self.count).map { fixture.pipeline.task(for: try fixture.serve("\($0).jpg")) }
    await fixture.pipeline.waiting(Self.count, for: .data)
    return tasks
  }

  @Test("downloads wait in the queue until it is their turn; all are answered")
  func crowd() async throws {
    let fixture = Fixture()
    let tasks = try await crowd(fixture)
    #expect(fixture.pipeline.runningCount(.data) == 0)
    let diagnostics = fixture.pipeline.diagnostics()
    #expect(diagnostics.jobs.count { $0.kind == .load } == Self.count)
    #expect(diagnostics.queues.first { $0.kind == .data }?.waitingCount == Self.count)
    fixture.pipeline.resume(.data)
    for task in tasks { #expect(try await task.response.source == .network) }
    #expect(fixture.client.requests.count == Self.count)
  }

  @Test("a picture on disk, and a request of another kind, do not wait for the downloads")
  func passing() async throws {
    let first = Fixture()
    let url = try first.serve("stored.jpg") { $0.header("Cache-Control", "max-age=600") }
    _ = try await first.pipeline.image(for: ImageRequest(url: url, resize: Fixture.small))
    await first.pipeline.flush()
    let fixture = Fixture(files: first.files)
    let tasks = try await crowd(fixture)
    for resize in [Fixture.small, Resize(PixelSize(300, 200)), nil] {
      let response = try await fixture.pipeline.response(for: ImageRequest(url: url, resize: resize))
      #expect(response.source == .rendition || response.source == .original)
    }
    let bytes = ImageRequest(.data(try Fixture.photo.data(as: .jpeg), key: "bytes"))
    #expect(try await fixture.pipeline.response(for: bytes).source == .original)
    #expect(fixture.client.requests.isEmpty)
    for task in tasks { task.cancel() }
  }

  @Test("cancelled loads leave nothing behind")
  func cancelling() async throws {
    let fixture = Fixture()
    for task in try await crowd(fixture) { task.cancel() }
    #expect(fixture.pipeline.loadCount == 0)
    #expect(fixture.pipeline.fetchCount == 0)
    fixture.pipeline.resume(.data)
    let url = try fixture.serve("again.jpg")
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: url)).source == .network)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a load whose deadline passes states what it waited for")
  func deadline() async throws {
    let clock = ManualClock()
    let fixture = Fixture {
      $0.testing.now = clock.now
      $0.testing.sleep = { try await clock.sleep(for: $0) }
    }
    let tasks = try await crowd(fixture)
    var request = ImageRequest(url: try fixture.serve("late.jpg"))
    request.deadline = .seconds(5)
    let late = fixture.pipeline.task(for: request)
    await fixture.pipeline.waiting(Self.count + 1, for: .data)
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: ImageError.self) { try await late.image }
    #expect(error?.kind == .deadlineExceeded && error?.stage == .network)
    for task in tasks { task.cancel() }
  }

  @Test("a more urgent load begins at once, or when its priority is raised")
  func urgency() async throws {
    // One after the other, because downloads that run at once reach the client in any order.
    let fixture = Fixture { $0.network.concurrentFetches = 1 }
    let tasks = try await crowd(fixture)
    tasks[Self.count - 1].priority = .high
    _ = fixture.pipeline.task(
      for: ImageRequest(url: try fixture.serve("urgent.jpg"), priority: .veryHigh))
    try await eventually(fixture.pipeline.waitingCount(.data, from: .high) == 2)
    fixture.pipeline.resume(.data)
    for task in tasks { _ = try await task.image }
    let order = fixture.client.requests.map(\.url.lastPathComponent)
    #expect(order.prefix(2) == ["urgent.jpg", "\(Self.count - 1).jpg"])
  }
}
