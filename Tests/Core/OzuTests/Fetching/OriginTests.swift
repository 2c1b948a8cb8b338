import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A place is held only by work: origins that hang, fetchers that wait, and fetchers that do not return")
struct OriginTests {
  // MARK: Origins

  private static func requests(
    _ count: Int, of host: String, _ priority: ImagePriority = .normal
  ) throws -> [ImageRequest] {
    try (0..<count).map { number in
      ImageRequest(url: try #require(URL(string: "https://\(host)/\(number).jpg")), priority: priority)
    }
  }

  /// All hosts but `good.example` hang.
  private func fixture(
    _ gate: Gate, _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) throws -> Fixture {
    let fixture = Fixture(configure)
    let body = try Fixture.photo.data(as: .jpeg)
    fixture.client.reply { request in
      request.url.host() == "good.example" ? .ok(body) : .ok(body).held(by: gate)
    }
    return fixture
  }

  @Test("an origin that hangs holds its own width, and other origins are answered")
  func hanging() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let stuck = try Self.requests(40, of: "dead.example").map { fixture.pipeline.task(for: $0) }
    await gate.arrivals(6)
    try await eventually(fixture.pipeline.waitingCount(on: .data) == 34)
    for request in try Self.requests(3, of: "good.example") {
      _ = try await fixture.pipeline.image(for: request)
    }
    #expect(gate.arrivalCount == 6)
    #expect(fixture.pipeline.runningCount(.data) == 6)
    for task in stuck { task.cancel() }
  }

