// The stored form: what the file `index` gets, and the entries of an index that was not closed.
extension SegmentIndex {
  /// The most bytes that the files of the stored index will have: the pages, and twice the file `index`, which
  /// exists twice while it is replaced. The directory may double before the next store.
  var neededByteCount: Int {
    let index =
      StoredIndex.headerLength + partitionsByteCount + segments.count * StoredIndex.placeLength
      + pages.count * 8 + pages.directory.count * 8
    return pages.count * IndexPage.byteCount + 2 * index
  }

  /// The facts about segments for the file `index`.
  var places: [StoredIndex.Place] {
    segments.compactMap { segment in
      segment.map {
        StoredIndex.Place(
          segmentNumber: $0.file.number, salt: $0.file.salt, scanned: $0.scanned, live: $0.live, age: $0.age)
      }
    }
  }

  /// Copies the sums of a stored index that is complete.
  func take(_ stored: StoredIndex) {
    count = stored.count
    for (number, sums) in stored.partitions.enumerated() {
      partitions[number].byteCount = sums.byteCount
      partitions[number].count = sums.count
      liveByteCount &+= sums.byteCount
    }
    for place in stored.places {
      if let number = segmentNumbers[UInt32(truncatingIfNeeded: place.segmentNumber)] {
        segments[number]?.live = place.live
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
        continue
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
