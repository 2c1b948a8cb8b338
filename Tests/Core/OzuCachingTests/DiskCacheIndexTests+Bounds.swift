import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheIndexTests {
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
    // If all pages were split at once, they are at least half full on average.
    #expect((index.count + pages.count) / count <= 130)
    let reopened = try fixture.open()
    func loaded() -> Int {
      reopened.store.index.withLock { index in (0..<index.pages.count).count { index.pages[$0] != nil } }
    }
    #expect(loaded() == 0)
    for number in 0..<10 { #expect(reopened.entry(forKey: key(number))?.body == body(number, count: 16)) }
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
    #expect(largest <= (IndexFile.pagesPerTurn + 3) * IndexPage.byteCount)
  }

  @Test(
    "after a kill at any moment of a round, opening reads only the entries that were written since",
    arguments: Cases.every(6, of: Array(0..<12)))
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
    // The files are those that a killed process leaves: it has not closed the cache.
    fixture.files.crash()
    fixture.files.restart(losing: .nothing)
    let reopened = try fixture.open()
    for number in 0..<4000 {
      #expect(
        reopened.entry(forKey: key(number))?.body
          == model[number].map { body(number, version: $0, count: 100) },
        "key \(number)")
    }
    #expect(reopened.statistics.corruptEntries == 0)
    #expect(reopened.totalByteCount == fixture.byteCount)
  }
}
