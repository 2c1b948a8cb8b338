import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("A disk cache whose app is in the background")
struct DiskCacheSuspensionTests {
  @Test(
    "has no lock, serves what it has and changes nothing, and another cache writes",
    arguments: [Durability.buffered, .synced])
  func suspended(durability: Durability) throws {
    var fixture = Fixture()
    fixture.durability = durability
    let cache = try fixture.open()
    for number in 0..<5 { cache.store(body(number), forKey: key(number)) }
    cache.suspend()
    cache.suspend()
    #expect(!cache.statistics.isWriter)
    let other = try fixture.open()
    #expect(other.statistics.isWriter)
    for number in 0..<5 {
      #expect(cache.entry(forKey: key(number))?.body == body(number))
      #expect(other.entry(forKey: key(number))?.body == body(number))
    }
    #expect(!cache.store(body(9), forKey: key(9)))
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    // Outdated, as far as this cache knows.
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.statistics.dropped == 2)
    other.store(body(2, version: 3), forKey: key(2))
    let found = cache.entry(forKey: key(2))?.body
    #expect(found == nil || found == body(2, version: 3))
    #expect(other.statistics.isWriter)
    try cache.flush()
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("takes its lock again, with what another process stored meanwhile")
  func resumed() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    cache.suspend()
    let other = try fixture.open()
    other.store(body(2), forKey: key(2))
    other.close()
    cache.resume()
    #expect(cache.statistics.isWriter)
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    #expect(cache.store(body(3), forKey: key(3)))
    #expect(cache.entry(forKey: key(3))?.body == body(3))
    cache.close()
    #expect(try fixture.open().entry(forKey: key(3))?.body == body(3))
  }

  @Test("does not bring back what was removed meanwhile")
  func removal() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<3 { cache.store(body(number), forKey: key(number)) }
    cache.suspend()
    #expect(!cache.remove(forKey: key(1)) && cache.entry(forKey: key(1)) == nil)
    cache.resume()
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    cache.close()
    #expect(try fixture.open().count == 2)
  }

  @Test("counts the evictions since it was opened, also those from before")
  func evictions() throws {
    var fixture = Fixture()
    fixture.partitions = ["small": 1000]
    let cache = try fixture.open()
    for number in 0..<20 { cache.store(body(number), forKey: key(number), in: "small") }
    let evictions = cache.evictionCounts
    #expect(evictions["small"] ?? 0 > 0)
    cache.suspend()
    cache.resume()
    #expect(cache.evictionCounts == evictions)
  }

  @Test("reads along if another process has the lock when it returns, and hands entries over")
  func reader() throws {
    var fixture = Fixture()
    fixture.capacity = 4 << 20
    let cache = try fixture.open()
    cache.suspend()
    let other = try fixture.open()
    other.store(body(1), forKey: key(1))
    cache.resume()
    #expect(!cache.statistics.isWriter)
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(cache.store(body(2), forKey: key(2)))
    try other.flush()
    #expect(other.entry(forKey: key(2))?.body == body(2))
    other.close()
    #expect(cache.store(body(3), forKey: key(3)) && cache.statistics.isWriter)
  }

  @Test("reads along in pages of the index that another process changed before it had read them")
  func changedPages() throws {
    var fixture = Fixture()
    fixture.capacity = 2 << 20
    let first = try fixture.open()
    for number in 0..<600 { first.store(body(number), forKey: key(number)) }
    first.close()
    let cache = try fixture.open()
    cache.suspend()
    let other = try fixture.open()
    // Enough segments for a round in which all pages are written.
    for number in 600..<1600 { other.store(body(number, count: 1000), forKey: key(number)) }
    cache.resume()
    #expect(!cache.statistics.isWriter)
    #expect((0..<1600).count { cache.entry(forKey: key($0)) == nil } == 0)
  }

  @Test("a cache that was opened to be read only is so when it returns")
  func readOnly() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    writer.store(body(1), forKey: key(1))
    var configuration = fixture.configuration
    configuration.access = .reading
    let cache = try DiskCache(directory: "/cache", configuration: configuration)
    cache.suspend()
    cache.resume()
    // The store is dropped, and the writer's entry is as good as before.
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    #expect(throws: DiskCacheError(.change, path: "/cache", code: EROFS)) { try cache.removeAll() }
  }

  @Test("a reader gives back the lock of the file in which it hands entries over")
  func offers() throws {
    var fixture = Fixture()
    fixture.capacity = 4 << 20
    let writer = try fixture.open()
    let reader = try fixture.open()
    #expect(reader.store(body(1), forKey: key(1)))
    let offer = try #require(
      fixture.files.paths.first { $0.hasSuffix(OfferFile.suffix) && isLocked($0, fixture) })
    reader.suspend()
    #expect(!isLocked(offer, fixture))
    #expect(!reader.store(body(2), forKey: key(2)))
    try writer.flush()
    #expect(writer.entry(forKey: key(1))?.body == body(1))
    reader.resume()
    #expect(reader.store(body(2), forKey: key(2)))
  }

  @Test("entries whose files another process removed are misses")
  func removed() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    cache.suspend()
    let other = try fixture.open()
    try other.removeAll()
    #expect(cache.entry(forKey: key(1)) == nil)
    cache.resume()
    #expect(cache.count == 0)
  }

  @Test("a cache that is closed, or was never suspended, does not change when it resumes")
  func withoutSuspension() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    let calls = fixture.files.callCount
    cache.resume()
    #expect(fixture.files.callCount == calls && cache.statistics.isWriter)
    cache.close()
    cache.suspend()
    cache.resume()
    #expect(!cache.store(body(1), forKey: key(1)))
  }

  @Test("is suspended and resumed from tasks, on real files")
  func realFiles() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "ozu-suspension-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try DiskCache(directory: folder)
    await cache.store(body(1), forKey: key(1))
    let files = SystemFileSystem()
    let path = folder.path(percentEncoded: false) + "/lock"
    #expect(try files.lock(path) == nil)
    await cache.suspend()
    var lock = try files.lock(path)
    #expect(lock != nil)
    #expect(await cache.entry(forKey: key(1))?.body == body(1))
    lock = nil
    await cache.resume()
    #expect(await cache.store(body(2), forKey: key(2)))
    #expect(try files.lock(path) == nil)
  }

  private func isLocked(_ path: String, _ fixture: Fixture) -> Bool {
    let lock: (any FileLock)?? = try? fixture.files.lock(path)
    return if case .some(.some) = lock { false } else { true }
  }
}
