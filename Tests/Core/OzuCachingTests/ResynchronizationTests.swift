import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Entries behind a damaged header of a record, or of a segment.
@Suite("Damaged headers")
struct ResynchronizationTests {
  /// One segment of a closed cache without a stored index.
  struct Log {
    let fixture: Fixture
    let path: String
    var bytes: Data
    /// Where each record begins, in the order of storing.
    let records: [Int]

    /// Entries with these bodies; `prepare` does the rest before the cache closes.
    init(_ bodies: [Data], capacity: Int = 1 << 20, prepare: (DiskCache) -> Void = { _ in }) throws {
      let fixture = Fixture(capacity: capacity)
      self.fixture = fixture
      let cache = try fixture.open()
      var records: [Int] = []
      for (number, body) in bodies.enumerated() {
        let segment = fixture.segments.first.flatMap(fixture.files.contents(of:))
        records.append(max(segment?.count ?? 0, SegmentHeader.byteCount))
        cache.store(
          body, metadata: Data([1, 2, 3]), forKey: key(number), in: "part", label: "entry \(number)")
      }
      prepare(cache)
      cache.close()
      path = try #require(fixture.segments.first)
      #expect(fixture.segments.count == 1)
      bytes = try #require(fixture.files.contents(of: path))
      self.records = records
      fixture.forgetIndex()
    }

    /// Opens a cache on other bytes of the segment, which is all there is.
    func open(_ bytes: Data, _ access: DiskCacheAccess = .updating) throws -> DiskCache {
      for other in fixture.files.paths where other != path { try fixture.files.remove(other) }
      fixture.files.setContents(of: path, to: bytes)
      return try DiskCache(
        directory: "/cache",
        configuration: DiskCacheConfiguration(access: access, fileSystem: fixture.files) {
          $0.capacity = fixture.capacity
          $0.refreshInterval = 0
          $0.now = fixture.clock.date
        })
    }
  }

  @Test(
    "a flipped bit in any header costs at most one entry", arguments: [DiskCacheAccess.updating, .reading])
  func everyBit(access: DiskCacheAccess) throws {
    let bodies = (0..<5).map { body($0, count: 40 + 60 * $0) }
    let log = try Log(bodies)
    let headers =
      [0..<SegmentHeader.byteCount]
      + log.records.map { $0..<$0 + EntryHeader.byteCount + "part".utf8.count }
    var lossCount = 0
    let bits = headers.joined().flatMap { offset in (0..<8).map { (offset, UInt8(1) << $0) } }
    for bit in Cases.every(3, of: bits) {
      var damaged = log.bytes
      damaged[bit.0] ^= bit.1
      let cache = try log.open(damaged, access)
      let found = bodies.indices.map { cache.entry(forKey: key($0), in: "part") }
      for (entry, body) in zip(found, bodies) where entry != nil { #expect(entry?.body == body) }
      let lost = found.count { $0 == nil }
      #expect(lost <= 1, "bit \(bit.1) of byte \(bit.0)")
      lossCount += lost
      guard access == .updating else { continue }
      #expect(
        cache.statistics.damagedSegments == (bit.0 < SegmentHeader.byteCount ? 1 : 0)
          || bit.0 >= log.records[4])
      #expect(cache.store(body(9), forKey: key(9)))
      #expect(cache.totalByteCount == log.fixture.byteCount)
    }
    // Checksums are checked: most flips do cost their entry.
    #expect(lossCount > 5 * 80 * Cases.count(2, of: 8))
  }

  @Test("several damaged headers cost their entries and no others, and each is counted")
  func manyHeaders() throws {
    let bodies = (0..<60).map { body($0, count: 500) }
    let log = try Log(bodies)
    var damaged = log.bytes
    let victims = [0, 7, 8, 9, 30, 58]
    for victim in victims { damaged[log.records[victim] + 20] ^= 4 }
    let cache = try log.open(damaged)
    for number in bodies.indices {
      #expect(
        cache.entry(forKey: key(number), in: "part")?.body
          == (victims.contains(number) ? nil : bodies[number]))
    }
    #expect(cache.statistics.corruptEntries == 4)
    #expect(!cache.verify().isSound)
    // The log continues after its last record, and the stored index has the entries that were found.
    #expect(cache.store(body(100), forKey: key(100)))
    #expect(log.fixture.segments == [log.path])
    cache.close()
    let again = try log.fixture.open()
    #expect(again.count == 60 - victims.count + 1)
    #expect(again.statistics.rebuiltIndexes == 0)
    #expect(again.entry(forKey: key(100))?.body == body(100))
  }

  @Test("the last header of a segment is cut off with its record, and the next record takes its place")
  func lastHeader() throws {
    let log = try Log((0..<3).map { body($0) })
    var damaged = log.bytes
    damaged[log.records[2] + 20] ^= 4
    let cache = try log.open(damaged)
    #expect(cache.count == 2)
    #expect(log.fixture.files.contents(of: log.path)?.count == log.records[2])
    #expect(cache.store(body(3), forKey: key(3)))
    cache.close()
    log.fixture.forgetIndex()
    #expect(try log.fixture.open().entry(forKey: key(3))?.body == body(3))
  }

  // MARK: The former version

  @Test(
    "a segment of the former version is read and not changed, and its entries have the new version after a move"
  )
  func formerVersionIsRead() throws {
    let log = try Log((0..<4).map { body($0) })
    let former = log.bytes.inFormerVersion(records: log.records)
    let cache = try log.open(former)
    #expect(cache.statistics.corruptEntries == 0 && cache.verify().isSound)
    for number in 0..<4 { #expect(cache.entry(forKey: key(number), in: "part")?.body == body(number)) }
    #expect(cache.updateMetadata(Data([7]), forKey: key(1), in: "part"))
    #expect(cache.store(body(0, version: 2), forKey: key(0), in: "part"))
    cache.remove(forKey: key(2), in: "part")
    #expect(log.fixture.segments.count == 2)
    cache.close()
    let again = try log.fixture.open()
    #expect(again.metadata(forKey: key(1), in: "part") == Data([7]))
    #expect(again.entry(forKey: key(0), in: "part")?.body == body(0, version: 2))
    #expect(again.count == 3)
    // Only the last entry is left, and moving it leaves no segment of the former version.
    again.remove(forKey: key(1), in: "part")
    try again.trim(toByteCount: 900)
    #expect(again.entry(forKey: key(3), in: "part")?.body == body(3))
    for path in log.fixture.segments { #expect(log.fixture.files.contents(of: path)?[8] == 3) }
    again.close()
    log.fixture.forgetIndex()
    let last = try log.fixture.open()
    #expect(last.entry(forKey: key(3), in: "part")?.body == body(3))
    #expect(last.verify().isSound)
  }

  @Test(
    "in a segment of the former version, where a body may have copies of records, a damaged header ends the scan"
  )
  func formerVersionIsNotSearched() throws {
    let log = try Log((0..<4).map { body($0) })
    var damaged = log.bytes.inFormerVersion(records: log.records)
    damaged[log.records[2] + 20] ^= 4
    let cache = try log.open(damaged)
    for number in 0..<4 {
      #expect(cache.entry(forKey: key(number), in: "part")?.body == (number < 2 ? body(number) : nil))
    }
  }
}
