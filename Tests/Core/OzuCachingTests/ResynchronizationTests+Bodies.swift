import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension ResynchronizationTests {
  @Test("a copy of a record inside a body is not read as a record", arguments: 0..<8)
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
    for number in 0..<3 { #expect(reopened.entry(forKey: key(number)) == nil, "key \(number)") }
    #expect(reopened.entry(forKey: key(3))?.body == body(3))
    #expect(reopened.count == 1)
  }

  @Test("a body full of beginnings of headers is searched once")
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
    #expect(cache.entry(forKey: key(1), in: "part")?.body == body(1))
    #expect(cache.entry(forKey: key(3), in: "part")?.body == body(3))
    #expect(cache.count == 2)
  }

  @Test("a search ends after 64 MB, and no bytes are searched twice")
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
    for _ in 0..<10 { #expect(reader.entry(forKey: key(1), in: "part") == nil) }
    #expect(reads.value < 14 + 10 * 4)
    let before = reads.value
    _ = try log.open(damaged + Data(count: 80 << 20), .reading)
    #expect(reads.value - before > 1000)
    #expect(reads.value - before < 1040)
  }

  // MARK: Readers of a log that grows

  @Test("a reader skips a header that was damaged after its last look")
  func readerPassesOver() throws {
    let log = try Log((0..<4).map { body($0) })
    let reader = try log.open(log.bytes.prefix(log.records[1]), .reading)
    #expect(reader.count == 1)
    var damaged = log.bytes
    damaged[log.records[1] + 20] ^= 4
    log.fixture.files.setContents(of: log.path, to: damaged)
    for number in [0, 2, 3] { #expect(reader.entry(forKey: key(number), in: "part")?.body == body(number)) }
    #expect(reader.entry(forKey: key(1), in: "part") == nil)
  }

  @Test(
    "a record that is being written when a reader looks is found when it is whole", arguments: [10, 96, 150])
  func recordUnderWay(byteCount: Int) throws {
    let log = try Log((0..<4).map { body($0) })
    let reader = try log.open(log.bytes.prefix(log.records[1] + byteCount), .reading)
    #expect(reader.entry(forKey: key(1), in: "part") == nil)
    log.fixture.files.setContents(of: log.path, to: log.bytes)
    for number in 0..<4 { #expect(reader.entry(forKey: key(number), in: "part")?.body == body(number)) }
  }

  @Test("a record behind a damaged header that becomes whole later is found", arguments: [10, 96, 150])
  func recordUnderWayBehindDamage(byteCount: Int) throws {
    let log = try Log((0..<4).map { body($0) })
    var damaged = log.bytes
    damaged[log.records[1] + 20] ^= 4
    let reader = try log.open(damaged.prefix(log.records[2] + byteCount), .reading)
    for _ in 0..<2 { #expect(reader.entry(forKey: key(2), in: "part") == nil) }
    log.fixture.files.setContents(of: log.path, to: damaged)
    for number in [0, 2, 3] { #expect(reader.entry(forKey: key(number), in: "part")?.body == body(number)) }
  }

  @Test("a record that becomes whole between a reader's reads is not skipped")
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
    for number in [1, 2, 3, 0] {
      #expect(reader.entry(forKey: key(number), in: "part")?.body == body(number))
    }
    #expect(reads.value > 2)
  }
}
