import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite struct PrefetchBudgetTests {
  private static func endings(
    _ prefetcher: ImagePrefetcher, _ requests: [ImageRequest], _ budget: PrefetchBudget
  ) async -> [String] {
    var endings: [String] = []
    for await outcome in prefetcher.start(requests, budget: budget) {
      switch outcome.ending {
      case .done(let source): endings.append(source.rawValue)
      case .failed(let error): endings.append("\(error)")
      case .stopped: endings.append("stopped")
      case .overBudget: endings.append("over")
      }
    }
    return endings
  }

  private static func requests(_ fixture: Fixture, _ count: Int) throws -> [ImageRequest] {
    try (0..<count).map { ImageRequest(url: try fixture.serve("\($0).jpg"), resize: Fixture.small) }
  }

  @Test(
    "nothing more is downloaded when the bytes are used up; cached pictures cost nothing",
    arguments: [ImagePrefetcher.Destination.memory, .disk])
  func downloads(_ destination: ImagePrefetcher.Destination) async throws {
    let fixture = Fixture()
    let requests = try Self.requests(fixture, 6)
    let size = try Fixture.photo.data(as: .jpeg).count
    _ = try await fixture.pipeline.image(for: requests[0])
    await fixture.pipeline.flush()
    let prefetcher = ImagePrefetcher(
      pipeline: fixture.pipeline, destination: destination, concurrentRequests: 1)
    let endings = await Self.endings(
      prefetcher, requests, PrefetchBudget(downloadedByteCount: 2 * size - 1))
    let first = destination == .memory ? "memory" : "disk-original"
    #expect(endings[..<3] == [first, "network", "network"])
    #expect(endings[3...] == ["over", "over", "over"])
    #expect(fixture.client.requests.count == 3)
    #expect(prefetcher.count == 0)
    // Another call has its own budget.
    #expect(await Self.endings(prefetcher, [requests[5]], PrefetchBudget()) == ["network"])
  }

  @Test("a picture that is in the list twice is loaded once, and counts once")
  func twice() async throws {
    let fixture = Fixture()
    let requests = try Self.requests(fixture, 2)
    let size = try Fixture.photo.data(as: .jpeg).count
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    let endings = await Self.endings(
      prefetcher, [requests[0]] + requests, PrefetchBudget(downloadedByteCount: 2 * size - 1))
    #expect(endings == ["network", "network", "network"] && fixture.client.requests.count == 2)
  }

  @Test(
    "what is downloaded for a picture that fails uses up the budget too, from each of its sources",
    arguments: [ImagePrefetcher.Destination.memory, .disk], [false, true])
  func failures(_ destination: ImagePrefetcher.Destination, hasAlternative: Bool) async throws {
    let fixture = Fixture { $0.decoding.limits.encodedByteCount = 1500 }
    let byteCount = destination == .memory ? 1000 : 2000
    let urls = (0..<8).map { number in
      let url = Fixture.url("\(number).jpg")
      var reply = FakeHTTPReply.ok(Data(count: byteCount)).inPieces(of: 100)
      reply.announcesLength = false
      fixture.client.reply(to: url, with: reply)
      return url
    }
    let requests = urls[..<4].enumerated().map { number, url in
      ImageRequest(url: url).with { if hasAlternative { $0.alternatives = [.url(urls[number + 4])] } }
    }
    let prefetcher = ImagePrefetcher(
      pipeline: fixture.pipeline, destination: destination, concurrentRequests: 1)
    let budget = PrefetchBudget(downloadedByteCount: hasAlternative ? 2500 : 1001)
    let endings = await Self.endings(prefetcher, requests, budget)
    #expect(endings.count { $0 == "over" } == (destination == .memory ? 2 : 3))
  }

  @Test("nothing begins in a budget of no bytes")
  func nothing() async throws {
    let fixture = Fixture()
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let requests = try Self.requests(fixture, 3)
    let endings = await Self.endings(prefetcher, requests, PrefetchBudget(downloadedByteCount: 0))
    #expect(endings == ["over", "over", "over"] && fixture.client.requests.isEmpty && prefetcher.count == 0)
  }

  @Test("pictures are loaded into memory until they have their part of it")
  func memory() async throws {
    let fixture = Fixture { $0.caching.memoryCache = MemoryCacheConfiguration(costLimit: 32 * 24 * 4 * 32) }
    let requests = try Self.requests(fixture, 12)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    let endings = await Self.endings(prefetcher, requests, PrefetchBudget(memoryFraction: 0.25))
    #expect(endings.count { $0 == "network" } == 8)
    #expect(endings.count { $0 == "over" } == 4)
  }

  @Test(
    "a picture that memory must not keep does not use up the budget, nor does one that is there under another key",
    arguments: [false, true])
  func otherwiseKept(_ hasKeyRule: Bool) async throws {
    let fixture = Fixture {
      if hasKeyRule {
        $0.caching.cacheKeyRules = [CacheKeyRule(host: "example.com", droppingQueryItems: ["token"])]
      }
    }
    let names = hasKeyRule ? (0..<4).map { "\($0).jpg?token=\($0)" } : (0..<4).map { "\($0).jpg" }
    let requests = try names.map { name in
      let url = try fixture.serve(name) { hasKeyRule ? $0 : $0.header("Cache-Control", "no-store") }
      return ImageRequest(url: url, resize: Fixture.small)
    }
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 1)
    let endings = await Self.endings(prefetcher, requests, PrefetchBudget())
    #expect(endings == Array(repeating: "network", count: 4))
  }

  @Test("no prefetch begins while other requests wait, and prefetching continues afterwards")
  func visibleFirst() async throws {
    // One at a time, because two that start together reach the client in any order.
    let fixture = Fixture { $0.network.concurrentFetches = 1 }
    let requests = try Self.requests(fixture, 3)
    fixture.pipeline.suspend(.data)
    let visible = fixture.pipeline.task(for: try fixture.serve("visible.jpg"))
    await fixture.pipeline.waiting(1, for: .data)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let outcomes = prefetcher.start(requests)
    #expect(fixture.pipeline.diagnostics().jobs.count { $0.kind == .load } == 1)
    #expect(prefetcher.count == 3)
    fixture.pipeline.resume(.data)
    _ = try await visible.image
    for await outcome in outcomes { #expect(throws: Never.self) { try outcome.result.get() } }
    #expect(fixture.client.requests.first?.url.lastPathComponent == "visible.jpg")
    #expect(fixture.client.requests.count == 4)
  }

  @Test("waiting requests of low priority do not delay later ones")
  func behind() async throws {
    let fixture = Fixture { $0.network.concurrentFetches = 1 }
    let gate = Gate()
    let first = try fixture.serve("first.jpg") { $0.held(by: gate) }
    let requests = try Self.requests(fixture, 4)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 4)
    // Alone, because requests that start together begin in any order.
    let firstOutcomes = prefetcher.start([ImageRequest(url: first)])
    await gate.arrivals(1)
    let outcomes = prefetcher.start(requests)
    await fixture.pipeline.waiting(3, for: .data)
    let visible = fixture.pipeline.task(for: try fixture.serve("visible.jpg"))
    await fixture.pipeline.waiting(4, for: .data)
    gate.open()
    _ = try await visible.image
    #expect(fixture.client.requests[1].url.lastPathComponent == "visible.jpg")
    for await _ in firstOutcomes {}
    for await _ in outcomes {}
  }
}
