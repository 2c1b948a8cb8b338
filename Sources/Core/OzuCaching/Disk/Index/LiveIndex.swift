import OzuBase

/// The index in memory with its lock, which every fetch takes.
///
/// No file is read or written under the lock, and nothing under it takes time in proportion to the number of entries:
/// a page that is only in the file is read first and then taken up, and work on all entries takes the lock for one
/// page after the other. Between two pages, fetches find and touch entries. Everything else changes the index only
/// under the lock of the writer, which the caller holds, so a page stays where it is meanwhile.
final class LiveIndex: Sendable {
  private let state: Mutex<SegmentIndex>

  init(_ index: SegmentIndex = SegmentIndex()) { state = Mutex(index) }

  @inline(__always)
  func withLock<Result: Sendable>(_ body: (SegmentIndex) -> Result) -> Result {
    state.withLock { body($0) }
  }

  /// Nil if a thread, perhaps this one, holds the lock.
  func withLockIfAvailable<Result: Sendable>(_ body: (SegmentIndex) -> Result) -> Result? {
    state.withLockIfAvailable { body($0) }
  }

  /// Puts another index in the place of this one. The former one is released after unlocking.
  func replace(with index: SegmentIndex) {
    var index = index
    state.withLock { swap(&$0, &index) }
  }

  // MARK: Pages that are only in the file

  /// Reads the page of a key's entry if it is not in memory.
  func readPage(of key: CacheKey, in partition: Partition) {
    let missing = state.withLock { index in
      index.number(of: partition).flatMap { index.missingPage(of: key, partition: $0) }
    }
    if let missing { read(missing) }
  }

  /// Reads the pages that a key may have in any partition.
  func readPages(of key: CacheKey) {
    for number in 0..<state.withLock({ $0.partitions.count }) {
      if let missing = state.withLock({ $0.missingPage(of: key, partition: number) }) { read(missing) }
    }
  }

  func readAllPages() { forEachPage { _, _ in } }

  func read(_ missing: SegmentIndex.MissingPage) {
    let page = try? IndexPage.read(missing.number, from: missing.source)
    state.withLock { index in
      // The index may have been replaced meanwhile.
      if index.pages.source?.epoch == missing.source.epoch, missing.number < index.pages.count {
        index.take(page, as: missing.number)
      } else {
        page?.deallocate()
      }
    }
  }

  // MARK: All entries

  /// Calls `body` with the index, locked, and the number of each page, also of those that are added meanwhile. The page is in memory
  /// unless the index is damaged.
  ///
  /// - Parameter between: Called after each page, without the lock.
  func forEachPage(_ body: (SegmentIndex, Int) -> Void, between: () -> Void = {}) {
    var number = 0
    while number < state.withLock({ $0.pages.count }) {
      if let missing = state.withLock({ $0.missingPage(number) }) { read(missing) }
      state.withLock { index in
        if number < index.pages.count { body(index, number) }
      }
      between()
      number += 1
    }
  }

  /// The entries of a partition, or of all partitions, from the most to the least recently used. A use that is dated
  /// in the future, from before the clock was set back, counts as longer ago than all others.
  ///
  /// - Complexity: O(entries × log entries). Reads all pages.
  func entriesByAccess(in partition: Partition? = nil, at date: Int64) -> [IndexEntry] {
    // A long list that grows is copied, which takes tens of milliseconds for a million entries: not under the lock.
    var (result, found) = ([IndexEntry](), [IndexEntry]())
    found.reserveCapacity(IndexPage.capacity)
    let pageCount = state.withLock { $0.pages.count }
    forEachPage { index, number in
      let wanted = partition.map { index.number(of: $0) ?? -1 }
      guard let page = index.pages[number] else { return }
      for position in 0..<page.count {
        let entry = page[position]
        if wanted == nil || entry.partition == wanted { found.append(entry) }
      }
    } between: {
      result += found
      found.removeAll(keepingCapacity: true)
    }
    // A page that was split meanwhile has given entries that were found before to a page that was found later.
    if state.withLock({ $0.pages.count }) != pageCount {
      let newest = Dictionary(
        result.map { (SegmentIndex.Identity(key: $0.key, partition: $0.partition), $0) }
      ) { $1 }
      result = Array(newest.values)
    }
    return result.sorted { $1.wasUsed(before: $0, at: date) }
  }

  /// Removes segments with all their entries from the index.
  ///
  /// - Returns: The number of removed entries.
  /// - Complexity: O(1) if the segments have no live entries, otherwise O(entries of the cache).
  @discardableResult
  func removeSegments(_ numbers: [Int], evicting isEviction: Bool = false) -> Int {
    var removed = 0
    let numbers = Set(numbers)
    if state.withLock({ index in numbers.contains { index.hasEntries(inSegment: $0) } }) {
      forEachPage { index, number in
        removed += index.removeEntries(ofSegments: numbers, inPage: number, evicting: isEviction)
      }
    }
    state.withLock { index in
      for number in numbers { index.removeEmptySegment(number) }
    }
    return removed
  }

  /// Computes all sums again. Only an index whose sums are wrong, which no writer of this program stored, is
  /// counted, so this happens under one lock.
  func recount() {
    readAllPages()
    state.withLock { $0.recount() }
  }

  /// Builds the pages again, with as few pages as the entries need, under another seed. All pages are in memory.
  /// Uses of entries meanwhile are forgotten.
  func rebuildPages() {
    var pages = IndexPages()
    forEachPage { index, number in
      guard let page = index.pages[number] else { return }
      for position in 0..<page.count { pages.insert(page[position]) }
    }
    state.withLock { index in
      swap(&index.pages, &pages)
      if !index.hasPossibleSums || index.count != index.pages.entryCount { index.recount() }
    }
    pages.deallocate()
  }
}
