import OzuTesting
import Testing

@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One change to a stored index by somebody who can compute its checksum.
struct Forgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// How many entries may be missing after: the index is sound in itself, but does not have them.
  let cost: Int
  let apply: @Sendable (inout IndexEditor) -> Void

  init(_ name: String, cost: Int = 0, _ apply: @escaping @Sendable (inout IndexEditor) -> Void) {
    testDescription = name
    self.cost = cost
    self.apply = apply
  }

  /// A change of one field in the slot of an entry.
  static func slot<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T, cost: Int = 0
  ) -> Forgery {
    Forgery("slot: " + name, cost: cost) { $0.set($0.slot($0.slot(of: key(8))) + offset, value) }
  }

  static func header<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T
  ) -> Forgery {
    Forgery("header: " + name) { $0.set(offset, value) }
  }

  static func partition<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T
  ) -> Forgery {
    Forgery("partition: " + name) { $0.set($0.partitions[0] + offset, value) }
  }

  static func place<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T
  ) -> Forgery {
    Forgery("place: " + name) { $0.set($0.places[0] + offset, value) }
  }

  static let all: [Forgery] = headers + slots + cells + lists + tails

  private static let headers: [Forgery] = [
    .header("so many slots that their bytes overflow", 16, UInt64(1) << 61),
    .header("one slot more than there are", 16, UInt64(41)),
    .header("no cells", 24, UInt64(0)),
    .header("cells that are no power of two", 24, UInt64(96)),
    .header("so many cells that their bytes overflow", 24, UInt64(1) << 61),
    .header("more entries than there are", 32, UInt64(40)),
    .header("fewer entries than there are", 32, UInt64(3)),
    .header("so many entries that a sum overflows", 32, UInt64.max),
    .header("a free slot outside", 40, Int64(1) << 20),
    .header("a free slot below none", 40, Int64(-2)),
    .header("a free slot beyond 32 bits", 40, Int64(1) << 40),
    Forgery("header: an entry as the free slot") { $0.set(40, Int64($0.slot(of: key(8)))) },
    Forgery("header: no free slot though one is") { $0.set(40, Int64(-1)) },
    .header("a sequence number that was used", 48, UInt64(1)),
    .header("the last sequence number", 48, UInt64.max),
    .header("a segment number that was used", 56, UInt64(0)),
    .header("the last segment number", 56, UInt64.max),
    .header("four thousand million partitions", 64, UInt32.max),
    .header("no partitions", 64, UInt32(0)),
    .header("four thousand million places", 68, UInt32.max),
    .header("no places", 68, UInt32(0)),
    .header("a tail of any length", 72, UInt64.max),
  ]

  private static let slots: [Forgery] = [
    .slot("an offset outside the segment", 32, UInt32.max),
    .slot("an offset in the segment's header", 32, UInt32(1)),
    .slot("a length of 32 GB", 36, UInt32.max),
    .slot("no length", 36, UInt32(0)),
    .slot("a head of 4 GB", 40, UInt32.max),
    .slot("no head", 40, UInt32(0)),
    .slot("a partition that is not there", 44, Int32(77)),
    .slot("a partition below none", 44, Int32(-5)),
    .slot("no partition", 44, Int32(-1)),
    .slot("a segment that is not there", 48, Int32(77)),
    .slot("a segment below none", 48, Int32(-1)),
    .slot("another segment", 48, Int32(2)),
    .slot("the last sequence number", 16, UInt64.max),
    .slot("another sequence number", 16, UInt64(2)),
    .slot("a boolean that is neither", 68, UInt8(0xff)),
    .slot("a date that waits to be written", 69, UInt8(1)),
    .slot("a date before all dates", 24, Int64.min),
    .slot("a date after all dates", 24, Int64.max),
    Forgery("slot: another key, with its cell", cost: 1) { editor in
      editor.set(editor.slot(editor.slot(of: key(8))), UInt64(1))
      editor.fillCells()
    },
    Forgery("header: a seed under which all keys of one low half have one tag") { editor in
      editor.set(StoredIndex.seedOffset, key(8).low)
      editor.fillCells()
    },
    .header("another seed, and the cells of the former one", StoredIndex.seedOffset + 8, UInt64(1)),
    .slot("another key", 8, UInt64(1)),
    Forgery("slot: the record of another") { copyPlace(of: key(10), to: key(8), &$0) },
    Forgery("slot: the record of another partition") { copyPlace(of: key(11), to: key(8), &$0) },
    Forgery("slot: the middle of another's record", cost: 1) { editor in
      let (mine, other) = (editor.slot(editor.slot(of: key(8))), editor.slot(editor.slot(of: key(10))))
      editor.set(mine + 32, editor.get(other + 32, UInt32.self) + 20)
    },
    Forgery("slot: the key of another") { editor in
      editor.copy(16, from: editor.slot(editor.slot(of: key(10))), to: editor.slot(editor.slot(of: key(8))))
    },
  ]

  /// Makes the slot of a key point at the record of another: all but the keys and the links.
  private static func copyPlace(of other: CacheKey, to key: CacheKey, _ editor: inout IndexEditor) {
    editor.copy(
      28, from: editor.slot(editor.slot(of: other)) + 16, to: editor.slot(editor.slot(of: key)) + 16)
  }

  private static let cells: [Forgery] = [
    Forgery("cells: none is empty") { editor in
      for position in 0..<editor.cellCount where editor.get(editor.cell(position), UInt64.self) == 0 {
        editor.set(editor.cell(position), UInt64(0xffff_ffff_0000_0001))
      }
    },
    Forgery("cells: all are empty") { editor in
      for position in 0..<editor.cellCount { editor.set(editor.cell(position), UInt64(0)) }
    },
    Forgery("cells: one of a slot outside") { editor in
      let full = (0..<editor.cellCount).first { editor.get(editor.cell($0), UInt64.self) != 0 } ?? 0
      let tag = editor.get(editor.cell(full), UInt64.self) & ~0xffff_ffff
      editor.set(editor.cell(full), tag | 0xffff_fff0)
    },
    Forgery("cells: one at a place where no search finds it") { editor in
      let full = (0..<editor.cellCount).first { editor.get(editor.cell($0), UInt64.self) != 0 } ?? 0
      let free = (0..<editor.cellCount).last { editor.get(editor.cell($0), UInt64.self) == 0 } ?? 0
      editor.copy(8, from: editor.cell(full), to: editor.cell(free))
      editor.set(editor.cell(full), UInt64(0))
    },
    Forgery("cells: two of one slot") { editor in
      let full = (0..<editor.cellCount).filter { editor.get(editor.cell($0), UInt64.self) != 0 }
      editor.copy(8, from: editor.cell(full[0]), to: editor.cell(full[1]))
    },
  ]

  private static let lists: [Forgery] = [
    Forgery("list: an entry is older than itself") { editor in
      let slot = editor.slot(of: key(8))
      editor.set(editor.slot(slot) + 56, Int32(slot))
    },
    Forgery("list: a circle of two, apart from the rest") { editor in
      let (one, two) = (editor.slot(of: key(8)), editor.slot(of: key(10)))
      let (before, after) = (
        editor.get(editor.slot(two) + 52, Int32.self), editor.get(editor.slot(one) + 56, Int32.self)
      )
      if before >= 0 { editor.set(editor.slot(Int(before)) + 56, after) }
      if after >= 0 { editor.set(editor.slot(Int(after)) + 52, before) }
      editor.set(editor.slot(one) + 56, Int32(two))
      editor.set(editor.slot(two) + 52, Int32(one))
    },
    .slot("a newer one outside", 52, Int32.max),
    .slot("an older one outside", 56, Int32.max),
    .slot("a newer one below none", 52, Int32.min),
    .slot("a next one outside", 60, Int32.max),
    .slot("a previous one outside", 64, Int32.max),
    Forgery("list: an entry follows itself in its segment") { editor in
      let slot = editor.slot(of: key(8))
      editor.set(editor.slot(slot) + 60, Int32(slot))
    },
    Forgery("list: a free slot follows itself") { editor in
      editor.set(editor.slot(editor.freeSlot) + 56, Int32(editor.freeSlot))
    },
    Forgery("list: an entry follows a free slot") { editor in
      editor.set(editor.slot(editor.freeSlot) + 56, Int32(editor.slot(of: key(8))))
    },
  ]

  private static let tails: [Forgery] = [
    .partition("fewer bytes than none", 0, Int64.min),
    .partition("so many bytes that a sum overflows", 0, Int64.max),
    .partition("one entry too many", 8, Int64(21)),
    .partition("fewer entries than none", 8, Int64(-1)),
    .partition("a newest one outside", 16, Int32.max),
    .partition("no newest one", 16, Int32(-1)),
    .partition("an oldest one outside", 20, Int32.max),
    .partition("a name that is longer than the file", 24, UInt16.max),
    Forgery("partition: two of one name") { editor in
      let length = Int(editor.get(editor.partitions[0] + 24, UInt16.self))
      let other = Int(editor.get(editor.partitions[1] + 24, UInt16.self))
      editor.set(editor.partitions[0] + 24, UInt16(min(length, other)))
      editor.copy(min(length, other), from: editor.partitions[0] + 26, to: editor.partitions[1] + 26)
    },
    .place("a number that no segment has", 0, UInt64.max),
    .place("another salt", 8, UInt64(1)),
    .place("no salt", 8, UInt64(0)),
    .place("scanned beyond the file", 16, Int64.max),
    .place("scanned less than nothing", 16, Int64.min),
    .place("scanned nothing", 16, Int64(0)),
    .place("more bytes alive than there are", 24, Int64.max),
    .place("fewer bytes alive than none", 24, Int64.min),
    .place("an age beyond all", 32, UInt64.max),
    .place("a first entry outside", 40, Int32.max),
    .place("no first entry", 40, Int32(-1)),
    Forgery("place: two of one segment") { $0.copy(16, from: $0.places[0], to: $0.places[1]) },
    Forgery("bytes behind the end") { $0.append([1, 2, 3, 4, 5, 6, 7, 8]) },
  ]
}

