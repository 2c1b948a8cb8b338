import Dispatch
import Foundation
import Ozu
import OzuTesting
import Synchronization

/// The cost of a hit, and of the other operations, when two threads use the same entries of one cache: elapsed time
/// divided by all operations of all threads. So two threads that do not disturb each other have half the figure of
/// one thread.
///
/// Beside the cache stand a lock around a dictionary, and the least that any cache must do which hands out shared
/// objects: retain one and release it. That alone moves the object's cache line from processor to processor, unless
/// the two are siblings on one core; a look at the value where it lies (`withValue`) spares it.
enum HitThreadsBench {
  private typealias Box = MemoryCacheBench.Box

  static func measure(_ count: Int, _ keys: [CacheKey], _ options: BenchOptions, _ report: inout BenchReport)
  {
    let hits = min(40_000, options.operations)
    let indices = (0..<2).map { thread -> [Int] in
      var random = SeededGenerator(seed: UInt64(20 + thread))
      return (0..<hits).map { _ in Int(random.next() % UInt64(count)) }
    }
    let orders = indices.map { $0.map { keys[$0] } }
    let boxes = (0..<count).map { Box($0) }
    let cache = MemoryCache<CacheKey, Box>(
      MemoryCacheConfiguration(costLimit: .max, maximumEntryFraction: 1))
    for (key, box) in zip(keys, boxes) { cache.store(box, forKey: key, cost: 1000) }
    let full = MemoryCache<CacheKey, Box>(
      MemoryCacheConfiguration(costLimit: count * 1000, maximumEntryFraction: 1))
    let table = MemoryCacheBench.Table()
    for (key, box) in zip(keys, boxes) {
      table.set(box, forKey: key)
      full.store(box, forKey: key, cost: 1000)
    }
    let absent = (0..<2).map { thread -> [CacheKey] in
      var random = SeededGenerator(seed: UInt64(30 + thread))
      return (0..<hits).map { _ in CacheKey(high: random.next(), low: random.next()) }
    }
    let dictionary = "yardstick:mutex-and-identity-dictionary"
    // Chosen at run time: a retain that the compiler can see through would be optimised away.
    let picks: [@Sendable (Int) -> Box] = [{ boxes[$0] }, { _ in boxes[0] }]
    let pick = picks[options.rounds > 0 ? 0 : 1]
    let subjects: [(name: String, subject: String, work: @Sendable (Int) -> Int)] = [
      ("hit", "ozu", { orders[$0].reduce(0) { $0 &+ (cache.value(forKey: $1)?.number ?? 0) } }),
      ("look", "ozu", { orders[$0].reduce(0) { $0 &+ (cache.withValue(forKey: $1) { $0.number } ?? 0) } }),
      ("hit", dictionary, { orders[$0].reduce(0) { $0 &+ (table.value(forKey: $1)?.number ?? 0) } }),
      ("miss", "ozu", { absent[$0].reduce(0) { $0 &+ (cache.value(forKey: $1)?.number ?? 0) } }),
      ("miss", dictionary, { absent[$0].reduce(0) { $0 &+ (table.value(forKey: $1)?.number ?? 0) } }),
      (
        "replace", "ozu",
        {
          for key in orders[$0] { cache.store(boxes[0], forKey: key, cost: 1000) }; return 0
        }
      ),
      (
        "replace", dictionary,
        {
          for key in orders[$0] { table.set(boxes[0], forKey: key) }; return 0
        }
      ),
      (
        "insert-and-evict", "ozu",
        {
          for key in absent[$0] { full.store(boxes[0], forKey: key, cost: 1000) }; return 0
        }
      ),
      ("hit", "yardstick:retain-and-release", { indices[$0].reduce(0) { $0 &+ pick($1).number } }),
    ]
    for (name, subject, work) in subjects {
      var samples: [[Double]] = [[], []]
      for _ in 0..<max(3, options.rounds * 5) {
        for threads in 1...2 {
          samples[threads - 1].append(quietRound(threads, work) / Double(hits * threads))
        }
      }
      for (threads, samples) in zip(["one-thread", "two-threads"], samples) {
        report.rows.append(
          BenchReport.Row(
            name: "\(name)-\(count)-\(threads)", subject: subject, metric: "wall_ns_per_hit", samples: samples
          )
        )
      }
    }
  }

  /// The nanoseconds of a round in which every thread had a processor to itself all the while, or of the quickest of
  /// some attempts.
  private static func quietRound(_ threads: Int, _ work: @escaping @Sendable (Int) -> Int) -> Double {
    var quickest = Double.infinity
    for _ in 0..<10 {
      let round = round(threads, work)
      if round.processors > 0.95 * Double(threads) { return round.wall }
      quickest = min(quickest, round.wall)
    }
    return quickest
  }

  private final class Clock: Sendable {
    let ready = Atomic<Int>(0)
    let start = Atomic<Int>(.max)
    let end = Atomic<Int>(0)
    let processorTime = Atomic<Int>(0)
    let sum = Atomic<Int>(0)
  }

  /// Starts all threads at once; returns elapsed nanoseconds and how many processors they had on the average.
  private static func round(
    _ threads: Int, _ work: @escaping @Sendable (Int) -> Int
  ) -> (wall: Double, processors: Double) {
    let clock = Clock()
    let epoch = ContinuousClock.now
    let isDone = DispatchSemaphore(value: 0)
    let run: @Sendable (Int) -> Void = { thread in
      clock.ready.wrappingAdd(1, ordering: .acquiringAndReleasing)
      // For microseconds, so that both begin together.
      while clock.ready.load(ordering: .acquiring) < threads {}
      clock.start.min(nanoseconds(since: epoch), ordering: .relaxed)
      let time = DecodingContext.systemThreadTime()
      let sum = work(thread)
      let used = DecodingContext.systemThreadTime() - time
      clock.end.max(nanoseconds(since: epoch), ordering: .relaxed)
      clock.processorTime.wrappingAdd(Int(used.milliseconds * 1e6), ordering: .relaxed)
      clock.sum.wrappingAdd(sum, ordering: .relaxed)
      isDone.signal()
    }
    for thread in 1..<max(1, threads) { Thread.detachNewThread { run(thread) } }
    run(0)
    for _ in 0..<threads { isDone.wait() }
    let wall = Double(clock.end.load(ordering: .relaxed) - clock.start.load(ordering: .relaxed))
    return (wall, Double(clock.processorTime.load(ordering: .relaxed)) / max(1, wall))
  }

  private static func nanoseconds(since epoch: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - epoch).milliseconds * 1e6)
  }
}
