import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Metadata that changes while the body stays")
struct DiskCacheMetadataTests {
  static func metadata(_ version: Int, count: Int = 100) -> Data {
    Data("\(version):".utf8) + Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version) })
  }

  private func reopened(_ cache: DiskCache, _ fixture: Fixture) throws -> DiskCache {
    cache.close()
    return try fixture.open()
  }

  @Test("the entry has the new metadata at once and after reopening, and everything else is unchanged")
  func basics() throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    let stored = fixture.clock.currentDate
    cache.store(body(1, count: 30_000), metadata: Self.metadata(0), forKey: key(1), label: "one")
    fixture.clock.advance(by: .seconds(9))
    let (size, before) = (cache.totalByteCount, fixture.files.callCount)
    for version in 1...5 {
      #expect(cache.updateMetadata(Self.metadata(version, count: 100 - version * 9), forKey: key(1)))
      #expect(cache.metadata(forKey: key(1)) == Self.metadata(version, count: 100 - version * 9))
    }
    // Each update reads the head and writes an area and a word. The lookup reads the head.
    #expect(fixture.files.callCount - before <= 5 * 4)
    #expect(cache.totalByteCount == size)
    for isReopened in [false, true] {
      let cache = isReopened ? try reopened(cache, fixture) : cache
      let entry = try #require(cache.entry(forKey: key(1)))
      #expect(entry.body == body(1, count: 30_000))
      #expect(entry.metadata == Self.metadata(5, count: 55))
      #expect(entry.label == "one")
      #expect(entry.storedDate == stored)
      if !isReopened { #expect(entry.accessDate == stored) }
      #expect(cache.count == 1)
      #expect(cache.verify().isSound)
    }
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("a key without an entry has no metadata to change, and a closed cache changes none")
  func absent() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    #expect(!cache.updateMetadata(Self.metadata(1), forKey: key(1)))
    cache.store(body(1), metadata: Self.metadata(0), forKey: key(1))
    #expect(!cache.updateMetadata(Self.metadata(1), forKey: key(1), in: "other"))
    cache.close()
    #expect(!cache.updateMetadata(Self.metadata(1), forKey: key(1)))
    #expect(try fixture.open().metadata(forKey: key(1)) == Self.metadata(0))
  }

  @Test(
    "metadata that does not fit causes one rewrite of the record",
    arguments: [(0, 50), (20, 400), (20, 60_000), (5000, 5000), (60_000, 3), (4000, 0)])
  func copies(first: Int, second: Int) throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    let stored = fixture.clock.currentDate
    cache.store(
      body(1, count: 3000), metadata: first == 0 ? Data() : Self.metadata(0, count: first), forKey: key(1),
      label: "one")
    fixture.clock.advance(by: .seconds(9))
    let new = second == 0 ? Data() : Self.metadata(1, count: second)
    #expect(cache.updateMetadata(new, forKey: key(1)))
    for isReopened in [false, true] {
      let cache = isReopened ? try reopened(cache, fixture) : cache
      let entry = try #require(cache.entry(forKey: key(1)))
      #expect(entry.body == body(1, count: 3000))
      #expect(entry.metadata == new)
      #expect(entry.label == "one")
      #expect(entry.storedDate == stored)
      #expect(cache.count == 1)
      #expect(cache.totalByteCount == fixture.byteCount)
    }
  }

  @Test("a copied entry keeps its current metadata, whichever area has it")
  func relocation() throws {
    let fixture = Fixture(capacity: 100 << 10)
    let cache = try fixture.open()
    for number in 0..<8 { cache.store(body(number), metadata: Self.metadata(number), forKey: key(number)) }
    for step in 0..<600 {
      let number = step % 8
      #expect(cache.updateMetadata(Self.metadata(step), forKey: key(number)))
      // The eight entries are used, so they are copied again and again while the other entries fill the log.
      #expect(cache.entry(forKey: key(number))?.metadata == Self.metadata(step))
      cache.store(body(100 + step, count: 1500), forKey: key(100 + step))
    }
    #expect(cache.statistics.relocations > 20)
    for number in 0..<8 {
      #expect(cache.entry(forKey: key(number))?.metadata == Self.metadata(592 + number))
      #expect(cache.entry(forKey: key(number))?.body == body(number))
    }
    #expect(cache.statistics.corruptEntries == 0)
  }

  @Test(
    "after a crash at any call the metadata is the former or the new one; after a flush it is the new one",
    arguments: [(Durability.buffered, MemoryFileSystem.Loss.nothing), (.synced, .unsynchronized)])
  func crashes(durability: Durability, loss: MemoryFileSystem.Loss) throws {
    /// Versions that were begun, and the last that was flushed.
    func run(_ fixture: Fixture) -> (begun: Int, flushed: Int) {
      var (begun, flushed) = (0, -1)
      guard let cache = try? fixture.open(),
        cache.store(body(1), metadata: Self.metadata(0), forKey: key(1)),
        (try? cache.flush()) != nil
      else { return (0, -1) }
      flushed = 0
      for version in 1...6 where !fixture.files.hasCrashed {
        begun = version
        // The fourth metadata is larger than its room.
        let isUpdated = cache.updateMetadata(
          Self.metadata(version, count: version == 4 ? 900 : 100), forKey: key(1))
        if isUpdated, version % 2 == 0, (try? cache.flush()) != nil { flushed = version }
      }
      return (begun, flushed)
    }
    let plain = Fixture(capacity: 1 << 20, durability: durability)
    _ = run(plain)
    for number in 0..<plain.files.callCount {
      for torn in [0, 1, 16, 60] {
        let fixture = Fixture(capacity: 1 << 20, durability: durability)
        let kind = ResponseLog()
        fixture.files.respond = { call in
          guard call.number == number else { return .proceed }
          kind.add(call.operation)
          // Four bytes in one word of the page are written or not.
          return .crash(after: call.byteCount == 4 ? 0 : torn)
        }
        let (begun, flushed) = run(fixture)
        fixture.files.restart(losing: loss)
        let cache = try fixture.open()
        let entry = cache.entry(forKey: key(1))
        if let entry {
          let versions = (max(0, flushed)...max(0, begun)).map {
            Self.metadata($0, count: $0 == 4 ? 900 : 100)
          }
          #expect(entry.body == body(1), "call \(number), torn after \(torn)")
          #expect(versions.contains(entry.metadata), "call \(number), torn after \(torn)")
        }
        // A flushed entry is there, unless a copy of it was being made.
        if flushed >= 0, flushed != 2 { #expect(entry != nil, "call \(number), torn after \(torn)") }
        #expect(cache.store(body(1), metadata: Self.metadata(9), forKey: key(1)))
        #expect(cache.updateMetadata(Self.metadata(10), forKey: key(1)))
        #expect(cache.metadata(forKey: key(1)) == Self.metadata(10))
        if kind.last != .write { break }
      }
    }
  }
}
