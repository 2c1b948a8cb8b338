import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Equal requests share their work")
struct CoalescingTests {
  @Test("a hundred equal requests: one download, one decode, one picture")
  func equal() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let request = ImageRequest(url: url, resize: Fixture.small)
    let responses = try await withThrowingTaskGroup(of: ImageResponse.self) { group in
      for _ in 0..<100 { group.addTask { try await fixture.pipeline.response(for: request) } }
      await gate.arrivals(1)
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(responses.count == 100)
    #expect(fixture.client.requests.count == 1)
    #expect(fixture.decoder.decodeCount == 1)
    #expect(responses.count { !$0.isCoalesced && $0.source == .network } == 1)
  }

  @Test("with coalescing off, equal requests load separately")
  func unshared() async throws {
    let fixture = Fixture {
      $0.isCoalescingEnabled = false
      $0.network.concurrentFetches = 3
    }
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let tasks = (0..<3).map { _ in fixture.pipeline.task(for: url) }
    await gate.arrivals(3)
    gate.open()
    for task in tasks { #expect(try await !task.response.isCoalesced) }
    #expect(fixture.client.requests.count == 3)
  }

  @Test("tasks share a job without awaiting it; each receives its own end")
  func tasks() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let tasks = (0..<1000).map { _ in fixture.pipeline.task(for: url) }
    #expect(fixture.pipeline.loadSubscriberCount == 1000)
    for task in tasks[..<500] { task.cancel() }
    #expect(fixture.pipeline.loadSubscriberCount == 500)
    await gate.arrivals(1)
    gate.open()
    for task in tasks[..<500] {
      await #expect { try await task.image } throws: { ($0 as? ImageError)?.isCancellation == true }
    }
    for task in tasks[500...] { #expect(try await task.image.size == PixelSize(320, 240)) }
    #expect(fixture.client.requests.count == 1)
    #expect(fixture.decoder.decodeCount == 1)
  }

  @Test("the same over real sockets, counted by the server")
  func sockets() async throws {
    let server = try LoopbackServer()
    let gate = Gate()
    var reply = LoopbackResponse.ok(try Fixture.photo.data(as: .jpeg), type: "image/jpeg")
    reply.headGate = gate
    server.route("/a.jpg", reply)
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let url = server.url("/a.jpg")
    try await withThrowingTaskGroup(of: Picture.self) { group in
      for _ in 0..<100 { group.addTask { try await pipeline.image(for: url) } }
      await gate.arrivals(1)
      gate.open()
      for try await picture in group { #expect(picture.size == PixelSize(320, 240)) }
    }
    #expect(server.requestCount(for: "/a.jpg") == 1)
    server.stop()
  }

  @Test("two sizes of one URL: one download, two decodes, one original on disk")
  func sizes() async throws {
    let fixture = Fixture { $0.caching.isDerivationEnabled = false }
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    async let small = fixture.pipeline.response(for: ImageRequest(url: url, resize: Fixture.small))
    async let large = fixture.pipeline.response(
      for: ImageRequest(url: url, resize: Resize(PixelSize(100, 100))))
    await gate.arrivals(1)
    // The second request may not have joined yet; it must join the running download or find its
    // original in the cache, but never download again.
    gate.open()
    #expect(try await small.picture.size == PixelSize(32, 24))
    #expect(try await large.picture.size == PixelSize(100, 75))
    #expect(fixture.decoder.decodeCount == 2)
    #expect(await fixture.cachedCounts().disk == 3)
  }

  @Test("no more downloads at once than configured")
  func fetchLimit() async throws {
    let fixture = Fixture { $0.network.concurrentFetches = 3 }
    let gate = Gate()
    let urls = try (0..<20).map { try fixture.serve("\($0).jpg") { $0.held(by: gate) } }
    try await withThrowingTaskGroup(of: Picture.self) { group in
      for url in urls { group.addTask { try await fixture.pipeline.image(for: url) } }
      await gate.arrivals(3)
      gate.open()
      try await group.waitForAll()
    }
    #expect(fixture.client.maximumActiveCount == 3)
  }

  @Test(
    "of the waiting downloads the more urgent ones start first, also if their priority was raised meanwhile")
  func urgency() async throws {
    let fixture = Fixture { $0.network.concurrentFetches = 1 }
    let gate = Gate()
    let urls = try (0..<4).map { try fixture.serve("\($0).jpg") { $0.held(by: gate) } }
    var tasks: [ImageTask] = []
    for (index, url) in urls.enumerated() {
      tasks.append(fixture.pipeline.task(for: url))
      if index == 0 { await gate.arrivals(1) }
      try await eventually(fixture.pipeline.waitingCount(on: .data) >= index)
    }
    tasks[3].priority = .veryHigh
    tasks[1].priority = .low
    gate.open()
    for task in tasks { _ = try await task.image }
    #expect(fixture.client.requests.map(\.url) == [urls[0], urls[3], urls[2], urls[1]])
    #expect(fixture.client.requests[1].priority == .veryHigh)
  }
}
