import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Faults while the index is in pages: damage that is found late, a disk that is full, a limit that changes.
@Suite("Rare faults of the index")
struct IndexEdgeTests {
  /// A closed cache with a damaged byte in each page.
  private func damaged() throws -> Fixture {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<40 {
      cache.store(body(number), forKey: key(number))
      fixture.clock.advance(by: .seconds(1))
    }
    cache.close()
    var pages = try #require(fixture.files.contents(of: Fixture.pages))
    for start in stride(from: 0, to: pages.count, by: IndexPage.byteCount) { pages[start + 300] ^= 1 }
    fixture.files.setContents(of: Fixture.pages, to: pages)
    return fixture
  }

  /// Ends the process without closing, and starts another.
  private func killed(_ cache: DiskCache, _ fixture: Fixture) throws -> DiskCache {
    fixture.files.crash()
    cache.close()
    fixture.files.restart(losing: .nothing)
    return try fixture.open()
  }

  @Test("an entry that is removed while its page is damaged stays removed", arguments: 0..<3)
  func removal(kind: Int) throws {
    let fixture = try damaged()
    let cache = try fixture.open()
    switch kind {
    case 0: #expect(cache.remove(forKey: key(5), in: .default))
    case 1: try cache.removeAll(in: .default)
    default: try cache.trim(olderThan: fixture.clock.currentDate.addingTimeInterval(1000))
    }
    #expect(cache.entry(forKey: key(5)) == nil)
    #expect(cache.statistics.rebuiltIndexes == 1)
  }

  @Test("a change while a page is damaged keeps the page's entries")
  func changes() throws {
    let updated = try damaged().open()
    #expect(updated.updateMetadata(Data([1]), forKey: key(5)))
    #expect(updated.entry(forKey: key(5))?.metadata == Data([1]))
    let fixture = try damaged()
    let trimmed = try fixture.open()
    try trimmed.trim(toByteCount: fixture.byteCount - 200)
    #expect((0..<40).count { trimmed.contains(key($0)) } > 20)
    let larger = try damaged().open()
    larger.setCapacity(60 << 10)
    #expect((0..<40).count { larger.contains(key($0)) } == 40)
  }

  @Test("an index that could not be read because descriptors or memory were short is not used later")
  func shortage() throws {
    let fixture = Fixture()
    var cache = try fixture.open()
    for number in 0..<40 { cache.store(body(number), forKey: key(number)) }
    cache.close()
    fixture.files.respond = {
      $0.operation == .open && $0.path == Fixture.index ? .fail(EMFILE) : .proceed
    }
    cache = try fixture.open()
    fixture.files.respond = { _ in .proceed }
    #expect(cache.totalByteCount == fixture.byteCount)
    #expect(cache.remove(forKey: key(5), in: .default))
    cache = try killed(cache, fixture)
    #expect(!cache.contains(key(5)))
    #expect(!cache.touch(key(5)))
  }

  @Test("a file of pages that goes on without pages is not read to its end")
  func longFile() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<40 { cache.store(body(number), forKey: key(number)) }
    cache.close()
    let pages = try #require(fixture.files.contents(of: Fixture.pages))
    fixture.files.setContents(of: Fixture.pages, to: pages + Data(count: 1000 * IndexPage.byteCount))
    let reads = Counter()
    fixture.files.respond = { call in
      if call.operation == .read, call.path == Fixture.pages { reads.add(1) }
      return .proceed
    }
    let reopened = try fixture.open()
    #expect(reads.value <= pages.count / IndexPage.byteCount + 3)
    #expect(reopened.count == 40 && reopened.statistics.rebuiltIndexes == 0)
  }

  @Test("entries that may be dead after a crash are still checked after a close")
  func uncertainty() throws {
    var fixture = Fixture()
    fixture.capacity = 4 << 20
    var cache = try fixture.open()
    for number in 0..<40 { cache.store(body(number, count: 6000), forKey: key(number)) }
    cache.close()
    cache = try fixture.open()
    #expect(cache.remove(forKey: key(5), in: .default))
    cache = try killed(cache, fixture)
    cache.close()
    cache = try fixture.open()
    #expect(!cache.contains(key(5)))
    #expect(!cache.touch(key(5)))
    #expect(cache.verify().isSound)
  }

  @Test("entries that are stored during a round of pages are found after a crash that follows it")
  func storedDuringRound() throws {
    let fixture = Fixture(capacity: 16 << 20)
    var cache = try fixture.open()
    var (number, rounds) = (0, 0)
    var index = fixture.files.contents(of: Fixture.index)
    while rounds < 5, number < 80_000 {
      cache.store(body(number, count: 100), forKey: key(number))
      number += 1
      let now = fixture.files.contents(of: Fixture.index)
      if now == index { continue }
      rounds += 1
      cache = try killed(cache, fixture)
      index = fixture.files.contents(of: Fixture.index)
      #expect(cache.count == number && cache.statistics.rebuiltIndexes == 0)
      #expect((max(0, number - 500)..<number).allSatisfy { cache.contains(key($0)) }, "round \(rounds)")
    }
    #expect(rounds == 5)
  }

  @Test("a lowered capacity also holds while a segment is removed in steps")
  func loweredCapacity() throws {
    let fixture = Fixture(capacity: 10 << 20)
    let cache = try fixture.open()
    var number = 0
    while !cache.store.write({ $0.eviction.drain != nil }), number < 30_000 {
      cache.store(body(number, count: 1000), forKey: key(number))
      cache.touch(key(number))
      number += 1
    }
    #expect(cache.store.write { $0.eviction.drain != nil })
    let capacity = cache.store.index.withLock { $0.reservedByteCount }
    cache.setCapacity(capacity)
    let (files, most) = (fixture.files, Counter())
    fixture.files.respond = { _ in
      let more = files.byteCount - most.value
      if more > 0 { most.add(more) }
      return .proceed
    }
    for step in 0..<6 { cache.store(body(number + step, count: 600), forKey: key(number + step)) }
    #expect(most.value <= capacity)
  }

  @Test("an index that evicts entries before it is stored agrees with the segments")
  func closingFull() throws {
    for excess in stride(from: 0, to: 9000, by: 1500) {
      var fixture = Fixture(capacity: 8 << 20)
      var cache = try fixture.open()
      for number in 0..<6000 { cache.store(body(number, count: 300), forKey: key(number)) }
      for number in stride(from: 0, to: 6000, by: 3) { cache.remove(forKey: key(number)) }
      cache.close()
      fixture.capacity = fixture.byteCount + excess
      cache = try fixture.open()
      for number in 1..<2000 { cache.touch(key(number)) }
      cache.close()
      cache = try fixture.open()
      #expect(cache.statistics.rebuiltIndexes == 0)
      #expect((0..<6000).count { cache.contains(key($0)) } == cache.count)
      cache.close()
    }
  }
}
