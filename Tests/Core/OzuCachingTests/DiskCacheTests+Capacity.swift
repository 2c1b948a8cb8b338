import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheTests {
  @Test(
    "the files never exceed the capacity, from the first store to the last",
    arguments: Cases.every(2, of: [(2 << 10, 300), (16 << 10, 1000), (100 << 10, 4000), (1 << 20, 300_000)]))
  func bound(capacity: Int, largest: Int) throws {
    var random = SeededGenerator(seed: UInt64(capacity))
    var fixture = Fixture(capacity: capacity)
    fixture.partitions = ["small": capacity / 8]
    let cache = try fixture.open()
    var versions: [CacheKey: Data] = [:]
    for step in 0..<2000 {
      let number = Int.random(in: 0..<500, using: &random)
      let partition: Partition = number % 5 == 0 ? "small" : "large"
      let scale = Double.random(in: 0...1, using: &random)
      let data = body(number, version: step, count: Int(Double(largest) * scale * scale * scale))
      if cache.store(data, forKey: key(number), in: partition) {
        versions[key(number)] = data
        #expect(cache.entry(forKey: key(number), in: partition)?.body == data)
      } else {
        versions[key(number)] = nil
      }
      if step % 3 == 0 { _ = cache.entry(forKey: key(step % 20), in: step % 5 == 0 ? "small" : "large") }
      #expect(cache.totalByteCount <= capacity)
      #expect(cache.byteCount(of: "small") <= capacity / 8)
      if step % 100 == 0 { #expect(cache.totalByteCount == fixture.byteCount) }
    }
    #expect(cache.count > 2)
    let evictions = cache.evictionCounts
    #expect(evictions["small"] ?? 0 > 0 && evictions["large"] ?? 0 > 0)
    #expect(evictions.values.reduce(0, +) == cache.statistics.evictions)
    #expect(fixture.segments.count < 64)
    for entry in cache.entries() { #expect(versions[entry.key] != nil) }
    #expect(fixture.errors.all.isEmpty)
    #expect(cache.statistics.corruptEntries == 0)
  }

  @Test("the pages of many small entries leave with them when one large entry needs the room")
  func largeAfterSmall() throws {
    let fixture = Fixture(capacity: 256 << 10)
    let cache = try fixture.open()
    for number in 0..<4000 { cache.store(body(number, count: 16), forKey: key(number)) }
    try #require(fixture.files.contents(of: Fixture.pages)?.count ?? 0 > 60 << 10)
    #expect(cache.store(body(1, count: 200 << 10), forKey: key(1)))
    #expect(cache.totalByteCount <= 256 << 10)
    #expect(fixture.byteCount == cache.totalByteCount)
    #expect(cache.entry(forKey: key(1))?.body == body(1, count: 200 << 10))
  }

  @Test("entries that are used stay while many others are stored")
  func hotEntries() throws {
    let fixture = Fixture(capacity: 256 << 10)
    let cache = try fixture.open()
    for number in 0..<20 { cache.store(body(number, count: 1000), forKey: key(number)) }
    for number in 1000..<3000 {
      cache.store(body(number, count: 1000), forKey: key(number))
      fixture.clock.advance(by: .seconds(1))
      _ = cache.entry(forKey: key(number % 20))
    }
    #expect((0..<20).count { cache.contains(key($0)) } == 20)
    #expect(cache.statistics.evictions > 1500)
    // Copying costs less than storing.
    #expect(cache.statistics.relocations < 1000)
  }

  @Test("a partition over its capacity evicts the least recently used entries")
  func partitionCapacity() throws {
    var fixture = Fixture(capacity: 256 << 10)
    fixture.partitions = ["p": 10 * 320, "none": -1]
    let cache = try fixture.open()
    for number in 0..<10 {
      fixture.clock.advance(by: .seconds(1))
      #expect(cache.store(body(number, count: 200), forKey: key(number), in: "p"))
    }
    #expect(cache.count(in: "p") == 10)
    #expect(cache.byteCount(of: "p") <= 3200)
    #expect(cache.touch(key(0), in: "p"))
    cache.store(body(10, count: 200), forKey: key(10), in: "p")
    cache.store(body(11, count: 200), forKey: key(11), in: "p")
    #expect(cache.contains(key(0), in: "p"))
    #expect(!cache.contains(key(1), in: "p"))
    #expect(!cache.store(body(1, count: 4000), forKey: key(0), in: "p"))
    #expect(!cache.contains(key(0), in: "p"))
    #expect(cache.statistics.refusals == 1)
    cache.setCapacity(1000, of: "p")
    #expect(cache.byteCount(of: "p") <= 1000)
    #expect(cache.capacity(of: "p") == 1000)
    cache.setCapacity(0, of: "p")
    for partition in ["p", "none"] as [Partition] {
      #expect(cache.store(body(1, count: 4000), forKey: key(0), in: partition))
    }
  }

  @Test("entries are listed from the last used to the first, also after reopening, and the listing can stop")
  func order() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<10 {
      fixture.clock.advance(by: .seconds(1))
      cache.store(body(number), forKey: key(number), in: number < 8 ? "p" : "q", label: "\(number)")
    }
    for number in [3, 9, 1] {
      fixture.clock.advance(by: .seconds(1))
      _ = cache.entry(forKey: key(number), in: number < 8 ? "p" : "q")
    }
    #expect(cache.entries(in: "p").map(\.label) == ["1", "3", "7", "6", "5", "4", "2", "0"])
    #expect(cache.entries().map(\.label) == ["1", "9", "3", "8", "7", "6", "5", "4", "2", "0"])
    #expect(cache.entries().first { _ in true }?.accessDate == fixture.clock.currentDate)
    let before = fixture.files.callCount
    #expect(cache.entries().prefix(2).map(\.label) == ["1", "9"])
    #expect(fixture.files.callCount - before <= 3)
    let reopened = try reopen(cache, fixture)
    #expect(reopened.entries().map(\.label) == ["1", "9", "3", "8", "7", "6", "5", "4", "2", "0"])
  }

  @Test(
    "trimming keeps the most recently used entries and frees the space", arguments: [0, 1, 700, 5000, 20_000])
  func trimming(limit: Int) throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<100 {
      fixture.clock.advance(by: .seconds(1))
      cache.store(body(number), forKey: key(number))
    }
    try cache.trim(toByteCount: limit)
    #expect(cache.totalByteCount <= limit)
    #expect(fixture.byteCount == cache.totalByteCount)
    // Two pages and the header of the index, where it is worth storing.
    #expect(cache.count >= (limit > 18_000 ? limit - 9_000 : limit) / 320 - 1)
    for number in (100 - cache.count)..<100 {
      #expect(cache.entry(forKey: key(number))?.body == body(number))
    }
  }

  @Test("the capacity can be lowered while running and at opening")
  func capacityChange() throws {
    var fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for number in 0..<500 { cache.store(body(number, count: 1500), forKey: key(number)) }
    cache.setCapacity(100 << 10)
    #expect(cache.capacity == 100 << 10)
    #expect(cache.totalByteCount <= 100 << 10)
    #expect(cache.totalByteCount > 80 << 10)
    #expect(cache.contains(key(499)))
    cache.close()
    fixture.capacity = 20 << 10
    let reopened = try fixture.open()
    #expect(reopened.totalByteCount <= 20 << 10)
    #expect(reopened.count > 5)
  }

  @Test("a released cache releases its lock and stores its dates")
  func dropping() throws {
    let fixture = Fixture()
    var cache: DiskCache? = try fixture.open()
    cache?.store(body(1), forKey: key(1))
    fixture.clock.advance(by: .seconds(100))
    _ = cache?.entry(forKey: key(1))
    cache = nil
    let reopened = try fixture.open()
    #expect(reopened.statistics.isWriter)
    #expect(reopened.info(forKey: key(1))?.accessDate == fixture.clock.currentDate)
  }
}
