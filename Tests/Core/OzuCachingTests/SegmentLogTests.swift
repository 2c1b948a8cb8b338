import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The log of records")
struct SegmentLogTests {
  /// Some entries are longer than half a segment, and have segments of their own.
  private static func count(_ version: Int) -> Int { version % 11 == 0 ? 3000 : 400 }

  /// Stores, replaces, removes and copies entries, and goes on after each error.
  ///
  /// - Returns: The versions of the entries that the log must have.
  private func scenario(_ parts: inout DiskParts) -> [Int: Int] {
    var model: [Int: Int] = [:]
    for step in 1...36 {
      let number = step % 7
      let location = parts.location(number)
      switch (step % 6, location) {
      case (4, let location?):
        parts.remove(location)
        model[number] = nil
      case (5, let location?):
        _ = try? parts.copy(location)
        try? parts.log.synchronize()
      default:
        let isStored = (try? parts.store(number, version: step, count: Self.count(step))) != nil
        if isStored { model[number] = step }
      }
    }
    return model
  }

  /// Checks that each entry is whole, and is the one that another process finds.
  private func check(_ parts: DiskParts, _ model: [Int: Int], _ fixture: Fixture, _ place: Comment) throws {
    let other = try DiskParts(scanning: fixture)
    for (number, version) in model {
      let location = try #require(parts.location(number), place)
      let expected = body(number, version: version, count: Self.count(version))
      #expect(parts.readBody(location) == expected, place)
      #expect(other.location(number)?.sequence == location.sequence, place)
    }
  }

  @Test(
    "after a failure at any call each entry is whole, and the log goes on", arguments: [EIO, EDQUOT, ENOSPC],
    [Durability.buffered, .synced])
  func failures(code: Int32, durability: Durability) throws {
    var number = 0
    var isOver = false
    while !isOver {
      for isLasting in [false, true] {
        let fixture = Fixture(durability: durability)
        var parts = try DiskParts(fixture)
        let first = fixture.files.callCount + number
        let met = Counter()
        fixture.files.respond = { call in
          guard call.number == first || isLasting && call.number > first else { return .proceed }
          met.add(1)
          return call.operation == .write ? .stop(after: 60, code) : .fail(code)
        }
        var model = scenario(&parts)
        fixture.files.respond = { _ in .proceed }
        isOver = met.value == 0
        let place: Comment = "call \(number), \(isLasting ? "all" : "one")"
        for next in 40..<50 {
          try parts.store(next % 9, version: next, count: Self.count(next))
          model[next % 9] = next
        }
        if !isLasting {
          #expect(parts.index.withLock { $0.segmentByteCount } == fixture.byteCount, place)
        }
        try check(parts, model, fixture, place)
        guard durability == .synced, !isLasting else { continue }
        // Everything is durable after a synchronization that succeeds.
        try parts.log.synchronize()
        let files = fixture.files
        let before = files.paths.map { files.contents(of: $0) }
        files.crash()
        files.restart(losing: .unsynchronized)
        #expect(files.paths.map { files.contents(of: $0) } == before, place)
      }
      number += 1
    }
    #expect(number > 50)
  }

