import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// A value that calls a closure when it is released.
final class Noted: Sendable {
  let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  deinit { action() }
}

func configuration(cost: Int, count: Int = .max, fraction: Double = 1) -> MemoryCacheConfiguration {
  MemoryCacheConfiguration(costLimit: cost, countLimit: count, maximumEntryFraction: fraction)
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

  @Test("whether a value may be stored is asked while nothing can be removed")
  func conditions() {
    let cache = MemoryCache<String, Int>(configuration(cost: 100))
    #expect(cache.store(1, forKey: "a", cost: 5) { cache.queues.withLockIfAvailable { _ in } == nil })
    #expect(!cache.store(2, forKey: "a", cost: 7) { false })
    #expect(cache.value(forKey: "a") == 1 && cache.totalCost == 5)
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
    "random operations have the same results as in a cache of arrays, and no limit is exceeded",
    arguments: [(1000, 50), (1000, Int.max), (5000, 40), (300, 10), (0, 5), (100, 0)], [1 as UInt64, 2])
  func model(limits: (cost: Int, count: Int), seed: UInt64) {
    let (cost, count) = limits
    var random = SeededGenerator(seed: seed + UInt64(cost))
    let evicted = Mutex<[Int]>([])
    let cache = MemoryCache<Int, Int>(configuration(cost: cost, count: count, fraction: 0.5)) { key, _ in
      evicted.withLock { $0.append(key) }
    }
    var naive = NaiveCache(costLimit: cost, countLimit: count) { cache.tag(of: $0) }
    for step in 0..<8000 {
      let key = Int.random(in: 0..<120, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        let entryCost = Int.random(in: 0...(cost / 3 + 5), using: &random) / (step % 2 == 0 ? 1 : 10)
        let isStored = naive.store(step, forKey: key, cost: entryCost, fraction: 0.5)
        #expect(cache.store(step, forKey: key, cost: entryCost) == isStored)
      case 10..<18: #expect(cache.value(forKey: key) == naive.value(forKey: key))
      case 18: #expect(cache.removeValue(forKey: key) == naive.remove(key))
      default:
        guard step % 10 == 0 else { continue }
        cache.trim(toCost: cost / 2)
        naive.trim(toCost: cost / 2)
      }
      #expect(evicted.withLock { $0 } == naive.evicted, "seed \(seed), step \(step)")
      (naive.evicted, _) = ([], evicted.withLock { $0 = [] })
      #expect(cache.totalCost == naive.totalCost && cache.totalCost <= cost)
      #expect(cache.count == naive.count && cache.count <= count)
      if step % 20 == 0 {
        #expect((0..<120).filter(cache.contains) == (0..<120).filter { naive.entry(forKey: $0) != nil })
      }
    }
    checkInvariants(of: cache)
  }

  /// Sums over nodes, queues and tables agree with the totals, and each node has a cell.
  func checkInvariants<Key, Value>(of cache: MemoryCache<Key, Value>) {
    let parts = MemoryCache<Key, Value>.partCount
    cache.queues.withLock { queues in
      var linked: [Int] = []
      for queue in [queues.small, queues.main] {
        var (next, previous, length, cost) = (queue.head, Int32(-1), 0, 0)
        while next >= 0 {
          let node = queues.nodes[Int(next)]
          #expect(node.previous == previous)
          linked.append(Int(next))
          length += 1
          cost += node.cost
          (previous, next) = (next, node.next)
        }
        #expect(queue.tail == previous)
        #expect(queue.count == length)
        #expect(queue.cost == cost)
      }
      var celled: [Int] = []
      for number in 0..<parts {
        let nodes = cache.withTable(number) { table in
          var nodes: [Int] = []
          table.forEach { cell in
            nodes.append(cell.pointee.node)
            let found = table.find(cell.pointee.key, cell.pointee.tag)
            #expect(found == cell)
          }
          #expect(nodes.count == table.count)
          return nodes
        }
        celled += nodes
      }
      #expect(celled.sorted() == linked.sorted())
    }
  }

  @Test("a scan of a thousand pictures does not evict those in use")
  func scan() {
    let cache = MemoryCache<CacheKey, Int>(configuration(cost: 200))
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
    let cache = MemoryCache<Int, Int>(configuration(cost: 1000))
    for key in 0..<100 { cache.store(key, forKey: key, cost: 10) }
    #expect(cache.totalCost == 1000)
    cache.costLimit = 500
    #expect(cache.costLimit == 500)
    #expect(cache.totalCost == 500)
    cache.countLimit = 20
    #expect(cache.countLimit == 20 && cache.count == 20)
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

/// A cache that keeps its queues in arrays, the newest entry first, and asks the same policy.
private struct NaiveCache {
  struct Entry {
    let key: Int
    var value: Int
    var cost: Int
    var hits: UInt32 = 0
  }

  let costLimit: Int
  let countLimit: Int
  let tag: (Int) -> UInt32
  /// The small queue and the main queue.
  private var queues: [[Entry]] = [[], []]
  private var policy = AdaptiveS3FIFO()
  var evicted: [Int] = []

  init(costLimit: Int, countLimit: Int, tag: @escaping (Int) -> UInt32) {
    (self.costLimit, self.countLimit, self.tag) = (costLimit, countLimit, tag)
  }

  var count: Int { queues[0].count + queues[1].count }
  var totalCost: Int { queues.joined().reduce(0) { $0 + $1.cost } }

  private func position(of key: Int) -> (queue: Int, index: Int)? {
    for queue in 0...1 {
      if let index = queues[queue].firstIndex(where: { $0.key == key }) { return (queue, index) }
    }
    return nil
  }

  func entry(forKey key: Int) -> Entry? { position(of: key).map { queues[$0.queue][$0.index] } }

  mutating func value(forKey key: Int) -> Int? {
    guard let (queue, index) = position(of: key) else { return nil }
    queues[queue][index].hits = min(3, queues[queue][index].hits + 1)
    return queues[queue][index].value
  }

  mutating func remove(_ key: Int) -> Int? {
    position(of: key).map { queues[$0.queue].remove(at: $0.index).value }
  }

  mutating func store(_ value: Int, forKey key: Int, cost: Int, fraction: Double) -> Bool {
    guard countLimit > 0, Double(cost) <= Double(costLimit) * fraction else {
      _ = remove(key)
      return false
    }
    var entry = Entry(key: key, value: value, cost: cost)
    let former = position(of: key)
    if let (queue, index) = former {
      entry.hits = queues[queue][index].hits
      if totalCost - queues[queue][index].cost + cost <= costLimit {
        queues[queue][index] = entry
        return true
      }
      queues[queue].remove(at: index)
    }
    var steps = 16
    while totalCost + cost > costLimit || count + 1 > countLimit {
      evict(byCost: totalCost + cost > costLimit, &steps)
    }
    if let (queue, _) = former {
      queues[queue].insert(entry, at: 0)
      return true
    }
    let isFilling = !policy.hasEvicted
    let (part, total) = part(cost)
    let isInMain = policy.admitsToMain(tag(key), part: part, of: total)
    queues[isInMain ? 1 : 0].insert(entry, at: 0)
    for _ in 0..<4 where isFilling && queues[0].count > 1 && isSmallFull(byCost: totalCost > 0) {
      queues[1].insert(queues[0].removeLast(), at: 0)
    }
    if count > policy.expected { policy.expect(count) }
    return true
  }

  mutating func trim(toCost cost: Int) {
    while totalCost > cost {
      var steps = 16
      evict(byCost: true, &steps)
    }
  }

  private func isSmallFull(byCost: Bool) -> Bool {
    let sizes = queues.map { queue in byCost ? queue.reduce(0) { $0 + $1.cost } : queue.count }
    return policy.isSmallFull(sizes[0], sizes[1])
  }

  private func part(_ cost: Int) -> (Int, of: Int) {
    totalCost > 0 ? (cost, totalCost) : (1, max(1, count))
  }

  private mutating func evict(byCost: Bool, _ steps: inout Int) {
    while true {
      let queue = queues[1].isEmpty || (!queues[0].isEmpty && isSmallFull(byCost: byCost)) ? 0 : 1
      let (part, total) = part(queues[queue].last?.cost ?? 0)
      var entry = queues[queue].removeLast()
      guard entry.hits >= (queue == 0 ? 2 : 1), steps > 0 else {
        policy.noteEviction(of: tag(entry.key), fromMain: queue == 1, part: part, of: total)
        evicted.append(entry.key)
        return
      }
      steps -= 1
      entry.hits = queue == 0 ? 0 : entry.hits - 1
      queues[1].insert(entry, at: 0)
    }
  }
}

/// A number that many threads add to.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }
  var value: Int { number.load(ordering: .relaxed) }
}
