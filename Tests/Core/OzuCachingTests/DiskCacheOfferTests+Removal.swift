import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

extension DiskCacheOfferTests {
  @Test("a full offer is released, and there are at most eight offers")
  func full() throws {
    let fixture = Self.fixture()
    let (writer, other) = (try fixture.open(), try fixture.open())
    let offers = { fixture.files.paths.filter { $0.hasSuffix(".offer") } }
    #expect(offers().count == 1)
    var (stored, number) = (0, 0)
    while other.store(body(number, count: 5000), forKey: key(number)) {
      (stored, number) = (stored + 1, number + 1)
    }
    // A 64th of the capacity.
    #expect(stored == (64 << 10) / 5100)
    #expect(other.statistics.dropped == 1)
    #expect(other.entry(forKey: key(number)) == nil)
    try writer.flush()
    #expect(writer.count == stored)
    // The former offer is removed at the next look, because no process holds its lock. There is a new one.
    #expect(other.store(body(number, count: 5000), forKey: key(number)))
    try writer.flush()
    #expect(writer.count == stored + 1)
    #expect(offers().count == 2)
    for number in 0...stored { #expect(other.entry(forKey: key(number))?.body == body(number, count: 5000)) }
    // Each cache takes one offer.
    let others = try (0..<12).map { _ in try fixture.open() }
    for (place, cache) in others.enumerated() {
      let isFree = place < 7
      #expect(cache.store(body(place), forKey: CacheKey("guest \(place)")) == isFree)
      try writer.flush()
      #expect(writer.contains(CacheKey("guest \(place)")) == isFree)
      #expect(offers().count <= 8)
    }
    #expect(others[11].statistics.dropped == 1)
    #expect(writer.statistics.totalByteCount == fixture.byteCount)
    // When all caches are closed, one offer stays for the next.
    for cache in others + [other] { cache.close() }
    for _ in 0..<2 { try writer.flush() }
    #expect(offers().count == 1)
    #expect(writer.statistics.totalByteCount == fixture.byteCount)
  }

  @Test("a cache that is emptied stays empty, and one that is trimmed is as small as asked")
  func emptied() throws {
    let fixture = Self.fixture()
    let (writer, other) = (try fixture.open(), try fixture.open())
    for number in 0..<10 { other.store(body(number), forKey: key(number), in: number < 5 ? "a" : "b") }
    try writer.removeAll(in: "a")
    #expect(writer.count == 5)
    for number in 0..<5 { #expect(other.entry(forKey: key(number), in: "a") == nil) }
    for number in 5..<10 { #expect(other.entry(forKey: key(number), in: "b") != nil) }
    other.store(body(10), forKey: key(10))
    try writer.removeAll()
    try writer.flush()
    #expect(writer.count == 0)
    for number in 0..<11 { #expect(other.entry(forKey: key(number)) == nil) }
    #expect(other.store(body(11), forKey: key(11)))
    try writer.trim(toByteCount: 50)
    #expect(fixture.byteCount <= 50)
    #expect(other.entry(forKey: key(11)) == nil)
    #expect(writer.store(body(12), forKey: key(12)))
    try writer.flush()
    #expect(other.store(body(13), forKey: key(13)))
    try writer.flush()
    #expect(writer.entry(forKey: key(13))?.body == body(13))
    writer.setCapacity(80 << 10)
    #expect(fixture.byteCount <= 80 << 10)
    #expect(!other.store(body(14), forKey: key(14)))
  }

  @Test("trimming by age removes entries of segments and of offers")
  func older() throws {
    let fixture = Self.fixture()
    let (writer, other) = (try fixture.open(), try fixture.open())
    #expect(other.store(body(1), forKey: key(1)))
    tick(fixture)
    let date = fixture.clock.date()
    tick(fixture)
    #expect(other.store(body(2), forKey: key(2)))
    try writer.trim(olderThan: date)
    #expect(writer.entry(forKey: key(1)) == nil)
    #expect(writer.entry(forKey: key(2))?.body == body(2))
    #expect(other.entry(forKey: key(1)) == nil)
  }

  @Test("an entry that was removed where it was stored is not handed over")
  func withdrawn() throws {
    let fixture = Self.fixture()
    let (writer, other) = (try fixture.open(), try fixture.open())
    #expect(other.store(body(1), forKey: key(1)))
    #expect(other.remove(forKey: key(1)) == false)
    #expect(other.entry(forKey: key(1)) == nil)
    try writer.flush()
    #expect(!writer.contains(key(1)))
  }

  @Test("a file that is not an offer, or a damaged offer, is skipped", arguments: 0..<6)
  func damaged(which: Int) throws {
    let fixture = Self.fixture()
    let (writer, other) = (try fixture.open(), try fixture.open())
    for number in 1...3 { #expect(other.store(body(number), forKey: key(number))) }
    let path = try #require(fixture.files.paths.first { $0.hasSuffix(".offer") })
    var bytes = try #require(fixture.files.contents(of: path))
    let length = (bytes.count - SegmentHeader.byteCount) / 3
    switch which {
    case 0: bytes[SegmentHeader.byteCount + length + 20] ^= 1
    case 1: bytes[SegmentHeader.byteCount + length + 150] ^= 1
    case 2: bytes.removeLast(10)
    case 3: bytes = Data()
    case 4: bytes = Data(repeating: 9, count: 5000)
    default: bytes.append(Data(repeating: 7, count: 300))
    }
    fixture.files.setContents(of: path, to: bytes)
    for _ in 0..<3 { try writer.flush() }
    let lost = [0: [2], 1: [2], 2: [3], 3: [1, 2, 3], 4: [1, 2, 3]][which] ?? []
    for number in 1...3 {
      #expect(writer.entry(forKey: key(number))?.body == (lost.contains(number) ? nil : body(number)))
    }
    writer.close()
    other.close()
    fixture.files.setContents(of: "/cache/0000000080010000-00000000000000ff.offer", to: bytes)
    let next = try fixture.open()
    #expect(next.store(body(5), forKey: key(5)))
    #expect(next.statistics.totalByteCount == fixture.byteCount)
    let guest = try fixture.open()
    #expect(guest.store(body(6), forKey: key(6)))
    try next.flush()
    #expect(next.entry(forKey: key(6))?.body == body(6))
  }
}
