import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Entries that caches on one directory hand over to the writer")
struct DiskCacheOfferTests {
  static func fixture(durability: Durability = .buffered) -> Fixture {
    Fixture(capacity: 4 << 20, durability: durability)
  }

  func tick(_ fixture: Fixture) { fixture.clock.advance(by: .milliseconds(1)) }

  @Test(
    "the other cache stores an entry, and all caches have it after the writer has looked",
    arguments: [Durability.buffered, .synced])
  func handOver(durability: Durability) throws {
    let fixture = Self.fixture(durability: durability)
    let writer = try fixture.open()
    let (other, third) = (try fixture.open(), try fixture.open())
    #expect(other.store(body(1), metadata: Data([7]), forKey: key(1), in: "part", label: "one"))
    #expect(other.entry(forKey: key(1), in: "part")?.body == body(1))
    #expect(other.contains(key(1), in: "part"))
    #expect(!third.contains(key(1), in: "part"))
    #expect((other.statistics.offered, other.statistics.dropped) == (1, 0))
    writer.store(body(2), forKey: key(2))
    #expect(writer.statistics.adopted == 1)
    let entry = writer.entry(forKey: key(1), in: "part")
    #expect(entry?.body == body(1))
    #expect(entry?.metadata == Data([7]))
    #expect(entry?.label == "one")
    #expect(entry?.storedDate == fixture.clock.date())
    #expect(third.entry(forKey: key(1), in: "part")?.body == body(1))
    try writer.flush()
    #expect(other.entry(forKey: key(1), in: "part")?.metadata == Data([7]))
    #expect(writer.statistics.adopted == 1)
    // The writer has seen an offer of another cache. From now on, a miss is enough for it to look for more.
    other.store(body(3), forKey: key(3))
    #expect(writer.entry(forKey: key(3))?.body == body(3))
    #expect(writer.entry(forKey: key(4)) == nil)
    #expect(fixture.errors.all.isEmpty)
  }

  @Test("the writer looks once per refresh interval, and at each flush and each removal")
  func interval() throws {
    var fixture = Self.fixture()
    fixture.refreshInterval = 10
    let (writer, other) = (try fixture.open(), try fixture.open())
    #expect(other.store(body(1), forKey: key(1)))
    writer.store(body(2), forKey: key(2))
    #expect(!writer.contains(key(1)))
    fixture.clock.advance(by: .seconds(11))
    writer.store(body(3), forKey: key(3))
    #expect(writer.contains(key(1)))
    #expect(other.store(body(4), forKey: key(4)))
    #expect(other.store(body(5), forKey: key(5)))
    #expect(other.entry(forKey: key(1))?.body == body(1))
    #expect(other.entry(forKey: key(77)) == nil)
    try writer.flush()
    #expect(writer.contains(key(4)))
    #expect(writer.remove(forKey: key(5)))
    // An entry that was adopted is dead in the offer, which is a reason for the other cache to look at once.
    #expect(other.entry(forKey: key(4))?.body == body(4))
    #expect(other.entry(forKey: key(5)) == nil)
    try writer.flush()
    #expect(!writer.contains(key(5)))
  }

  @Test("of two entries of a key the later is kept, whichever process stored it and whenever it is adopted")
  func order() throws {
    let fixture = Self.fixture()
    let (writer, other, third) = (try fixture.open(), try fixture.open(), try fixture.open())
    var version = 0
    for (number, turns) in [[0, 1], [1, 0], [1, 2], [2, 1], [0, 1, 2], [2, 1, 0], [1, 0, 1]].enumerated() {
      for turn in turns {
        version += 1
        tick(fixture)
        let cache = [writer, other, third][turn]
        #expect(cache.store(body(number, version: version), forKey: key(number)))
        #expect(cache.entry(forKey: key(number))?.body == body(number, version: version))
      }
      try writer.flush()
      for cache in [writer, other, third] {
        #expect(cache.entry(forKey: key(number))?.body == body(number, version: version), "\(turns)")
      }
    }
  }

  @Test("an entry that moves does not hide a later one that was handed over")
  func relocation() throws {
    let fixture = Self.fixture()
    let writer = try fixture.open()
    #expect(writer.store(body(1), forKey: key(1)))
    for number in 100..<600 { writer.store(body(number, count: 500), forKey: key(number)) }
    let other = try fixture.open()
    tick(fixture)
    #expect(other.store(body(1, version: 2), forKey: key(1)))
    // The writer cannot read what is handed over, and moves what it has.
    fixture.files.respond = { $0.path.hasSuffix(".offer") ? .fail(EIO) : .proceed }
    for number in 100..<600 where number % 5 != 0 { writer.remove(forKey: key(number)) }
    fixture.files.respond = { _ in .proceed }
    #expect(writer.statistics.relocations > 0)
    #expect(other.entry(forKey: key(77)) == nil)
    #expect(other.entry(forKey: key(1))?.body == body(1, version: 2))
    try writer.flush()
    #expect(writer.entry(forKey: key(1))?.body == body(1, version: 2))
  }

  @Test("an offered entry survives the end of its process, of the writer, or of both", arguments: 0..<8)
  func restart(which: Int) throws {
    let fixture = Self.fixture()
    var writer: DiskCache? = try fixture.open()
    var other: DiskCache? = try fixture.open()
    _ = writer?.store(body(0), forKey: key(0))
    for number in 1..<20 { #expect(other?.store(body(number, count: 3000), forKey: key(number)) == true) }
    if which & 4 != 0 {
      fixture.files.crash()
      fixture.files.restart(losing: .nothing)
      (writer, other) = (nil, nil)
    }
    if which & 1 != 0 { other = nil }
    if which & 2 != 0 { writer = nil }
    let next = try fixture.open()
    try writer?.flush()
    // The one that reads takes over when it stores.
    if writer == nil { _ = other?.store(body(99), forKey: key(99)) }
    for cache in [writer, other, next].compactMap({ $0 }) {
      for number in 0..<20 {
        #expect(
          cache.entry(forKey: key(number)).map { $0.body == body(number, count: number == 0 ? 200 : 3000) }
            == true)
      }
    }
    #expect(fixture.byteCount <= fixture.capacity)
  }
}
