/// The entries of the index in pages, which are found by the first bits of a hash value: extendible hashing (Fagin,
/// Nievergelt, Pippenger and Strong, ACM TODS 1979).
///
/// The directory has a cell for each value of the first `depth` bits, with the number of a page. A full page is
/// split in two by one more bit; the directory doubles when the page already uses as many bits as the directory. So
/// an insertion changes at most two pages, however many entries there are, and pages do not refer to each other.
///
/// A page of a stored index is read when one of its entries is looked up for the first time, and then stays in
/// memory. A changed page is dirty until it is written.
///
/// Hash values are made under a random seed, so keys that an attacker chose do not fall into one page.
struct IndexPages: @unchecked Sendable {
  // Sendable: the one owner, which cannot be copied, guards this value with its lock and calls `deallocate()` last.

  /// The file of the pages that are not in memory.
  struct Source: Sendable {
    let file: any OpenFile
    let epoch: UInt64
  }

  private(set) var seed = TableSeed()
  private var pages: ContiguousArray<IndexPage?> = [IndexPage(depth: 0, prefix: 0)]
  /// The number of the page for each value of the first bits.
  private(set) var directory: ContiguousArray<UInt32> = [0]
  /// The number of bits of a hash value that choose a cell of the directory.
  private(set) var depth = 0
  /// The stamp of each page in the file (`IndexPage.stamp`); zero for a page that is not in the file.
  private(set) var stamps: ContiguousArray<UInt64> = [0]
  private var isDirty: ContiguousArray<Bool> = [true]
  /// Pages that are not in the file yet. They are written before all others. Otherwise entries that moved from a
  /// split page to a new one could be missing in both.
  private(set) var added: [Int] = []
  private(set) var source: Source?

  init() {}

  /// The pages of a stored index. None of them is in memory yet.
  init(seed: TableSeed, directory: ContiguousArray<UInt32>, stamps: ContiguousArray<UInt64>, source: Source) {
    for page in pages { page?.deallocate() }
    self.seed = seed
    self.directory = directory
    self.stamps = stamps
    self.source = source
    depth = directory.count.trailingZeroBitCount
    pages = ContiguousArray(repeating: nil, count: stamps.count)
    isDirty = ContiguousArray(repeating: false, count: stamps.count)
    added = []
  }

  func deallocate() { for page in pages { page?.deallocate() } }

  var count: Int { pages.count }

  // MARK: Which page

  func hash(_ key: CacheKey, partition: Int) -> UInt64 { seed.hash(key, partition: partition) }

  /// The number of the page that contains, or would contain, the entry with this hash value.
  @inline(__always)
  func number(of hash: UInt64) -> Int { Int(directory[cell(of: hash)]) }

  @inline(__always)
  private func cell(of hash: UInt64) -> Int { depth == 0 ? 0 : Int(hash >> UInt64(64 - depth)) }

  /// A page; nil if it must be read first.
  @inline(__always)
  subscript(number: Int) -> IndexPage? { pages[number] }

  /// The page of this hash value; nil if it must be read first.
  @inline(__always)
  func page(of hash: UInt64) -> IndexPage? { pages[number(of: hash)] }

  /// The bits that the hash values of a page's entries share, by the directory; nil if this hash value belongs to
  /// another page.
  func place(of number: Int, hash: UInt64) -> (depth: Int, prefix: UInt64)? {
    let cell = cell(of: hash)
    guard directory[cell] == UInt32(number) else { return nil }
    var first = cell
    while first > 0, directory[first - 1] == UInt32(number) { first -= 1 }
    var end = cell + 1
    while end < directory.count, directory[end] == UInt32(number) { end += 1 }
    let own = depth - (end - first).trailingZeroBitCount
    return (own, own == 0 ? 0 : UInt64(first) << UInt64(64 - depth))
  }

  /// Keeps a page that was read, unless it came into memory meanwhile.
  mutating func take(_ page: IndexPage, as number: Int) {
    if pages[number] == nil { pages[number] = page } else { page.deallocate() }
  }

  // MARK: Change

  mutating func markDirty(_ number: Int) { isDirty[number] = true }

  /// Makes room for one more entry with this hash value, in a page that is in memory.
  ///
  /// - Returns: Whether there is room. False if the hash values share more leading bits than a random seed would
  ///   produce.
  mutating func makeRoom(for hash: UInt64) -> Bool {
    while let page = page(of: hash), page.count >= IndexPage.capacity {
      let limit = 4 + (Int.bitWidth - count.leadingZeroBitCount)
      guard page.depth < limit else { return false }
      split(number(of: hash), page)
    }
    return true
  }

  /// Adds an entry for a key without an entry, unless the hash values share too many leading bits. All pages are in
  /// memory.
  mutating func insert(_ entry: IndexEntry) {
    let hash = hash(entry.key, partition: entry.partition)
    guard makeRoom(for: hash), let page = page(of: hash) else { return }
    page.append(entry, hash: hash)
    markDirty(number(of: hash))
  }

  var entryCount: Int { pages.reduce(0) { $0 + ($1?.count ?? 0) } }

  private mutating func split(_ number: Int, _ page: IndexPage) {
    let own = page.depth
    if own == depth {
      directory = ContiguousArray((0..<2 * directory.count).map { directory[$0 / 2] })
      depth += 1
    }
    let bit: UInt64 = 1 << UInt64(63 - own)
    let sibling = IndexPage(depth: own + 1, prefix: page.prefix | bit)
    page.deepen(to: own + 1)
    for position in (0..<page.count).reversed() {
      let entry = page[position]
      let hash = hash(entry.key, partition: entry.partition)
      guard hash & bit != 0 else { continue }
      sibling.append(entry, hash: hash)
      page.remove(position)
    }
    let new = pages.count
    pages.append(sibling)
    stamps.append(0)
    isDirty.append(true)
    added.append(new)
    let first = cell(of: sibling.prefix)
    for cell in first..<first + 1 << (depth - own - 1) { directory[cell] = UInt32(new) }
    markDirty(number)
  }

  // MARK: In the file

  /// The numbers of the pages that changed since they were written.
  var dirtyNumbers: [Int] { isDirty.indices.filter { isDirty[$0] } }

  func isDirty(_ number: Int) -> Bool { isDirty[number] }

  /// Begins a new epoch: all pages in the file become invalid. All pages must be in memory.
  mutating func beginEpoch(_ source: Source) {
    self.source = source
    for number in pages.indices {
      stamps[number] = 0
      markDirty(number)
    }
    added = []
  }

  /// Encodes a page for the file into `bytes`, and marks it as written.
  ///
  /// - Parameter segmentNumber: Returns the number in the file for a segment of the index.
  mutating func seal(
    _ number: Int, into bytes: UnsafeMutableRawBufferPointer, segmentNumber: (Int) -> UInt32
  ) {
    guard let page = pages[number], let source else { return }
    bytes.copyMemory(from: UnsafeRawBufferPointer(page.bytes))
    for position in 0..<page.count {
      let offset = IndexPage.entriesOffset + position * IndexPage.entryLength + IndexPage.segmentOffset
      bytes.set(segmentNumber(page[position].segment), at: offset)
    }
    let version = UInt32(truncatingIfNeeded: stamps[number] >> 32) &+ 1
    IndexPage.seal(bytes, number: number, version: version, epoch: source.epoch)
    stamps[number] = UInt64(version) << 32 | UInt64(page.count)
    isDirty[number] = false
    if added.first == number { added.removeFirst() }
  }
}
