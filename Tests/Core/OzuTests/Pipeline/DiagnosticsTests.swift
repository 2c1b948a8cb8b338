import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The diagnostics of a pipeline")
struct DiagnosticsTests {
  @Test("a waiting download, a running one, and a waiting decode are listed")
  func stages() async throws {
    let clock = ManualClock()
    let gate = Gate()
    let fixture = Fixture {
      $0.network.concurrentFetches = 1
      $0.testing.now = clock.now
    }
    fixture.pipeline.suspend(.decode)
    let decoding = fixture.pipeline.task(for: try fixture.serve("decoding.jpg"))
    await fixture.pipeline.waiting(1, for: .decode)
    let held = fixture.pipeline.task(for: try fixture.serve("held.jpg") { $0.held(by: gate) })
    await gate.arrivals(1)
    let waiting = fixture.pipeline.task(
      for: ImageRequest(url: try fixture.serve("waiting.jpg"), priority: .high))
    await fixture.pipeline.waiting(1, for: .data)
    clock.advance(by: .seconds(3))

    let diagnostics = fixture.pipeline.diagnostics()
    let lines = diagnostics.jobs.map { "\($0.kind) \($0.name.suffix(11)) \($0.waitingFor)" }
    #expect(
      Set(lines) == [
        "load ecoding.jpg step", "load om/held.jpg download", "load waiting.jpg download",
        "download om/held.jpg network", "download waiting.jpg slot", "render ecoding.jpg decoder",
      ])
    let slot = try #require(diagnostics.jobs.first { $0.waitingFor == .slot })
    #expect(slot.queuePosition == 0)
    #expect(slot.waitingTime == .seconds(3))
    #expect(slot.priority == .high)
    #expect(slot.subscriberCount == 1)
    let decoder = try #require(diagnostics.jobs.first { $0.waitingFor == .decoder })
    #expect(decoder.queuePosition == 0)
    let data = try #require(diagnostics.queues.first { $0.kind == .data })
    #expect([data.limit, data.runningCount, data.waitingCount] as [Int] == [1, 1, 1])
    #expect(diagnostics.queues.first { $0.kind == .decode }?.isSuspended == true)
    #expect(diagnostics.description.contains("for slot (0 ahead), high, 1 subscriber, age 3.0 seconds"))

    gate.open()
    fixture.pipeline.resume(.decode)
    for task in [decoding, held, waiting] { _ = try await task.image }
    #expect(fixture.pipeline.diagnostics().jobs.isEmpty)
  }

  @Test("a job is described in one line, whatever the name of its file")
  func oneLine() {
    let job = PipelineDiagnostics.Job(
      kind: .load, name: "a\nb.jpg", waitingFor: .disk, waitingTime: .zero, age: .zero, queuePosition: nil,
      subscriberCount: 1, priority: .normal)
    #expect(job.description.hasPrefix("load a b.jpg: waiting"))
  }
}