  @Test(
    "prefetching of origins that hang leaves a place to requests of normal priority, also of those origins",
    arguments: ["good.example", "dead0.example"])
  func prefetching(host: String) async throws {
    let gate = Gate()
    let fixture = try fixture(gate) { $0.network.concurrentFetches = 9 }
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, concurrentRequests: 100)
    for dead in 0..<3 { prefetcher.start(try Self.requests(20, of: "dead\(dead).example")) }
    // Five of the first origin, and three of the others: one place of nine is free.
    await gate.arrivals(8)
    try await eventually(fixture.pipeline.waitingCount(on: .data) == 52)
    #expect(gate.arrivalCount == 8)
    let visible = ImageRequest(url: try #require(URL(string: "https://\(host)/visible.jpg")))
    let task = fixture.pipeline.task(for: visible)
    if host == "good.example" { _ = try await task.image } else { await gate.arrivals(9) }
    task.cancel()
    // A waiting prefetch that becomes visible takes the place too. Which of them wait is not determined: each begins on a
    // task of its own.
    let sent = Set(fixture.client.requests.map { $0.url.lastPathComponent + ($0.url.host() ?? "") })
    let waiting = (0..<20).first { !sent.contains("\($0).jpgdead2.example") }
    let joining = fixture.pipeline.task(
      for: try Self.requests(20, of: "dead2.example")[try #require(waiting)])
    await gate.arrivals(host == "good.example" ? 9 : 10)
    joining.cancel()
    prefetcher.stopAll()
  }

  @Test("an origin that hangs does not stop the prefetching of others")
  func idle() async throws {
    let gate = Gate()
    let fixture = try fixture(gate)
    let stuck = try Self.requests(20, of: "dead.example", .high).map { fixture.pipeline.task(for: $0) }
    await gate.arrivals(6)
    try await eventually(fixture.pipeline.waitingCount(on: .data) == 14)
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    for await outcome in prefetcher.start(try Self.requests(3, of: "good.example")) {
      try outcome.result.get()
    }
    for task in stuck { task.cancel() }
  }

  @Test("the configuration for untrusted sources serves others while 40 downloads of a host hang")
  func untrusted() async throws {
    let gate = Gate()
    let fixture = try fixture(gate) { $0.restrictToUntrustedSources(hosts: .any) }
    let stuck = try Self.requests(40, of: "dead.example").map { fixture.pipeline.task(for: $0) }
    await gate.arrivals(6)
    _ = try await fixture.pipeline.image(for: try Self.requests(1, of: "good.example")[0])
    for task in stuck { task.cancel() }
  }

  // MARK: Fetchers that ask their own pipeline

  enum Way: CaseIterable {
    case image, data, header, encoded, task, callbackTask, group
  }

  /// Asks the pipeline for the picture of the next key before it answers; with no key left it answers at once.
  struct Nested: ImageFetching {
    let keys: [String]
    let pipeline: Shared<ImagePipeline?>
    var way = Way.image
    var key: String { keys[0] }

    func fetch() async throws -> FetchedImage {
      if keys.count > 1, let pipeline = pipeline.value {
        let request = ImageRequest(
          .fetcher(Nested(keys: Array(keys[1...]), pipeline: self.pipeline, way: way)))
        switch way {
        case .image: _ = try await pipeline.image(for: request)
        case .data: _ = try await pipeline.data(for: request)
        case .header: _ = try await pipeline.header(for: request)
        case .encoded: _ = try await pipeline.encoded(for: request, as: .png)
        case .task: _ = try await pipeline.task(for: request).image
        case .callbackTask: _ = try await pipeline.loadData(for: request) { _ in }.data
        case .group:
          try await withThrowingTaskGroup(of: Void.self) { group in
            for width in [8, 16, 24] {
              group.addTask {
                _ = try await pipeline.image(for: request.resized(to: PixelSize(width: width, height: width)))
              }
            }
            try await group.waitForAll()
          }
        }
      }
      return .data(try Fixture.photo.data(as: .jpeg))
    }
  }

  private func nested(
    _ configure: @escaping (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> (pipeline: ImagePipeline, shared: Shared<ImagePipeline?>) {
    let pipeline = ImagePipeline.testing {
      $0.caching.diskStorage = .none
      configure(&$0)
    }
    return (pipeline, Shared(pipeline))
  }

  @Test("fetchers that each ask for another picture are all answered", arguments: Way.allCases, [6, 7, 20])
  func inner(way: Way, count: Int) async throws {
    let (pipeline, shared) = nested()
    defer { shared.change { $0 = nil } }
    let tasks = (0..<count).map { number in
      let keys = ["outer \(number)", "inner \(number)"]
      return pipeline.task(for: ImageRequest(.fetcher(Nested(keys: keys, pipeline: shared, way: way))))
    }
    for task in tasks { _ = try await task.image }
    #expect(pipeline.diagnostics().jobs.isEmpty)
  }

  @Test("a chain of 12 fetchers is answered with one place", arguments: Way.allCases, [false, true])
  func depth(way: Way, isIntercepted: Bool) async throws {
    struct Passing: ImageInterceptor {
      func intercept(
        _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
      ) async throws(ImageError) -> ImageResponse {
        try await next.load(request)
      }
    }
    let (pipeline, shared) = nested {
      $0.network.concurrentFetches = 1
      if isIntercepted { $0.interceptors = [Passing()] }
    }
    defer { shared.change { $0 = nil } }
    let keys = (0..<12).map { "key \($0)" }
    _ = try await pipeline.image(for: ImageRequest(.fetcher(Nested(keys: keys, pipeline: shared, way: way))))
    #expect(pipeline.runningCount(.data) == 0)
  }

  @Test(
    "fetchers that wait for each other fail, and hold nothing",
    arguments: Way.allCases, [["a", "a", "a"], ["a", "b", "a", "b"], ["a", "b", "c", "d", "b"]])
  func cycles(way: Way, keys: [String]) async throws {
    let (pipeline, shared) = nested { $0.network.concurrentFetches = 2 }
    defer { shared.change { $0 = nil } }
    let request = ImageRequest(.fetcher(Nested(keys: keys, pipeline: shared, way: way)))
    await #expect {
      try await pipeline.image(for: request)
    } throws: {
      ($0 as? ImageError)?.kind == .fetchFailed
    }
    // Of another size, so that the load itself is not that of the outer request.
    await #expect(throws: ImageError.self) {
      try await pipeline.image(for: request.resized(to: PixelSize(width: 9, height: 9)))
    }
    let alone = ImageRequest(.fetcher(Nested(keys: ["alone"], pipeline: shared)))
    _ = try await pipeline.image(for: alone)
    #expect(pipeline.diagnostics().jobs.isEmpty)
  }

  @Test("a fetcher that leaves a waiting task behind has its place back, and the task does not touch it")
  func leftBehind() async throws {
    struct Leaving: ImageFetching {
      let key: String
      let pipeline: ImagePipeline
      let inner: ImageRequest

      func fetch() async throws -> FetchedImage {
        let task = pipeline.task(for: inner)
        Task { _ = try? await task.image }
        for _ in 0..<Int.random(in: 0..<50) { await Task.yield() }
        return .data(try Fixture.photo.data(as: .jpeg))
      }
    }
    let pipeline = ImagePipeline.testing { $0.network.concurrentFetches = 1 }
    for number in 0..<50 {
      let inner = ImageRequest(ImageSource(key: "inner \(number)") { try Fixture.photo.data(as: .jpeg) })
      let outer = Leaving(key: "outer \(number)", pipeline: pipeline, inner: inner)
      _ = try await pipeline.image(for: ImageRequest(.fetcher(outer)))
    }
    try await eventually(pipeline.diagnostics().jobs.isEmpty)
    #expect(pipeline.runningCount(.data) == 0)
  }

  @Test("a fetcher that nobody wants any more while it waits for its place is cancelled, and waits no more")
  func cancelledWithoutPlace() async throws {
    struct Twice: ImageFetching {
      let key = "twice"
      let pipeline: Shared<ImagePipeline?>
      let inner: [ImageRequest]
      let wasCancelled: Shared<Bool?>
      let isOver: Gate

      func fetch() async throws -> FetchedImage {
        defer { isOver.open() }
        _ = try await pipeline.value?.image(for: inner[0])
        wasCancelled.change { $0 = Task.isCancelled }
        _ = try? await pipeline.value?.image(for: inner[1])
        return .data(try Fixture.photo.data(as: .jpeg))
      }
    }
    func request(_ key: String, _ gate: Gate) -> ImageRequest {
      ImageRequest(
        ImageSource(key: key) {
          try await gate.pass()
          return try Fixture.photo.data(as: .jpeg)
        })
    }
    let (pipeline, shared) = nested { $0.network.concurrentFetches = 1 }
    defer { shared.change { $0 = nil } }
    let (first, other, isOver, wasCancelled) = (Gate(), Gate(), Gate(), Shared<Bool?>(nil))
    let outer = pipeline.task(
      for: ImageRequest(
        .fetcher(
          Twice(
            pipeline: shared, inner: [request("first", first), request("second", Gate(isOpen: true))],
            wasCancelled: wasCancelled, isOver: isOver))))
    await first.arrivals(1)
    let waiting = pipeline.task(for: request("other", other))
    try await eventually(pipeline.waitingCount(on: .data) == 1)
    first.open()
    await other.arrivals(1)
    // Now the outer one wants its place again.
    try await eventually(pipeline.waitingCount(on: .data) == 1)
    outer.cancel()
    try await isOver.pass()
    #expect(wasCancelled.value == true)
    other.open()
    _ = try await waiting.image
    try await eventually(pipeline.diagnostics().jobs.isEmpty)
  }

  // MARK: Fetchers that do not return

  @Test("a fetcher that ignores its cancellation gives its place back, and is counted until it returns")
  func ignoring() async throws {
    let gate = Gate()
    struct Deaf: ImageFetching {
      let key: String
      let gate: Gate

      func fetch() async throws -> FetchedImage {
        // Not a child of this task, so the cancellation does not reach it.
        try await Task.detached { try await gate.pass() }.value
        return .data(try Fixture.photo.data(as: .jpeg))
      }
    }
    let pipeline = ImagePipeline.testing { $0.network.concurrentFetches = 3 }
    func counts() -> [Int] {
      let queue = pipeline.diagnostics().queues.first { $0.kind == .data }
      return queue.map { [$0.runningCount, $0.waitingCount, $0.abandonedCount] } ?? []
    }
    func task(_ number: Int) -> ImageTask {
      pipeline.task(for: ImageRequest(.fetcher(Deaf(key: "\(number)", gate: gate))))
    }
    var tasks = (0..<3).map(task)
    await gate.arrivals(3)
    tasks += (3..<5).map(task)
    try await eventually(counts() == [3, 2, 0])
    // Those that wait first, so that none of them gets a place.
    for task in tasks.reversed() { task.cancel() }
    #expect(counts() == [0, 0, 3])
    #expect(pipeline.diagnostics().description.contains("data: 0 of 3 running, 0 waiting, 3 abandoned"))
    let open = Gate(isOpen: true)
    _ = try await pipeline.image(for: ImageRequest(.fetcher(Deaf(key: "other", gate: open))))
    gate.open()
    try await eventually(counts() == [0, 0, 0])
  }
}
