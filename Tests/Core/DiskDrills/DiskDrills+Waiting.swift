import Dispatch
import Foundation
import OzuBase
import OzuCaching

// How long fetches wait for the lock that other work on a cache with a million entries holds.
extension DiskDrills {
  /// The most that a fetch may wait.
  fileprivate static let limit = Duration.milliseconds(5)

  fileprivate static var entryCount: Int {
    #if DEBUG
      20_000
    #else
      1_000_000
    #endif
  }

  /// The fetches beside one kind of work.
  private struct Waits {
    let name: String
    /// The longest waits of each round.
    private var waits: [DrillFetcher.Waits] = []
    /// The pages or entries that the work of each round was about: the fewest. A round without them proves nothing, and is left
    /// out: a trim may find all its bytes in the stored index.
    var count = Int.max

    /// - Parameters:
    ///   - counted: The pages or entries so far.
    ///   - body: The work of a round.
    init(
      _ name: String, _ cache: () throws -> DiskCache, counted: (DiskCache) -> Int,
      _ body: (DiskCache, _ round: Int) throws -> Void
    ) rethrows {
      self.name = name
      for round in 0..<5 {
        let cache = try cache()
        let before = counted(cache)
        let fetcher = DrillFetcher(cache, count: DiskDrills.entryCount)
        try body(cache, round)
        let (longest, done) = (fetcher.end(), counted(cache) - before)
        guard done > 0 else { continue }
        waits.append(longest)
        count = min(count, done)
      }
    }

    /// The longest waits, in the round where they are the least: an interrupt may come while the lock is held in one of them, and other
    /// programs use the disk and the memory too. A lock that is held too long is held in all rounds.
    private var lookup: Duration { waits.map(\.lookup).min() ?? .zero }
    private var fetch: Duration { waits.map(\.fetch).min() ?? .zero }

    func isGood(atLeast least: Int) -> Bool {
      !waits.isEmpty && max(lookup, fetch) <= DiskDrills.limit && count >= least
    }

    var text: String {
      guard !waits.isEmpty else { return "\(name): never" }
      let fetches = waits.reduce(0) { $0 + $1.count }
      return "\(name): lookups \(lookup), fetches \(fetch), \(fetches) of them beside \(count)"
    }
  }

  /// Checks that no fetch waits while pages are written, read back or drained.
  func waiting() throws -> Bool {
    let (directory, count) = (root + "/waiting", Self.entryCount)
    let files = DrillFileSystem()
    func open() throws -> DiskCache {
      try DiskCache(
        directory: directory, configuration: DiskCacheConfiguration(capacity: count << 11, fileSystem: files))
    }
    var cache = try open()
    let (short, long, longCount) = (Data(count: 16), Data(count: 30_000), 40 + count / 1000)
    for number in 0..<count {
      cache.store(short, forKey: CacheKey("\(number)"), in: number % 50 == 0 ? "few" : .default)
    }
    func pageWrites(_ cache: DiskCache) -> Int { files.state.withLock { $0.pageWrites } }
    func pageReads(_ cache: DiskCache) -> Int { files.state.withLock { $0.pageReads } }
    func evictions(_ cache: DiskCache) -> Int { cache.statistics.evictions }
    /// Stores long entries, which fill segments, until the count has grown enough. Uses make the pages dirty.
    func store(
      _ cache: DiskCache, _ name: (Int) -> String, until counted: (DiskCache) -> Int, hasGrownBy growth: Int
    ) {
      let end = counted(cache) + growth
      // A cache that never evicts is another drill's fault to find.
      for number in 0..<min(30_000, 4 * (count << 11) / long.count) {
        if number % 16 == 0, counted(cache) >= end { return }
        cache.store(long, forKey: CacheKey(name(number)), in: "long")
        for _ in 0..<8 { cache.touch(CacheKey("\(Int.random(in: 0..<count))")) }
      }
    }
    let written = Waits("pages are written", { cache }, counted: pageWrites) { cache, _ in
      store(cache, { "long \($0 % longCount)" }, until: pageWrites, hasGrownBy: count / 100)
    }
    try cache.removeAll(in: "long")
    let readBack = try Waits(
      "pages are read back",
      {
        cache.close()
        cache = try open()
        return cache
      }, counted: pageReads
    ) { cache, _ in _ = cache.entries() }
    let partition = Waits("a partition is trimmed", { cache }, counted: evictions) { cache, _ in
      cache.setCapacity(cache.byteCount(of: "few") * 9 / 10, of: "few")
    }
    // Segments with much dead space are rewritten before an entry is evicted.
    let trimmed = try Waits(
      "the cache is trimmed", { cache }, counted: { $0.statistics.evictions + $0.statistics.compactions }
    ) { cache, _ in try cache.trim(toByteCount: cache.totalByteCount * 4 / 5) }
    cache.setCapacity(cache.totalByteCount)
    // New keys each time: a full cache makes room for them by eviction, for replaced ones by the records that they leave dead.
    let drained = Waits("segments are drained", { cache }, counted: evictions) { cache, round in
      store(cache, { "long \(round) \($0)" }, until: evictions, hasGrownBy: count / 50)
    }
    cache.close()
    let all = [written, readBack, partition, trimmed, drained]
    return report(
      "no fetch waits among \(count) entries",
      written.isGood(atLeast: count / 100) && readBack.isGood(atLeast: count / 100)
        && partition.isGood(atLeast: 1) && trimmed.isGood(atLeast: 1) && drained.isGood(atLeast: count / 50),
      all.map(\.text).joined(separator: "; "))
  }
}
