import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("What leaves a disk cache, and when")
struct EvictionTests {
  private static let start = ManualClock().currentDate
  private static let year = 365 * 86_400.0

  // MARK: Partitions

  @Test(
    "a partition over its capacity loses what was used the longest ago, and first what is dated in the future",
    arguments: [
      [0.0, 0, 0], [0, 10, 0], [0, -10, 0], [10, 0], [-56, 0], [0, 130, -56, -90, 0, 1], [130, 0, 20],
    ])
  func victims(years: [Double]) throws {
    var fixture = Fixture()
    fixture.partitions = [DiskParts.partition: 1]
    var parts = try DiskParts(fixture)
    var dates: [Date] = []
    for year in years {
      fixture.clock.currentDate = Self.start + year * Self.year
      for _ in 0..<40 {
        fixture.clock.advance(by: .seconds(1))
        dates.append(fixture.clock.currentDate)
        try parts.store(dates.count - 1)
      }
    }
    let numbers = Dictionary(uniqueKeysWithValues: dates.indices.map { (key($0), $0) })
    let latest = dates.count - 1
    let sequence = try #require(parts.location(latest)).sequence
    var eviction = Eviction(parts.context)
    var victims: [Int] = []
    while let victim = eviction.nextVictim(ofPartition: 0, keeping: sequence) {
      victims.append(try #require(numbers[victim.key]))
      parts.index.withLock { $0.remove(victim) }
    }
    let now = fixture.clock.currentDate
    let future = dates.indices.filter { dates[$0] > now }
    let past = dates.indices.filter { dates[$0] <= now && $0 != latest }
    #expect(Set(victims.prefix(future.count)) == Set(future))
    #expect(Array(victims.dropFirst(future.count)) == past.sorted { (dates[$0], $0) < (dates[$1], $1) })
  }

  @Test(
    "the header of an offer can say how large it may be", arguments: [2 << 20, 1 << 30, 512 << 30, 8 << 40])
  func offers(capacity: Int) throws {
    let parts = try DiskParts(Fixture(capacity: capacity))
    let limit = try #require(Eviction(parts.context).offerByteCount)
    #expect(OfferFile.limit(OfferFile.header(limit: limit, salt: 1, created: 0)) == limit)
  }

  // MARK: Ages

  @Test(
    "a pass over the ages finds what is too old or from a wrong clock, however the clock jumps",
    arguments: [
      (0.0, false), (99, false), (101, true), (-43_200, false), (-86_500, true), (10 * year, true),
      (-10 * year, true), (130 * year, true), (-56 * year, true), (-90 * year, true),
    ])
  func expired(jump: Double, isExpired: Bool) throws {
    let fixture = Fixture(maximumAge: 100)
    var parts = try DiskParts(fixture)
    var eviction = Eviction(parts.context)
    try parts.store(1)
    var found = eviction.someExpired(64)
    #expect(found.isEmpty)
    fixture.clock.currentDate += jump
    try parts.store(2)
    found = eviction.someExpired(64)
    #expect(found.map(\.key) == (isExpired ? [key(1)] : []))
    for location in found { parts.remove(location) }
    fixture.clock.advance(by: .seconds(101))
    found = eviction.someExpired(64)
    #expect(found.map(\.key).contains(key(2)))
  }

  @Test("a pass reads each header once, some at a time", arguments: [1, 8, 64])
  func passes(limit: Int) throws {
    let fixture = Fixture(maximumAge: 100)
    var parts = try DiskParts(fixture)
    for number in 0..<60 { try parts.store(number) }
    var eviction = Eviction(parts.context)
    fixture.clock.advance(by: .seconds(101))
    let start = fixture.files.callCount
    var found: [CacheKey] = []
    for _ in 0..<80 {
      let some = eviction.someExpired(limit)
      #expect(some.count <= limit)
      found += some.map(\.key)
    }
    #expect(found == (0..<60).map { key($0) })
    // A read each time, and one for the end of each segment.
    let before = fixture.files.callCount
    #expect(before - start <= 60 / limit + 2 * fixture.segments.count)
    _ = eviction.someExpired(limit)
    #expect(fixture.files.callCount == before)
  }

  // MARK: Draining

  @Test(
    "each record of a segment is examined once: dead ones are passed over, used ones are copied up to half of it",
    arguments: [Drain.Purpose.eviction, .compaction])
  func drains(purpose: Drain.Purpose) throws {
    var parts = try DiskParts(Fixture(capacity: 4 << 20))
    parts.segmentSize = 64 << 10
    for number in 0..<150 { try parts.store(number) }
    let first = try #require(parts.location(0))
    let size = try #require(parts.index.withLock { $0.segments[first.segment]?.size })
    var copies: [Int] = []
    var evictions: [Int] = []
    for number in 0..<150 {
      let location = try #require(parts.location(number))
      let isUsed = number % 20 != 2
      switch number % 5 {
      case 0: parts.remove(location, keepsSegment: true)
      // It died on disk before a crash.
      case 1: parts.log.kill(location.file, at: location.offset)
      default:
        if isUsed {
          parts.index.withLock { index in
            if let position = index.position(of: location) { index.touch(position, at: 1) }
          }
        }
        let isCopied = isUsed && (copies.count + 1) * location.length <= size / 2
        if purpose == .compaction || isCopied { copies.append(number) } else { evictions.append(number) }
      }
    }
    let numbers = Dictionary(uniqueKeysWithValues: (0..<150).map { (key($0), $0) })
    var eviction = Eviction(parts.context)
    eviction.startDrain(of: first.segment, for: purpose, &parts.log)
    var done = (copies: [Int](), evictions: [Int](), dead: [Int](), ends: 0)
    while eviction.drain != nil {
      var turn = Eviction.Turn(recordCount: 40, byteCount: .max)
      while let step = try eviction.nextStep(&turn) {
        switch step {
        case .copy(let location):
          done.copies.append(try #require(numbers[location.key]))
          try parts.copy(location)
        case .evict(let location):
          done.evictions.append(try #require(numbers[location.key]))
          parts.remove(location, keepsSegment: true)
        case .forget(let location):
          done.dead.append(try #require(numbers[location.key]))
          parts.index.withLock { $0.remove(location) }
        case .end: done.ends += 1
        }
      }
    }
    #expect(done.copies == copies && done.evictions == evictions)
    #expect(done.dead == Array(stride(from: 1, to: 150, by: 5)) && done.ends == 1)
    #expect(purpose == .compaction || !evictions.isEmpty && copies.count > 60)
    #expect(!parts.index.withLock { $0.hasEntries(inSegment: first.segment) })
  }

  @Test(
    "copies never exceed the limit: a compaction is given up, an eviction evicts",
    arguments: [Drain.Purpose.eviction, .compaction], [0, 1, 7])
  func limits(purpose: Drain.Purpose, room: Int) throws {
    var parts = try DiskParts(Fixture(capacity: 4 << 20))
    parts.segmentSize = 64 << 10
    for number in 0..<50 { try parts.store(number) }
    let first = try #require(parts.location(0))
    for number in 0..<50 {
      let location = try #require(parts.location(number))
      parts.index.withLock { index in
        if let position = index.position(of: location) { index.touch(position, at: 1) }
      }
    }
    // The copies begin a segment.
    let limit =
      parts.index.withLock { $0.reservedByteCount } + room * first.length + 2 * SegmentHeader.byteCount
    var eviction = Eviction(parts.context)
    eviction.startDrain(of: first.segment, for: purpose, limit: limit, &parts.log)
    var (copies, evictions) = (0, 0)
    var turn = Eviction.Turn.whole
    while let step = try eviction.nextStep(&turn) {
      if case .copy(let location) = step {
        try parts.copy(location)
        copies += 1
      } else if case .evict = step {
        evictions += 1
      }
      #expect(parts.index.withLock { $0.reservedByteCount } <= limit)
    }
    #expect(eviction.drain == nil && copies == room)
    #expect(evictions == (purpose == .eviction ? 50 - room : 0))
  }

  // MARK: Room

  @Test(
    "there is room for a record while it fits with a header and the pages that it may add",
    arguments: [true, false])
  func room(isStored: Bool) throws {
    let fixture = Fixture(capacity: 64 << 10)
    var parts = try DiskParts(fixture)
    parts.index.withLock { $0.isStored = isStored }
    let eviction = Eviction(parts.context)
    var number = 0
    while eviction.hasRoom(for: 304), number < 1000 {
      let record = try parts.store(number)
      #expect(record.length == 304)
      number += 1
      #expect(parts.index.withLock { $0.reservedByteCount } <= fixture.capacity)
    }
    #expect(number > 60 && number < 220)
  }
}
