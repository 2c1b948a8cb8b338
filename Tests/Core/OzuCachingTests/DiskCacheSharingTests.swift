import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Two caches on one directory, and directories that fail")
struct DiskCacheSharingTests {
  @Test("the second cache reads the entries of the first, those from before its opening and those from after")
  func reader() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    writer.store(body(1), forKey: key(1))
    let reader = try fixture.open()
    #expect(!reader.statistics.isWriter)
    #expect(reader.entry(forKey: key(1))?.body == body(1))
    writer.store(body(2), forKey: key(2))
    #expect(reader.entry(forKey: key(2))?.body == body(2))
    writer.store(body(1, version: 5), forKey: key(1))
    #expect(reader.entry(forKey: key(1))?.body == body(1, version: 5))
    writer.remove(forKey: key(1))
    #expect(reader.entry(forKey: key(1)) == nil)
    #expect(!reader.store(body(3), forKey: key(3)))
    #expect(reader.statistics.dropped == 1)
    #expect(!reader.contains(key(3)))
    writer.store(body(4), forKey: key(4))
    #expect(reader.contains(key(4)))
    try writer.removeAll()
    #expect(reader.entry(forKey: key(2)) == nil || reader.entry(forKey: key(2))?.body == body(2))
    #expect(reader.entry(forKey: key(9)) == nil)
    #expect(reader.count == 0)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a reader looks for new entries once per refresh interval")
  func refreshInterval() throws {
    var fixture = Fixture()
    fixture.refreshInterval = 1
    let writer = try fixture.open()
    let reader = try fixture.open()
    writer.store(body(1), forKey: key(1))
    let before = fixture.files.callCount
    for _ in 0..<100 { #expect(reader.entry(forKey: key(1)) == nil) }
    #expect(fixture.files.callCount == before)
    fixture.clock.advance(by: .seconds(2))
    #expect(reader.entry(forKey: key(1))?.body == body(1))
  }

  @Test("when the writer closes, the reader becomes the writer at its next store")
  func takeover() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    for number in 0..<20 { writer.store(body(number), forKey: key(number)) }
    let reader = try fixture.open()
    for number in 20..<30 { writer.store(body(number), forKey: key(number)) }
    writer.close()
    #expect(reader.store(body(30), forKey: key(30)))
    #expect(reader.statistics.isWriter)
    for number in 0...30 { #expect(reader.entry(forKey: key(number))?.body == body(number)) }
    let third = try fixture.open()
    #expect(!third.statistics.isWriter)
    #expect(third.entry(forKey: key(30))?.body == body(30))
  }

  @Test("a reader serves the current entry or nothing while the writer stores, evicts and compacts")
  func churn() throws {
    let fixture = Fixture(capacity: 40 << 10)
    let writer = try fixture.open()
    let reader = try fixture.open()
    var random = SeededGenerator(seed: 11)
    var stored: [Int: Set<Data>] = [:]
    var found = 0
    for step in 0..<3000 {
      let number = Int.random(in: 0..<60, using: &random)
      if step % 7 == 0 {
        writer.remove(forKey: key(number))
      } else {
        let data = body(number, version: step, count: Int.random(in: 20..<1500, using: &random))
        stored[number, default: []].insert(data)
        writer.store(data, forKey: key(number))
      }
      let other = Int.random(in: 0..<60, using: &random)
      if let data = reader.entry(forKey: key(other))?.body {
        found += 1
        #expect(stored[other]?.contains(data) == true)
        #expect(data == writer.entry(forKey: key(other))?.body || !writer.contains(key(other)))
      }
    }
    #expect(found > 500)
    #expect(reader.statistics.corruptEntries == 0)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a full disk causes misses, counts and one report; the cache works again when there is room")
  func fullDisk() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.files.respond = {
      $0.operation == .write && $0.byteCount > 8 ? .stop(after: 120, ENOSPC) : .proceed
    }
    for number in 2..<10 { #expect(!cache.store(body(number), forKey: key(number))) }
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.statistics.errors == 9)
    #expect(fixture.errors.all.map(\.code) == [ENOSPC])
    for number in 2..<10 { #expect(!cache.store(body(number, count: 30_000), forKey: key(number))) }
    #expect(fixture.segments.count <= 2)
    #expect(cache.totalByteCount == fixture.byteCount)
    #expect(fixture.errors.all.first?.description.hasPrefix("no space left on /cache/") == true)
    fixture.files.respond = { _ in .proceed }
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    cache.close()
    let reopened = try fixture.open()
    #expect(reopened.count == 1)
    #expect(reopened.verify().isSound)
  }

  @Test("a full cache needs no room beyond its capacity on the disk")
  func fullDiskAndCache() throws {
    let fixture = Fixture(capacity: 40 << 10)
    let cache = try fixture.open()
    for number in 0..<100 {
      cache.store(body(number, count: 800), forKey: key(number))
      _ = cache.entry(forKey: key(number))
    }
    // The disk has exactly as many bytes as the cache may have.
    let files = fixture.files
    let limit = fixture.capacity
    files.respond = { call in
      call.operation == .write && call.byteCount > 8 && files.byteCount + call.byteCount > limit
        ? .fail(ENOSPC) : .proceed
    }
    let stored = (200..<300).count { cache.store(body($0, count: 800), forKey: key($0)) }
    #expect(stored == 100)
    #expect(fixture.errors.all.isEmpty)
    #expect(cache.entry(forKey: key(299))?.body == body(299, count: 800))
  }

  @Test(
    "on a full disk, or at the end of a quota, the stored index is given up before an entry",
    arguments: [ENOSPC, EDQUOT])
  func indexGivenUp(code: Int32) throws {
    let fixture = Fixture(capacity: 1 << 20)
    var cache = try fixture.open()
    for number in 0..<100 { cache.store(body(number), forKey: key(number)) }
    cache.close()
    cache = try fixture.open()
    fixture.files.respond = { [files = fixture.files] call in
      let isFull = files.paths.contains { $0 == Fixture.pages || $0 == Fixture.index }
      return isFull && call.operation == .write && call.byteCount > 8 ? .fail(code) : .proceed
    }
    #expect(cache.store(body(100), forKey: key(100)))
    #expect((0...100).allSatisfy { cache.entry(forKey: key($0))?.body == body($0) })
    #expect(fixture.errors.all.isEmpty && fixture.files.contents(of: Fixture.index) == nil)
  }

  @Test("a reader whose directory was removed makes it again at its next store")
  func vanishedReader() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    writer.store(body(1), forKey: key(1))
    let reader = try fixture.open()
    writer.close()
    fixture.files.removeTree("/cache")
    #expect(reader.store(body(2), forKey: key(2)))
    #expect(reader.entry(forKey: key(1)) == nil)
    #expect(reader.entry(forKey: key(2))?.body == body(2))
  }

  @Test("a directory without permission to write is read")
  func readOnly() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    writer.store(body(1), forKey: key(1))
    writer.close()
    fixture.files.respond = { call in
      switch call.operation {
      case .lock, .write, .remove, .truncate: .fail(EROFS)
      default: .proceed
      }
    }
    let cache = try fixture.open()
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(!cache.store(body(2), forKey: key(2)))
    #expect(!cache.remove(forKey: key(1)))
    #expect(fixture.errors.all == [DiskCacheError(.lock, path: "/cache/lock", code: EROFS)])
  }

  @Test("reading errors are misses")
  func readingFails() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.files.respond = { $0.operation == .read ? .fail(EIO) : .proceed }
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(fixture.errors.all.count == 1)
    fixture.files.respond = { _ in .proceed }
    #expect(cache.entry(forKey: key(1))?.body == body(1))
  }

  @Test("opening throws an error if the directory cannot be made")
  func noDirectory() throws {
    let fixture = Fixture()
    fixture.files.respond = { $0.operation == .makeDirectory ? .fail(EACCES) : .proceed }
    #expect(throws: DiskCacheError(.makeDirectory, path: "/cache", code: EACCES)) { try fixture.open() }
  }
}
