import Dispatch
import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheMetadataTests {
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
      if let entry = cache.entry(forKey: key(1)) {
        served += 1
        #expect(entry.metadata == Self.metadata(2), "byte \(offset)")
        #expect(entry.body == body(1, count: 100), "byte \(offset)")
      }
      cache.close()
      for other in fixture.segments where other != path { try fixture.files.remove(other) }
    }
    // The area that is not current, the bytes after the metadata of an area, and the dates have no effect.
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
      #expect(
        reader.entry(forKey: key(1))?.metadata == Self.metadata(version, count: version == 3 ? 500 : 90))
    }
    #expect(!reader.updateMetadata(Self.metadata(9), forKey: key(1)))
    #expect(reader.statistics.dropped == 1)
    #expect(reader.statistics.corruptEntries == 0)
  }

  @Test("on a full disk the former metadata stays", arguments: [0, 8, 40])
  func fullDisk(written: Int) throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), metadata: Self.metadata(0), forKey: key(1))
    fixture.files.respond = { $0.operation == .write ? .stop(after: written, ENOSPC) : .proceed }
    #expect(!cache.updateMetadata(Self.metadata(1), forKey: key(1)))
    fixture.files.respond = { _ in .proceed }
    #expect(cache.entry(forKey: key(1))?.metadata == Self.metadata(0))
    #expect(cache.updateMetadata(Self.metadata(2), forKey: key(1)))
    #expect(cache.entry(forKey: key(1))?.metadata == Self.metadata(2))
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
            ? cache.entry(forKey: key(number))?.metadata : cache.metadata(forKey: key(number))
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

  @Test("generations alternate between the areas without end")
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
