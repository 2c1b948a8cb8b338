import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("The stored index")
struct DiskCacheIndexTests {
  /// A closed cache with entries in two partitions, and the bytes of its index.
  private func closed(_ count: Int = 40) throws -> (Fixture, index: Data) {
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
      let entry = cache.fetch(key(number), in: number % 2 == 0 ? "even" : "odd")
      #expect(entry?.body == body(number), place)
    }
    #expect(!cache.contains(key(3), in: "odd"), place)
    #expect(cache.count == 39, place)
    #expect(cache.count(in: "even") == 20, place)
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
    // It goes on as if nothing had been.
    for number in 100..<400 { #expect(cache.store(body(number), forKey: key(number))) }
    #expect(cache.totalByteCount <= fixture.capacity)
    #expect(cache.verify().isSound)
  }

  @Test("a flipped bit anywhere in the files of the index costs nothing but time")
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

  @Test("an index cut anywhere, or longer than it should be, is rebuilt")
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

  @Test("an index without its pages, and pages without an index, cost nothing but time", arguments: [0, 1])
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

  @Test("an index older than the segments: what came since is found, what died since is not")
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
    #expect(reopened.fetch(key(50), in: "odd")?.body == body(50))
    #expect(reopened.fetch(key(1), in: "odd")?.body == body(1, version: 2))
    #expect(!reopened.contains(key(5), in: "odd"))
    #expect(!reopened.touch(key(7), in: "odd"))
    #expect(reopened.fetch(key(9), in: "odd")?.body == body(9))
    #expect(reopened.statistics.corruptEntries == 0)
    #expect(reopened.statistics.rebuiltIndexes == 0)
  }

  @Test("segments that left after the index was stored take their entries along")
  func goneSegments() throws {
    let (fixture, index) = try closed()
    let pages = try #require(fixture.files.contents(of: Fixture.pages))
    let cache = try fixture.open()
    for number in 100..<1000 { cache.store(body(number), forKey: key(number)) }
    cache.close()
    fixture.files.setContents(of: Fixture.index, to: index)
    fixture.files.setContents(of: Fixture.pages, to: pages)
    let reopened = try fixture.open()
    for number in 0..<40 { #expect(reopened.fetch(key(number), in: number % 2 == 0 ? "even" : "odd") == nil) }
    #expect(reopened.fetch(key(999))?.body == body(999))
    #expect(reopened.totalByteCount == fixture.byteCount)
    #expect(reopened.verify().isSound)
  }

  @Test("a segment shorter than the index says makes the index worthless")
  func cutSegment() throws {
    let (fixture, _) = try closed()
    let path = try #require(fixture.segments.first)
    let bytes = try #require(fixture.files.contents(of: path))
    fixture.files.setContents(of: path, to: bytes.prefix(bytes.count - 10))
    let cache = try fixture.open()
    #expect(cache.statistics.rebuiltIndexes == 1)
    #expect(cache.count == 38)
    #expect(cache.fetch(key(38), in: "even")?.body == body(38))
  }

  @Test(
    "takes at most 130 bytes for an entry, and none in memory before it is asked for",
    arguments: [5400, 9000])
  func memory(count: Int) throws {
    let fixture = Fixture(capacity: 8 << 20)
    let cache = try fixture.open()
    for number in 0..<count { cache.store(body(number, count: 16), forKey: key(number)) }
    #expect(cache.count == count)
    cache.close()
    let index = try #require(fixture.files.contents(of: Fixture.index))
    let pages = try #require(fixture.files.contents(of: Fixture.pages))
    // Pages are half full at least in the mean, when all were split at once.
    #expect((index.count + pages.count) / count <= 130)
    let reopened = try fixture.open()
    func loaded() -> Int {
      reopened.store.index.withLock { index in (0..<index.pages.count).count { index.pages[$0] != nil } }
    }
    #expect(loaded() == 0)
    for number in 0..<10 { #expect(reopened.fetch(key(number))?.body == body(number, count: 16)) }
    #expect(loaded() <= 10)
    #expect(reopened.count == count)
  }

  @Test("no store, flush or touch writes more than a few pages, however many entries there are")
  func boundedWrites() throws {
    let fixture = Fixture(capacity: 4 << 20)
    let cache = try fixture.open()
    for number in 0..<10_000 { cache.store(body(number, count: 16), forKey: key(number)) }
    let written = Counter()
    fixture.files.respond = { call in
      if call.operation == .write, call.path.hasSuffix("/pages") { written.add(call.byteCount) }
      return .proceed
    }
    var (largest, total) = (0, 0)
    for number in 0..<12_000 {
      let before = written.value
      switch number % 4 {
      case 0: _ = cache.touch(key(number))
      case 1: try cache.flush()
      default: cache.store(body(number, version: 1, count: 16), forKey: key(number))
      }
      largest = max(largest, written.value - before)
      total = written.value
    }
    #expect(total > 100 * IndexPage.byteCount)
    #expect(largest <= (SegmentStore.pagesPerTurn + 3) * IndexPage.byteCount)
  }

  @Test(
    "after a kill at any moment of a round, opening reads what was written since, and no more",
    arguments: 0..<12)
  func recovery(moment: Int) throws {
    let fixture = Fixture(capacity: 4 << 20)
    var cache: DiskCache? = try fixture.open()
    var random = SeededGenerator(seed: UInt64(moment))
    var model: [Int: Int] = [:]
    for step in 0..<9000 + moment * 137 {
      let number = Int.random(in: 0..<4000, using: &random)
      if step % 7 == 6 {
        model[number] = nil
        cache?.remove(forKey: key(number))
      } else {
        model[number] = step
        cache?.store(body(number, version: step, count: 100), forKey: key(number))
      }
    }
    #expect(cache?.statistics.evictions == 0)
    #expect(fixture.files.contents(of: Fixture.index) != nil)
    cache = nil
    _ = cache
    // What a process leaves that dies: the files of a moment at which it had not closed.
    fixture.files.crash()
    fixture.files.restart(losing: .nothing)
    let reopened = try fixture.open()
    for number in 0..<4000 {
      #expect(
        reopened.fetch(key(number))?.body == model[number].map { body(number, version: $0, count: 100) },
        "key \(number)")
    }
    #expect(reopened.statistics.corruptEntries == 0)
    #expect(reopened.totalByteCount == fixture.byteCount)
  }
}
