import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheAgeTests {
  @Test(
    "stores and flushes find expired entries that no caller looks up; each examines a bounded number of records"
  )
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
      #expect(now.expirations - before.expirations <= Eviction.examinedPerFlush)
      before = now
      steps += 1
    }
    #expect(cache.count(in: "old") == 0 && cache.statistics.expirations == count)
    #expect(steps <= count / Eviction.examinedPerFlush + 2 * fixture.segments.count + 20)

    for number in 0..<count { cache.store(body(number), forKey: key(number), in: "old") }
    fixture.clock.advance(by: .seconds(100))
    for number in 0..<count { cache.store(body(1), forKey: key(number % 3), in: "new") }
    #expect(cache.count(in: "old") == 0 && cache.count(in: "new") == 3)
    #expect(fixture.errors.all.isEmpty)
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
        let found = cache.entry(forKey: key(number), in: partition)?.body
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
