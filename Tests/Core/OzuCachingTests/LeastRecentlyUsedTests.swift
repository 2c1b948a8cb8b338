import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Evictions of a full disk cache, compared with lists in the order of use.
@Suite("Eviction, compared with a list in the order of use")
struct LeastRecentlyUsedTests {
  /// The naive model: the entries of a partition, the least recently used first.
  private struct UseList {
    var entries: [(number: Int, byteCount: Int)] = []
    var capacity: Int
    private var byteCount = 0

    init(capacity: Int) { self.capacity = capacity }

    var numbers: Set<Int> { Set(entries.map(\.number)) }

    mutating func remove(_ number: Int) {
      guard let place = entries.firstIndex(where: { $0.number == number }) else { return }
      byteCount -= entries.remove(at: place).byteCount
    }

    /// Moves an entry to the end.
    ///
    /// - Returns: Whether it was there.
    mutating func use(_ number: Int) -> Bool {
      guard let place = entries.firstIndex(where: { $0.number == number }) else { return false }
      entries.append(entries.remove(at: place))
      return true
    }

    mutating func store(_ number: Int, _ byteCount: Int) {
      remove(number)
      if capacity > 0, byteCount > capacity { return }
      entries.append((number, byteCount))
      self.byteCount += byteCount
      keepCapacity()
    }

    mutating func keepCapacity() {
      while capacity > 0, byteCount > capacity { byteCount -= entries.removeFirst().byteCount }
    }
  }

  /// The bytes of a record without metadata and label, in a partition whose name has one letter.
  private static func recordLength(_ count: Int) -> Int { (EntryHeader.byteCount + 1 + count + 7) & ~7 }

  @Test(
    "a partition has exactly the entries that were used last, whatever is stored, used and removed",
    arguments: 0..<6)
  func partitions(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = Fixture(capacity: 8 << 20)
    // Small, large enough for several walks, and without a capacity.
    fixture.partitions = ["a": 10 * Self.recordLength(200), "b": 300 * Self.recordLength(200)]
    var cache = try fixture.open()
    var lists: [Partition: UseList] = [:]
    for partition in ["a", "b", "c"] as [Partition] {
      lists[partition] = UseList(capacity: fixture.partitions[partition] ?? 0)
    }
    func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    var newest = 0
    for step in 0..<Cases.count(3000, of: 20_000) {
      fixture.clock.advance(by: .nanoseconds(draw(1..<1_000_000_000)))
      let partition: Partition = draw(0..<4) == 0 ? "a" : draw(0..<8) == 0 ? "c" : "b"
      // New entries, and old ones of which most are still there: as a list that is scrolled back and on.
      newest += 1
      let isNew = draw(0..<2) == 0
      let known = lists[partition]?.entries ?? []
      let number = isNew || known.isEmpty ? newest : max(1, known[draw(0..<known.count)].number - draw(0..<2))
      switch draw(0..<1000) {
      case 0..<500:
        let count = draw(0..<4) == 0 ? draw(16..<2000) : 200
        lists[partition]?.store(number, Self.recordLength(count))
        cache.store(body(number, version: step, count: count), forKey: key(number), in: partition)
      case 500..<900:
        let isThere = lists[partition]?.use(number)
        #expect((cache.entry(forKey: key(number), in: partition) != nil) == isThere, "seed \(seed), \(step)")
      case 900..<950:
        let isThere = lists[partition]?.use(number)
        #expect(cache.touch(key(number), in: partition) == isThere, "seed \(seed), step \(step)")
      case 950..<990:
        lists[partition]?.remove(number)
        cache.remove(forKey: key(number), in: partition)
      case 990..<996 where partition == "b":
        let capacity = draw(5..<400) * Self.recordLength(200)
        lists["b"]?.capacity = capacity
        lists["b"]?.keepCapacity()
        cache.setCapacity(capacity, of: "b")
        fixture.partitions["b"] = capacity
      case 996..<1000:
        cache.close()
        cache = try fixture.open()
      default: break
      }
      if step % 10 == 0 {
        for (partition, list) in lists {
          let found = Set(list.numbers.filter { cache.contains(key($0), in: partition) })
          #expect(found == list.numbers, "seed \(seed), step \(step), \(partition)")
          #expect(
            cache.count(in: partition) == list.entries.count, "seed \(seed), step \(step), \(partition)")
        }
      }
    }
    #expect(cache.statistics.errors == 0)
  }

  @Test(
    "a list that was scrolled back to its top leaves the partition when new pictures come",
    arguments: [10, 100, 1000], [Duration.seconds(1), .seconds(-86_400)])
  func scrolledBack(count: Int, jump: Duration) throws {
    var fixture = Fixture(capacity: 16 << 20)
    fixture.partitions = ["a": count * Self.recordLength(200)]
    let cache = try fixture.open()
    func store(_ number: Int) {
      fixture.clock.advance(by: .seconds(1))
      cache.store(body(number, count: 200), forKey: key(number), in: "a")
    }
    for number in 0..<count { store(number) }
    for number in 0..<count * 9 / 10 {
      fixture.clock.advance(by: .seconds(1))
      #expect(cache.entry(forKey: key(number), in: "a") != nil)
    }
    // The clock may be set back: what is dated in the future is not the newest.
    fixture.clock.advance(by: jump)
    for number in count..<3 * count { store(number) }
    #expect((0..<3 * count).filter { cache.contains(key($0), in: "a") } == Array(2 * count..<3 * count))
  }

  /// A segment is removed as a whole, so the cache's own capacity follows the order of use in steps of segments.
  @Test(
    "the whole cache answers as often as a list in the order of use", arguments: Cases.every(2, of: [0, 1]))
  func whole(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let capacity = 2 << 20
    let fixture = Fixture(capacity: capacity)
    let cache = try fixture.open()
    var list = UseList(capacity: capacity)
    var hits = (cache: 0, list: 0)
    for step in 0..<Cases.count(6000, of: 30_000) {
      fixture.clock.advance(by: .seconds(1))
      // Most requests are for few numbers; the others pass by.
      let draw = Double.random(in: 0..<1, using: &random)
      let number = step % 5 == 0 ? 10_000 + step : Int(4000 * draw * draw * draw)
      let count = 500 + number * 37 % 3000
      if list.use(number) { hits.list += 1 } else { list.store(number, Self.recordLength(count)) }
      if cache.entry(forKey: key(number), in: "a") != nil {
        hits.cache += 1
      } else {
        cache.store(body(number, count: count), forKey: key(number), in: "a")
      }
    }
    #expect(Double(hits.cache) > 0.95 * Double(hits.list), "seed \(seed): \(hits)")
    // New entries displace all others in the end, also those that were used.
    for number in 50_000..<52_500 { cache.store(body(number, count: 2000), forKey: key(number), in: "a") }
    #expect(
      cache.entries().allSatisfy { entry in (50_000..<52_500).contains { key($0) == entry.key } },
      "seed \(seed)")
  }
}