/// Whoever can write to the directory can write an index whose checksum is right.
@Suite("A stored index that somebody forged", .timeLimit(.minutes(15)))
struct ForgedIndexTests {
  private static let count = 40
  private static func partition(_ number: Int) -> Partition { number % 2 == 0 ? "even" : "odd!" }

  /// A closed cache of three segments and two partitions with a free slot, and its index.
  private func closed() throws -> (Fixture, index: Data) {
    let fixture = Fixture()
    let cache = try fixture.open()
    for number in 0..<Self.count {
      cache.store(
        body(number, count: 1000), metadata: Data([UInt8(number)]), forKey: key(number),
        in: Self.partition(number), label: "\(number)")
      fixture.clock.advance(by: .seconds(1))
    }
    cache.remove(forKey: key(3))
    cache.close()
    return (fixture, try #require(fixture.files.contents(of: Fixture.index)))
  }

  /// Looks at every entry: it is what was stored, or it is not there.
  private func missing(_ cache: DiskCache, _ place: Comment) -> Int {
    (0..<Self.count).count { number in
      let entry = cache.fetch(key(number), in: Self.partition(number))
      guard let entry else { return number != 3 }
      #expect(entry.body == body(number, count: 1000), place)
      #expect(entry.metadata == Data([UInt8(number)]), place)
      #expect(entry.label == "\(number)", place)
      return false
    }
  }

  /// Uses everything that follows links and sums, then opens the cache again.
  private func use(_ cache: DiskCache, _ fixture: Fixture, _ place: Comment) throws {
    for entry in cache.entries() where entry.bodyByteCount != 1000 { Issue.record(place) }
    #expect(cache.verify().isSound, place)
    fixture.clock.advance(by: .seconds(1))
    for number in 100..<110 { #expect(cache.store(body(number), forKey: key(number), in: "even"), place) }
    for number in [8, 10, 11, 100] { cache.remove(forKey: key(number)) }
    cache.setCapacity(2000, of: "even")
    try cache.trim(toByteCount: cache.totalByteCount / 2)
    #expect(cache.totalByteCount == fixture.segmentByteCount, place)
    try cache.removeAll(in: "odd!")
    cache.close()
    let reopened = try fixture.open()
    #expect(reopened.statistics.rebuiltIndexes == 0, place)
    #expect(reopened.fetch(key(109), in: "even")?.body == body(109), place)
    #expect(reopened.verify().isSound, place)
    #expect(reopened.totalByteCount == fixture.segmentByteCount, place)
  }

  @Test("neither crashes nor loops nor serves anything wrong, and is gone", arguments: Forgery.all)
  func forged(_ forgery: Forgery) throws {
    let (fixture, index) = try closed()
    var editor = IndexEditor(index)
    forgery.apply(&editor)
    #expect(editor.bytes != Array(index))
    fixture.files.setContents(of: Fixture.index, to: editor.sealed)
    let place: Comment = "\(forgery.testDescription)"
    let cache = try fixture.open()
    #expect(missing(cache, place) <= forgery.cost, place)
    try use(cache, fixture, place)
  }

  @Test("does a reader no harm", arguments: Forgery.all)
  func forgedForReader(_ forgery: Forgery) throws {
    let (fixture, index) = try closed()
    let writer = try fixture.open()
    var editor = IndexEditor(index)
    forgery.apply(&editor)
    fixture.files.setContents(of: Fixture.index, to: editor.sealed)
    let place: Comment = "\(forgery.testDescription)"
    let reader = try fixture.open()
    #expect(!reader.statistics.isWriter)
    #expect(missing(reader, place) <= 2, place)
    #expect(reader.verify().isSound, place)
    #expect(fixture.files.contents(of: Fixture.index) == editor.sealed, place)
    #expect(missing(writer, place) == 0, place)
  }

  @Test("is survived with random fields changed, three thousand times", arguments: 0..<6)
  func random(seed: UInt64) throws {
    let (fixture, index) = try closed()
    let files = fixture.files.paths.map { ($0, fixture.files.contents(of: $0) ?? Data()) }
    var random = SeededGenerator(seed: seed)
    let values: [UInt64] = [0, 1, 2, 39, 40, 0x7fff_ffff, 0xffff_ffff, 1 << 40, .max >> 1, .max]
    for round in 0..<500 {
      for path in fixture.files.paths { try fixture.files.remove(path) }
      for (path, bytes) in files { fixture.files.setContents(of: path, to: bytes) }
      var editor = IndexEditor(index)
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let offset = Int.random(in: 16..<index.count - 8, using: &random) & ~3
        let value = Bool.random(using: &random) ? values.randomElement(using: &random)! : random.next()
        switch Int.random(in: 0..<3, using: &random) {
        case 0: editor.set(offset, UInt8(truncatingIfNeeded: value))
        case 1: editor.set(offset, UInt32(truncatingIfNeeded: value))
        default: editor.set(offset, value)
        }
      }
      fixture.files.setContents(of: Fixture.index, to: editor.sealed)
      let place: Comment = "seed \(seed), round \(round)"
      let cache = try fixture.open()
      _ = missing(cache, place)
      try use(cache, fixture, place)
    }
  }
}
