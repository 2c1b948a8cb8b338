import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Segments that cannot be opened, or that are forged")
struct UnseenSegmentTests {
  private static let count = 60

  /// A closed cache of several segments with version 0 of every entry.
  private func closed(withIndex: Bool = true) throws -> Fixture {
    let fixture = Fixture(capacity: 256 << 10)
    let cache = try fixture.open()
    for number in 0..<Self.count { cache.store(body(number, count: 3000), forKey: key(number)) }
    cache.close()
    #expect(fixture.segments.count > 2)
    if !withIndex { fixture.forgetIndex() }
    return fixture
  }

  /// Stores another version of every entry; returns which were stored.
  private func storeAll(_ version: Int, _ cache: DiskCache) -> [Bool] {
    (0..<Self.count).map { cache.store(body($0, version: version, count: 3000), forKey: key($0)) }
  }

  private func check(_ fixture: Fixture, _ cache: DiskCache) {
    #expect(cache.totalByteCount == fixture.byteCount)
    #expect(fixture.byteCount <= fixture.capacity)
    #expect(cache.verify().isSound)
  }

  @Test("a cache that loses its lock within a store, as it cannot rebuild its index, writes no more")
  func lossWithinStore() throws {
    var fixture = Fixture(capacity: 256 << 10)
    let first = try fixture.open()
    for number in 0..<140 { first.store(body(number, count: 1000), forKey: key(number)) }
    first.close()
    var pages = try #require(fixture.files.contents(of: Fixture.pages))
    for start in stride(from: 0, to: pages.count, by: IndexPage.byteCount) { pages[start + 100] ^= 1 }
    fixture.files.setContents(of: Fixture.pages, to: pages)
    // In this capacity the next store begins to empty the oldest segment.
    fixture.capacity = 200 << 10
    let cache = try fixture.open()
    #expect(cache.statistics.isWriter && cache.statistics.rebuiltIndexes == 0)
    let (failures, writes) = (Counter(), Counter())
    fixture.files.respond = { call in
      if call.operation == .list {
        failures.add(1)
        return .fail(EMFILE)
      }
      if failures.value > 0, [.write, .remove].contains(call.operation) { writes.add(1) }
      return .proceed
    }
    cache.store(body(200, count: 1000), forKey: key(200))
    #expect(failures.value == 1 && writes.value == 0)
    #expect(!cache.statistics.isWriter)
  }

  @Test(
    "after a shortage of descriptors or memory while opening, overwritten entries do not come back",
    arguments: [DiskCacheError.Operation.open, .read, .size], [EMFILE, ENOMEM])
  func shortageAtOpening(operation: DiskCacheError.Operation, code: Int32) throws {
    for withIndex in [true, false] {
      // The newest segment, an old one, or all.
      for unseen in [[0], [1], [2], [0, 1, 2]] {
        let fixture = try closed(withIndex: withIndex)
        let segments = fixture.segments.reversed().map { $0 }
        let paths = Set(unseen.map { segments[$0] })
        fixture.files.respond = { call in
          call.operation == operation && paths.contains(call.path) ? .fail(code) : .proceed
        }
        let cache = try fixture.open()
        #expect(!cache.statistics.isWriter)
        #expect(!cache.store(body(1, version: 1), forKey: key(1)))
        #expect(cache.entry(forKey: key(1)) == nil)
        fixture.files.respond = { _ in .proceed }
        // The shortage has passed: the next store finds all segments.
        #expect(storeAll(2, cache).allSatisfy { $0 })
        #expect(cache.statistics.isWriter)
        check(fixture, cache)
        cache.close()
        let reopened = try fixture.open()
        for number in 0..<Self.count {
          let found = reopened.entry(forKey: key(number))?.body
          #expect(found == nil || found == body(number, version: 2, count: 3000))
        }
        check(fixture, reopened)
      }
    }
  }

