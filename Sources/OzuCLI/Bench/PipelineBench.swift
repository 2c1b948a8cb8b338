import Foundation
import Ozu
import OzuHTTP
import OzuSynchronization

/// What a request costs in the pipeline itself: the client answers at once and the decoder makes one pixel, so
/// that what is left is keys, locks, tasks and hops.
///
/// Figures are processor time of the whole process, user and system, per request, but where they say otherwise.
enum PipelineBench {
  static let name = "pipeline"

  static func run(_ options: BenchOptions) async throws -> BenchReport {
    let rounds = options.rounds
    var report = BenchReport(benchmark: name)
    let yardstick = try await rows(rounds, "task-create-and-await", "yardstick:task", count: 20_000) {
      count in
      for index in 0..<count { _ = await Task.detached { index }.value }
    }
    report.rows.append(yardstick)
    report.rows += try await memoryHits(rounds)
    report.rows += try await coldLoads(rounds)
    report.rows += try await sharing(rounds)
    report.rows += try await steering(rounds)
    report.rows += try await prefetching(rounds)
    report.rows += try await PipelineLatencyBench.rows(rounds)
    return report
  }

  // MARK: Cases

  private static func memoryHits(_ rounds: Int) async throws -> [BenchReport.Row] {
    let pipeline = pipeline()
    let requests = requests(1000)
    for request in requests { _ = try await pipeline.image(for: request) }
    return [
      try await rows(rounds, "memory-hit-synchronous", count: 200_000) { count in
        for index in 0..<count where pipeline.cachedImage(for: requests[index % 1000]) == nil {
          throw Missed()
        }
      },
      try await rows(rounds, "memory-hit-awaited", count: 100_000) { count in
        for index in 0..<count { _ = try await pipeline.image(for: requests[index % 1000]) }
      },
      try await rows(rounds, "memory-hit-awaited-response", count: 100_000) { count in
        for index in 0..<count { _ = try await pipeline.response(for: requests[index % 1000]) }
      },
      try await rows(rounds, "memory-hit-by-task", count: 100_000) { count in
        for index in 0..<count { _ = try await pipeline.task(for: requests[index % 1000]).image }
      },
    ]
  }

  private static func coldLoads(_ rounds: Int) async throws -> [BenchReport.Row] {
    let requests = requests(2000)
    return [
      try await rows(rounds, "cold-load-serial", count: requests.count) { _ in
        let pipeline = pipeline()
        for request in requests { _ = try await pipeline.image(for: request) }
      },
      try await rows(rounds, "cold-load-burst", count: requests.count) { _ in
        let pipeline = pipeline()
        let tasks = requests.map { pipeline.task(for: $0) }
        for task in tasks { _ = try await task.image }
      },
    ]
  }

  /// Ten thousand who want one picture.
  private static func sharing(_ rounds: Int) async throws -> [BenchReport.Row] {
    let request = requests(1)[0]
    return [
      try await rows(rounds, "coalesced", count: 10_000) { count in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        let tasks = (0..<count).map { _ in pipeline.task(for: request) }
        while client.heldCount == 0 { await Task.yield() }
        client.release()
        for task in tasks { _ = try await task.image }
      },
      // Each in a Swift task of its own, as a server or a list of views would have them.
      try await rows(rounds, "coalesced-each-in-a-task", count: 10_000) { count in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<count { group.addTask { _ = try await pipeline.image(for: request) } }
          while client.heldCount == 0 { await Task.yield() }
          client.release()
          try await group.waitForAll()
        }
      },
      try await rows(rounds, "each-in-a-task", "yardstick:task", count: 10_000) { count in
        await withTaskGroup { group in
          for _ in 0..<count { group.addTask {} }
        }
      },
    ]
  }

  /// Cancelling and re-prioritising; what is measured apart shares one job with ten thousand others.
  private static func steering(_ rounds: Int) async throws -> [BenchReport.Row] {
    let count = 10_000
    let many = requests(count)
    var rows = [
      try await rows(rounds, "start-and-cancel", count: count) { _ in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        let tasks = many.map { pipeline.task(for: $0) }
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.image }
        client.release()
      },
      try await rows(rounds, "start-and-cancel-at-once", count: count) { _ in
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
        for request in many { pipeline.task(for: request).cancel() }
        client.release()
      },
    ]
    for others in [1000, 10_000] {
      var changing: [Double] = []
      var cancelling: [Double] = []
      for round in 0...rounds {
        let client = InstantClient(isHeld: true)
        let pipeline = pipeline(client)
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
        rows.append(
          BenchReport.Row(
            name: "\(name)-one-of-\(others)-coalesced", subject: "ozu", metric: "cpu_us_per_request",
            samples: samples))
      }
    }
    return rows
  }

  private static func prefetching(_ rounds: Int) async throws -> [BenchReport.Row] {
    let many = requests(10_000)
    return [
      try await rows(rounds, "prefetch-start-and-stop", count: many.count) { _ in
        let client = InstantClient(isHeld: true)
        let prefetcher = ImagePrefetcher(pipeline: pipeline(client))
        prefetcher.start(many)
        prefetcher.stop(many)
        client.release()
      }
    ]
  }

  // MARK: Parts

  struct Missed: Error {}

  static func pipeline(_ client: InstantClient = InstantClient()) -> ImagePipeline {
    ImagePipeline {
      $0.httpClient = client
      $0.diskStorage = .none
      $0.codecs.register(decoder: OnePixelDecoder())
      $0.memoryCache.costLimit = 64 << 20
    }
  }

  static func requests(_ count: Int) -> [ImageRequest] {
    (0..<count).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0)
      }
    }
  }

  /// Runs a case so many times, after once that does not count; the work gets the number of requests to make.
  private static func rows(
    _ rounds: Int, _ name: String, _ subject: String = "ozu", count: Int, _ work: (Int) async throws -> Void
  ) async throws -> BenchReport.Row {
    var samples: [Double] = []
    for round in 0...rounds {
      let start = ProcessTime.now
      try await work(count)
      let time = ProcessTime.now - start
      if round > 0 { samples.append(time / .microseconds(1) / Double(count)) }
    }
    var row = BenchReport.Row(name: name, subject: subject, metric: "cpu_us_per_request", samples: samples)
    row.digits = 3
    return row
  }
}