  @Test("a synchronization makes each change durable once", arguments: [true, false])
  func synchronizes(isChanged: Bool) throws {
    let fixture = Fixture(durability: .synced)
    var parts = try DiskParts(fixture)
    for number in 0..<30 { try parts.store(number) }
    try parts.log.synchronize()
    if isChanged { parts.remove(try #require(parts.location(3))) }
    let before = fixture.files.callCount
    try parts.log.synchronize()
    #expect(fixture.files.callCount - before == (isChanged ? 1 : 0))
  }

  @Test(
    "the log continues behind its last whole record, and cuts off what a crash left there",
    arguments: [0, 1, 95, 96, 303])
  func continues(torn: Int) throws {
    let fixture = Fixture()
    var former = try DiskParts(fixture)
    for number in 0..<3 { try former.store(number) }
    let last = try former.store(3)
    let path = try #require(fixture.segments.first)
    let bytes = try #require(fixture.files.contents(of: path))
    let end = last.offset + last.length
    // The beginning of a record.
    fixture.files.setContents(of: path, to: bytes + bytes[last.offset..<last.offset + torn])
    var parts = try DiskParts(scanning: fixture)
    #expect(fixture.files.contents(of: path) == bytes)
    let next = try parts.store(4)
    #expect(next.file.name == last.file.name && next.offset == end && next.sequence > last.sequence)
    let other = try DiskParts(scanning: fixture)
    #expect((0..<5).allSatisfy { other.readBody(other.location($0)) == body($0) })
  }

  @Test("numbers never come back: a log that was read again continues after the highest", arguments: [1, 40])
  func numbers(count: Int) throws {
    let fixture = Fixture()
    var parts = try DiskParts(fixture)
    for number in 0..<count { try parts.store(number, version: 1) }
    parts = try DiskParts(scanning: fixture)
    for number in 0..<count { try parts.store(number, version: 2) }
    let other = try DiskParts(scanning: fixture)
    for number in 0..<count {
      #expect(other.readBody(other.location(number)) == body(number, version: 2))
    }
  }

  @Test(
    "a copied record lives until its copy is durable, and dies with a copy that is removed before",
    arguments: [Durability.buffered, .synced], [1, 2, 3])
  func originals(durability: Durability, copies: Int) throws {
    for isRemoved in [false, true] {
      var parts = try DiskParts(Fixture(durability: durability))
      var records = [try parts.store(1)]
      for _ in 0..<copies { records.append(try #require(try parts.copy(records[records.count - 1]))) }
      func living() -> [Bool] { records.map { parts.readBody($0) == body(1) } }
      let original = durability == .synced
      #expect(living() == Array(repeating: original, count: copies) + [true])
      if isRemoved {
        parts.remove(records[copies])
      } else {
        try parts.log.synchronize()
        parts.log.killOriginals()
      }
      #expect(living() == Array(repeating: false, count: copies) + [!isRemoved])
      #expect(parts.log.originals.isEmpty)
    }
  }

  @Test(
    "a segment without live entries stays while it has records whose copies are not durable",
    arguments: [Durability.buffered, .synced], [false, true])
  func keptForOriginals(durability: Durability, isRemoved: Bool) throws {
    let fixture = Fixture(durability: durability)
    var parts = try DiskParts(fixture)
    for number in 0..<30 { try parts.store(number) }
    let first = try #require(parts.location(0)).segment
    try parts.copy(try #require(parts.location(0)))
    for number in 1..<30 {
      if let location = parts.location(number), location.segment == first { parts.remove(location) }
    }
    #expect(fixture.segments.count == (durability == .synced ? 3 : 2))
    if isRemoved {
      parts.remove(try #require(parts.location(0)))
    } else {
      try parts.log.synchronize()
      parts.log.killOriginals()
    }
    #expect(fixture.segments.count == 2)
  }

  @Test(
    "metadata that is replaced is whole after each write, or the former one",
    arguments: [0, 1, 15, 16, 20, 1000])
  func metadata(torn: Int) throws {
    let (former, latter) = (Data("former".utf8), Data("the metadata after".utf8))
    for number in 0..<2 {
      let fixture = Fixture()
      var parts = try DiskParts(fixture)
      let location = try parts.store(1, metadata: former)
      let header = try #require(parts.readHead(location)).header
      let first = fixture.files.callCount
      fixture.files.respond = { call in
        guard call.number == first + number else { return .proceed }
        // A word of a few bytes is written or not.
        return call.byteCount < 16 ? .fail(EIO) : .stop(after: torn, EIO)
      }
      #expect(throws: DiskCacheError.self) { try parts.log.write(latter, to: header, at: location) }
      #expect(parts.readHead(location)?.metadata == former)
      try parts.log.write(latter, to: header, at: location)
      #expect(parts.readHead(location)?.metadata == latter && parts.readBody(location) == body(1))
    }
  }

  @Test("a segment is removed with its last live entry, unless records are appended to it")
  func emptySegments() throws {
    let fixture = Fixture()
    var parts = try DiskParts(fixture)
    for number in 0..<30 { try parts.store(number) }
    let active = try #require(parts.location(29)).segment
    #expect(fixture.segments.count == 3)
    for number in 0..<30 { parts.remove(try #require(parts.location(number))) }
    #expect(fixture.segments.count == 1 && parts.log.isActive(active))
    #expect(parts.index.withLock { $0.segmentByteCount } == fixture.byteCount)
  }
}
