import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheSharingTests {
  @Test("a directory that was removed is made again at the next store")
  func vanished() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.files.removeTree("/cache")
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    #expect(fixture.segments.count == 1)
    cache.close()
    #expect(try fixture.open().entry(forKey: key(2))?.body == body(2))
  }

  @Test("the removal of single segments is noticed within sixteen stores")
  func removedSegments() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(0), forKey: key(0))
    for path in fixture.segments { try fixture.files.remove(path) }
    for number in 1...20 { #expect(cache.store(body(number), forKey: key(number))) }
    cache.close()
    let reopened = try fixture.open()
    for number in 16...20 { #expect(reopened.entry(forKey: key(number))?.body == body(number)) }
    #expect(reopened.verify().isSound)
  }

  @Test("a slow call delays only the operations that need it")
  func slowCalls() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    let store = HeldStore(2, in: cache, of: fixture)
    // The store waits for its disk. Fetches continue, and find the entries that were there before.
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(cache.entry(forKey: key(2)) == nil)
    store.release()
    #expect(cache.entry(forKey: key(2))?.body == body(2))
  }

  @Test("a writer whose directory was replaced under it yields to the new writer")
  func replaced() throws {
    let fixture = Fixture()
    let first = try fixture.open()
    first.store(body(1), forKey: key(1))
    fixture.files.removeTree("/cache")
    let second = try fixture.open()
    #expect(second.store(body(2), forKey: key(2)))
    #expect(!first.store(body(3), forKey: key(3)))
    #expect(!first.statistics.isWriter)
    #expect(first.entry(forKey: key(2))?.body == body(2))
    #expect(first.entry(forKey: key(1)) == nil)
  }

  @Test(
    "a directory of the system that is moved while the cache is open is left alone",
    arguments: [true, false])
  func moved(isReplaced: Bool) throws {
    let root = FileManager.default.temporaryDirectory.path + "/ozu-moved-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    func open(_ name: String) throws -> DiskCache {
      try DiskCache(
        directory: root + "/" + name,
        configuration: DiskCacheConfiguration(capacity: 1 << 20) { $0.refreshInterval = 0 })
    }
    let cache = try open("cache")
    #expect(cache.store(body(1), forKey: key(1)))
    try cache.flush()
    try FileManager.default.moveItem(atPath: root + "/cache", toPath: root + "/moved")
    let other = isReplaced ? try open("cache") : nil
    let count = isReplaced ? 200 : 9000
    for number in 2..<40 { #expect(cache.store(body(number, count: count), forKey: key(number))) }
    #expect(cache.statistics.isWriter == !isReplaced)
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.entry(forKey: key(39))?.body == body(39, count: count))
    // The moved one is a whole cache.
    let moved = try open("moved")
    #expect(!moved.statistics.isWriter || moved.entry(forKey: key(1))?.body == body(1))
    #expect(moved.verify().isSound && !moved.contains(key(39)))
    for cache in [other, cache, moved] { cache?.close() }
  }

  @Test("many threads store, fetch and remove on the system's files")
  func threads() throws {
    let root = FileManager.default.temporaryDirectory.path + "/ozu-cache-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let directory = root + "/a/b"
    let cache = try DiskCache(
      directory: directory, configuration: DiskCacheConfiguration(capacity: 300 << 10))
    let wrong = Counter()
    let found = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for step in 0..<400 {
        let number = Int.random(in: 0..<100, using: &random)
        switch step % 4 {
        case 0: cache.store(body(number, version: step % 3, count: 3000), forKey: key(number))
        case 3 where step % 40 == 3: cache.remove(forKey: key(number))
        default:
          if let data = cache.entry(forKey: key(number))?.body {
            found.add(1)
            if !(0..<3).contains(where: { data == body(number, version: $0, count: 3000) }) { wrong.add(1) }
          }
        }
        if cache.totalByteCount > (300 << 10) + (64 << 10) { wrong.add(1) }
      }
    }
    #expect(wrong.value == 0)
    #expect(found.value > 50)
    let statistics = cache.statistics
    #expect(statistics.corruptEntries == 0)
    #expect(statistics.errors == 0)
    #expect(statistics.evictions > 0)
    // The lock excludes a second cache in this process as it excludes another process.
    let reader = try DiskCache(directory: URL(fileURLWithPath: directory, isDirectory: true))
    #expect(!reader.statistics.isWriter)
    // Some entries died after the writer stored its index. The reader notices that when it looks at each entry.
    #expect(reader.verify().isSound)
    #expect(reader.count == cache.count)
    try cache.flush()
    cache.close()
    #expect(reader.store(body(1), forKey: key(1)))
  }
}
