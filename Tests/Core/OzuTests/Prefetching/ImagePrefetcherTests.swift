import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite struct ImagePrefetcherTests {
  private static func requests(_ fixture: Fixture, _ count: Int, gate: Gate? = nil) throws -> [ImageRequest] {
    try (0..<count).map { index in
      let url = try fixture.serve("\(index).jpg") { reply in gate.map { reply.held(by: $0) } ?? reply }
      return ImageRequest(url: url, resize: Fixture.small)
    }
  }

  @Test("pictures are in memory when they are requested, and each outcome is reported")
  func memory() async throws {
    let fixture = Fixture()
    var requests = try Self.requests(fixture, 5)
    requests.append(ImageRequest(url: Fixture.url("missing.jpg")))
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    var failures: [ImageRequest] = []
    var count = 0
    for await outcome in prefetcher.start(requests) {
      count += 1
      if case .failure = outcome.result { failures.append(outcome.request) }
    }
    #expect(count == 6)
    #expect(failures.map(\.key) == [requests[5].key])
    #expect(requests[..<5].allSatisfy { fixture.pipeline.cachedImage(for: $0) != nil })
    #expect(prefetcher.count == 0)
  }

  @Test("URLs are prefetched at their own size, and stopped")
  func urls() async throws {
    let fixture = Fixture()
    let (here, held) = (try fixture.serve("a.jpg"), try fixture.serve("b.jpg") { $0.held(by: Gate()) })
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    for await outcome in prefetcher.start([here, held]) {
      if case .done = outcome.ending { prefetcher.stop([held]) }
    }
    #expect(try await fixture.pipeline.response(for: here).source == .memory)
    #expect(fixture.pipeline.cachedImage(for: held) == nil)
  }

  @Test("the outcomes hold a prefetcher that nobody else does")
  func temporary() async throws {
    let fixture = Fixture()
    let requests = try Self.requests(fixture, 4)
    var count = 0
    for await outcome in ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1).start(requests) {
      if case .done = outcome.ending { count += 1 }
    }
    #expect(count == 4)
  }

  @Test("to the disk only: the original is stored and nothing is decoded")
  func disk() async throws {
    let fixture = Fixture()
    let requests = try Self.requests(fixture, 3)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .disk)
    for await _ in prefetcher.start(requests) {}
    #expect(fixture.decoder.decodeCount == 0)
    #expect(await fixture.cachedCounts() == (0, 3))
    #expect(try await fixture.pipeline.response(for: requests[0]).source == .original)
  }

  @Test("no more requests at once than allowed, at low priority, in the order given")
  func order() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let requests = try Self.requests(fixture, 8, gate: gate)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    let outcomes = prefetcher.start(requests)
    await gate.arrivals(1)
    #expect(fixture.client.requests.count == 1)
    gate.open()
    for await _ in outcomes {}
    #expect(fixture.client.maximumActiveCount == 1)
    #expect(fixture.client.requests.map(\.url.lastPathComponent) == (0..<8).map { "\($0).jpg" })
    #expect(fixture.client.requests.allSatisfy { $0.priority == .low })
  }

  @Test("a waiting request that is started again with a higher priority goes before the others")
  func raised() async throws {
    let fixture = Fixture()
    let requests = try Self.requests(fixture, 3)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    prefetcher.isPaused = true
    let outcomes = prefetcher.start(requests)
    prefetcher.start([requests[2].with { $0.priority = .high }])
    prefetcher.isPaused = false
    for await _ in outcomes {}
    #expect(fixture.client.requests.map(\.url.lastPathComponent) == ["2.jpg", "0.jpg", "1.jpg"])
  }

  @Test(
    "stopped requests end with a cancellation, the others continue; a pause delays requests that have not begun"
  )
  func stopping() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let requests = try Self.requests(fixture, 4, gate: gate)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    prefetcher.isPaused = true
    let outcomes = prefetcher.start(requests)
    prefetcher.stop([requests[1]])
    #expect(prefetcher.count == 3)
    #expect(fixture.client.requests.isEmpty)
    prefetcher.isPaused = false
    await gate.arrivals(1)
    prefetcher.stop([requests[0]])
    gate.open()
    var cancelled: [ImageKey] = []
    var done: [ImageKey] = []
    for await outcome in outcomes {
      switch outcome.result {
      case .success: done.append(outcome.request.key)
      case .failure(let error): if error.isCancellation { cancelled.append(outcome.request.key) }
      }
    }
    #expect(cancelled == [requests[1].key, requests[0].key])
    #expect(done == [requests[2].key, requests[3].key])
  }

  @Test(
    "a request for a picture that is being prefetched joins that load, and releasing the prefetcher does not cancel it"
  )
  func joining() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let requests = try Self.requests(fixture, 1, gate: gate)
    var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: fixture.pipeline)
    prefetcher?.start(requests)
    await gate.arrivals(1)
    let task = fixture.pipeline.task(for: requests[0])
    try await eventually(fixture.pipeline.loadSubscriberCount >= 2)
    prefetcher = nil
    gate.open()
    #expect(try await task.response.isCoalesced)
    #expect(fixture.client.requests.count == 1)
  }

  @Test(
    "a running request that is stopped and started again is a new one: the end of the first load does not end it",
    arguments: [false, true])
  func again(isStopped: Bool) async throws {
    let fixture = Fixture()
    let gate = Gate()
    let requests = try Self.requests(fixture, 1, gate: gate)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    // A start may join the load that was just stopped, while that load has not been left yet.
    for _ in 1...20 {
      prefetcher.start(requests)
      try await eventually(gate.waitingCount > 0)
      prefetcher.stop(requests)
    }
    let outcomes = prefetcher.start(requests)
    try await eventually(gate.waitingCount == 1 && fixture.pipeline.loadSubscriberCount == 1)
    // Another prefetch, so that the loads that were stopped have ended.
    let other = ImagePrefetcher(pipeline: fixture.pipeline)
    for await _ in other.start([ImageRequest(url: try fixture.serve("other.jpg"))]) {}
    #expect(prefetcher.count == 1)
    if isStopped { prefetcher.stopAll() } else { gate.open() }
    var endings: [ImagePrefetcher.Ending] = []
    for await outcome in outcomes { endings.append(outcome.ending) }
    switch endings.first {
    case .stopped: #expect(isStopped)
    case .done: #expect(!isStopped)
    default: Issue.record("\(endings)")
    }
    try await eventually(gate.waitingCount == 0)
  }

  @Test("an entry that was removed before its load is known is not mistaken for a later one of the same key")
  func entries() {
    var queue = PrefetchQueue(width: 2)
    let request = ImageRequest(url: Fixture.url("a.jpg"))
    let memory = ImagePipeline.testing().caches.memory
    func report() -> PrefetchReport {
      PrefetchReport(
        expected: 1, budget: PrefetchBudget(), memory: memory,
        AsyncStream.makeStream(of: ImagePrefetcher.Outcome.self).continuation)
    }
    queue.add(request, report())
    let first = queue.takeNext()
    _ = queue.remove(request.prefetchKey)
    queue.add(request, report())
    let second = queue.takeNext()
    let isFirstKnown = first.map { queue.setTask(Task {}, for: $0.id) }
    let isSecondKnown = second.map { queue.setTask(Task {}, for: $0.id) }
    #expect(isFirstKnown == false && isSecondKnown == true)
    let isFirstThere = first.map { queue.remove($0.id) != nil }
    let count = queue.count
    #expect(isFirstThere == false && count == 1)
  }

  @Test("no requests, no outcomes")
  func nothing() async {
    for await _ in ImagePrefetcher(pipeline: .testing()).start([ImageRequest]()) {
      Issue.record("there is nothing to tell")
    }
  }
}
