import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Evicted values that are alive elsewhere")
struct LiveValuesTests {
  @Test(
    "an evicted value that other code keeps alive is found again, if this is configured",
    arguments: [true, false])
  func alive(isFound: Bool) {
    let clock = ManualClock()
    var configuration = MemoryCacheConfiguration(costLimit: 10, maximumEntryFraction: 1, now: clock.now)
    configuration.findsEvictedAlive = isFound
    let cache = MemoryCache<Int, Noted>(configuration)
    let kept = (0..<100).map { _ in Noted {} }
    for (key, value) in kept.enumerated() {
      cache.store(value, forKey: key, cost: 1, lifetime: key == 95 ? .seconds(5) : nil)
    }
    for key in 100..<300 { cache.store(Noted {}, forKey: key, cost: 1) }
    #expect(cache.count == 10)
    #expect((cache.value(forKey: 94) === kept[94]) == isFound)
    #expect(cache.contains(95) == isFound)
    #expect(cache.value(forKey: 150) == nil)
    #expect(cache.statistics.weakHits == (isFound ? 1 : 0))
    clock.advance(by: .seconds(6))
    #expect(!cache.contains(95))
    let newer = Noted {}
    cache.store(newer, forKey: 94, cost: 1)
    #expect(cache.value(forKey: 94) === newer)
    cache.removeValue(forKey: 93)
    #expect(!cache.contains(93))
    cache.removeValues { key, _ in key == 92 }
    #expect(!cache.contains(92) && cache.contains(91) == isFound)
    cache.removeAll()
    #expect(!cache.contains(91))
    withExtendedLifetime(kept) {}
  }

  @Test("values that are not objects cannot be found after their eviction")
  func aliveValues() {
    var configuration = MemoryCacheConfiguration(costLimit: 10, maximumEntryFraction: 1)
    configuration.findsEvictedAlive = true
    let cache = MemoryCache<Int, String>(configuration)
    for key in 0..<100 { cache.store("value", forKey: key, cost: 1) }
    #expect((0..<100).count { cache.contains($0) } == 10)
  }

  @Test("no eviction does the work of many: a sweep reads a small part of the references")
  func sweeping() throws {
    let values = try #require(LiveValues<Int, Noted>())
    let kept = (0..<20_000).map { _ in Noted {} }
    var (most, all) = (0, 0)
    for (key, value) in kept.enumerated() {
      let held = values.note(value, forKey: key, deadline: .max).count
      most = max(most, held)
      all += held
    }
    #expect(most <= 200)
    #expect(all <= 40_000)
    #expect((0..<20_000).allSatisfy { values.find($0)?.value === kept[$0] })
  }

  @Test("references to released values are removed")
  func dead() throws {
    let values = try #require(LiveValues<Int, Noted>())
    let released = Counter()
    for key in 0..<20_000 { _ = values.note(Noted { released.add(1) }, forKey: key, deadline: .max) }
    #expect(released.value == 20_000)
    #expect(values.count < 256 * 8)
    #expect(values.find(19_999) == nil)
  }
}
