import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The files of the index")
struct IndexFileTests {
  private static let limit = 8 << 20

  /// The index as another process finds it.
  private func load(_ fixture: Fixture, isWriter: Bool) throws -> IndexFile.Loaded? {
    let context = try DiskParts(fixture).context
    var file = IndexFile(context)
    return file.load(Set(try fixture.files.list("/cache")), isWriter: isWriter, mayUse: true)
  }

  /// Checks that a loaded index has exactly the entries in those parts of the segments that it knows.
  private func check(_ loaded: SegmentIndex, _ parts: DiskParts, count: Int, _ place: Comment) {
    LiveIndex(loaded).readAllPages()
    let ends = Dictionary(
      uniqueKeysWithValues: loaded.segments.compactMap { $0.map { ($0.file.name, $0.scanned) } })
    let known = (0..<count).compactMap { number in
      parts.location(number).flatMap { $0.offset < ends[$0.file.name] ?? 0 ? $0 : nil }
    }
    let missing = known.filter { location in
      let found = loaded.location(of: location.key, in: DiskParts.partition)
      return found?.sequence != location.sequence || found?.offset != location.offset
    }
    #expect(missing.isEmpty && loaded.count == known.count && !loaded.isDamaged, place)
  }

  private func storeAll(_ file: inout IndexFile, _ parts: DiskParts, isClean: Bool = true) throws {
    let isStored = file.beginStoring(at: parts.log.position, limit: Self.limit)
    #expect(isStored)
    try file.writeAll(at: parts.log.position, isClean: isClean)
  }

  @Test(
    "a stored index has every entry; a writer marks it as out of date", arguments: [true, false],
    [true, false])
  func whole(isClean: Bool, isWriter: Bool) throws {
    let fixture = Fixture(capacity: Self.limit)
    var parts = try DiskParts(fixture)
    for number in 0..<300 { try parts.store(number) }
    var file = IndexFile(parts.context)
    try storeAll(&file, parts, isClean: isClean)
    let loaded = try #require(try load(fixture, isWriter: isWriter))
    check(loaded.index, parts, count: 300, "\(loaded.index.count)")
    #expect(loaded.position.sequence == 301 && loaded.index.count == 300)
    #expect(loaded.index.unverifiedBelow == (isClean ? 0 : 301))
    let bytes = fixture.files.contents(of: Fixture.index)
    if isWriter, !isClean {
      #expect(bytes == nil)
      return
    }
    let word = try #require(bytes).withUnsafeBytes {
      $0.integer(at: StoredIndex.cleanOffset, as: UInt64.self)
    }
    #expect(word == (isWriter ? 0 : isClean ? StoredIndex.clean : 0))
    // A second process after a crash of the writer does not believe it either.
    let again = try #require(try load(fixture, isWriter: false))
    #expect(again.index.unverifiedBelow == (isClean && !isWriter ? 0 : 301))
  }

  @Test("an index that was written in rounds knows no part of a segment whose entries its pages lack")
  func rounds() throws {
    let fixture = Fixture(capacity: Self.limit)
    var parts = try DiskParts(fixture)
    var file = IndexFile(parts.context)
    let held = Counter()
    fixture.files.respond = { [index = parts.index] _ in
      if index.withLockIfAvailable({ _ in }) == nil { held.add(1) }
      return .proceed
    }
    var indexes: Set<Data> = []
    for number in 0..<1000 {
      try parts.store(number)
      if parts.hasSealed { file.noteSealed(at: parts.log.position, limit: Self.limit) }
      file.writeSomePages(limit: 1)
      guard let bytes = fixture.files.contents(of: Fixture.index) else { continue }
      if indexes.insert(bytes).inserted || number % 7 == 0 {
        let loaded = try #require(try load(fixture, isWriter: false), "after \(number)")
        check(loaded.index, parts, count: number + 1, "after \(number)")
      }
    }
    #expect(indexes.count > 8 && held.value == 0 && fixture.errors.all.isEmpty)
  }

  @Test(
    "an index that is newer than a segment is not used, and a writer removes it", arguments: [true, false])
  func newer(isWriter: Bool) throws {
    let fixture = Fixture(capacity: Self.limit)
    var parts = try DiskParts(fixture)
    for number in 0..<100 { try parts.store(number) }
    var file = IndexFile(parts.context)
    try storeAll(&file, parts)
    let path = try #require(fixture.segments.randomElement())
    let bytes = try #require(fixture.files.contents(of: path))
    fixture.files.setContents(of: path, to: bytes.dropLast(8))
    let isUsed = try load(fixture, isWriter: isWriter) != nil
    #expect(!isUsed)
    let names = [Fixture.index, Fixture.pages]
    #expect(names.allSatisfy { (fixture.files.contents(of: $0) == nil) == isWriter })
  }

  @Test(
    "after a failure at any call the index is whole or not used, and is stored again",
    arguments: [EIO, EDQUOT, ENOSPC], [Durability.buffered, .synced])
  func failures(code: Int32, durability: Durability) throws {
    var number = 0
    var isOver = false
    while !isOver {
      let fixture = Fixture(capacity: Self.limit, durability: durability)
      var parts = try DiskParts(fixture)
      var file = IndexFile(parts.context)
      for number in 0..<200 { try parts.store(number) }
      try storeAll(&file, parts, isClean: false)
      for number in 150..<300 { try parts.store(number, version: 2) }
      let first = fixture.files.callCount + number
      let met = Counter()
      fixture.files.respond = { call in
        guard call.number == first else { return .proceed }
        met.add(1)
        return call.operation == .write ? .stop(after: 100, code) : .fail(code)
      }
      do throws(DiskCacheError) {
        if file.beginStoring(at: parts.log.position, limit: Self.limit) {
          try file.writeAll(at: parts.log.position, isClean: true)
        }
      } catch {
        file.remove()
      }
      fixture.files.respond = { _ in .proceed }
      isOver = met.value == 0
      let place: Comment = "call \(number)"
      if let loaded = try load(fixture, isWriter: false) {
        check(loaded.index, parts, count: 300, place)
      } else {
        #expect(!isOver, place)
      }
      try storeAll(&file, parts)
      let loaded = try #require(try load(fixture, isWriter: false), place)
      check(loaded.index, parts, count: 300, place)
      #expect(loaded.index.count == 300, place)
      number += 1
    }
    #expect(number > 5)
  }
}
