import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("A folder of the format before")
struct UpgradeTests {
  private static let count = 300

  /// The folder of a cache of version 2: several segments, an index that has another version, and an unfinished entry.
  private func folder() throws -> Fixture {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for number in 0..<Self.count {
      cache.store(body(number, count: 1000), metadata: Data([1]), forKey: key(number), in: "part")
    }
    cache.close()
    for path in fixture.segments {
      let name = String(path.dropFirst("/cache/".count))
      let file = try #require(
        try SegmentFile.open(name, in: "/cache", for: .reading, of: fixture.files))
      var records: [Int] = []
      _ = try file.scan(from: SegmentHeader.byteCount, to: try file.byteCount()) { records.append($0.offset) }
      let bytes = try #require(fixture.files.contents(of: path))
      fixture.files.setContents(of: path, to: bytes.inFormerVersion(records: records))
    }
    var index = try #require(fixture.files.contents(of: Fixture.index))
    index[8] = 2
    fixture.files.setContents(of: Fixture.index, to: index)
    fixture.files.setContents(
      of: "/cache/0000000000000099-0000000000000009.segment.part", to: Data(count: 5000))
    return fixture
  }

  @Test("has all its entries, and is of the new format once they were moved")
  func upgrade() throws {
    let fixture = try folder()
    let former = Set(fixture.segments)
    #expect(former.count > 3)
    var cache = try fixture.open()
    #expect(cache.count == Self.count && cache.statistics.rebuiltIndexes == 1)
    #expect(
      fixture.files.paths.allSatisfy { !$0.hasSuffix(".part") } && cache.totalByteCount == fixture.byteCount)
    for number in 0..<Self.count {
      let entry = try #require(cache.entry(forKey: key(number), in: "part"))
      #expect(entry.body == body(number, count: 1000) && entry.metadata == Data([1]))
    }
    #expect(cache.verify().isSound && former == Set(fixture.segments))
    // A new entry gets a new segment: nothing is appended to the former ones.
    cache.store(body(0), forKey: key(0))
    #expect(Set(fixture.segments).subtracting(former).count == 1)
    cache.close()
    cache = try fixture.open()
    #expect(cache.statistics.rebuiltIndexes == 0 && cache.count == Self.count + 1)
    // The former segments are the oldest: new entries make them leave, and those in use are moved.
    var number = 1
    while !former.isDisjoint(with: fixture.segments), number < 10_000 {
      cache.store(body(number, count: 1000), forKey: key(number))
      cache.touch(key(7), in: "part")
      number += 1
    }
    #expect(cache.entry(forKey: key(7), in: "part")?.body == body(7, count: 1000))
    #expect(cache.verify().isSound && fixture.errors.all.isEmpty)
    #expect(fixture.segments.allSatisfy { fixture.files.contents(of: $0)?[8] == 3 })
  }

  @Test("can be read by a cache that may not write")
  func reading() throws {
    let fixture = try folder()
    let before = fixture.files.paths.map { fixture.files.contents(of: $0) }
    let cache = try DiskCache(
      directory: "/cache", configuration: DiskCacheConfiguration(access: .reading, fileSystem: fixture.files))
    for number in 0..<Self.count {
      #expect(cache.entry(forKey: key(number), in: "part")?.body == body(number, count: 1000))
    }
    cache.close()
    #expect(before == fixture.files.paths.map { fixture.files.contents(of: $0) })
  }
}

extension Data {
  /// A segment as version 2 wrote it: places are not in the checksums of headers.
  func inFormerVersion(records: [Int]) -> Data {
    var former = Array(self)
    former.withUnsafeMutableBytes { bytes in
      bytes.set(UInt32(2), at: 8)
      bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<40]), seed: 0), at: 40)
      let salt: UInt64 = UnsafeRawBufferPointer(bytes).integer(at: 24)
      for record in records {
        let fields = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[record..<record + 72]), seed: salt)
        let length = Int(UnsafeRawBufferPointer(bytes).integer(at: record + 4, as: UInt16.self))
        let name = record + EntryHeader.byteCount..<record + EntryHeader.byteCount + length
        bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[name]), seed: fields), at: record + 72)
      }
    }
    return Data(former)
  }
}
