import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension MemoryCacheTests {
  @Test("the closure is called for evicted entries, and for no others")
  func evictionsTold() {
    let told = Mutex<[String]>([])
    let cache = MemoryCache<String, Int>(configuration(cost: 100)) { key, value in
      told.withLock { $0.append("\(key) \(value)") }
    }
    cache.store(1, forKey: "replaced", cost: 10)
    cache.store(2, forKey: "replaced", cost: 10)
    cache.store(3, forKey: "removed", cost: 10)
    cache.removeValue(forKey: "removed")
    #expect(told.withLock { $0 } == [])
    cache.store(4, forKey: "large", cost: 95)
    #expect(told.withLock { $0 } == ["replaced 2"])
    cache.store(5, forKey: "small", cost: 5)
    cache.trim(toCost: 0)
    #expect(told.withLock { $0.sorted() } == ["large 4", "replaced 2", "small 5"])
    cache.store(6, forKey: "rest", cost: 5)
    cache.removeAll()
    #expect(told.withLock { $0.count } == 3)
    #expect(cache.statistics.costEvictions == 3)
  }

  @Test("an entry is served for its lifetime and not longer")
  func lifetimes() {
    let clock = ManualClock()
    let configuration = MemoryCacheConfiguration(costLimit: 100, lifetime: .seconds(10), now: clock.now)
    let cache = MemoryCache<String, Int>(configuration)
    cache.store(1, forKey: "usual", cost: 1)
    cache.store(2, forKey: "long", cost: 1, lifetime: .seconds(60))
    cache.store(3, forKey: "ever", cost: 1, lifetime: .seconds(Int64.max))
    cache.store(4, forKey: "over", cost: 1, lifetime: .zero)
    #expect(cache.value(forKey: "over") == nil)
    clock.advance(by: .milliseconds(9999))
    #expect(cache.value(forKey: "usual") == 1)
    clock.advance(by: .milliseconds(1))
    #expect(!cache.contains("usual"))
    #expect(cache.value(forKey: "usual") == nil)
    #expect(cache.value(forKey: "long") == 2)
    clock.advance(by: .seconds(3600))
    #expect(cache.value(forKey: "long") == nil)
    #expect(cache.value(forKey: "ever") == 3)
    #expect(cache.statistics.expirations == 3)
    #expect(cache.count == 1)
  }

  @Test("the clock is not read while no entry has a lifetime")
  func idleClock() {
    let readings = Counter()
    let configuration = MemoryCacheConfiguration(
      costLimit: 100,
      now: {
        readings.add(1)
        return ContinuousClock.now
      })
    let cache = MemoryCache<Int, Int>(configuration)
    for key in 0..<50 { cache.store(key, forKey: key, cost: 5) }
    for key in 0..<50 { _ = cache.value(forKey: key) }
    #expect(readings.value == 1)
  }

  @Test("values are released outside the locks: their deinitializers may use the cache")
  func reentrantRelease() {
    let cache = MemoryCache<Int, Noted>(configuration(cost: 10))
    let released = Counter()
    let make: @Sendable () -> Noted = {
      Noted { [weak cache] in
        released.add(1)
        _ = cache?.value(forKey: 1)
        _ = cache?.count
      }
    }
    for key in 0..<50 { cache.store(make(), forKey: key, cost: 1) }
    #expect(released.value == 40)
    cache.store(make(), forKey: 49, cost: 10)
    cache.removeValue(forKey: 49)
    cache.store(make(), forKey: 1, cost: 1)
    cache.store(make(), forKey: 1, cost: 1)
    cache.trim(toCost: 0)
    cache.store(make(), forKey: 2, cost: 1)
    cache.removeAll()
    #expect(released.value == 54)
  }

  @Test("the sums stay correct with threads on all cores")
  func threads() {
    let cache = MemoryCache<Int, Int>(configuration(cost: 2000, count: 300, fraction: 0.3))
    let violations = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for step in 0..<5000 {
        let key = Int.random(in: 0..<500, using: &random)
        switch step % 16 {
        case 0..<6: cache.store(key, forKey: key, cost: Int.random(in: 0..<40, using: &random))
        case 6..<14: if let value = cache.value(forKey: key), value != key { violations.add(1) }
        case 14: cache.removeValue(forKey: key)
        default: if step % 1024 == 15 { cache.removeAll() } else { _ = cache.statistics }
        }
        if cache.totalCost > 2000 || cache.count > 300 { violations.add(1) }
      }
    }
    #expect(violations.value == 0)
    checkInvariants(of: cache)
  }

  @Test("one insertion moves at most sixteen entries, even when every entry was used")
  func boundedMoves() {
    let cache = MemoryCache<Int, Int>(configuration(cost: 1000))
    for key in 0..<1000 { cache.store(key, forKey: key, cost: 1) }
    for _ in 0..<4 { for key in 0..<1000 { _ = cache.value(forKey: key) } }
    // The cache filled without evicting, so the first nine tenths overflowed into the main queue in order.
    let oldest = 0
    cache.store(0, forKey: 5000, cost: 1)
    // Sixteen entries were moved to the end of the queue; then the seventeenth was evicted, although it was used.
    #expect(cache.contains(oldest))
    #expect(!cache.contains(oldest + 16))
    #expect(cache.contains(oldest + 17))
    #expect(cache.count == 1000)
  }
}
