import OzuBase

@testable import OzuCaching

/// The bytes of the files of a stored index, which a test changes field by field. The checksums of the result are right,
/// so nothing but the fields themselves tells that it is forged.
struct IndexEditor {
  private(set) var index: [UInt8]
  private(set) var pages: [UInt8]
  /// Where each partition and each segment begins in `index`.
  private(set) var partitions: [Int] = []
  private(set) var places: [Int] = []
  /// Where the stamps of the pages and the directory begin.
  let stamps: Int
  let directory: Int

  init(_ index: Data, pages: Data) {
    self.index = Array(index)
    self.pages = Array(pages)
    var offset = StoredIndex.headerLength
    for _ in 0..<Self.integer(self.index, 64, UInt32.self) {
      partitions.append(offset)
      offset += 18 + Int(Self.integer(self.index, offset + 16, UInt16.self))
    }
    for _ in 0..<Self.integer(self.index, 68, UInt32.self) {
      places.append(offset)
      offset += StoredIndex.segmentStateLength
    }
    stamps = offset
    directory = offset + 8 * Int(Self.integer(self.index, 72, UInt32.self))
  }

  private static func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: [UInt8], _ offset: Int, _ type: T.Type
  ) -> T {
    bytes.withUnsafeBytes { $0.integer(at: offset) }
  }

  func get<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: T.Type = T.self) -> T {
    Self.integer(index, offset, type)
  }

  mutating func set<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ value: T) {
    index.withUnsafeMutableBytes { $0.set(value, at: offset) }
  }

  mutating func append(_ more: [UInt8]) { index += more }
  mutating func appendToPages(_ more: [UInt8]) { pages += more }
  mutating func cutPages(to count: Int) { pages.removeSubrange(count...) }

  mutating func copy(_ count: Int, from source: Int, to target: Int) {
    index.replaceSubrange(target..<target + count, with: Array(index[source..<source + count]))
  }

  // MARK: Pages

  func getInPages<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: T.Type = T.self) -> T {
    Self.integer(pages, offset, type)
  }

  mutating func setInPages<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ value: T) {
    pages.withUnsafeMutableBytes { $0.set(value, at: offset) }
  }

  mutating func copyInPages(_ count: Int, from source: Int, to target: Int) {
    pages.replaceSubrange(target..<target + count, with: Array(pages[source..<source + count]))
  }

  var pageCount: Int { pages.count / IndexPage.byteCount }

  /// Where the entry of a key begins in `pages`.
  func entry(of key: CacheKey) -> Int {
    for page in 0..<pageCount {
      let start = page * IndexPage.byteCount
      for position in 0..<Int(getInPages(start + IndexPage.countOffset, UInt16.self)) {
        let offset = start + IndexPage.entriesOffset + position * IndexPage.entryLength
        if getInPages(offset, UInt64.self) == key.high, getInPages(offset + 8, UInt64.self) == key.low {
          return offset
        }
      }
    }
    return 0
  }

  /// The bytes with the checksums that fit them.
  var sealed: (index: Data, pages: Data) {
    var (index, pages) = (index, pages)
    let epoch: UInt64 = get(16)
    index.withUnsafeMutableBytes { bytes in
      bytes.set(StoredIndex.checksum(UnsafeRawBufferPointer(bytes)), at: StoredIndex.checksumOffset)
    }
    pages.withUnsafeMutableBytes { bytes in
      for number in 0..<bytes.count / IndexPage.byteCount {
        let start = number * IndexPage.byteCount
        let page = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + IndexPage.byteCount])
        let version: UInt32 = UnsafeRawBufferPointer(page).integer(at: IndexPage.versionOffset)
        IndexPage.seal(page, number: number, version: version, epoch: epoch)
      }
    }
    return (Data(index), Data(pages))
  }
}
