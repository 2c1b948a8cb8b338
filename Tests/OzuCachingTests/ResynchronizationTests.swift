import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What lies behind a damaged header of a record, or of a segment.
@Suite("Damaged headers")
struct ResynchronizationTests {
  /// One segment of a closed cache without a stored index.
  private struct Log {
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
        configuration: DiskCacheConfiguration(
          capacity: fixture.capacity, access: access, refreshInterval: 0, fileSystem: fixture.files,
          now: fixture.clock.date))
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
    for bit in headers.joined().flatMap({ offset in (0..<8).map { (offset, UInt8(1) << $0) } }) {
      var damaged = log.bytes
      damaged[bit.0] ^= bit.1
      let cache = try log.open(damaged, access)
      let found = bodies.indices.map { cache.fetch(key($0), in: "part") }
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
    #expect(lossCount > 5 * 80 * 8)
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
      #expect(cache.fetch(key(number), in: "part")?.body == (victims.contains(number) ? nil : bodies[number]))
    }
    #expect(cache.statistics.corruptEntries == 4)
    #expect(!cache.verify().isSound)
    // The log goes on behind its last record, and what was found is in the stored index.
    #expect(cache.store(body(100), forKey: key(100)))
    #expect(log.fixture.segments == [log.path])
    cache.close()
    let again = try log.fixture.open()
    #expect(again.count == 60 - victims.count + 1)
    #expect(again.statistics.rebuiltIndexes == 0)
    #expect(again.fetch(key(100))?.body == body(100))
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
    #expect(try log.fixture.open().fetch(key(3))?.body == body(3))
  }

  // MARK: The former version

  /// The bytes of a segment as version 2 wrote them: places are not in the checksums of headers.
  private func formerVersion(of log: Log) -> Data {
    var former = Array(log.bytes)
    former.withUnsafeMutableBytes { bytes in
      bytes.set(UInt32(2), at: 8)
      bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<40]), seed: 0), at: 40)
      let salt: UInt64 = UnsafeRawBufferPointer(bytes).integer(at: 24)
      for record in log.records {
        let fields = Checksum64.of(
          UnsafeRawBufferPointer(rebasing: bytes[record..<record + 72]), seed: salt)
        let name = record + EntryHeader.byteCount..<record + EntryHeader.byteCount + 4
        bytes.set(Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[name]), seed: fields), at: record + 72)
      }
    }
    return Data(former)
  }

  @Test("a segment of the former version is read and left, and what is moved from it is of the new one")
  func formerVersionIsRead() throws {
    let log = try Log((0..<4).map { body($0) })
    let former = formerVersion(of: log)
    let cache = try log.open(former)
    #expect(cache.statistics.corruptEntries == 0 && cache.verify().isSound)
    for number in 0..<4 { #expect(cache.fetch(key(number), in: "part")?.body == body(number)) }
    #expect(cache.updateMetadata(Data([7]), forKey: key(1), in: "part"))
    #expect(cache.store(body(0, version: 2), forKey: key(0), in: "part"))
    cache.remove(forKey: key(2), in: "part")
    #expect(log.fixture.segments.count == 2)
    cache.close()
    let again = try log.fixture.open()
    #expect(again.metadata(forKey: key(1), in: "part") == Data([7]))
    #expect(again.fetch(key(0), in: "part")?.body == body(0, version: 2))
    #expect(again.count == 3)
    // Only the last entry is left, and moving it leaves no segment of the former version.
    again.remove(forKey: key(1), in: "part")
    try again.trim(toByteCount: 900)
    #expect(again.fetch(key(3), in: "part")?.body == body(3))
    for path in log.fixture.segments { #expect(log.fixture.files.contents(of: path)?[8] == 3) }
    again.close()
    log.fixture.forgetIndex()
    let last = try log.fixture.open()
    #expect(last.fetch(key(3), in: "part")?.body == body(3))
    #expect(last.verify().isSound)
  }

  @Test(
    "in a segment of the former version, where a body may have copies of records, a damaged header ends the scan"
  )
  func formerVersionIsNotSearched() throws {
    let log = try Log((0..<4).map { body($0) })
    var damaged = formerVersion(of: log)
    damaged[log.records[2] + 20] ^= 4
    let cache = try log.open(damaged)
    for number in 0..<4 {
      #expect(cache.fetch(key(number), in: "part")?.body == (number < 2 ? body(number) : nil))
    }
  }

  // MARK: Bodies that contain records

  @Test("a copy of a record inside a body is not taken for a record", arguments: 0..<8)
  func copyInBody(padding: Int) throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    cache.store(body(0), forKey: key(0))
    cache.store(body(1), forKey: key(1))
    let path = try #require(fixture.segments.first)
    // Whole records of this very file, alive.
    let records = try #require(fixture.files.contents(of: path)).dropFirst(SegmentHeader.byteCount)
    let carrier = cache.totalByteCount
    cache.store(Data(count: padding) + records, forKey: key(2))
    cache.store(body(3), forKey: key(3))
    cache.remove(forKey: key(0))
    cache.remove(forKey: key(1))
    cache.close()
    fixture.forgetIndex()
    var damaged = try #require(fixture.files.contents(of: path))
    damaged[carrier + 20] ^= 4
    fixture.files.setContents(of: path, to: damaged)
    let reopened = try fixture.open()
    for number in 0..<3 { #expect(reopened.fetch(key(number)) == nil, "key \(number)") }
    #expect(reopened.fetch(key(3))?.body == body(3))
    #expect(reopened.count == 1)
  }

  @Test("a body full of what begins a header is searched once")
  func hostileBody() throws {
    // The first eight bytes of a header with the longest name of a partition there can be.
    let start = Data("OZe2".utf8) + Data([0xff, 0xff, 0, 0])
    let hostile = (0..<16_384).reduce(into: Data()) { data, _ in data += start }
    let log = try Log([hostile, body(1), hostile, body(3)], capacity: 16 << 20)
    var damaged = log.bytes
    for victim in [0, 2] { damaged[log.records[victim] + 20] ^= 4 }
    let reads = Counter()
    log.fixture.files.respond = { call in
      if call.operation == .read { reads.add(1) }
      return .proceed
    }
    let cache = try log.open(damaged)
    log.fixture.files.respond = { _ in .proceed }
    #expect(reads.value < 30)
    #expect(cache.fetch(key(1), in: "part")?.body == body(1))
    #expect(cache.fetch(key(3), in: "part")?.body == body(3))
    #expect(cache.count == 2)
  }

  @Test("a search ends after 64 MB, and nobody searches the same bytes twice")
  func searchIsBounded() throws {
    let log = try Log((0..<3).map { body($0) })
    var damaged = log.bytes
    damaged[log.records[1] + 20] ^= 4
    damaged[log.records[2] + 20] ^= 4
    let reads = Counter()
    log.fixture.files.respond = { call in
      if call.operation == .read { reads.add(1) }
      return .proceed
    }
    // Half a megabyte without a record: 8 reads of 64 KB, of a few records' headers and of the segment's.
    let reader = try log.open(damaged + Data(count: 512 << 10), .reading)
    #expect(reads.value < 14)
    for _ in 0..<10 { #expect(reader.fetch(key(1), in: "part") == nil) }
    #expect(reads.value < 14 + 10 * 4)
    let before = reads.value
    _ = try log.open(damaged + Data(count: 80 << 20), .reading)
    #expect(reads.value - before > 1000)
    #expect(reads.value - before < 1040)
  }

  // MARK: Readers of a log that grows

  @Test("a reader passes over a header that was damaged while it looked on")
  func readerPassesOver() throws {
    let log = try Log((0..<4).map { body($0) })
    let reader = try log.open(log.bytes.prefix(log.records[1]), .reading)
    #expect(reader.count == 1)
    var damaged = log.bytes
    damaged[log.records[1] + 20] ^= 4
    log.fixture.files.setContents(of: log.path, to: damaged)
    for number in [0, 2, 3] { #expect(reader.fetch(key(number), in: "part")?.body == body(number)) }
    #expect(reader.fetch(key(1), in: "part") == nil)
  }

  @Test(
    "a record that is being written when a reader looks is found when it is whole", arguments: [10, 96, 150])
  func recordUnderWay(byteCount: Int) throws {
    let log = try Log((0..<4).map { body($0) })
    let reader = try log.open(log.bytes.prefix(log.records[1] + byteCount), .reading)
    #expect(reader.fetch(key(1), in: "part") == nil)
    log.fixture.files.setContents(of: log.path, to: log.bytes)
    for number in 0..<4 { #expect(reader.fetch(key(number), in: "part")?.body == body(number)) }
  }

  @Test("so is one behind a damaged header", arguments: [10, 96, 150])
  func recordUnderWayBehindDamage(byteCount: Int) throws {
    let log = try Log((0..<4).map { body($0) })
    var damaged = log.bytes
    damaged[log.records[1] + 20] ^= 4
    let reader = try log.open(damaged.prefix(log.records[2] + byteCount), .reading)
    for _ in 0..<2 { #expect(reader.fetch(key(2), in: "part") == nil) }
    log.fixture.files.setContents(of: log.path, to: damaged)
    for number in [0, 2, 3] { #expect(reader.fetch(key(number), in: "part")?.body == body(number)) }
  }

  @Test("a record that becomes whole between a reader's reads is not passed over")
  func recordBetweenReads() throws {
    let log = try Log((0..<4).map { body($0) })
    let reader = try log.open(log.bytes.prefix(log.records[1]), .reading)
    // The header is not there yet when the reader looks for it, and all are when the reader looks further.
    var early = log.bytes
    early.resetBytes(in: log.records[1]..<log.records[2])
    log.fixture.files.setContents(of: log.path, to: early)
    let reads = Counter()
    log.fixture.files.respond = { [files = log.fixture.files, log] call in
      if call.operation == .read {
        if reads.value == 1 { files.setContents(of: log.path, to: log.bytes) }
        reads.add(1)
      }
      return .proceed
    }
    for number in [1, 2, 3, 0] { #expect(reader.fetch(key(number), in: "part")?.body == body(number)) }
    #expect(reads.value > 2)
  }
}
