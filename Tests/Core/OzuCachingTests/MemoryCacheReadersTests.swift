import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Readers must see whole values, and the cache must count every lookup, while other threads write.
@Suite("Reading the memory cache while others write", .timeLimit(.minutes(15)))
struct MemoryCacheReadersTests {
  /// A value that knows its key, as long as it is alive.
  private final class Named: Sendable {
    let key: Int
    private let state = Atomic<Int>(1)
    init(_ key: Int) { self.key = key }
    deinit { state.store(0, ordering: .relaxed) }
    func isWhole(_ key: Int) -> Bool { self.key == key && state.load(ordering: .relaxed) == 1 }
  }

  private func cache() -> MemoryCache<Int, Named> {
    MemoryCache(MemoryCacheConfiguration(costLimit: .max, countLimit: 100, maximumEntryFraction: 1))
  }

  @Test("no reader sees a value of another key or a released value")
  func values() {
    let cache = cache()
    let (wrong, looks, found) = (Counter(), Counter(), Counter())
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for step in 0..<6000 {
        let key = Int.random(in: 0..<160, using: &random)
        switch (thread % 2, step % 8) {
        case (1, 0): cache.removeValue(forKey: key)
        case (1, 1): if step % 512 == 1 { cache.removeAll() }
        case (1, _): cache.store(Named(key), forKey: key, cost: 1)
        case (_, 0): _ = cache.contains(key)
        case (_, 1):
          looks.add(1)
          if cache.withValue(forKey: key, { $0.isWhole(key) }) == false { wrong.add(1) }
        default:
          looks.add(1)
          guard let value = cache.value(forKey: key) else { continue }
          found.add(1)
          if !value.isWhole(key) { wrong.add(1) }
        }
      }
    }
    #expect(wrong.value == 0)
    #expect(found.value > 0)
    let statistics = cache.statistics
    #expect(statistics.hits + statistics.misses == looks.value)
    #expect(statistics.hits >= found.value)
    #expect(cache.count <= 100)
  }

  @Test("a writer waits until a reader has left the part, and a reader of another part does not wait")
  func waiting() {
    let cache = cache()
    let key = 0
    let part = cache.tag(of: key) >> 27
    let other = (1..<1000).first { cache.tag(of: $0) >> 27 != part } ?? 1
    for key in [key, other] { cache.store(Named(key), forKey: key, cost: 1) }
    let (isInside, mayLeave, isBegun, isDone) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
      DispatchSemaphore(value: 0)
    )
    let order = Mutex<[String]>([])
    DispatchQueue(label: "reader").async {
      _ = cache.withValue(forKey: key) { _ in
        isInside.signal()
        mayLeave.wait()
        order.withLock { $0.append("read") }
        return 0
      }
      isDone.signal()
    }
    isInside.wait()
    #expect(cache.withValue(forKey: other) { $0.key } == other)
    DispatchQueue(label: "writer").async {
      isBegun.signal()
      cache.store(Named(key), forKey: key, cost: 2)
      order.withLock { $0.append("written") }
      isDone.signal()
    }
    isBegun.wait()
    // Gives a writer that does not wait the time to write.
    for _ in 0..<2000 { sched_yield() }
    mayLeave.signal()
    for _ in 0..<2 { isDone.wait() }
    // It would wait for itself if a hit took the lock of the queues.
    #expect(cache.queues.withLock { _ in cache.withValue(forKey: other) { $0.key } } == other)
    #expect(order.withLock { $0 } == ["read", "written"])
    #expect(cache.totalCost == 3)
    #expect(cache.statistics.hits == 3)
  }
}
