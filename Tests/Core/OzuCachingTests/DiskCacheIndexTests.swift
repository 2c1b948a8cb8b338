import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The stored index")
struct DiskCacheIndexTests {
  /// A closed cache with entries in two partitions, and the bytes of its index.
  func closed(_ count: Int = 40) throws -> (Fixture, index: Data) {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<count {
      cache.store(body(number), forKey: key(number), in: number % 2 == 0 ? "even" : "odd", label: "\(number)")
      fixture.clock.advance(by: .seconds(1))
    }
    cache.remove(forKey: key(3))
    cache.close()
    return (fixture, try #require(fixture.files.contents(of: Fixture.index)))
  }

  private func check(_ cache: DiskCache, _ place: Comment = "") {
    for number in 0..<40 where number != 3 {
      let entry = cache.entry(forKey: key(number), in: number % 2 == 0 ? "even" : "odd")
      #expect(entry?.body == body(number), place)
    }
    #expect(!cache.contains(key(3), in: "odd"), place)
    #expect(cache.count == 39, place)
    #expect(cache.count(in: "even") == 20, place)
  }

  @Test(
    "an operation on all entries reads no page under the lock of the index, for which fetches wait",
    arguments: 0..<7)
  func readsPagesWithoutLock(operation: Int) throws {
    let (fixture, _) = try closed()
    let cache = try fixture.open()
    let (reads, held) = (Counter(), Counter())
    fixture.files.respond = { call in
      if call.operation == .read, call.path == Fixture.pages {
        reads.add(1)
        if cache.store.index.withLockIfAvailable({ _ in }) == nil { held.add(1) }
      }
      return .proceed
    }
    switch operation {
    case 0: _ = cache.entries()
    case 1: _ = cache.entries(in: "even")
    case 2: _ = cache.verify()
    case 3: try cache.removeAll(in: "even")
    case 4: try cache.trim(toByteCount: 5000)
    case 5: cache.setCapacity(1000, of: "even")
    default: try cache.removeAll()
    }
    #expect(reads.value > 0 && held.value == 0)
    fixture.files.respond = { _ in .proceed }
  }

  @Test("after closing, opening reads no entry")
  func opensWithoutReading() throws {
    let (fixture, _) = try closed()
    let reads = Counter()
    fixture.files.respond = { call in
      if call.operation == .read { reads.add(1) }
      return .proceed
    }
    let cache = try fixture.open()
    // The file of the index, and the header of the one segment.
    #expect(reads.value == 2)
    #expect(cache.count == 39)
    #expect(cache.mayContain(key(1), in: "odd"))
    // The page, once, and the entry.
    #expect(cache.contains(key(1), in: "odd"))
    #expect(!cache.contains(key(3), in: "odd"))
    #expect(reads.value == 3)
    #expect(!cache.mayContain(key(3), in: "odd"))
    fixture.files.respond = { _ in .proceed }
    check(cache)
    #expect(cache.statistics.rebuiltIndexes == 0)
    #expect(cache.totalByteCount == fixture.byteCount)
    #expect(Array(cache.entries(in: "even").map(\.label).prefix(2)) == ["38", "36"])
    // It continues as usual.
    for number in 100..<400 { #expect(cache.store(body(number), forKey: key(number))) }
    #expect(cache.totalByteCount <= fixture.capacity)
    #expect(cache.verify().isSound)
  }

  @Test("a flipped bit anywhere in the files of the index only costs time")
  func flippedBits() throws {
    let (fixture, index) = try closed()
    let pages = try #require(fixture.files.contents(of: Fixture.pages))
    let segments = fixture.segments.map { ($0, fixture.files.contents(of: $0)) }
    func check(_ damagedIndex: Data, _ damagedPages: Data, _ rebuilds: Int, _ place: Comment) throws {
      fixture.files.setContents(of: Fixture.index, to: damagedIndex)
      fixture.files.setContents(of: Fixture.pages, to: damagedPages)
      for (path, bytes) in segments { fixture.files.setContents(of: path, to: bytes ?? Data()) }
      let cache = try fixture.open()
      self.check(cache, place)
      #expect(cache.statistics.rebuiltIndexes == rebuilds, place)
      cache.close()
    }
    for offset in index.indices where offset % 3 == 0 || offset < 112 {
      var damaged = index
      damaged[offset] ^= UInt8(1 << (offset % 8))
      // The word that says whether its writer closed is under no checksum.
      try check(damaged, pages, (88..<96).contains(offset) ? 0 : 1, "index, byte \(offset)")
    }
    for offset in stride(from: 0, to: pages.count, by: 17) {
      var damaged = pages
      damaged[offset] ^= UInt8(1 << (offset % 8))
      try check(index, damaged, 1, "pages, byte \(offset)")
    }
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("an index that is truncated anywhere, or too long, is rebuilt")
  func lengths() throws {
    let (fixture, index) = try closed()
    for length in stride(from: 0, to: index.count, by: 37) {
      fixture.files.setContents(of: Fixture.index, to: index.prefix(length))
      let cache = try fixture.open()
      check(cache, "length \(length)")
      cache.close()
    }
    fixture.files.setContents(of: Fixture.index, to: index + Data(count: 8))
    check(try fixture.open())
  }

  @Test("an index of another version is not read", arguments: [1, 2, 4])
  func otherVersion(version: UInt8) throws {
    let (fixture, index) = try closed()
    var other = index
    other[8] = version
    fixture.files.setContents(of: Fixture.index, to: other)
    let cache = try fixture.open()
    #expect(cache.statistics.rebuiltIndexes == 1)
    check(cache)
    cache.close()
    #expect(fixture.files.contents(of: Fixture.index)?[8] == 3)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("an index without its pages, and pages without an index, only cost time", arguments: [0, 1])
  func halves(missing: Int) throws {
    let (fixture, _) = try closed()
    try fixture.files.remove([Fixture.index, Fixture.pages][missing])
    let cache = try fixture.open()
    check(cache)
    cache.close()
    let reopened = try fixture.open()
    #expect(reopened.statistics.rebuiltIndexes == 0)
    check(reopened)
  }

  @Test("an index older than the segments: later entries are found, and entries that died later are not")
  func stale() throws {
    let (fixture, index) = try closed()
    let cache = try fixture.open()
    cache.store(body(50), forKey: key(50), in: "odd")
    cache.store(body(1, version: 2), forKey: key(1), in: "odd")
    cache.remove(forKey: key(5))
    cache.remove(forKey: key(7))
    // The process dies: its index is the one from before.
    fixture.files.crash()
    fixture.files.restart(losing: .nothing)
    _ = index
    let reopened = try fixture.open()
    #expect(reopened.entry(forKey: key(50), in: "odd")?.body == body(50))
    #expect(reopened.entry(forKey: key(1), in: "odd")?.body == body(1, version: 2))
    #expect(!reopened.contains(key(5), in: "odd"))
    #expect(!reopened.touch(key(7), in: "odd"))
    #expect(reopened.entry(forKey: key(9), in: "odd")?.body == body(9))
    #expect(reopened.statistics.corruptEntries == 0)
    #expect(reopened.statistics.rebuiltIndexes == 0)
  }

  @Test("entries of segments that were removed after the index was stored are misses")
  func goneSegments() throws {
    let (fixture, index) = try closed()
    let pages = try #require(fixture.files.contents(of: Fixture.pages))
    let cache = try fixture.open()
    for number in 100..<1000 { cache.store(body(number), forKey: key(number)) }
    cache.close()
    fixture.files.setContents(of: Fixture.index, to: index)
    fixture.files.setContents(of: Fixture.pages, to: pages)
    let reopened = try fixture.open()
    for number in 0..<40 {
      #expect(reopened.entry(forKey: key(number), in: number % 2 == 0 ? "even" : "odd") == nil)
    }
    #expect(reopened.entry(forKey: key(999))?.body == body(999))
    #expect(reopened.totalByteCount == fixture.byteCount)
    #expect(reopened.verify().isSound)
  }
}
