import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The memory cache when memory is short")
struct MemoryCachePressureTests {
  @Test("a warning halves the cache, critical pressure empties it", arguments: [10, 0])
  func pressure(cost: Int) {
    let pressure = ManualMemoryPressure()
    let told = Counter()
    var cache: MemoryCache<Int, Int>? = MemoryCache(
      MemoryCacheConfiguration(costLimit: 1000, maximumEntryFraction: 1, pressure: pressure),
      onEviction: { _, _ in told.add(1) })
    for key in 0..<100 { cache?.store(key, forKey: key, cost: cost) }
    pressure.signal(.warning)
    #expect(cache?.totalCost == 50 * cost)
    #expect(cache?.count == 50)
    #expect(cache?.statistics.pressureEvictions == 50)
    pressure.signal(.critical)
    #expect(cache?.count == 0)
    let statistics = cache?.statistics
    #expect(statistics?.pressureEvents == 2)
    #expect(statistics?.pressureEvictions == 100)
    #expect(statistics?.costEvictions == 0)
    #expect(statistics?.countEvictions == 0)
    #expect(told.value == 100)
    #expect(cache?.costLimit == 1000)
    cache = nil
    #expect(pressure.observerCount == 0)
  }

  @Test("every eviction is counted once, under its reason")
  func reasons() {
    let clock = ManualClock()
    let pressure = ManualMemoryPressure()
    let configuration = MemoryCacheConfiguration(
      costLimit: 100, countLimit: 20, maximumEntryFraction: 1, pressure: pressure, now: clock.now)
    let cache = MemoryCache<Int, Int>(configuration)
    for key in 0..<25 { cache.store(key, forKey: key, cost: 1) }
    #expect(cache.statistics.countEvictions == 5)
    cache.store(100, forKey: 100, cost: 95)
    #expect(cache.statistics.costEvictions == 15)
    cache.store(101, forKey: 101, cost: 0, lifetime: .seconds(1))
    clock.advance(by: .seconds(2))
    #expect(cache.value(forKey: 101) == nil)
    pressure.signal(.critical)
    let statistics = cache.statistics
    #expect(statistics.expirations == 1)
    #expect(statistics.pressureEvictions == 6)
    #expect(statistics.insertions == 27)
    #expect(statistics.count == 0)
  }
}
