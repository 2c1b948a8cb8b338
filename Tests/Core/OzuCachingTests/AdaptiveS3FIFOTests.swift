import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The eviction policy")
struct AdaptiveS3FIFOTests {
  private static let one = AdaptiveS3FIFO.whole / 100

  /// A policy with a full cache.
  private static func full() -> AdaptiveS3FIFO {
    var policy = AdaptiveS3FIFO()
    policy.expect(200)
    policy.noteEviction(of: 0, fromMain: false, part: 1, of: 100)
    return policy
  }

  @Test("an entry evicted from the small queue is remembered while a whole cache is evicted")
  func remembered() {
    var policy = Self.full()
    policy.noteEviction(of: 1, fromMain: false, part: 1, of: 100)
    for tag in 100..<190 as Range<UInt32> { policy.noteEviction(of: tag, fromMain: false, part: 1, of: 100) }
    let stranger = policy.admitsToMain(5, part: 1, of: 100)
    let known = policy.admitsToMain(1, part: 1, of: 100)
    for tag in 200..<320 as Range<UInt32> { policy.noteEviction(of: tag, fromMain: false, part: 1, of: 100) }
    let forgotten = policy.admitsToMain(150, part: 1, of: 100)
    #expect(!stranger)
    #expect(known)
    #expect(!forgotten)
  }

  @Test("near misses of the small queue make it longer, those of the main queue shorter, within bounds")
  func adapts() {
    var policy = Self.full()
    let start = policy.smallShare
    func miss(fromMain: Bool, tag: UInt32) {
      policy.noteEviction(of: tag, fromMain: fromMain, part: 1, of: 100)
      _ = policy.admitsToMain(tag, part: 1, of: 100)
    }
    miss(fromMain: false, tag: 1)
    #expect(policy.smallShare == start + Self.one)
    miss(fromMain: true, tag: 2)
    #expect(policy.smallShare == start)
    for tag in 10..<200 as Range<UInt32> { miss(fromMain: false, tag: tag) }
    #expect(policy.smallShare == AdaptiveS3FIFO.whole / 10 * 9)
    for tag in 10..<200 as Range<UInt32> { miss(fromMain: true, tag: tag) }
    #expect(policy.smallShare == AdaptiveS3FIFO.whole / 100)
  }

  @Test("an entry evicted from the small queue long ago joins the main queue and changes no share")
  func farMiss() {
    var policy = Self.full()
    let start = policy.smallShare
    policy.noteEviction(of: 1, fromMain: false, part: 1, of: 100)
    for tag in 100..<120 as Range<UInt32> { policy.noteEviction(of: tag, fromMain: false, part: 1, of: 100) }
    let isKnown = policy.admitsToMain(1, part: 1, of: 100)
    #expect(isKnown)
    #expect(policy.smallShare == start)
  }

  /// The hit ratio of a cache of `capacity` entries over a trace.
  private func hitRatio(_ trace: some Sequence<Int>, capacity: Int) -> Double {
    let cache = MemoryCache<CacheKey, Int>(
      MemoryCacheConfiguration(costLimit: .max, countLimit: capacity, maximumEntryFraction: 1))
    for number in trace {
      let key = CacheKey("\(number)")
      if cache.value(forKey: key) == nil { cache.store(number, forKey: key, cost: 0) }
    }
    return cache.statistics.hitRatio
  }

  @Test("a loop longer than the cache keeps some of its entries, where LRU would keep none")
  func loop() {
    let trace = (0..<60).flatMap { _ in 0..<300 }
    #expect(hitRatio(trace, capacity: 100) > 0.2)
  }

  @Test("scans between the uses of a working set evict little of it")
  func scans() {
    var random = SeededGenerator(seed: 4)
    var trace: [Int] = []
    for round in 0..<40 {
      for _ in 0..<300 { trace.append(Int.random(in: 0..<80, using: &random)) }
      trace += (0..<200).map { 1_000_000 + round * 200 + $0 }
    }
    // All uses of the set except the first few hundred are hits. A scanned entry is never a hit.
    #expect(hitRatio(trace, capacity: 120) > 0.55)
  }

  @Test("the cache adapts to scrolling back over entries that were just used")
  func scrollBack() {
    var trace: [Int] = []
    for screen in 0..<600 {
      let end = (screen + 1) * 30
      trace += (end - 30)..<end
      trace += ((end - 30)..<end).reversed()
    }
    // Half of the requests go back at most 60 requests; LRU of 70 hits them all, a fixed tenth would hit few.
    #expect(hitRatio(trace, capacity: 70) > 0.45)
  }
}
