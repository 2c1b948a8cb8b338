import Foundation
import Ozu
import OzuTesting

/// How often a full cache has what is asked for: our memory cache against LRU, SIEVE, S3-FIFO and W-TinyLFU, on
/// recorded traces when a folder of them is given, and on workloads of pictures.
///
/// The replay runs `MemoryCache` itself, a new one in each round: each has a seed of its own, and where a loop is longer than the
/// cache, the seed decides much. For traces the ratios of the others are those of `EXPECTED.json`; for the workloads they are
/// computed here.
enum EvictionBench {
  static let name = "eviction"
  private static let peers = [
    ("LRU", "LRU"), ("Sieve", "SIEVE"), ("S3FIFO", "S3-FIFO"), ("WTinyLFU", "W-TinyLFU"),
  ]

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    if let folder = options.traces {
      var byCount = Summary(name: "traces-by-count")
      var byCost = Summary(name: "traces-by-bytes")
      for trace in try EvictionTrace.all(in: folder) {
        for (capacity, expected) in trace.expectedByCount.sorted(by: { $0.key < $1.key }) {
          let requests = trace.requests.map { EvictionWorkload.Request(key: $0.key, cost: 0) }
          let ratios = (0..<options.rounds).map { _ in ozu(requests, count: capacity) }
          add("\(trace.name)@\(capacity)", ratios, known(expected), &byCount, &report)
        }
        for (capacity, expected) in trace.expectedByCost.sorted(by: { $0.key < $1.key }) {
          let ratios = (0..<options.rounds).map { _ in ozu(trace.requests, cost: capacity) }
          add("\(trace.name)@\(Self.megabytes(capacity))", ratios, known(expected), &byCost, &report)
        }
      }
      for summary in [byCount, byCost] { report.rows += summary.rows }
    }
    var workloads = Summary(name: "workloads")
    for workload in EvictionWorkload.all() {
      for capacity in workload.capacities {
        let others = [
          ("LRU", replay(workload.requests, LRUPolicy(capacity: capacity))),
          ("SIEVE", replay(workload.requests, SievePolicy(capacity: capacity))),
          ("S3-FIFO", replay(workload.requests, S3FIFOPolicy(capacity: capacity))),
        ]
        let ratios = (0..<options.rounds).map { _ in ozu(workload.requests, cost: capacity) }
        add("\(workload.name)@\(capacity >> 20)MB", ratios, others, &workloads, &report)
      }
    }
    report.rows += workloads.rows
    return report
  }

  private static func megabytes(_ count: Int) -> String {
    count < 1_000_000_000
      ? String(format: "%.1f MB", Double(count) / 1e6) : String(format: "%.2f GB", Double(count) / 1e9)
  }

  private static func known(_ expected: [String: Double]) -> [(String, Double)] {
    peers.compactMap { name, title in expected[name].map { (title, $0) } }
  }

  private static func ozu(_ requests: [EvictionWorkload.Request], cost: Int = .max, count: Int = .max)
    -> Double
  {
    let cache = MemoryCache<CacheKey, Int>(
      MemoryCacheConfiguration(costLimit: cost, countLimit: count, maximumEntryFraction: 1))
    var hits = 0
    for request in requests {
      // A trace's numbers are no hashes; one round of mixing makes them so.
      var mix = SeededGenerator(seed: UInt64(bitPattern: Int64(request.key)))
      let key = CacheKey(high: mix.next(), low: mix.next())
      if cache.value(forKey: key) != nil {
        hits += 1
      } else {
        cache.store(request.key, forKey: key, cost: request.cost)
      }
    }
    return Double(hits) / Double(max(1, requests.count))
  }

  private static func replay(
    _ requests: [EvictionWorkload.Request], _ policy: some ReferencePolicy
  ) -> Double {
    var policy = policy
    var hits = 0
    for request in requests where policy.request(request.key, cost: request.cost) { hits += 1 }
    return Double(hits) / Double(max(1, requests.count))
  }

  private static func add(
    _ name: String, _ ratios: [Double], _ others: [(String, Double)], _ summary: inout Summary,
    _ report: inout BenchReport
  ) {
    for (subject, samples) in [("ozu", ratios)] + others.map({ ($0.0, [$0.1]) }) {
      let row = BenchReport.Row(
        name: name, subject: subject, metric: "hit_ratio", samples: samples, digits: 4)
      report.rows.append(row)
      summary.sums[subject, default: 0] += row.median
    }
    summary.count += 1
    if let lru = others.first(where: { $0.0 == "LRU" })?.1 {
      summary.worst = min(summary.worst, ratios.sorted()[ratios.count / 2] - lru)
    }
  }

  /// The mean over all cases, and the case in which LRU is furthest ahead.
  private struct Summary {
    let name: String
    var sums: [String: Double] = [:]
    var count = 0
    var worst = Double.infinity

    var rows: [BenchReport.Row] {
      guard count > 0 else { return [] }
      let means = sums.sorted { $0.key == "ozu" || ($1.key != "ozu" && $0.key < $1.key) }.map {
        subject, sum in
        BenchReport.Row(
          name: name, subject: subject, metric: "mean_hit_ratio", samples: [sum / Double(count)], digits: 4)
      }
      return means + [
        BenchReport.Row(
          name: name + "-worst", subject: "ozu", metric: "hit_ratio_minus_lru", samples: [worst], digits: 4)
      ]
    }
  }
}
