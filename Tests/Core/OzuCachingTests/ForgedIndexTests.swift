import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// A user or program that can write to the directory can write an index with a valid checksum.
@Suite("A forged stored index", .timeLimit(.minutes(15)))
struct ForgedIndexTests {
  private static let count = 40
  private static func partition(_ number: Int) -> Partition { number % 2 == 0 ? "even" : "odd!" }

  private func install(_ files: (index: Data, pages: Data), _ fixture: Fixture) {
    fixture.files.setContents(of: Fixture.index, to: files.index)
    fixture.files.setContents(of: Fixture.pages, to: files.pages)
  }

  /// A closed cache of two segments and two partitions, and its index.
  private func closed() throws -> (Fixture, editor: IndexEditor) {
    let fixture = Fixture(capacity: 96 << 10)
    let cache = try fixture.open()
    for number in 0..<Self.count {
      cache.store(
        body(number, count: 1000), metadata: Data([UInt8(number)]), forKey: key(number),
        in: Self.partition(number), label: "\(number)")
      fixture.clock.advance(by: .seconds(1))
    }
    cache.remove(forKey: key(3))
    cache.close()
    let index = try #require(fixture.files.contents(of: Fixture.index))
    return (fixture, IndexEditor(index, pages: try #require(fixture.files.contents(of: Fixture.pages))))
  }

  /// Checks every entry: it is the stored one, or it is missing.
  private func missing(_ cache: DiskCache, _ place: Comment) -> Int {
    (0..<Self.count).count { number in
      let entry = cache.entry(forKey: key(number), in: Self.partition(number))
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
    #expect(cache.totalByteCount == fixture.byteCount, place)
    try cache.removeAll(in: "odd!")
    cache.close()
    let reopened = try fixture.open()
    #expect(reopened.statistics.rebuiltIndexes == 0, place)
    #expect(reopened.entry(forKey: key(109), in: "even")?.body == body(109), place)
    #expect(reopened.verify().isSound, place)
    #expect(reopened.totalByteCount == fixture.byteCount, place)
  }

  @Test("does not cause a crash, a loop or a wrong entry, and is removed", arguments: Forgery.all)
  func forged(_ forgery: Forgery) throws {
    var (fixture, editor) = try closed()
    let before = editor
    forgery.apply(&editor)
    #expect(editor.index != before.index || editor.pages != before.pages)
    install(editor.sealed, fixture)
    let place: Comment = "\(forgery.testDescription)"
    let cache = try fixture.open()
    #expect(missing(cache, place) <= forgery.cost, place)
    try use(cache, fixture, place)
  }

  @Test("does not affect a reader", arguments: Forgery.all)
  func forgedForReader(_ forgery: Forgery) throws {
    var (fixture, editor) = try closed()
    let writer = try fixture.open()
    forgery.apply(&editor)
    // The writer has the pages in memory.
    #expect(missing(writer, "") == 0)
    install(editor.sealed, fixture)
    let place: Comment = "\(forgery.testDescription)"
    let reader = try fixture.open()
    #expect(!reader.statistics.isWriter)
    #expect(missing(reader, place) <= max(2, forgery.cost), place)
    #expect(reader.verify().isSound, place)
    #expect(fixture.files.contents(of: Fixture.index) == editor.sealed.index, place)
    #expect(missing(writer, place) == 0, place)
  }

  @Test("with more entries than its pages can have is found before memory is reserved for them")
  func impossibleCount() throws {
    var (fixture, editor) = try closed()
    let count = Int64(UInt32.max)
    editor.set(editor.stamps, UInt32.max)
    editor.set(40, count)
    editor.set(editor.partitions[0] + 8, count)
    editor.set(editor.partitions[1] + 8, Int64(0))
    install(editor.sealed, fixture)
    fixture.partitions = ["even": 2000, "odd!": 2000]
    let cache = try fixture.open()
    #expect(cache.statistics.rebuiltIndexes == 1)
    #expect(cache.store(body(100), forKey: key(100), in: "even"))
    #expect(cache.byteCount(of: "even") <= 2000)
  }

  @Test("causes no crash with random fields changed, hundreds of times", arguments: 0..<6)
  func random(seed: UInt64) throws {
    let (fixture, original) = try closed()
    let files = fixture.files.paths.map { ($0, fixture.files.contents(of: $0) ?? Data()) }
    var random = SeededGenerator(seed: seed)
    let values: [UInt64] = [0, 1, 2, 39, 40, 0x7fff_ffff, 0xffff_ffff, 1 << 40, .max >> 1, .max]
    for round in 0..<Cases.count(80, of: 500) {
      for path in fixture.files.paths { try fixture.files.remove(path) }
      for (path, bytes) in files { fixture.files.setContents(of: path, to: bytes) }
      var editor = original
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let value = Bool.random(using: &random) ? values.randomElement(using: &random)! : random.next()
        if Bool.random(using: &random) {
          let offset = Int.random(in: 16..<editor.index.count - 8, using: &random) & ~3
          switch Int.random(in: 0..<3, using: &random) {
          case 0: editor.set(offset, UInt8(truncatingIfNeeded: value))
          case 1: editor.set(offset, UInt32(truncatingIfNeeded: value))
          default: editor.set(offset, value)
          }
        } else {
          // Where there are entries, most of the time.
          let offset = Int.random(in: 8..<(Bool.random(using: &random) ? 64 : 2400), using: &random) & ~1
          switch Int.random(in: 0..<3, using: &random) {
          case 0: editor.setInPages(offset, UInt16(truncatingIfNeeded: value))
          case 1: editor.setInPages(offset, UInt32(truncatingIfNeeded: value))
          default: editor.setInPages(offset, value)
          }
        }
      }
      install(editor.sealed, fixture)
      let place: Comment = "seed \(seed), round \(round)"
      let cache = try fixture.open()
      _ = missing(cache, place)
      try use(cache, fixture, place)
    }
  }
}