  @Test(
    "during the shortage readable entries are served, and opening is tried again once per refresh interval")
  func lastingShortage() throws {
    var fixture = try closed()
    fixture.refreshInterval = 10
    let newest = try #require(fixture.segments.last)
    fixture.files.respond = { $0.operation == .open && $0.path == newest ? .fail(EMFILE) : .proceed }
    let cache = try fixture.open()
    #expect(cache.count > 0)
    let before = fixture.files.callCount
    #expect(storeAll(1, cache).allSatisfy { !$0 })
    #expect(fixture.files.callCount == before)
    for number in 0..<Self.count { #expect(cache.entry(forKey: key(number)) == nil) }
    fixture.files.respond = { _ in .proceed }
    fixture.clock.advance(by: .seconds(11))
    #expect(storeAll(2, cache).allSatisfy { $0 })
  }

  @Test("a segment that always fails is removed, and its entries do not come back", arguments: [EACCES, EIO])
  func brokenSegment(code: Int32) throws {
    for operation in [DiskCacheError.Operation.open, .read, .size] {
      for withIndex in [true, false] {
        let fixture = try closed(withIndex: withIndex)
        let newest = try #require(fixture.segments.last)
        fixture.files.respond = { $0.operation == operation && $0.path == newest ? .fail(code) : .proceed }
        let cache = try fixture.open()
        #expect(cache.statistics.isWriter)
        #expect(!fixture.segments.contains(newest))
        #expect(storeAll(1, cache).allSatisfy { $0 })
        check(fixture, cache)
        cache.close()
        fixture.files.respond = { _ in .proceed }
        let reopened = try fixture.open()
        for number in 0..<Self.count {
          let found = reopened.entry(forKey: key(number))?.body
          #expect(found == nil || found == body(number, version: 1, count: 3000))
        }
      }
    }
  }

  @Test("a segment that can neither be read nor removed makes the cache a reader")
  func stuckSegment() throws {
    let fixture = try closed()
    let newest = try #require(fixture.segments.last)
    fixture.files.respond = { call in
      call.path == newest && [.open, .remove].contains(call.operation) ? .fail(EACCES) : .proceed
    }
    let cache = try fixture.open()
    #expect(!cache.statistics.isWriter)
    #expect(storeAll(1, cache).allSatisfy { !$0 })
    #expect(throws: DiskCacheError(.open, path: newest, code: EACCES)) { try cache.removeAll() }
    fixture.files.respond = { _ in .proceed }
    #expect(storeAll(2, cache).allSatisfy { $0 })
    check(fixture, cache)
  }

  @Test("a directory that cannot be listed when a reader takes over leaves it a reader")
  func takingOverFails() throws {
    let fixture = try closed()
    let writer = try fixture.open()
    let reader = try fixture.open()
    #expect(storeAll(1, writer).allSatisfy { $0 })
    writer.close()
    fixture.files.respond = { $0.operation == .list ? .fail(EMFILE) : .proceed }
    #expect(storeAll(2, reader).allSatisfy { !$0 })
    #expect(!reader.statistics.isWriter)
    fixture.files.respond = { _ in .proceed }
    #expect(storeAll(3, reader).allSatisfy { $0 })
    reader.close()
    let reopened = try fixture.open()
    for number in 0..<Self.count {
      let found = reopened.entry(forKey: key(number))?.body
      #expect(found == nil || found == body(number, version: 3, count: 3000))
    }
  }

  @Test(
    "another file with the name of a segment has no effect",
    arguments: [
      "ffffffffffffffff-ffffffffffffffff", "fffffffffffffffe-0000000000000001",
      "4000000000000000-0000000000000001",
      "3fffffffffffffff-0000000000000001", "0000000000000000-0000000000000000",
    ])
  func strayName(name: String) throws {
    let fixture = Fixture()
    fixture.files.setContents(of: "/cache/\(name).segment", to: Data())
    for _ in 0..<2 {
      let cache = try fixture.open()
      #expect(cache.store(body(1), forKey: key(1)))
      #expect(cache.store(body(2, count: 10_000), forKey: key(2)))
      #expect(cache.store(body(3, count: 20_000), forKey: key(3)))
      cache.close()
      #expect(fixture.segments.allSatisfy { !$0.contains(name) })
    }
    #expect(try fixture.open().entry(forKey: key(3))?.body == body(3, count: 20_000))
  }

  /// A segment with one record, as an attacker writes it who knows the format.
  private func forgedSegment(number: UInt64, sequence: UInt64) -> (path: String, bytes: Data) {
    let header = SegmentHeader(number: number, salt: 7, created: 0)
    var head = EntryHead(key: key(1), partition: .default, label: "", metadata: Data())
    let data = body(1, version: 9, count: 200)
    let entry = head.header(
      sequence: sequence, date: 1, bodyLength: data.count,
      bodyChecksum: data.withUnsafeBytes { Checksum64.of($0, seed: 0) })
    var bytes = Data(header.bytes)
    head.withParts(entry, data, seed: header.seed(at: SegmentHeader.byteCount)) { parts in
      for part in parts { bytes.append(contentsOf: part) }
    }
    return ("/cache/" + header.fileName, bytes)
  }

  @Test(
    "a segment with the largest numbers cannot stop the cache from writing",
    arguments: [
      (1, UInt64.max), (1, LogNumbers.limit - 1), (UInt64.max, 1), (LogNumbers.limit - 1, 1),
      (LogNumbers.limit, LogNumbers.limit), (LogNumbers.exhausted - 1, LogNumbers.exhausted - 1),
    ] as [(UInt64, UInt64)])
  func lastNumbers(number: UInt64, sequence: UInt64) throws {
    let fixture = Fixture()
    let forged = forgedSegment(number: number, sequence: sequence)
    fixture.files.setContents(of: forged.path, to: forged.bytes)
    for version in 1..<4 {
      let cache = try fixture.open()
      for number in 1..<40 { #expect(cache.store(body(number, version: version), forKey: key(number))) }
      #expect(cache.entry(forKey: key(1))?.body == body(1, version: version))
      cache.close()
      fixture.forgetIndex()
      let reopened = try fixture.open()
      #expect(reopened.entry(forKey: key(1))?.body == body(1, version: version))
      reopened.close()
    }
  }

  @Test("a record that claims to be of another key, or longer than any memory, is not served")
  func hugeClaims() throws {
    let fixture = Fixture()
    let forged = forgedSegment(number: 1, sequence: 1)
    var bytes = forged.bytes
    // A label of 4 GB: the header's own checksum is right.
    bytes.withUnsafeMutableBytes { bytes in
      bytes.set(UInt32.max, at: SegmentHeader.byteCount + 40)
      let fields = UnsafeRawBufferPointer(
        rebasing: bytes[SegmentHeader.byteCount..<SegmentHeader.byteCount + 72])
      let name = UnsafeRawBufferPointer(
        rebasing: bytes[SegmentHeader.byteCount + 96..<SegmentHeader.byteCount + 103])
      bytes.set(
        Checksum64.of(name, seed: Checksum64.of(fields, seed: 7 ^ UInt64(SegmentHeader.byteCount))),
        at: SegmentHeader.byteCount + 72)
    }
    fixture.files.setContents(of: forged.path, to: bytes)
    let cache = try fixture.open()
    #expect(cache.count == 0)
    #expect(cache.store(body(1), forKey: key(1)))
    #expect(cache.entry(forKey: key(1))?.body == body(1))
  }
}
