import Dispatch
import Foundation
import OzuBase
import OzuCaching

// How long fetches wait for other work on a cache with a million entries.
extension DiskDrills {
  /// The most that a fetch may wait.
  private static let limit = Duration.milliseconds(5)

  private static var entryCount: Int {
    #if DEBUG
      20_000
    #else
      1_000_000
    #endif
  }

  /// Looks up random keys on a thread of its own, and keeps the longest time that a lookup took.
  private final class Asker: Sendable {
    private let longest = Mutex(Duration.zero)
    private let isOver = Atomic<Bool>(false)
    private let done = DispatchSemaphore(value: 0)

    init(_ cache: DiskCache, count: Int) {
      Thread.detachNewThread { [self] in
        let clock = ContinuousClock()
        var most = Duration.zero
        while !isOver.load(ordering: .relaxed) {
          let key = CacheKey("\(Int.random(in: 0..<count))")
          let start = clock.now
          _ = cache.contains(key)
          most = max(most, start.duration(to: clock.now))
        }
        longest.withLock { $0 = most }
        done.signal()
      }
    }

    /// Ends the thread.
    func end() -> Duration {
      isOver.store(true, ordering: .relaxed)
      done.wait()
      return longest.withLock { $0 }
    }
  }

  /// The longest wait of a lookup while `body` runs: the least of some rounds, because another program may take the
  /// processor from the thread in one of them, and a lock that is held too long is held in all.
  private func longestWait(_ cache: () throws -> DiskCache, _ body: (DiskCache, _ round: Int) throws -> Void)
    rethrows
    -> Duration
  {
    var least = Duration.seconds(3600)
    for round in 0..<5 {
      let cache = try cache()
      let asker = Asker(cache, count: Self.entryCount)
      try body(cache, round)
      least = min(least, asker.end())
    }
    return least
  }

  /// Checks that no lookup waits while pages are written, read back or drained.
  func waiting() throws -> Bool {
    let (directory, count) = (root + "/waiting", Self.entryCount)
    func open() throws -> DiskCache {
      try DiskCache(directory: directory, configuration: DiskCacheConfiguration(capacity: 2 << 30))
    }
    var cache = try open()
    let body = Data(count: 16)
    for number in 0..<count {
      cache.store(body, forKey: CacheKey("\(number)"), in: number % 50 == 0 ? "few" : .default)
    }
    var waits: [(String, Duration)] = []
    waits.append(
      (
        "pages are written",
        longestWait({ cache }) { cache, round in
          for number in 0..<count / 20 { cache.store(body, forKey: CacheKey("\(round) \(number)")) }
        }
      ))
    waits.append(
      (
        "all entries are listed",
        try longestWait({
          cache.close()
          cache = try open()
          return cache
        }) { cache, _ in _ = cache.entries() }
      ))
    waits.append(
      (
        "a partition is trimmed",
        longestWait({ cache }) { cache, round in
          cache.setCapacity(cache.byteCount(of: "few") * 9 / 10, of: "few")
        }
      ))
    waits.append(
      (
        "the cache is trimmed",
        try longestWait({ cache }) { cache, _ in
          try cache.trim(toByteCount: cache.totalByteCount * 19 / 20)
        }
      ))
    cache.setCapacity(cache.totalByteCount)
    waits.append(
      (
        "segments are drained",
        longestWait({ cache }) { cache, round in
          for number in 0..<count / 20 { cache.store(body, forKey: CacheKey("new \(round) \(number)")) }
        }
      ))
    let evicted = cache.statistics.evictions
    cache.close()
    return report(
      "no lookup waits among \(count) entries", waits.allSatisfy { $0.1 <= Self.limit } && evicted > 0,
      waits.map { "\($0.0): \($0.1)" }.joined(separator: "; "))
  }
}
