import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The pages of the index")
struct IndexPagesTests {
  private struct Name: Hashable {
    let key: CacheKey
    let partition: Int
  }

  /// An index with as many segments and partitions as entries refer to.
  private func index() throws -> SegmentIndex {
    let index = SegmentIndex()
    let files = MemoryFileSystem()
    try files.makeDirectory("/x")
    for number in 0..<3 {
      let header = SegmentHeader(number: UInt64(number) + 1, salt: 7, created: 0)
      let file = try files.open("/x/\(number)", for: .creating)
      _ = index.add(
        SegmentFile(name: header.fileName, header: header, file: file), size: 1 << 30, age: UInt64(number))
      index.setSize(1 << 30, scanned: 1 << 30, ofSegment: number)
      _ = index.number(adding: Partition("\(number)"))
    }
    return index
  }

  private func entry(_ name: Name, _ number: Int) -> IndexEntry {
    IndexEntry(
      key: name.key, partition: name.partition, segment: number % 3, sequence: UInt64(number),
      accessed: Int64(number), offset: 48 + number * 8, length: 104 + number % 5 * 8, headLength: 96,
      isReferenced: number % 2 == 0)
  }

  private func isSame(_ one: IndexEntry, _ two: IndexEntry) -> Bool {
    one.key == two.key && one.partition == two.partition && one.segment == two.segment
      && one.sequence == two.sequence && one.accessed == two.accessed && one.offset == two.offset
      && one.length == two.length && one.headLength == two.headLength && one.isReferenced == two.isReferenced
  }

  @Test("agree with a dictionary after random insertions and removals", arguments: 0..<4)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let index = try index()
    let live = LiveIndex()
    live.replace(with: index)
    var model: [Name: IndexEntry] = [:]
    for step in 0..<30_000 {
      let name = Name(
        key: CacheKey("\(Int.random(in: 0..<6000, using: &random))"),
        partition: Int.random(in: 0..<3, using: &random))
      let found = index.find(name.key, in: name.partition)
      #expect((found == nil) == (model[name] == nil))
      if let found, let expected = model[name] { #expect(isSame(found.page[found.position], expected)) }
      if let location = index.location(of: name.key, in: name.partition) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          index.remove(location)
          model[name] = nil
        case 1:
          if let found { index.touch(found, at: Int64(step)) }
          model[name]?.accessed = Int64(step)
          model[name]?.isReferenced = true
        default:
          if let found { index.relocate(found, to: 2, offset: 8 * step, sequence: UInt64(step)) }
          model[name]?.segment = 2
          model[name]?.offset = 8 * step
          model[name]?.sequence = UInt64(step)
          model[name]?.isReferenced = false
        }
      } else {
        index.insert(entry(name, step))
        model[name] = entry(name, step)
      }
      if step % 5000 == 0 { live.rebuildPages() }
    }
    var seen = 0
    for found in live.entriesByAccess(at: .max) {
      seen += 1
      let expected = model[Name(key: found.key, partition: found.partition)]
      #expect(expected.map { isSame(found, $0) } == true)
    }
    #expect(seen == model.count && index.count == model.count)
    for partition in 0..<3 {
      let own = model.filter { $0.key.partition == partition }
      #expect(index.partitions[partition].count == own.count)
      #expect(index.partitions[partition].byteCount == own.values.reduce(0) { $0 + $1.length })
    }
    for segment in 0..<3 {
      let own = model.values.filter { $0.segment == segment }
      #expect(index.segments[segment]?.live == own.reduce(0) { $0 + $1.length })
    }
    #expect(index.pages.count * IndexPage.capacity < 4 * model.count)
  }
}
