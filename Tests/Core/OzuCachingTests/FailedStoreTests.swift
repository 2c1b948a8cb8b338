import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("A store that failed")
struct FailedStoreTests {
  /// The state of the cache before the store.
  enum Situation: CaseIterable {
    case quiet, full, directoryGone, writerGone, anotherWrites, ownSegment
  }

  /// A cache that has an old entry under `key(1)`.
  private func prepare(_ situation: Situation) throws -> (Fixture, DiskCache, other: DiskCache?) {
    let fixture = Fixture(capacity: 40 << 10)
    var cache = try fixture.open()
    var other: DiskCache?
    cache.store(body(1), forKey: key(1))
    switch situation {
    case .quiet, .ownSegment: break
    case .full:
      for number in 2..<100 {
        cache.store(body(number, count: 900), forKey: key(number))
        _ = cache.entry(forKey: key(1))
      }
    case .directoryGone: fixture.files.removeTree("/cache")
    case .writerGone, .anotherWrites:
      let reader = try fixture.open()
      other = cache
      cache = reader
      if situation == .writerGone { other?.close() }
    }
    #expect(
      cache.entry(forKey: key(1))?.body == (situation == .directoryGone ? nil : body(1))
        || situation == .directoryGone)
    return (fixture, cache, other)
  }

  /// Stores the new entry.
  private func store(_ cache: DiskCache, _ situation: Situation) -> Bool {
    cache.store(body(1, version: 2, count: situation == .ownSegment ? 9000 : 200), forKey: key(1))
  }

  @Test(
    "never serves the old entry, whichever call failed", arguments: Situation.allCases,
    [ENOSPC, EDQUOT, EIO, EACCES, EMFILE])
  func everyCall(situation: Situation, code: Int32) throws {
    var number = 0
    var failures = 0
    while true {
      for isLasting in [false, true] {
        let (fixture, cache, other) = try prepare(situation)
        let first = fixture.files.callCount + number
        let met = Counter()
        fixture.files.respond = { call in
          guard call.number == first || (isLasting && call.number > first) else { return .proceed }
          met.add(1)
          return call.operation == .write ? .stop(after: 50, code) : .fail(code)
        }
        let isStored = store(cache, situation)
        if met.value == 0 {
          #expect(number > 0)
          #expect(isStored == (situation != .anotherWrites))
          #expect(failures > 0 || situation == .anotherWrites)
          return
        }
        let place: Comment = "call \(number), \(isLasting ? "all" : "one"), code \(code)"
        for isOver in [false, true] {
          if isOver { fixture.files.respond = { _ in .proceed } }
          let found = cache.entry(forKey: key(1))?.body
          // While another process writes, its entry is not out of date.
          if situation == .anotherWrites { continue }
          #expect(found != body(1), place)
          if !isStored { #expect(found == nil, place) }
        }
        if !isStored { failures += 1 }
        withExtendedLifetime(other) {}
      }
      number += 1
    }
  }

  @Test("into a directory that cannot be made again serves nothing old")
  func directoryCannotBeMade() throws {
    let fixture = Fixture()
    let cache = try fixture.open()
    cache.store(body(1), forKey: key(1))
    fixture.files.removeTree("/cache")
    fixture.files.respond = { $0.operation == .makeDirectory ? .fail(ENOTDIR) : .proceed }
    #expect(!cache.store(body(1, version: 2), forKey: key(1)))
    #expect(cache.entry(forKey: key(1)) == nil)
    #expect(!cache.contains(key(1)))
  }
}
