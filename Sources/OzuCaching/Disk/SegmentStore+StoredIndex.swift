#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Loads the stored index at opening.
extension SegmentStore {
  /// The stored index with the segments that it knows. Nil if there is none, or if it is unusable: damaged, of
  /// another version, or newer than the segments. A writer that loads an index of a closed writer marks it as out
  /// of date from now on. It removes an unusable index, so that it does no harm at the next opening, and so that
  /// the files of one index never get pages of another.
  func storedIndex(_ names: Set<String>, _ writer: inout Writer) -> SegmentIndex? {
    let isWriter = writer.isWriter
    writer.files = IndexFiles()
    // A crash left this file during an attempt to replace the index.
    if isWriter, names.contains(StoredIndex.newFileName) {
      try? fileSystem.remove(path(StoredIndex.newFileName))
    }
    guard names.contains(StoredIndex.fileName) else {
      if isWriter { try? fileSystem.remove(pagesPath) }
      return nil
    }
    var found: SegmentIndex?
    if writer.trustsStoredIndex, writer.outdated.commonDate == nil {
      do throws(DiskCacheError) {
        found = try takeUp(names, isWriter: isWriter, &writer)
        if found == nil { counters.rebuiltIndexes.increment() }
      } catch {
        if error.code != ENOENT { writer.errors.append(error) }
        // A shortage is temporary, and the file is still good.
        if error.isShortage { return nil }
        if isWriter, error.isNotRegularFile {
          for path in [indexPath, pagesPath] {
            note(&writer) { (_) throws(DiskCacheError) in
              if (try? fileSystem.open(path, for: .updating)) == nil { try fileSystem.removeObstacle(path) }
            }
          }
        }
      }
    }
    if isWriter, !writer.files.isBased { removeIndexFiles() }
    return found
  }

  private func takeUp(
    _ names: Set<String>, isWriter: Bool, _ writer: inout Writer
  ) throws(DiskCacheError) -> SegmentIndex? {
    let access: FileAccess = isWriter ? .updating : .reading
    let file = try fileSystem.open(indexPath, for: access)
    let count = try file.byteCount()
    guard count <= StoredIndex.largestByteCount,
      let bytes = try FileBytes.read(count, of: file, at: indexPath),
      let stored = StoredIndex(UnsafeRawBufferPointer(bytes.bytes))
    else { return nil }
    let pages = try fileSystem.open(pagesPath, for: access)
    guard let (index, isWhole) = try fill(stored, names, access) else { return nil }
    writer.nextSequence = stored.nextSequence
    writer.nextNumber = max(writer.nextNumber, stored.nextNumber)
    index.unverifiedBelow = stored.isClean ? stored.unverifiedBelow : stored.nextSequence
    let source = IndexPages.Source(file: pages, epoch: stored.epoch)
    let pagesByteCount = try pages.byteCount()
    // Another process may change pages while this one reads, so a reader reads all of them at once.
    if isWriter, stored.isClean, isWhole, pagesByteCount == stored.stamps.count * IndexPage.byteCount {
      try StoredIndex.markUnclean(file)
      if configuration.durability == .synced { try file.synchronize() }
      index.pages.deallocate()
      index.pages = IndexPages(
        seed: stored.seed, directory: stored.directory, stamps: stored.stamps, source: source)
      index.take(stored)
      index.isStored = true
      index.storedByteCount = pagesByteCount + count
      writer.files.pages = pages
      writer.files.isBased = true
      (writer.files.pagesByteCount, writer.files.indexByteCount) = (pagesByteCount, count)
      return index
    }
    guard try index.recover(stored, from: source, byteCount: pagesByteCount) else { return nil }
    if !isWriter { index.storedByteCount = pagesByteCount + count }
    return index
  }

  /// An index with the partitions and segments of a stored one, without entries.
  ///
  /// - Returns: The index, and whether all segments are as the stored index says. Nil if a segment is shorter.
  private func fill(
    _ stored: StoredIndex, _ names: Set<String>, _ access: FileAccess
  ) throws(DiskCacheError) -> (index: SegmentIndex, isWhole: Bool)? {
    let index = SegmentIndex()
    var isWhole = true
    index.sequenceLimit = stored.nextSequence
    for sums in stored.partitions { _ = index.number(of: sums.partition, capacity: capacity(of:)) }
    for place in stored.places {
      var segment: SegmentFile?
      if names.contains(place.name) {
        do throws(DiskCacheError) {
          segment = try SegmentFile.open(place.name, in: directory, for: access, of: fileSystem)
        } catch {
          // `load` decides later about a file that cannot be opened.
          if error.isShortage { throw error }
        }
      }
      guard let segment else {
        isWhole = false
        continue
      }
      let size = try segment.byteCount()
      guard size >= place.scanned else { return nil }
      if size != place.scanned { isWhole = false }
      let number = index.add(segment, size: size, age: place.age)
      index.setSize(size, scanned: place.scanned, ofSegment: number)
    }
    return (index, isWhole)
  }
}

extension SegmentIndex {
  /// Copies the sums of a stored index that is complete.
  fileprivate func take(_ stored: StoredIndex) {
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
  fileprivate func recover(
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
