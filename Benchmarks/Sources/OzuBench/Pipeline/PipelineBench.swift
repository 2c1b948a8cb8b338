import Foundation
import Ozu
import OzuHTTP
import Synchronization

/// The cost of a request in the pipeline itself: the client answers immediately and the decoder makes one pixel, so that
/// only keys, locks, tasks and hops are left.
///
/// Figures are processor time of the whole process, user and system, per request, but where they say otherwise. A round
/// of its own counts allocations and tells by how much resident memory rises.
struct PipelineBench {
  static let name = "pipeline"

  let rounds: Int
  /// A part of the names of the cases that are wanted.
  var cases: String?
  var report = BenchReport(benchmark: Self.name)

  static func run(_ options: BenchOptions) async throws -> BenchReport {
    var bench = PipelineBench(rounds: options.rounds, cases: options.cases)
    try await bench.measure("task-create-and-await", "yardstick:task", count: 20_000) { count in
      for index in 0..<count { _ = await Task.detached { index }.value }
    }
    try await bench.memoryHits()
    try await bench.coldLoads()
    try await bench.sharing()
    try await bench.steering()
    try await bench.prefetching()
    if bench.wants("memory-hit-latency") {
      bench.report.rows += try await PipelineLatencyBench.rows(options.rounds)
    }
    if bench.wants(PipelineFlingBench.name) {
      bench.report.rows.append(try await PipelineFlingBench.row(options.rounds))
    }
    return bench.report
  }

  private func wants(_ name: String) -> Bool { cases.map { name.contains($0) } ?? true }

  // MARK: Cases

  private mutating func memoryHits() async throws {
    let pipeline = Self.pipeline()
    let requests = Self.requests(1000)
    for request in requests { _ = try await pipeline.image(for: request) }
    try await measure("memory-hit-synchronous", count: 200_000) { count in
      for index in 0..<count where pipeline.cachedImage(for: requests[index % 1000]) == nil {
        throw Missed()
      }
    }
    try await measure("memory-hit-awaited", count: 100_000) { count in
      for index in 0..<count { _ = try await pipeline.image(for: requests[index % 1000]) }
    }
    try await measure("memory-hit-awaited-response", count: 100_000) { count in
      for index in 0..<count { _ = try await pipeline.response(for: requests[index % 1000]) }
    }
    try await measure("memory-hit-by-task", count: 100_000) { count in
      for index in 0..<count { _ = try await pipeline.task(for: requests[index % 1000]).image }
    }
  }

  private mutating func coldLoads() async throws {
    let requests = Self.requests(2000)
    for (name, isBurst) in [("cold-load-serial", false), ("cold-load-burst", true)] {
      try await measure(name, count: requests.count, client: { InstantClient() }) { pipeline, _ in
        if isBurst {
          let tasks = requests.map { pipeline.task(for: $0) }
          for task in tasks { _ = try await task.image }
        } else {
          for request in requests { _ = try await pipeline.image(for: request) }
        }
      }
      noteRatio(of: name, to: "task-create-and-await")
    }
  }

