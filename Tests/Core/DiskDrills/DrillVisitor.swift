import Foundation
import OzuCaching

/// One of several processes of an app that load the same things: it asks for keys of which some are wanted far more often than
/// others (Zipf), and stores what it has not found, after the time that a download would take.
enum DrillVisitor {
  static let keyCount = 4000
  static let byteCount = 4000
  /// Larger than all entries together: a key that is not found was not stored yet.
  static let capacity = 128 << 20
  private static let download: UInt32 = 5000

  /// Counts of the loads of one or more visitors of a folder.
  struct Visits {
    var loads = 0
    var hits = 0
    var bad = 0
    var dropped = 0

    init() {}

    /// The counts in a line that a visitor printed; nil for any other line.
    init?(_ line: String) {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard line.hasPrefix("visited "), numbers.count == 4 else { return nil }
      (loads, hits, bad, dropped) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    static func += (sum: inout Visits, visits: Visits) {
      sum.loads += visits.loads
      sum.hits += visits.hits
      sum.bad += visits.bad
      sum.dropped += visits.dropped
    }

    var hitRate: Double { Double(hits) / Double(max(1, loads)) }
  }

  /// Makes `count` loads and prints their counts. For zero it makes loads until it is killed.
  static func run(directory: String, count: Int, seed: Int) throws {
    let cache = try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: capacity))
    var random = Generator(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1)
    var weights: [Double] = []
    var sum = 0.0
    for rank in 1...keyCount {
      sum += 1 / pow(Double(rank), 0.9)
      weights.append(sum)
    }
    var visits = Visits()
    while count == 0 || visits.loads < count {
      visits.loads += 1
      let draw = Double.random(in: 0..<sum, using: &random)
      let number = weights.partitioningIndex { $0 > draw }
      let key = CacheKey("visit \(number)")
      if let found = cache.entry(forKey: key)?.body {
        visits.hits += 1
        if found != body(number) { visits.bad += 1 }
        usleep(200)
      } else {
        usleep(download)
        cache.store(body(number), forKey: key)
      }
    }
    visits.dropped = cache.statistics.dropped
    cache.close()
    print("visited \(visits.loads) \(visits.hits) \(visits.bad) \(visits.dropped)")
  }

  static func body(_ number: Int) -> Data {
    var random = Generator(state: UInt64(number) << 8 | 1)
    return Data((0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) })
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}

extension [Double] {
  /// The first index whose element satisfies `isBehind`, as all elements after it must.
  fileprivate func partitioningIndex(where isBehind: (Double) -> Bool) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
