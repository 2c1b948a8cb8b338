import Dispatch
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

@Suite("Metadata that changes while the body stays")
struct DiskCacheMetadataTests {
  private static func metadata(_ version: Int, count: Int = 100) -> Data {
    Data("\(version):".utf8) + Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ version) })
  }

  private func reopened(_ cache: DiskCache, _ fixture: Fixture) throws -> DiskCache {
    cache.close()
    return try fixture.open()
  }

  @Test("the entry has the new metadata at once and after reopening, and all else as it was")
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
    // Each reads the head and writes an area and a word, and the look reads the head.
    #expect(fixture.files.callCount - before <= 5 * 4)
    #expect(cache.totalByteCount == size)
    for isReopened in [false, true] {
      let cache = isReopened ? try reopened(cache, fixture) : cache
      let entry = try #require(cache.fetch(key(1)))
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
    "what does not fit in the record has it written anew, once",
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
      let entry = try #require(cache.fetch(key(1)))
      #expect(entry.body == body(1, count: 3000))
      #expect(entry.metadata == new)
      #expect(entry.label == "one")
      #expect(entry.storedDate == stored)
      #expect(cache.count == 1)
      #expect(cache.totalByteCount == fixture.byteCount)
    }
  }

  @Test("entries from editors have room for other metadata too")
  func editors() throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for count in [100, 300_000] {
      let editor = cache.editor(forKey: key(count), metadata: Self.metadata(0))
      editor.append(body(count, count: count))
      #expect(editor.commit())
      let size = cache.totalByteCount
      #expect(cache.updateMetadata(Self.metadata(7), forKey: key(count)))
      #expect(cache.totalByteCount == size)
      #expect(cache.fetch(key(count))?.metadata == Self.metadata(7))
      #expect(cache.withBody(of: key(count)) { $1 == Self.metadata(7) } == true)
    }
  }

  @Test("a copied entry takes its metadata along, whatever was updated last")
  func relocation() throws {
    let fixture = Fixture(capacity: 100 << 10)
    let cache = try fixture.open()
    for number in 0..<8 { cache.store(body(number), metadata: Self.metadata(number), forKey: key(number)) }
    for step in 0..<600 {
      let number = step % 8
      #expect(cache.updateMetadata(Self.metadata(step), forKey: key(number)))
      // Being used, the eight are carried along while the others push them through the log.
      #expect(cache.fetch(key(number))?.metadata == Self.metadata(step))
      cache.store(body(100 + step, count: 1500), forKey: key(100 + step))
    }
    #expect(cache.statistics.relocations > 20)
    for number in 0..<8 {
      #expect(cache.fetch(key(number))?.metadata == Self.metadata(592 + number))
      #expect(cache.fetch(key(number))?.body == body(number))
    }
    #expect(cache.statistics.corruptEntries == 0)
  }

  @Test(
    "after a crash at any call the metadata is the former or the new, and the new once it was flushed",
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
        // The fourth outgrows its room.
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
        let entry = cache.fetch(key(1))
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

  @Test("a flipped bit never brings back metadata that was replaced", arguments: [0x01, 0x80] as [UInt8])
  func flippedBits(mask: UInt8) throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1, count: 100), metadata: Self.metadata(0), forKey: key(1))
    cache.updateMetadata(Self.metadata(1), forKey: key(1))
    cache.updateMetadata(Self.metadata(2), forKey: key(1))
    cache.close()
    let path = try #require(fixture.segments.first)
    let bytes = try #require(fixture.files.contents(of: path))
    var served = 0
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= mask
      fixture.files.setContents(of: path, to: damaged)
      fixture.forgetIndex()
      let cache = try fixture.open()
      if let entry = cache.fetch(key(1)) {
        served += 1
        #expect(entry.metadata == Self.metadata(2), "byte \(offset)")
        #expect(entry.body == body(1, count: 100), "byte \(offset)")
      }
      cache.close()
      for other in fixture.segments where other != path { try fixture.files.remove(other) }
    }
    // The area that is not current, what it has beyond its metadata, and the dates matter to nobody.
    #expect(served > 150)
  }

  @Test("a reader of the same directory sees the new metadata; it cannot change any")
  func reader() throws {
    let fixture = Fixture()
    let writer = try fixture.open()
    writer.store(body(1), metadata: Self.metadata(0), forKey: key(1))
    let reader = try fixture.open()
    for version in 1...4 {
      writer.updateMetadata(Self.metadata(version, count: version == 3 ? 500 : 90), forKey: key(1))
      #expect(reader.fetch(key(1))?.metadata == Self.metadata(version, count: version == 3 ? 500 : 90))
    }
    #expect(!reader.updateMetadata(Self.metadata(9), forKey: key(1)))
    #expect(reader.statistics.dropped == 1)
    #expect(reader.statistics.corruptEntries == 0)
  }

  @Test("a full disk leaves the former metadata", arguments: [0, 8, 40])
  func fullDisk(written: Int) throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), metadata: Self.metadata(0), forKey: key(1))
    fixture.files.respond = { $0.operation == .write ? .stop(after: written, ENOSPC) : .proceed }
    #expect(!cache.updateMetadata(Self.metadata(1), forKey: key(1)))
    fixture.files.respond = { _ in .proceed }
    #expect(cache.fetch(key(1))?.metadata == Self.metadata(0))
    #expect(cache.updateMetadata(Self.metadata(2), forKey: key(1)))
    #expect(cache.fetch(key(1))?.metadata == Self.metadata(2))
    #expect(fixture.errors.all.map(\.code) == [ENOSPC])
  }

  @Test("threads that fetch while others update get whole metadata of some update")
  func threads() throws {
    let root = FileManager.default.temporaryDirectory.path + "/ozu-metadata-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let cache = try DiskCache(directory: root, configuration: DiskCacheConfiguration(capacity: 1 << 20))
    for number in 0..<3 { cache.store(body(number), metadata: Self.metadata(0), forKey: key(number)) }
    let wrong = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<500 {
        let number = step % 3
        if thread < 2 {
          if !cache.updateMetadata(Self.metadata(step), forKey: key(number)) { wrong.add(1) }
        } else {
          let found =
            thread == 2
            ? cache.fetch(key(number))?.metadata : cache.withBody(of: key(number)) { $1 }
          let version = found.flatMap { Int(String(decoding: $0.prefix { $0 != 58 }, as: UTF8.self)) }
          if found != version.map({ Self.metadata($0) }) || found == nil { wrong.add(1) }
        }
      }
    }
    #expect(wrong.value == 0)
    #expect(cache.statistics.corruptEntries == 0)
    #expect(cache.verify().isSound)
    cache.close()
  }

  @Test("generations take turns between the areas for ever")
  func generations() throws {
    let areas = MetadataAreas(metadataByteCount: 10)
    var generation: UInt16 = 1
    for _ in 0..<70_000 {
      let next = MetadataAreas.generation(after: generation)
      #expect(areas.offset(of: next) != areas.offset(of: generation))
      #expect(MetadataAreas.generation(ofWord: MetadataAreas.word(next)) == next)
      generation = next
    }
    #expect(areas.offset(of: 0) == nil)
    #expect(MetadataAreas.generation(ofWord: MetadataAreas.word(2) ^ 1) == 0)
    #expect(MetadataAreas.generation(ofWord: 0) == 0)
  }

  @Test("the asynchronous form does the same")
  func asynchronous() async throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    await cache.store(body(1), metadata: Self.metadata(0), forKey: key(1))
    #expect(await cache.updateMetadata(Self.metadata(1), forKey: key(1)))
    #expect(await cache.metadata(forKey: key(1)) == Self.metadata(1))
  }
}
