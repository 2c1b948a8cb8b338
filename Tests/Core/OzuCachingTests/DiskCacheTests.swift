import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The disk cache")
struct DiskCacheTests {
  @Test("a stored entry is found at once, with metadata, label and dates")
  func basics() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    let stored = fixture.clock.currentDate
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.store(body(1), metadata: Data([1, 2]), forKey: key(1), label: "https://example.org/ü"))
    fixture.clock.advance(by: .seconds(5))
    let entry = try #require(cache.entry(forKey: key(1)))
    #expect(entry.body == body(1))
    #expect(entry.body.startIndex == 0)
    #expect(entry.metadata == Data([1, 2]))
    #expect(entry.label == "https://example.org/ü")
    #expect(entry.storedDate == stored)
    #expect(entry.accessDate == stored)
    #expect(cache.info(forKey: key(1))?.accessDate == fixture.clock.currentDate)
    #expect(cache.metadata(forKey: key(1)) == Data([1, 2]))
    #expect(cache.contains(key(1)))
    #expect(!cache.contains(key(1), in: "other"))
    let info = try #require(cache.info(forKey: key(1)))
    #expect(info.bodyByteCount == 200)
    #expect(info.label == "https://example.org/ü")
    #expect(cache.count == 1)
    #expect(cache.remove(forKey: key(1), in: .default))
    #expect(!cache.remove(forKey: key(1), in: .default))
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.metadata(forKey: key(1)) == nil)
    let statistics = cache.statistics
    #expect(statistics.hits == 1)
    #expect(statistics.misses == 2 && statistics.hitRatio == 1.0 / 3)
    #expect(statistics.stores == 1)
    #expect(statistics.isWriter && info.partition.description == "default")
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("bodies of every length", arguments: [0, 1, 7, 8, 9, 4095, 4096, 4097, 30_000])
  func lengths(count: Int) throws {
    let fixture = Fixture()
    let data = Data(repeating: 7, count: count)
    let cache = try fixture.open()
    #expect(cache.store(data, forKey: key(1)))
    #expect(cache.entry(forKey: key(1))?.body == data)
    #expect(cache.entry(forKey: key(1))?.metadata.isEmpty == true)
    cache.close()
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(!cache.store(data, forKey: key(1)))
    let reopened = try fixture.open()
    #expect(reopened.entry(forKey: key(1))?.body == data)
    #expect(reopened.entry(forKey: key(1))?.label == nil)
  }

  @Test("a key has an entry in each partition, and is removed from all at once")
  func partitions() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for (number, partition) in ["a", "b", "c"].enumerated() as EnumeratedSequence<[Partition]> {
      cache.store(body(number), forKey: key(1), in: partition)
      cache.store(body(number), forKey: key(2), in: partition)
    }
    #expect(cache.entry(forKey: key(1), in: "b")?.body == body(1))
    #expect(cache.partitions == ["a", "b", "c"])
    #expect(cache.byteCount(of: "a") == cache.statistics.liveByteCount / 3)
    try cache.removeAll(in: "b")
    #expect(cache.count(in: "b") == 0)
    #expect(cache.remove(forKey: key(1)))
    #expect(cache.count == 2)
    #expect(cache.entry(forKey: key(2), in: "c")?.body == body(2))
    let reopened = try reopen(cache, fixture)
    #expect(reopened.count == 2)
    try reopened.removeAll()
    #expect(reopened.count == 0)
    #expect(reopened.totalByteCount == 0)
    #expect(fixture.segments.isEmpty)
    #expect(reopened.store(body(1), forKey: key(1)))
  }

  func reopen(_ cache: DiskCache, _ fixture: Fixture) throws -> DiskCache {
    cache.close()
    return try fixture.open()
  }

  @Test("random operations agree with a dictionary, also after reopening", arguments: 0..<6)
  func model(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let fixture = Fixture(capacity: 4 << 20)
    var cache = try fixture.open()
    var model: [Int: (version: Int, count: Int)] = [:]
    for step in 0..<1200 {
      let number = Int.random(in: 0..<80, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<40:
        let count = Int.random(in: 16..<(step % 50 == 0 ? 200_000 : 4000), using: &random)
        #expect(cache.store(body(number, version: step, count: count), forKey: key(number)))
        model[number] = (step, count)
      case 40..<80:
        let expected = model[number].map { body(number, version: $0.version, count: $0.count) }
        #expect(cache.entry(forKey: key(number))?.body == expected)
      case 80..<95:
        #expect(cache.remove(forKey: key(number)) == (model.removeValue(forKey: number) != nil))
      case 95:
        try cache.flush()
      default:
        cache = try reopen(cache, fixture)
      }
      #expect(cache.count == model.count)
    }
    #expect(cache.verify().isSound)
    #expect(cache.verify().intactEntries == model.count)
    #expect(fixture.errors.all.isEmpty)
    #expect(cache.totalByteCount == fixture.byteCount)
    // Dead space stays in proportion.
    #expect(cache.totalByteCount <= cache.statistics.liveByteCount * 5 / 4 + 2 * (4 << 20) / 16)
  }
}
