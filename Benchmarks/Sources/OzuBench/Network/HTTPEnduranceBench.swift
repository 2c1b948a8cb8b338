import Foundation
import OzuHTTP
import OzuTesting

/// Leaks of a client after very many requests, the time until a cancelled one ends, and the memory for a large body. Only
/// for Ozu: `URLSession` has no counterpart to two of the three.
struct HTTPEnduranceBench: Sendable {
  var requestCount = 50_000
  var cancelCount = 1000
  var concurrency = 6
  var includesLargeBody = true

  func rows(_ server: BenchServer, rounds: Int) throws -> [BenchReport.Row] {
    try memory(server) + cancelling(server, rounds: rounds) + (includesLargeBody ? largeBody(server) : [])
  }

  // MARK: Very many requests

  private struct State {
    let residentByteCount: Double
    let descriptorCount: Double

    static var now: State {
      let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pages = status.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? .nan
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      return State(residentByteCount: pages * 4096, descriptorCount: descriptors.map(Double.init) ?? .nan)
    }
  }

  /// By how much the process has grown, after a tenth of the requests has brought it to its size.
  private func memory(_ server: BenchServer) throws -> [BenchReport.Row] {
    let before = State.now
    let client = client()
    try load(requestCount / 10, server, client)
    let warm = State.now
    try load(requestCount, server, client)
    let after = State.now
    try BlockingWork.wait { await client.shutdown() }
    let name = "\(requestCount)x20KB-c\(concurrency)"
    return [
      row(name, "resident_growth_bytes", [after.residentByteCount - warm.residentByteCount]),
      row(name, "resident_bytes", [after.residentByteCount]),
      row(name, "descriptors_left", [State.now.descriptorCount - before.descriptorCount]),
    ]
  }

  private func load(_ count: Int, _ server: BenchServer, _ client: DefaultHTTPClient) throws {
    let (url, concurrency) = (server.url(.small), concurrency)
    try BlockingWork.wait {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<concurrency {
          group.addTask {
            for _ in stride(from: worker, to: count, by: concurrency) { _ = try await client.data(from: url) }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  // MARK: Cancelling

  /// From `cancel()` to the end of the task, of requests whose head has come and whose body has not. The yardstick is
  /// what the machine needs for the same two steps with nothing between: from a task to a thread, and back.
  private func cancelling(_ server: BenchServer, rounds: Int) throws -> [BenchReport.Row] {
    let client = client()
    let (url, queue) = (server.url(.held), DispatchQueue(label: "ozu.bench"))
    let subjects: [(name: String, work: @Sendable () async -> Double)] = [
      ("ozu", { await Self.cancelTime(url, client) }), ("yardstick:two-hops", { await Self.hopTime(queue) }),
    ]
    var samples = subjects.map { _ in (medians: [Double](), tails: [Double]()) }
    for round in 0...rounds {
      for (index, subject) in subjects.enumerated() {
        let times = try times(subject.work).sorted()
        guard round > 0, !times.isEmpty else { continue }
        samples[index].medians.append(times[times.count / 2])
        samples[index].tails.append(times[min(times.count - 1, times.count * 99 / 100)])
      }
    }
    try BlockingWork.wait { await client.shutdown() }
    let name = "cancel-\(cancelCount)-c\(concurrency)"
    return zip(subjects, samples).flatMap { subject, samples in
      [
        row(name, "median_ms", samples.medians, subject: subject.name, digits: 3),
        row(name, "p99_ms", samples.tails, subject: subject.name, digits: 3),
      ]
    }
  }

  private func times(_ work: @escaping @Sendable () async -> Double) throws -> [Double] {
    let (cancelCount, concurrency) = (cancelCount, concurrency)
    return try BlockingWork.wait {
      await withTaskGroup(of: [Double].self) { group in
        for worker in 0..<concurrency {
          group.addTask {
            var times: [Double] = []
            for _ in stride(from: worker, to: cancelCount, by: concurrency) { times.append(await work()) }
            return times
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
    }
  }

  private static func cancelTime(_ url: URL, _ client: DefaultHTTPClient) async -> Double {
    let (heads, arrival) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await client.send(HTTPRequest(url: url), into: HeadSink(arrival)) }
    for await _ in heads { break }
    let start = ContinuousClock.now
    task.cancel()
    _ = await task.result
    return start.duration(to: .now).milliseconds
  }

  private static func hopTime(_ queue: DispatchQueue) async -> Double {
    let start = ContinuousClock.now
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    return start.duration(to: .now).milliseconds
  }

  private struct HeadSink: HTTPBodySink {
    let arrival: AsyncStream<Void>.Continuation

    init(_ arrival: AsyncStream<Void>.Continuation) {
      self.arrival = arrival
    }

    func begin(_ head: HTTPResponseHead) throws(HTTPError) { arrival.yield() }
    func append(_ bytes: RawSpan) throws(HTTPError) {}
  }

  // MARK: A large body

  /// The peak of the process while 90 MB come, in a file and in memory.
  private func largeBody(_ server: BenchServer) throws -> [BenchReport.Row] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = server.url(.large)
    return try [("90MB-in-a-file", 8 << 20), ("90MB-in-memory", Int.max)].map { name, threshold in
      var configuration = HTTPCacheConfiguration()
      configuration.spooling = HTTPSpoolingConfiguration(
        threshold: threshold, directory: folder.path(percentEncoded: false))
      let cache = HTTPCache(
        client: client(), storage: InMemoryHTTPCacheStorage(), configuration: configuration)
      let peak = try BlockingWork.wait {
        try await PeakMemory.measure {
          _ = try await cache.response(for: HTTPRequest(url: url), storing: .byCaller)
        }.byteCount
      }
      return row(name, "peak_growth_bytes", [peak.map(Double.init) ?? .nan])
    }
  }

  private func client() -> DefaultHTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .none
    configuration.maximumConcurrentRequests = concurrency
    configuration.maximumConnectionsPerHost = concurrency
    return DefaultHTTPClient(configuration: configuration)
  }

  private func row(
    _ name: String, _ metric: String, _ samples: [Double], subject: String = "ozu", digits: Int = 0
  ) -> BenchReport.Row {
    var row = BenchReport.Row(name: name, subject: subject, metric: metric, samples: samples)
    row.digits = digits
    return row
  }
}
