import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheRecoveryTests {
  /// Three entries in one segment.
  private func threeEntries() throws -> (Fixture, path: String, bytes: Data, records: [Range<Int>]) {
    let fixture = Fixture()
    let cache = try fixture.open()
    var records: [Range<Int>] = []
    for number in 0..<3 {
      let start = max(cache.totalByteCount, SegmentHeader.byteCount)
      cache.store(
        body(number, count: 100), metadata: Data([1, 2, 3]), forKey: key(number), in: "part", label: "label")
      records.append(start..<cache.totalByteCount)
    }
    cache.close()
    let path = try #require(fixture.segments.first)
    return (fixture, path, try #require(fixture.files.contents(of: path)), records)
  }

  @Test(
    "a flipped bit anywhere causes entries to be lost, and no wrong entry is served",
    arguments: Cases.every(2, of: [0x01, 0x80, 0xff] as [UInt8]))
  func flippedBits(mask: UInt8) throws {
    let (fixture, path, bytes, records) = try threeEntries()
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= mask
      fixture.files.setContents(of: path, to: damaged)
      fixture.forgetIndex()
      let cache = try fixture.open()
      for number in 0..<3 {
        let entry = cache.entry(forKey: key(number), in: "part")
        if let entry {
          #expect(entry.body == body(number, count: 100), "byte \(offset)")
          #expect(entry.metadata == Data([1, 2, 3]), "byte \(offset)")
          #expect(entry.label == "label", "byte \(offset)")
        }
        // Every entry before the damage is there.
        if records[number].upperBound <= offset { #expect(entry != nil, "byte \(offset)") }
        // Damage to a body costs that entry alone.
        let header = records[number].lowerBound..<records[number].lowerBound + EntryHeader.byteCount
        if records[number].contains(offset), !header.contains(offset), number < 2 {
          #expect(
            cache.entry(forKey: key(2), in: "part") != nil || offset < header.upperBound + 4, "byte \(offset)"
          )
        }
      }
      #expect(cache.metadata(forKey: key(0), in: "part").map { $0 == Data([1, 2, 3]) } ?? true)
      cache.close()
      for other in fixture.segments where other != path { try fixture.files.remove(other) }
    }
  }

  @Test("of a segment that is truncated anywhere, the entries before the end are served")
  func truncation() throws {
    let (fixture, path, bytes, records) = try threeEntries()
    for length in 0...bytes.count {
      fixture.files.setContents(of: path, to: bytes.prefix(length))
      fixture.forgetIndex()
      let cache = try fixture.open()
      for number in 0..<3 {
        let expected = records[number].upperBound <= length ? body(number, count: 100) : nil
        #expect(cache.entry(forKey: key(number), in: "part")?.body == expected, "length \(length)")
      }
      #expect(cache.store(body(5), forKey: key(5)))
      #expect(cache.entry(forKey: key(5))?.body == body(5))
      cache.close()
      for other in fixture.segments where other != path { try fixture.files.remove(other) }
    }
  }

  @Test("a damaged entry that is found while the cache is open is a miss, is counted and is removed")
  func damageWhileOpen() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<3 { cache.store(body(number), forKey: key(number)) }
    let path = try #require(fixture.segments.first)
    var bytes = try #require(fixture.files.contents(of: path))
    let position = try #require(bytes.firstRange(of: body(1))?.lowerBound)
    bytes[position + 30] ^= 1
    fixture.files.setContents(of: path, to: bytes)
    #expect(!cache.verify().isSound)
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(!cache.contains(key(1)))
    #expect(cache.statistics.corruptEntries == 1)
    #expect(cache.entry(forKey: key(0))?.body == body(0))
    #expect(cache.entry(forKey: key(2))?.body == body(2))
    #expect(cache.verify().isSound)
    cache.close()
    let reopened = try fixture.open()
    #expect(!reopened.contains(key(1)))
    #expect(reopened.count == 2)
  }

  @Test("a segment of another version is not read; it is replaced")
  func otherVersion() throws {
    let (fixture, path, bytes, _) = try threeEntries()
    var other = bytes
    other[8] = 4
    let checksum = other.prefix(40).withUnsafeBytes { Checksum64.of($0, seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { other.replaceSubrange(40..<48, with: $0) }
    fixture.files.setContents(of: path, to: other)
    let cache = try fixture.open()
    #expect(cache.count == 0)
    #expect(fixture.segments.isEmpty)
    #expect(cache.store(body(1), forKey: key(1)))
  }

  @Test("other files in the directory are not changed")
  func otherFiles() throws {
    let fixture = Fixture()
    let names = ["/cache/notes.txt", "/cache/0000000000000001.segment", "/cache/README"]
    for name in names { fixture.files.setContents(of: name, to: Data([1])) }
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    try cache.removeAll()
    for name in names { #expect(fixture.files.contents(of: name) == Data([1])) }
  }

  @Test("a body that looks like a segment is never taken for one")
  func forgery() throws {
    let (fixture, path, bytes, _) = try threeEntries()
    try fixture.files.remove(path)
    let cache = try fixture.open()
    // The body contains whole records, which end exactly where a scan continues after a damaged header.
    cache.store(bytes, forKey: key(7))
    cache.close()
    let carrier = try #require(fixture.segments.first)
    var damaged = try #require(fixture.files.contents(of: carrier))
    // Remove the true header, so that the forged records move to where records begin.
    let forged = try #require(damaged.firstRange(of: bytes)?.lowerBound) + SegmentHeader.byteCount
    damaged.removeSubrange(SegmentHeader.byteCount..<forged)
    fixture.files.setContents(of: carrier, to: damaged)
    let reopened = try fixture.open()
    #expect(reopened.count == 0)
    for number in 0..<3 { #expect(reopened.entry(forKey: key(number), in: "part") == nil) }
  }
}
