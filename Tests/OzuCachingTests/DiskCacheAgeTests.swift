import OzuSynchronization
import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Entries of a disk cache that expire")
struct DiskCacheAgeTests {
  private static func fixture() -> Fixture {
    var fixture = Fixture()
    fixture.maximumAge = 100
    return fixture
  }

  /// Ways of asking for an entry; each says whether there was one.
  private static let readings: [(String, @Sendable (DiskCache) -> Bool)] = [
    ("fetch", { $0.fetch(key(1)) != nil }), ("metadata", { $0.metadata(forKey: key(1)) != nil }),
    ("withBody", { $0.withBody(of: key(1)) { body, _ in body.count } != nil }),
    ("peek", { $0.peek(key(1)) != nil }), ("contains", { $0.contains(key(1)) }),
    ("touch", { $0.touch(key(1)) }), ("info", { $0.info(forKey: key(1)) != nil }),
    ("entries", { $0.entries().contains { $0.key == key(1) } }),
    ("updateMetadata", { $0.updateMetadata(Data([2]), forKey: key(1)) }),
    ("updateMetadata, longer", { $0.updateMetadata(Data(count: 9000), forKey: key(1)) }),
    ("verify", { $0.verify().intactEntries > 0 }),
  ]

  @Test("a reading of any kind misses an expired entry and removes it", arguments: readings.indices)
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
    #expect(try ageless.open().fetch(key(1)) == nil)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a use, other metadata and moving to another place leave the age, a store does not")
  func whatCounts() throws {
    let fixture = Self.fixture()
    let cache = try fixture.open()
    for number in 1...2 { cache.store(body(number), metadata: Data([1]), forKey: key(number)) }
    fixture.clock.advance(by: .seconds(60))
    #expect(cache.fetch(key(1)) != nil)
    #expect(cache.updateMetadata(Data(count: 9000), forKey: key(1)))
    #expect(cache.store(body(2, version: 1), forKey: key(2)))
    // The oldest segment goes, and the entries that were used are copied.
    for round in 0..<8 {
      for number in 1...2 { _ = cache.fetch(key(number)) }
      for number in 0..<8 { cache.store(body(number, count: 1000), forKey: key(100 + 8 * round + number)) }
    }
    #expect(cache.statistics.relocations > 0)
    #expect(cache.fetch(key(1)) != nil && cache.fetch(key(2)) != nil)
    fixture.clock.advance(by: .seconds(40))
    #expect(cache.fetch(key(1)) == nil && cache.fetch(key(2)) != nil)
  }

