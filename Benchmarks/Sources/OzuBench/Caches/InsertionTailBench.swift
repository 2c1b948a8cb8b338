import Ozu
import OzuTesting

/// The slowest single insertions: while a cache grows, and while it is full and every entry in it was used. Then an
/// eviction has the most entries to skip.
///
/// The same insertions are done five times into caches that are equal, and the quickest time of each counts: what
/// interrupts a processor strikes another insertion every time, what the cache does to itself strikes the same one.
/// Times are the thread's processor time, less what asking for it takes.
enum InsertionTailBench {
  private final class Box: Sendable {}

  static func measure(count: Int, evictions: Int, _ report: inout BenchReport) {
    var random = SeededGenerator(seed: 9)
    let keys = (0..<count + evictions).map { _ in CacheKey(high: random.next(), low: random.next()) }
    var quickest = [Double](repeating: .infinity, count: keys.count)
    var idle = quickest
    let box = Box()
    for _ in 0..<5 {
      let cache = MemoryCache<CacheKey, Box>(
        MemoryCacheConfiguration(costLimit: count * 1000, maximumEntryFraction: 1))
      for (number, key) in keys.enumerated() {
        if number == count {
          for _ in 0..<3 { for key in keys[..<count] { _ = cache.value(forKey: key) } }
        }
        let start = DecodingContext.systemThreadTime()
        let middle = DecodingContext.systemThreadTime()
        cache.store(box, forKey: key, cost: 1000)
        let end = DecodingContext.systemThreadTime()
        idle[number] = min(idle[number], (middle - start).milliseconds * 1e6)
        quickest[number] = min(quickest[number], (end - middle).milliseconds * 1e6)
      }
    }
    let overhead = idle.sorted()[idle.count / 2]
    for (name, range) in [("growing-to", 0..<count), ("full-of", count..<keys.count)] {
      // Measuring an empty operation shows how much of a tail comes from the machine.
      for (subject, times) in [("yardstick:nothing", idle[range]), ("ozu", quickest[range])] {
        let sorted = times.sorted()
        for (percentile, share) in [("p50", 0.5), ("p99", 0.99), ("p99.99", 0.9999), ("worst", 1)] {
          let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
          report.rows.append(
            BenchReport.Row(
              name: "insert-\(name)-\(count)-\(percentile)", subject: subject, metric: "cpu_ns",
              samples: [max(0, sorted[index] - overhead)]))
        }
      }
    }
  }
}
