import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Entries of a disk cache that expire")
struct DiskCacheAgeTests {
  static func fixture() -> Fixture {
    var fixture = Fixture()
    fixture.maximumAge = 100
    return fixture
  }

  /// Ways to look up an entry; each returns whether the entry was found.
  private static let readings: [(String, @Sendable (DiskCache) -> Bool)] = [
    ("fetch", { $0.entry(forKey: key(1)) != nil }), ("metadata", { $0.metadata(forKey: key(1)) != nil }),
    ("peek", { $0.peek(key(1)) != nil }), ("contains", { $0.contains(key(1)) }),
    ("touch", { $0.touch(key(1)) }), ("info", { $0.info(forKey: key(1)) != nil }),
    ("entries", { $0.entries().contains { $0.key == key(1) } }),
    ("updateMetadata", { $0.updateMetadata(Data([2]), forKey: key(1)) }),
    ("updateMetadata, longer", { $0.updateMetadata(Data(count: 9000), forKey: key(1)) }),
    ("verify", { $0.verify().intactEntries > 0 }),
  ]

  @Test("every kind of lookup misses an expired entry and removes it", arguments: readings.indices)
  func reading(_ index: Int) throws {
    let fixture = Self.fixture()
    let cache = try fixture.open()
    #expect(cache.store(body(1), metadata: Data([1]), forKey: key(1)))
    fixture.clock.advance(by: .seconds(99))
    #expect(Self.readings[index].1(cache), "\(Self.readings[index].0)")
    fixture.clock.advance(by: .seconds(1))
    #expect(!Self.readings[index].1(cache), "\(Self.readings[index].0)")
    #expect(cache.count == 0 && cache.statistics.expirations == 1 && cache.statistics.corruptEntries == 0)
    // The record is dead too.
    cache.close()
    fixture.forgetIndex()
    var ageless = fixture
    ageless.maximumAge = nil
    #expect(try ageless.open().entry(forKey: key(1)) == nil)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a use, new metadata and moving do not change the age; a store does")
  func whatCounts() throws {
    let fixture = Self.fixture()
    let cache = try fixture.open()
    for number in 1...2 { cache.store(body(number), metadata: Data([1]), forKey: key(number)) }
    fixture.clock.advance(by: .seconds(60))
    #expect(cache.entry(forKey: key(1)) != nil)
    #expect(cache.updateMetadata(Data(count: 9000), forKey: key(1)))
    #expect(cache.store(body(2, version: 1), forKey: key(2)))
    // The oldest segment is removed, and its used entries are copied.
    for round in 0..<8 {
      for number in 1...2 { _ = cache.entry(forKey: key(number)) }
      for number in 0..<8 { cache.store(body(number, count: 1000), forKey: key(100 + 8 * round + number)) }
    }
    #expect(cache.statistics.relocations > 0)
    #expect(cache.entry(forKey: key(1)) != nil && cache.entry(forKey: key(2)) != nil)
    fixture.clock.advance(by: .seconds(40))
    #expect(cache.entry(forKey: key(1)) == nil && cache.entry(forKey: key(2)) != nil)
  }

  @Test(
    "the age is kept when the cache is opened again, with its index or without", arguments: [true, false])
  func reopening(hasIndex: Bool) throws {
    let fixture = Self.fixture()
    let first = try fixture.open()
    first.store(body(1), forKey: key(1))
    fixture.clock.advance(by: .seconds(50))
    first.store(body(2), forKey: key(2))
    first.close()
    if !hasIndex { fixture.forgetIndex() }
    fixture.clock.advance(by: .seconds(50))
    let second = try fixture.open()
    #expect(second.entry(forKey: key(1)) == nil && second.entry(forKey: key(2)) != nil)
  }

  @Test("a partition's own age limit replaces the common limit")
  func partitions() throws {
    var fixture = Self.fixture()
    fixture.partitionMaximumAges = ["short": 10, "any": .infinity]
    let cache = try fixture.open()
    for partition in ["short", "other", "any"] as [Partition] {
      cache.store(body(1), forKey: key(1), in: partition)
    }
    fixture.clock.advance(by: .seconds(10))
    #expect(
      cache.entry(forKey: key(1), in: "short") == nil && cache.entry(forKey: key(1), in: "other") != nil)
    fixture.clock.advance(by: .seconds(1000))
    #expect(cache.entry(forKey: key(1), in: "other") == nil && cache.entry(forKey: key(1), in: "any") != nil)
  }

  @Test("a reader serves no expired entry, and changes nothing")
  func reader() throws {
    let fixture = Self.fixture()
    let (writer, reader) = (try fixture.open(), try fixture.open())
    writer.store(body(1), forKey: key(1))
    #expect(reader.entry(forKey: key(1)) != nil)
    fixture.clock.advance(by: .seconds(100))
    let before = fixture.segments.map { fixture.files.contents(of: $0) }
    #expect(reader.entry(forKey: key(1)) == nil && !reader.contains(key(1)))
    #expect(fixture.segments.map { fixture.files.contents(of: $0) } == before)
    #expect(writer.count == 1 && writer.entry(forKey: key(1)) == nil)
    writer.store(body(1, version: 1), forKey: key(1))
    #expect(reader.entry(forKey: key(1))?.body == body(1, version: 1))
  }

  @Test(
    "if the clock is set back by up to a day no entry is lost; by more, the age is unknown",
    arguments: [(3600.0, true), (86_400, true), (86_401, false), (1e9, false)])
  func clock(_ seconds: Double, _ isServed: Bool) throws {
    let fixture = Self.fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.clock.currentDate -= seconds
    #expect((cache.entry(forKey: key(1)) != nil) == isServed)
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.entry(forKey: key(2)) != nil)
  }
}
