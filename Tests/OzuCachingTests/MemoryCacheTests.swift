import Dispatch
import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuCaching

/// A value that calls a closure when it is released.
final class Noted: Sendable {
  let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  deinit { action() }
}

func configuration(
  cost: Int, count: Int = .max, fraction: Double = 1, shards: Int = 1
) -> MemoryCacheConfiguration {
  var configuration = MemoryCacheConfiguration(
    costLimit: cost, countLimit: count, maximumEntryFraction: fraction)
  configuration.shardCount = shards
  return configuration
}

@Suite("The memory cache")
struct MemoryCacheTests {
  @Test("a stored value is found until it is replaced or removed")
  func basics() {
    let cache = MemoryCache<String, Int>(configuration(cost: 100))
    #expect(cache.value(forKey: "a") == nil)
    #expect(cache.store(1, forKey: "a", cost: 10))
    #expect(cache.store(2, forKey: "b", cost: 20))
    #expect(cache.value(forKey: "a") == 1)
    #expect(cache.totalCost == 30)
    cache.store(3, forKey: "a", cost: 5)
    #expect(cache.value(forKey: "a") == 3)
    #expect(cache.totalCost == 25)
    #expect(cache.count == 2)
    #expect(cache.removeValue(forKey: "a") == 3)
    #expect(cache.removeValue(forKey: "a") == nil)
    #expect(!cache.contains("a"))
    #expect(cache.contains("b"))
    cache.removeAll()
    #expect(cache.count == 0)
    #expect(cache.totalCost == 0)
    #expect(cache.value(forKey: "b") == nil)
    let statistics = cache.statistics
    #expect(statistics.hits == 2)
    #expect(statistics.misses == 2)
    #expect(statistics.insertions == 2)
    #expect(statistics.replacements == 1)
  }

  @Test("an entry larger than the allowed part of the limit is refused, and its key then has no value")
  func refusal() {
    let cache = MemoryCache<String, Int>(configuration(cost: 1000, fraction: 0.1))
    #expect(cache.store(1, forKey: "a", cost: 100))
    #expect(!cache.store(2, forKey: "a", cost: 101))
    #expect(cache.value(forKey: "a") == nil)
    #expect(cache.totalCost == 0)
    #expect(cache.statistics.refusals == 1)
  }

  @Test(
    "random operations never exceed a limit and never return a wrong value",
    arguments: [(1, 1000, 50), (1, 1000, Int.max), (4, 5000, 40), (8, 300, 10), (2, 0, 5), (2, 100, 0)])
  func model(shards: Int, cost: Int, count: Int) {
    var random = SeededGenerator(seed: UInt64(shards + cost))
    let cache = MemoryCache<Int, Int>(configuration(cost: cost, count: count, fraction: 0.5, shards: shards))
    var latest: [Int: Int] = [:]
    for step in 0..<8000 {
      let key = Int.random(in: 0..<120, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let entryCost = Int.random(in: 0...(cost / 3 + 5), using: &random)
        let isStored = cache.store(step, forKey: key, cost: entryCost)
        #expect(isStored == (count > 0 && entryCost <= cost / 2))
        #expect(cache.contains(key) == isStored)
        latest[key] = isStored ? step : nil
      case 5..<9:
        if let value = cache.value(forKey: key) { #expect(value == latest[key]) }
      default:
        let removed = cache.removeValue(forKey: key)
        if let removed { #expect(removed == latest[key]) }
        latest[key] = nil
        #expect(!cache.contains(key))
      }
      #expect(cache.totalCost <= cost)
      #expect(cache.count <= count)
      if step == 4000 { cache.trim(toCost: cost / 3) }
    }
    checkInvariants(of: cache)
  }

  /// Sums over nodes, queues and tables agree with the totals.
  func checkInvariants<Key, Value>(of cache: MemoryCache<Key, Value>) {
    var (cost, count) = (0, 0)
    for number in 0...cache.shardMask {
      cache.withShard(number) { shard in
        for queue in [shard.small, shard.main] {
          var (index, length, sum, previous) = (queue.head, 0, 0, Int32(-1))
          while index >= 0 {
            let node = shard.node(Int(index))
            let (before, found) = (node.pointee.previous, shard.find(node.pointee.key, tag: node.pointee.tag))
            #expect(before == previous)
            #expect(found == Int(index))
            length += 1
            sum += node.pointee.cost
            (previous, index) = (index, node.pointee.next)
          }
          #expect(queue.tail == previous)
          #expect(length == queue.count)
          #expect(sum == queue.cost)
          cost += sum
          count += length
        }
        let tabled = shard.table.count
        #expect(tabled == shard.small.count + shard.main.count)
      }
    }
    #expect(cost == cache.totalCost)
    #expect(count == cache.count)
  }

  @Test("a scan of a thousand pictures does not evict those in use", arguments: [1, 2])
  func scan(shards: Int) {
    let cache = MemoryCache<CacheKey, Int>(configuration(cost: 200, shards: shards))
    let used = (0..<100).map { CacheKey("used \($0)") }
    for _ in 0..<4 {
      for (number, key) in used.enumerated() where cache.value(forKey: key) == nil {
        cache.store(number, forKey: key, cost: 1)
      }
    }
    for number in 0..<1000 { cache.store(number, forKey: CacheKey("scanned \(number)"), cost: 1) }
    #expect(used.count { cache.contains($0) } >= 95)
    #expect(cache.totalCost == 200)
  }

  @Test("an entry that is stored again soon after its eviction from the small queue joins the main queue")
  func ghostHit() {
    let cache = MemoryCache<CacheKey, Int>(configuration(cost: 100))
    for number in 0..<150 { cache.store(number, forKey: key(number), cost: 1) }
    // The first ninety overflowed into the main queue while the cache filled.
    #expect(cache.contains(key(20)))
    #expect(!cache.contains(key(120)))
    cache.store(20, forKey: key(120), cost: 1)
    for number in 1000..<1500 { cache.store(number, forKey: key(number), cost: 1) }
    #expect(cache.contains(key(120)))
    checkInvariants(of: cache)
  }

  @Test("limits can be changed while running")
  func changingLimits() {
    let cache = MemoryCache<Int, Int>(configuration(cost: 1000, shards: 4))
    for key in 0..<100 { cache.store(key, forKey: key, cost: 10) }
    #expect(cache.totalCost == 1000)
    cache.costLimit = 500
    #expect(cache.costLimit == 500)
    #expect(cache.totalCost == 500)
    cache.countLimit = 20
    #expect(cache.count == 20)
    cache.trim(toCost: 55)
    #expect(cache.totalCost == 50)
    cache.costLimit = 1000
    cache.countLimit = .max
    for key in 0..<100 { cache.store(key, forKey: key, cost: 10) }
    #expect(cache.totalCost == 1000)
    cache.costLimit = -1
    #expect(cache.count == 0)
    checkInvariants(of: cache)
  }
}

/// A number that many threads add to.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }
  var value: Int { number.load(ordering: .relaxed) }
}
