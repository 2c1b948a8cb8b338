import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// One change to a stored index by an attacker who can compute its checksums.
struct Forgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The number of entries that may be missing afterwards: the index is consistent, but does not have them.
  let cost: Int
  let apply: @Sendable (inout IndexEditor) -> Void

  init(_ name: String, cost: Int = 0, _ apply: @escaping @Sendable (inout IndexEditor) -> Void) {
    testDescription = name
    self.cost = cost
    self.apply = apply
  }

  /// A change of one field of an entry.
  static func entry<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T, cost: Int = 0
  ) -> Forgery {
    Forgery("entry: " + name, cost: cost) { $0.setInPages($0.entry(of: key(8)) + offset, value) }
  }

  /// A change of one field of the first page.
  static func page<T: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ offset: Int, _ value: T, cost: Int = 0
  ) -> Forgery {
    Forgery("page: " + name, cost: cost) { $0.setInPages(offset, value) }
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

  static let all: [Forgery] = headers + entries + pages + tails

  private static let headers: [Forgery] = [
    .header("another epoch", 16, UInt64(7)),
    .header("another seed", 24, UInt64(7)),
    .header("more entries than there are", 40, UInt64(400)),
    .header("fewer entries than there are", 40, UInt64(3)),
    .header("so many entries that a sum overflows", 40, UInt64.max),
    .header("a sequence number that was used", 48, UInt64(1)),
    .header("the last sequence number", 48, UInt64.max),
    .header("a segment number that was used", 56, UInt64(0)),
    .header("the last segment number", 56, UInt64.max),
    .header("four thousand million partitions", 64, UInt32.max),
    .header("no partitions", 64, UInt32(0)),
    .header("four thousand million segments", 68, UInt32.max),
    .header("no segments", 68, UInt32(0)),
    .header("no pages", 72, UInt32(0)),
    .header("four thousand million pages", 72, UInt32.max),
    .header("a page more than there are", 72, UInt32(5)),
    .header("a directory of a bit more", 76, UInt32(3)),
    .header("a directory of 4 GB", 76, UInt32(30)),
    .header("a directory of all bits", 76, UInt32.max),
  ]

  private static let entries: [Forgery] = [
    .entry("an offset outside the segment", 32, UInt32.max),
    .entry("an offset in the segment's header", 32, UInt32(1)),
    .entry("a length of 32 GB", 36, UInt32.max),
    .entry("no length", 36, UInt32(0)),
    .entry("a head of 4 GB", 40, UInt32.max),
    .entry("no head", 40, UInt32(0)),
    .entry("a partition that is not there", 48, UInt16(77)),
    .entry("the other partition", 48, UInt16(1)),
    .entry("a segment that is not there", 44, UInt32(77)),
    .entry("the last segment", 44, UInt32.max),
    .entry("another segment", 44, UInt32(2)),
    .entry("the last sequence number", 16, UInt64.max),
    .entry("another sequence number", 16, UInt64(2)),
    .entry("unknown flags", 50, UInt16.max),
    .entry("a date before all dates", 24, Int64.min),
    .entry("a date after all dates", 24, Int64.max),
    .entry("another key", 8, UInt64(1)),
    Forgery("entry: the record of another") { copyPlace(of: key(10), to: key(8), &$0) },
    Forgery("entry: the record of another partition") { copyPlace(of: key(11), to: key(8), &$0) },
    Forgery("entry: the middle of another's record", cost: 1) { editor in
      let (mine, other) = (editor.entry(of: key(8)), editor.entry(of: key(10)))
      editor.setInPages(mine + 32, editor.getInPages(other + 32, UInt32.self) + 20)
    },
    Forgery("entry: the key of another") { editor in
      editor.copyInPages(16, from: editor.entry(of: key(10)), to: editor.entry(of: key(8)))
    },
  ]

  /// Makes the entry of a key point at the record of another: all but the key, the partition and the date.
  private static func copyPlace(of other: CacheKey, to key: CacheKey, _ editor: inout IndexEditor) {
    let (from, to) = (editor.entry(of: other), editor.entry(of: key))
    editor.copyInPages(8, from: from + 16, to: to + 16)
    editor.copyInPages(16, from: from + 32, to: to + 32)
  }

  private static let pages: [Forgery] = [
    .page("no entries", IndexPage.countOffset, UInt16(0)),
    .page("one entry more", IndexPage.countOffset, UInt16(40)),
    .page("more entries than fit", IndexPage.countOffset, UInt16(76)),
    .page("the largest number of entries in two bytes", IndexPage.countOffset, UInt16.max),
    .page("a bit more of depth", IndexPage.depthOffset, UInt8(1)),
    .page("the largest depth", IndexPage.depthOffset, UInt8.max),
    .page("another prefix", IndexPage.prefixOffset, UInt64.max),
    .page("another version", IndexPage.versionOffset, UInt32(9)),
    .page("another tag", 32, UInt16(1)),
    Forgery("page: an entry twice") { editor in
      let count: UInt16 = editor.getInPages(IndexPage.countOffset)
      let last = IndexPage.entriesOffset + (Int(count) - 1) * IndexPage.entryLength
      editor.copyInPages(IndexPage.entryLength, from: IndexPage.entriesOffset, to: last)
      editor.copyInPages(2, from: 32, to: 32 + 2 * (Int(count) - 1))
    },
    Forgery("page: cut") { $0.cutPages(to: 4000) },
    Forgery("page: none") { $0.cutPages(to: 0) },
    Forgery("page: more behind the end") { $0.appendToPages([UInt8](repeating: 1, count: 5000)) },
  ]

  private static let tails: [Forgery] = [
    .partition("fewer bytes than none", 0, Int64.min),
    .partition("so many bytes that a sum overflows", 0, Int64.max),
    .partition("more bytes than there are", 0, Int64(1) << 60),
    .partition("one byte", 0, Int64(1)),
    .partition("one entry too many", 8, Int64(21)),
    .partition("fewer entries than none", 8, Int64(-1)),
    .partition("a name that is longer than the file", 16, UInt16.max),
    Forgery("partition: the entries of the other") { editor in
      editor.set(editor.partitions[0] + 8, Int64(1))
      editor.set(editor.partitions[1] + 8, Int64(38))
    },
    Forgery("partition: two of one name") { editor in
      let length = Int(editor.get(editor.partitions[0] + 16, UInt16.self))
      editor.copy(length, from: editor.partitions[0] + 18, to: editor.partitions[1] + 18)
    },
    .place("a number that no segment has", 0, UInt64.max),
    .place("another salt", 8, UInt64(1)),
    .place("no salt", 8, UInt64(0)),
    .place("scanned beyond the file", 16, Int64.max),
    .place("scanned less than nothing", 16, Int64.min),
    .place("scanned nothing", 16, Int64(0)),
    .place("more bytes alive than there are", 24, Int64.max),
    .place("fewer bytes alive than none", 24, Int64.min),
    .place("nothing alive", 24, Int64(0)),
    .place("an age beyond all", 32, UInt64.max),
    Forgery("place: two of one segment") { $0.copy(16, from: $0.places[0], to: $0.places[1]) },
    Forgery("stamps: another version") { $0.set($0.stamps + 4, UInt32.max) },
    Forgery("stamps: another number of entries") { $0.set($0.stamps, UInt32(38)) },
    Forgery("stamps: no entries") { editor in
      editor.set(editor.stamps, UInt32(0))
      editor.set(40, UInt64(0))
      for partition in editor.partitions { editor.set(partition + 8, UInt64(0)) }
    },
    Forgery("directory: a page that is not there") { $0.set($0.directory, UInt32(9)) },
    Forgery("bytes behind the end") { $0.append([1, 2, 3, 4, 5, 6, 7, 8]) },
  ]
}