  @Test(
    "the age is found again when the cache is opened, with its index or without", arguments: [true, false])
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
    #expect(second.fetch(key(1)) == nil && second.fetch(key(2)) != nil)
  }

  @Test("a partition's own age counts in the place of the common one")
  func partitions() throws {
    var fixture = Self.fixture()
    fixture.partitionMaximumAges = ["short": 10, "any": .infinity]
    let cache = try fixture.open()
    for partition in ["short", "other", "any"] as [Partition] {
      cache.store(body(1), forKey: key(1), in: partition)
    }
    fixture.clock.advance(by: .seconds(10))
    #expect(cache.fetch(key(1), in: "short") == nil && cache.fetch(key(1), in: "other") != nil)
    fixture.clock.advance(by: .seconds(1000))
    #expect(cache.fetch(key(1), in: "other") == nil && cache.fetch(key(1), in: "any") != nil)
  }

  @Test("a reader serves no expired entry, and changes nothing")
  func reader() throws {
    let fixture = Self.fixture()
    let (writer, reader) = (try fixture.open(), try fixture.open())
    writer.store(body(1), forKey: key(1))
    #expect(reader.fetch(key(1)) != nil)
    fixture.clock.advance(by: .seconds(100))
    let before = fixture.segments.map { fixture.files.contents(of: $0) }
    #expect(reader.fetch(key(1)) == nil && !reader.contains(key(1)))
    #expect(fixture.segments.map { fixture.files.contents(of: $0) } == before)
    #expect(writer.count == 1 && writer.fetch(key(1)) == nil)
    writer.store(body(1, version: 1), forKey: key(1))
    #expect(reader.fetch(key(1))?.body == body(1, version: 1))
  }

  @Test(
    "a clock set back: up to a day it costs nothing, beyond the age is not known",
    arguments: [(3600.0, true), (86_400, true), (86_401, false), (1e9, false)])
  func clock(_ seconds: Double, _ isServed: Bool) throws {
    let fixture = Self.fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.clock.currentDate -= seconds
    #expect((cache.fetch(key(1)) != nil) == isServed)
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.fetch(key(2)) != nil)
  }

  // MARK: Upkeep

  @Test("stores and flushes find expired entries that nobody asks for, a bounded number of records each")
  func upkeep() throws {
    var fixture = Self.fixture()
    fixture.capacity = 1 << 20
    let cache = try fixture.open()
    let count = 1000
    for number in 0..<count { cache.store(body(number), forKey: key(number), in: "old") }
    fixture.clock.advance(by: .seconds(100))
    var before = cache.statistics
    var steps = 0
    while cache.count(in: "old") > 0, steps < count {
      try cache.flush()
      let now = cache.statistics
      #expect(now.expirations - before.expirations <= SegmentStore.examinedPerFlush)
      before = now
      steps += 1
    }
    #expect(cache.count(in: "old") == 0 && cache.statistics.expirations == count)
    #expect(steps <= count / SegmentStore.examinedPerFlush + 2 * fixture.segments.count + 20)

    for number in 0..<count { cache.store(body(number), forKey: key(number), in: "old") }
    fixture.clock.advance(by: .seconds(100))
    for number in 0..<count { cache.store(body(1), forKey: key(number % 3), in: "new") }
    #expect(cache.count(in: "old") == 0 && cache.count(in: "new") == 3)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("between two passes stores read nothing, and a pass reads each header once")
  func passes() throws {
    var fixture = Self.fixture()
    fixture.capacity = 1 << 20
    let cache = try fixture.open()
    let reads = Atomic(0)
    fixture.files.respond = { call in
      if call.operation == .read { reads.wrappingAdd(1, ordering: .relaxed) }
      return .proceed
    }
    for number in 0..<400 { cache.store(body(number, count: 5000), forKey: key(number % 40)) }
    // One pass, which began with the first store and had nothing to read.
    #expect(reads.load(ordering: .relaxed) <= 1)
    fixture.clock.advance(by: .seconds(7))
    for number in 0..<400 { cache.store(body(number, count: 5000), forKey: key(number % 40)) }
    let ofPass = reads.load(ordering: .relaxed)
    #expect(ofPass > 10 && ofPass < 400)
    for number in 0..<400 { cache.store(body(number, count: 5000), forKey: key(number % 40)) }
    #expect(reads.load(ordering: .relaxed) == ofPass)
  }

  @Test("a segment that cannot be read does not stop the pass")
  func unreadable() throws {
    var fixture = Self.fixture()
    fixture.capacity = 1 << 20
    let cache = try fixture.open()
    for number in 0..<400 { cache.store(body(number, count: 1000), forKey: key(number)) }
    let first = try #require(fixture.segments.first)
    fixture.clock.advance(by: .seconds(100))
    fixture.files.respond = { $0.operation == .read && $0.path == first ? .fail(EIO) : .proceed }
    for _ in 0..<40 { try cache.flush() }
    #expect(cache.count > 0 && cache.count < 100)
    #expect(fixture.errors.all.map(\.code) == [EIO])
    fixture.files.respond = { _ in .proceed }
    fixture.clock.advance(by: .seconds(7))
    for _ in 0..<40 { try cache.flush() }
    #expect(cache.count == 0)
  }

  @Test("entries against a naive model: random stores, uses and times", arguments: 0..<6 as Range<UInt64>)
  func model(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = Self.fixture()
    fixture.capacity = 4 << 20
    fixture.partitionMaximumAges = ["b": 40]
    var cache = try fixture.open()
    var model: [Int: (version: Int, stored: Date)] = [:]
    for step in 0..<600 {
      let number = Int.random(in: 0..<50, using: &random)
      let partition: Partition = number % 2 == 0 ? "a" : "b"
      switch Int.random(in: 0..<12, using: &random) {
      case 0...4:
        #expect(
          cache.store(body(number, version: step), metadata: Data([0]), forKey: key(number), in: partition))
        model[number] = (step, fixture.clock.currentDate)
      case 5...7:
        let age = model[number].map { fixture.clock.currentDate.timeIntervalSince($0.stored) }
        let isFresh = age.map { $0 < (number % 2 == 0 ? 100 : 40) } ?? false
        let found = cache.fetch(key(number), in: partition)?.body
        #expect(found == (isFresh ? body(number, version: model[number]?.version ?? 0) : nil), "seed \(seed)")
      case 8: _ = cache.updateMetadata(Data(count: step), forKey: key(number), in: partition)
      case 9: try cache.flush()
      case 10: fixture.clock.advance(by: .seconds(Int.random(in: 0..<15, using: &random)))
      default:
        guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
        cache.close()
        if Bool.random(using: &random) { fixture.forgetIndex() }
        cache = try fixture.open()
      }
    }
    #expect(cache.statistics.corruptEntries == 0 && fixture.errors.all.isEmpty)
  }

  // MARK: Trimming

  @Test("trimming by date removes what was stored before it, in all partitions and segments")
  func trim() throws {
    var fixture = Fixture()
    fixture.capacity = 1 << 20
    let cache = try fixture.open()
    for number in 0..<200 {
      cache.store(body(number, count: 1000), forKey: key(number), in: number % 2 == 0 ? "a" : "b")
      fixture.clock.advance(by: .seconds(1))
    }
    for number in 0..<200 { _ = cache.touch(key(number), in: number % 2 == 0 ? "a" : "b") }
    let before = cache.totalByteCount
    try cache.trim(olderThan: fixture.clock.currentDate - 50)
    #expect(cache.entries().map(\.key).count == 50)
    for number in 0..<200 {
      #expect(cache.contains(key(number), in: number % 2 == 0 ? "a" : "b") == (number >= 150))
    }
    #expect(cache.totalByteCount < before / 2)
    try cache.trim(olderThan: .distantFuture)
    #expect(cache.count == 0)
    cache.close()
    fixture.forgetIndex()
    #expect(try fixture.open().count == 0)
  }

  @Test("trimming by date for asynchronous callers")
  func trimAsync() async throws {
    let cache = try Fixture().open()
    await cache.store(body(1), forKey: key(1))
    try await cache.trim(olderThan: .distantPast)
    #expect(cache.count == 1)
    try await cache.trim(olderThan: .distantFuture)
    #expect(cache.count == 0)
  }

  @Test("a cache that may not write throws")
  func trimOfReader() throws {
    let fixture = Fixture()
    let (writer, reader) = (try fixture.open(), try fixture.open())
    writer.store(body(1), forKey: key(1))
    #expect(throws: DiskCacheError.self) { try reader.trim(olderThan: .distantFuture) }
    #expect(writer.count == 1)
  }
}
