import Foundation
import Ozu
import OzuTesting
import Synchronization

/// How costs grow: with the megapixels of a file, with the entries of the memory cache, with the requests at once. The
/// disk cache has a benchmark of its own, `disk-curve`. The name of a case ends with `@` and the size.
enum GrowthBench {
  static let name = "growth"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    report.rows += try pictures(options)
    for count in options.isSmoke ? [1000] : [1000, 10_000, 100_000, 1_000_000] {
      try entries(count, options, &report)
    }
    for count in options.isSmoke ? [10] : [1, 10, 100, 1000, 10_000] {
      report.rows += try BlockingWork.wait { try await requests(count, options) }
    }
    return report
  }

  // MARK: Megapixels

  private static func pictures(_ options: BenchOptions) throws -> [BenchReport.Row] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let peers = try PeerProcess.start(options.peers)
    let megapixels = options.isSmoke ? [1] : [1, 3, 6, 12, 25, 50, 100]
    let cases = try ThumbnailCase.growing(megapixels, in: folder, wants: options.wants)
    return try cases.flatMap { try ThumbnailBench.rows($0, peers: peers, options, folder: folder) }
  }

  // MARK: Entries

  private final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private struct Missed: Error {}

  /// Reads an object, so that no look can be left out.
  private static func sum(_ keys: [CacheKey], _ look: (CacheKey) -> Box?) throws {
    var sum = 0
    for key in keys { sum &+= look(key)?.number ?? 0 }
    if sum == 0 { throw Missed() }
  }

  private static func cache(cost: Int) -> MemoryCache<CacheKey, Box> {
    MemoryCache(MemoryCacheConfiguration(costLimit: cost, maximumEntryFraction: 1))
  }

  private static func entries(_ count: Int, _ options: BenchOptions, _ report: inout BenchReport) throws {
    let names = ["memory-cache-hit@\(count)", "memory-cache-insert-and-evict@\(count)"]
    guard names.contains(where: options.wants) else { return }
    var random = SeededGenerator(seed: 1)
    func keys(_ count: Int) -> [CacheKey] {
      (0..<count).map { _ in CacheKey(high: random.next(), low: random.next()) }
    }
    let present = keys(count)
    let order = (0..<options.operations).map { _ in present[Int(random.next() % UInt64(count))] }
    let absent = keys(options.operations)
    let (roomy, full) = (cache(cost: .max), cache(cost: count * 1000))
    let table = Mutex<[MemoryCacheBench.IdentityKey: Box]>([:])
    for (number, key) in present.enumerated() {
      let box = Box(number + 1)
      roomy.store(box, forKey: key, cost: 1000)
      full.store(box, forKey: key, cost: 1000)
      table.withLock { $0[.init(high: key.high, low: key.low)] = box }
    }
    let hits = [
      Rounds.Subject(name: "ozu") { try sum(order) { roomy.value(forKey: $0) } },
      Rounds.Subject(name: "yardstick:mutex-and-identity-dictionary") {
        try sum(order) { key in table.withLock { $0[.init(high: key.high, low: key.low)] } }
      },
    ]
    let box = Box(0)
    let insertion = Rounds.Subject(name: "ozu") {
      for key in absent { full.store(box, forKey: key, cost: 1000) }
    }
    for (name, subjects) in zip(names, [hits, [insertion]]) {
      for (subject, samples) in zip(subjects, try Rounds.cpuMilliseconds(subjects, rounds: options.rounds)) {
        report.rows.append(
          BenchReport.Row(
            name: name, subject: subject.name, metric: "cpu_ns_per_operation",
            samples: samples.map { $0 * 1e6 / Double(options.operations) }))
      }
    }
  }

  // MARK: Requests

  /// Loads of different pictures that are all begun before the first is awaited, and tasks that share one load; beside
  /// Swift tasks that do nothing. Each figure is the mean of up to 50 repetitions: each has a new pipeline, which takes
  /// milliseconds to make.
  private static func requests(_ count: Int, _ options: BenchOptions) async throws -> [BenchReport.Row] {
    let names = ["cold-loads-at-once@\(count)", "one-picture-at-once@\(count)"]
    guard names.contains(where: options.wants) else { return [] }
    let different = PipelineBench.requests(count)
    let repetitions = max(1, min(options.isSmoke ? 1 : 50, 10_000 / count))
    let subjects: [(name: String, subject: String, work: () async throws -> Duration)] = [
      (names[0], "ozu", { try await loads(different) }),
      (names[1], "ozu", { try await loads([ImageRequest](repeating: different[0], count: count)) }),
      (
        names[0], "yardstick:task",
        {
          let start = ProcessTime.now
          let tasks = (0..<count).map { index in Task.detached { index } }
          for task in tasks { _ = await task.value }
          return ProcessTime.now - start
        }
      ),
    ]
    var samples = subjects.map { _ in [Double]() }
    for round in 0...options.rounds {
      for (index, subject) in subjects.enumerated() {
        var time = Duration.zero
        for _ in 0..<repetitions { time += try await subject.work() }
        if round > 0 { samples[index].append(time / .microseconds(1) / Double(count * repetitions)) }
      }
    }
    return zip(subjects, samples).map { subject, samples in
      BenchReport.Row(
        name: subject.name, subject: subject.subject, metric: "cpu_us_per_request", samples: samples,
        digits: 3)
    }
  }

  private static func loads(_ requests: [ImageRequest]) async throws -> Duration {
    let pipeline = PipelineBench.pipeline()
    let start = ProcessTime.now
    let tasks = requests.map { pipeline.task(for: $0) }
    for task in tasks { _ = try await task.image }
    return ProcessTime.now - start
  }
}