  /// Ten thousand who want one picture.
  private mutating func sharing() async throws {
    let request = Self.requests(1)[0]
    let count = 10_000
    try await measure("coalesced", count: count) { pipeline, client in
      let tasks = (0..<count).map { _ in pipeline.task(for: request) }
      while client.heldCount == 0 { await Task.yield() }
      client.release()
      for task in tasks { _ = try await task.image }
    }
    // Each in a Swift task of its own, as a server or a list of views would have them.
    try await measure("coalesced-each-in-a-task", count: count) { pipeline, client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count { group.addTask { _ = try await pipeline.image(for: request) } }
        while client.heldCount == 0 { await Task.yield() }
        client.release()
        try await group.waitForAll()
      }
    }
    try await measure("each-in-a-task", "yardstick:task", count: 10_000) { count in
      await withTaskGroup { group in
        for _ in 0..<count { group.addTask {} }
      }
    }
  }

  /// Cancelling and re-prioritising; the separate cases share one job with ten thousand others.
  private mutating func steering() async throws {
    let count = 10_000
    let many = Self.requests(count)
    try await measure("start-and-cancel", count: count) { pipeline, client in
      let tasks = many.map { pipeline.task(for: $0) }
      for task in tasks { task.cancel() }
      for task in tasks { _ = try? await task.image }
      client.release()
    }
    try await measure("start-and-cancel-at-once", count: count) { pipeline, client in
      for request in many { pipeline.task(for: request).cancel() }
      client.release()
    }
    for others in [1000, 10_000] where wants("one-of-\(others)-coalesced") {
      var changing: [Double] = []
      var cancelling: [Double] = []
      for round in 0...rounds {
        let client = InstantClient(isHeld: true)
        let pipeline = Self.pipeline(client)
        let stays = pipeline.task(for: many[0])
        let tasks = (0..<others).map { _ in pipeline.task(for: many[0]) }
        while client.heldCount == 0 { await Task.yield() }
        let start = ProcessTime.now
        for (number, task) in tasks.enumerated() { task.priority = number % 2 == 0 ? .high : .low }
        let middle = ProcessTime.now
        for task in tasks { task.cancel() }
        let end = ProcessTime.now
        client.release()
        _ = try await stays.image
        guard round > 0 else { continue }
        changing.append((middle - start) / .microseconds(1) / Double(others))
        cancelling.append((end - middle) / .microseconds(1) / Double(others))
      }
      for (name, samples) in [("change-priority", changing), ("cancel", cancelling)] {
        report.rows.append(
          BenchReport.Row(
            name: "\(name)-one-of-\(others)-coalesced", subject: "ozu", metric: "cpu_us_per_request",
            samples: samples, digits: 3))
      }
    }
  }

  private mutating func prefetching() async throws {
    let many = Self.requests(10_000)
    try await measure("prefetch-start-and-stop", count: many.count) { pipeline, client in
      let prefetcher = ImagePrefetcher(pipeline: pipeline)
      prefetcher.start(many)
      prefetcher.stop(many)
      client.release()
    }
  }

  // MARK: Parts

  struct Missed: Error {}

  static func pipeline(_ client: InstantClient = InstantClient()) -> ImagePipeline {
    ImagePipeline {
      $0.network.httpClient = client
      $0.caching.diskStorage = .none
      $0.decoding.codecs.register(decoder: OnePixelDecoder())
      $0.caching.memoryCache.costLimit = 64 << 20
    }
  }

  static func requests(_ count: Int) -> [ImageRequest] {
    (0..<count).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0)
      }
    }
  }

  /// Measures work with a pipeline, each time a new one. Its client holds back its answers unless another is given.
  private mutating func measure(
    _ name: String, count: Int, client: () -> InstantClient = { InstantClient(isHeld: true) },
    _ work: (ImagePipeline, InstantClient) async throws -> Void
  ) async throws {
    try await measure(
      name, "ozu", count: count,
      setUp: {
        let client = client()
        return (Self.pipeline(client), client)
      }, { try await work($0.0, $0.1) })
  }

  /// Measures work that needs nothing; it gets the number of requests to make.
  private mutating func measure(
    _ name: String, _ subject: String = "ozu", count: Int, _ work: (Int) async throws -> Void
  ) async throws {
    try await measure(name, subject, count: count, setUp: { count }, work)
  }

  /// Runs a case several times after a first run that does not count, and once more for its memory.
  ///
  /// - Parameters:
  ///   - count: of the requests that the work makes.
  ///   - setUp: makes what the work needs, not measured.
  private mutating func measure<Needs>(
    _ name: String, _ subject: String, count: Int, setUp: () -> Needs, _ work: (Needs) async throws -> Void
  ) async throws {
    guard wants(name) else { return }
    var samples: [Double] = []
    for round in 0...rounds {
      let needs = setUp()
      let start = ProcessTime.now
      try await work(needs)
      let time = ProcessTime.now - start
      if round > 0 { samples.append(time / .microseconds(1) / Double(count)) }
    }
    let needs = setUp()
    let footprint = try await Footprint.of { try await work(needs) }
    report.rows.append(
      BenchReport.Row(
        name: name, subject: subject, metric: "cpu_us_per_request", samples: samples,
        peakByteCount: footprint.peakByteCount,
        allocationCount: footprint.allocationCount.map { Double($0) / Double(count) }, digits: 3))
  }

  /// Adds how many times another case a case costs, by their medians.
  private mutating func noteRatio(of name: String, to other: String) {
    guard let row = report.rows.last(where: { $0.name == name }),
      let yardstick = report.rows.last(where: { $0.name == other })
    else { return }
    report.rows.append(
      BenchReport.Row(
        name: name, subject: "ozu", metric: "of_\(other)", samples: [row.median / yardstick.median]))
  }
}
