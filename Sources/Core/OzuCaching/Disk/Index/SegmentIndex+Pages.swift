// Pages that are only in the file: which must be read, and whether one agrees with the rest of the index.
extension SegmentIndex {
  /// The number of a page that must be read, and its file.
  typealias MissingPage = (number: Int, source: IndexPages.Source)

  /// The page that must be read to find this entry; nil if it is in memory.
  @inline(__always)
  func missingPage(of key: CacheKey, partition: Int) -> MissingPage? {
    let hash = pages.hash(key, partition: partition)
    guard pages.page(of: hash) == nil, !isDamaged, let source = pages.source else { return nil }
    return (pages.number(of: hash), source)
  }

  /// The page of this number, if it must be read.
  func missingPage(_ number: Int) -> MissingPage? {
    guard number < pages.count, pages[number] == nil, !isDamaged, let source = pages.source else {
      return nil
    }
    return (number, source)
  }

  /// Keeps a page that was read, if it agrees with the rest of the index.
  func take(_ page: IndexPage?, as number: Int) {
    guard pages[number] == nil, let page, isSound(page, as: number) else {
      if pages[number] == nil { isDamaged = true }
      page?.deallocate()
      return
    }
    pages.take(page, as: number)
  }

  // MARK: Checking

  /// Whether a page from the file agrees with the directory, the segments and the partitions. Its checksum contains
  /// no secret: it detects damage, but does not prove who wrote the file. So every number is checked before it is
  /// used. Replaces the segment numbers of the file by those of this index.
  func isSound(_ page: IndexPage, as number: Int) -> Bool {
    let place = pages.place(of: number, hash: page.prefix)
    guard let place, page.depth == place.depth, page.prefix == place.prefix,
      page.stamp == pages.stamps[number]
    else { return false }
    return adopt(page)
  }

  /// Checks the entries of a page, and replaces their segment numbers by those of this index.
  ///
  /// - Returns: Whether each entry belongs to this page, occurs once, and is within a segment and a partition.
  private func adopt(_ page: IndexPage) -> Bool {
    guard page.count <= IndexPage.capacity else { return false }
    let mask: UInt64 = page.depth == 0 ? 0 : ~0 << UInt64(64 - page.depth)
    for position in 0..<page.count {
      var entry = page[position]
      let hash = pages.hash(entry.key, partition: entry.partition)
      guard case .segment(let segment) = placement(of: entry), hash & mask == page.prefix,
        page.tag(position) == UInt16(truncatingIfNeeded: hash),
        page.find(entry.key, partition: entry.partition, hash: hash) == position
      else { return false }
      entry.segment = segment
      page[position] = entry
    }
    return true
  }

  /// The place of an entry that was read from the file.
  enum Placement {
    /// In the segment with this number.
    case segment(Int)
    /// In a segment, a part of a segment or a partition that the stored index did not know yet.
    case unknown
    /// The entry contradicts the stored index.
    case impossible
  }

  func placement(of entry: IndexEntry) -> Placement {
    guard entry.partition < partitions.count,
      let number = segmentNumbers[UInt32(truncatingIfNeeded: entry.segment)], let segment = segments[number],
      entry.offset < segment.scanned
    else { return .unknown }
    guard entry.sequence < sequenceLimit, entry.offset >= SegmentHeader.byteCount,
      entry.offset + entry.length <= segment.scanned, entry.headLength >= EntryHeader.byteCount,
      entry.headLength <= entry.length
    else { return .impossible }
    return .segment(number)
  }
}

// The stored form: what the file `index` gets, and the entries of an index that was not closed.
extension SegmentIndex {
  /// The most bytes that the files of the stored index will have: the pages, and twice the file `index`, which
  /// exists twice while it is replaced. The directory may double before the next store.
  var neededByteCount: Int {
    let index =
      StoredIndex.headerLength + partitionsByteCount + segments.count * StoredIndex.segmentStateLength
      + pages.count * 8 + pages.directory.count * 8
    return pages.count * IndexPage.byteCount + 2 * index
  }

  var segmentStates: [StoredIndex.SegmentState] {
    segments.compactMap { segment in
      segment.map {
        StoredIndex.SegmentState(
          segmentNumber: $0.file.number, salt: $0.file.salt, scanned: $0.scanned, live: $0.live, age: $0.age)
      }
    }
  }

  /// Copies the sums of a stored index that is complete.
  func take(_ stored: StoredIndex) {
    count = stored.count
    partitions = stored.partitions
    liveByteCount = partitions.reduce(0) { $0 &+ $1.byteCount }
    for state in stored.segmentStates {
      if let number = segmentNumbers[UInt32(truncatingIfNeeded: state.segmentNumber)] {
        segments[number]?.live = state.live
      }
    }
  }

  /// Adds the entries of all pages in the file: the pages that the stored index describes, in these versions or
  /// later ones, and pages that were added since.
  ///
  /// An entry in a part of a segment that the stored index does not know yet is skipped, because a scan will find
  /// it. If a page was split, and only the new page has reached the file, an entry can be in both pages.
  ///
  /// - Returns: Whether every hash value has a page, and no page that the stored index describes is damaged.
  func recover(
    _ stored: StoredIndex, from source: IndexPages.Source, byteCount: Int
  ) throws(DiskCacheError) -> Bool {
    var depths: [(depth: Int, prefix: UInt64)] = []
    for number in 0..<byteCount / IndexPage.byteCount {
      // Another process may be writing the page at this moment.
      var read: IndexPage?
      for _ in 0..<3 where read == nil { read = try IndexPage.read(number, from: source) }
      guard let page = read else {
        if number < stored.stamps.count { return false }
        // Pages are added one after the other. What follows an unfinished one is lost or no page, and a forged file may be
        // of any length.
        break
      }
      defer { page.deallocate() }
      if number < stored.stamps.count {
        let stamp = stored.stamps[number]
        guard page.stamp == stamp || UInt64(page.version) > stamp >> 32 else { return false }
      }
      guard page.depth <= 32 else { return false }
      depths.append((page.depth, page.prefix))
      for position in 0..<page.count {
        var entry = page[position]
        switch placement(of: entry) {
        case .segment(let number): entry.segment = number
        case .unknown: continue
        case .impossible: return false
        }
        if let former = location(of: entry.key, in: entry.partition) {
          if former.sequence >= entry.sequence { continue }
          remove(former)
        }
        insert(entry)
      }
    }
    return depths.count >= stored.stamps.count && Self.isCovering(depths)
  }

  /// Whether each hash value begins with the bits of one of these pages.
  private static func isCovering(_ pages: [(depth: Int, prefix: UInt64)]) -> Bool {
    let depth = pages.map(\.depth).max() ?? 0
    guard 1 << depth <= pages.count * StoredIndex.cellsPerPage else { return false }
    var isCovered = [Bool](repeating: false, count: 1 << depth)
    for page in pages {
      let first = depth == 0 ? 0 : Int(page.prefix >> UInt64(64 - depth))
      for cell in first..<min(first + 1 << (depth - page.depth), isCovered.count) { isCovered[cell] = true }
    }
    return isCovered.allSatisfy { $0 }
  }
}
