import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Clocks that jump by years, and machines that begin in 1970 until they hear of the time.
@Suite("A disk cache and a clock that is wrong")
struct HostileClockTests {
  private static let year = 365 * 86_400.0
  private static let dates = [
    "1970": Date(timeIntervalSince1970: 0), "before 1970": Date(timeIntervalSince1970: -40 * year),
    "2026": ManualClock().currentDate, "2100": Date(timeIntervalSince1970: 130 * year),
    "the end of time": Date.distantFuture,
  ]

  @Test(
    "serves what was stored, keeps its capacities and opens again, whatever the clock says",
    arguments: 0..<4 as Range<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = Fixture(capacity: 400 << 10)
    fixture.partitions = ["small": 20_000]
    var cache = try fixture.open()
    var model: [Int: Int] = [:]
    for step in 0..<1200 {
      let number = Int.random(in: 0..<60, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: fixture.clock.currentDate = Self.dates.values.sorted().randomElement(using: &random)!
      case 1: fixture.clock.currentDate += Double.random(in: -3...3, using: &random) * Self.year
      case 2:
        cache.close()
        if Bool.random(using: &random) { fixture.forgetIndex() }
        cache = try fixture.open()
      case 3: try cache.flush()
      case 4..<10:
        #expect(cache.store(body(number, version: step, count: 600), forKey: key(number)), "seed \(seed)")
        model[number] = step
      case 10..<13:
        #expect(cache.store(body(number, version: step, count: 900), forKey: key(number), in: "small"))
        // A full partition never gives up the entry that was just stored.
        #expect(cache.contains(key(number), in: "small"), "seed \(seed), step \(step)")
      default:
        let expected = model[number].map { body(number, version: $0, count: 600) }
        #expect(cache.entry(forKey: key(number))?.body == expected, "seed \(seed), step \(step)")
      }
      #expect(cache.byteCount(of: "small") <= 20_000 && cache.totalByteCount <= fixture.capacity)
    }
    #expect(cache.verify().isSound && fixture.errors.all.isEmpty)
  }

  @Test(
    "after the clock was set back by years, trimming keeps what was used since", arguments: [true, false])
  func trimming(isReopened: Bool) throws {
    let fixture = Fixture()
    var cache = try fixture.open()
    fixture.clock.currentDate += 10 * Self.year
    for number in 0..<20 { cache.store(body(number, count: 1000), forKey: key(number)) }
    fixture.clock.currentDate -= 10 * Self.year
    for number in 20..<40 {
      fixture.clock.advance(by: .seconds(1))
      cache.store(body(number, count: 1000), forKey: key(number))
    }
    if isReopened {
      cache.close()
      cache = try fixture.open()
    }
    // Room for fewer than twenty entries.
    try cache.trim(toByteCount: cache.totalByteCount / 3)
    #expect((0..<20).count { cache.contains(key($0)) } == 0)
    #expect((20..<40).count { cache.contains(key($0)) } > 10)
    #expect(cache.entries().map(\.key).first == key(39))
  }

  @Test(
    "with a maximum age, entries from a wrong clock are lost and never kept for ever",
    arguments: dates.keys.sorted())
  func ages(date: String) throws {
    var fixture = Fixture()
    fixture.maximumAge = 100
    let cache = try fixture.open()
    fixture.clock.currentDate = try #require(Self.dates[date])
    cache.store(body(1), forKey: key(1))
    #expect(cache.entry(forKey: key(1))?.body == body(1))
    fixture.clock.currentDate = ManualClock().currentDate
    #expect((cache.entry(forKey: key(1)) != nil) == (date == "2026"))
    cache.store(body(2), forKey: key(2))
    fixture.clock.advance(by: .seconds(101))
    for _ in 0..<4 { try cache.flush() }
    #expect(cache.count == 0)
  }

  @Test("an entry that is handed over replaces one of the writer that is dated in the future")
  func handedOver() throws {
    let fixture = Fixture(capacity: 4 << 20)
    let (writer, other) = (try fixture.open(), try fixture.open())
    fixture.clock.currentDate += 10 * Self.year
    writer.store(body(1), forKey: key(1))
    fixture.clock.currentDate -= 10 * Self.year
    #expect(other.store(body(1, version: 2), forKey: key(1)))
    #expect(other.entry(forKey: key(1))?.body == body(1, version: 2))
    try writer.flush()
    #expect(writer.entry(forKey: key(1))?.body == body(1, version: 2))
    #expect(other.entry(forKey: key(1))?.body == body(1, version: 2))
  }

  @Test("an entry of the writer replaces one that was handed over and is dated in the future")
  func replaced() throws {
    let fixture = Fixture(capacity: 4 << 20)
    let (writer, other) = (try fixture.open(), try fixture.open())
    fixture.clock.currentDate += 10 * Self.year
    #expect(other.store(body(1), forKey: key(1)))
    fixture.clock.currentDate -= 10 * Self.year
    writer.store(body(1, version: 2), forKey: key(1))
    try writer.flush()
    #expect(writer.entry(forKey: key(1))?.body == body(1, version: 2))
  }

  @Test("an entry dated in the future does not come back after a store of its key failed")
  func outdated() throws {
    let fixture = Fixture()
    var cache = try fixture.open()
    fixture.clock.currentDate += 10 * Self.year
    cache.store(body(1), forKey: key(1))
    cache.close()
    fixture.forgetIndex()
    fixture.clock.currentDate -= 10 * Self.year
    fixture.files.respond = { $0.operation == .lock ? .fail(EIO) : .proceed }
    cache = try fixture.open()
    #expect(cache.entry(forKey: key(1)) != nil)
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    fixture.files.respond = { _ in .proceed }
    #expect(cache.store(body(2), forKey: key(2)))
    #expect(cache.statistics.isWriter && cache.entry(forKey: key(1)) == nil)
  }
}
