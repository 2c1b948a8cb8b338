#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A reader finds the entries that the writer stored since the reader opened.
//
// The writer writes the new record of an entry before it kills the old one or removes its segment, so an entry has a live
// record at every moment. But a reader looks at one file after the other: while it does, the writer can replace or move
// the entry, and the reader sees neither the old record alive nor the new one. In that case the look finds something
// else that is new: a dead record behind the former end of a segment, or a segment that is gone. So a search ends only
// when a look finds nothing new.
extension SegmentStore {
  /// A search for one entry, which may need several looks for new entries.
  struct Search {
    /// An entry is missed after this number of looks only if the writer replaces or moves it during each of them.
    static let lookLimit = 8

    fileprivate var lookCount = 0
    fileprivate var isOver = false
    fileprivate var isUrgent = false

    /// Records that a dead record or a removed segment was found: the writer has written another record, so the
    /// first look need not wait.
    mutating func noteChange() { isUrgent = true }
  }

  /// The outcome of a look.
  private enum Look {
    /// The refresh interval has not passed, or the directory cannot be read.
    case refused
    case nothing
    case news
  }

  /// Looks up an entry in the index. While it is missing, takes up the new entries of the writer.
  ///
  /// The first look of a search waits for the refresh interval, unless the caller found a dead record or a removed
  /// segment (`Search.noteChange`); the others do not. The writer looks for entries that other processes handed
  /// over, at most once per search and per refresh interval.
  ///
  /// - Parameter find: Gets the index and the number of the partition. Not called if the index has no such
  ///   partition.
  /// - Returns: The result of `find`, and whether this cache is a reader.
  func locate<Found: Sendable>(
    _ key: CacheKey, in partition: Partition, _ search: inout Search,
    _ find: (_ index: SegmentIndex, _ partition: Int) -> Found?
  ) -> (found: Found?, isReader: Bool) {
    while true {
      let (found, missing, isReader, isDamaged) = index.withLock { index in
        let number = index.number(of: partition)
        let missing = number.flatMap { index.missingPage(of: key, partition: $0) }
        let found = missing == nil ? number.flatMap { find(index, $0) } : nil
        return (found, missing, index.isReader, index.isDamaged)
      }
      if let missing {
        index.read(missing)
        continue
      }
      if isDamaged, !isReader, search.lookCount == 0 {
        search.lookCount = 1
        try? write { (writer) throws(DiskCacheError) in rebuildIndexIfDamaged(&writer) }
        continue
      }
      if found != nil { search.isOver = search.lookCount >= Search.lookLimit }
      if found == nil, !isReader, search.lookCount == 0, hasOffers.load(ordering: .relaxed) {
        search.lookCount = 1
        try? write { (writer) throws(DiskCacheError) in adoptOffersIfDue(&writer) }
        continue
      }
      // A writer knows every entry, and a look would wait for other writes.
      if found != nil || !isReader || search.isOver { return (found, isReader) }
      let look = refresh(isFirst: search.lookCount == 0 && !search.isUrgent)
      if look != .refused { search.lookCount += 1 }
      // The index is searched once more in any case: another thread may have refreshed it.
      search.isOver = look != .news || search.lookCount >= Search.lookLimit
    }
  }

  private func refresh(isFirst: Bool) -> Look {
    let look = try? write { (writer) throws(DiskCacheError) -> Look in
      guard case .reader = writer.role else { return .refused }
      guard !isFirst || isDue(since: writer.refreshed) else { return .refused }
      writer.refreshed = now()
      do throws(DiskCacheError) {
        return try catchUp(&writer) ? .news : .nothing
      } catch {
        if error.code != ENOENT { writer.errors.append(error) }
        return .refused
      }
    }
    return look ?? .refused
  }

  /// Takes up new records and segments, and then removes the segments that no longer exist. In this order, entries
  /// that were moved from there stay in the index.
  ///
  /// - Returns: Whether something was new.
  private func catchUp(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    let all = try fileSystem.list(directory)
    let names = Set(all.filter(SegmentHeader.isFileName))
    let offers = Set(all.filter(OfferFile.isFileName))
    // The segments of a reader change only under the writer's lock, which is held here.
    let known = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    var isNew = false
    for (number, file) in known where names.contains(file.name) {
      note(&writer) { (writer) throws(DiskCacheError) in
        if try extend(number, to: try file.byteCount(), &writer) { isNew = true }
      }
    }
    for name in names.subtracting(known.map(\.1.name)).sorted() {
      note(&writer) { (writer) throws(DiskCacheError) in
        if try add(name, &writer) { isNew = true }
      }
    }
    // Offers of this cache stay until the writer has adopted all their records.
    let gone = known.filter { !names.contains($0.1.name) && !offers.contains($0.1.name) }
    if !gone.isEmpty {
      isNew = true
      index.removeSegments(gone.map(\.0))
    }
    return isNew
  }

  /// Takes up a new segment. Returns whether it had records, or was removed meanwhile.
  private func add(_ name: String, _ writer: inout Writer) throws(DiskCacheError) -> Bool {
    let file: SegmentFile?
    do throws(DiskCacheError) {
      file = try SegmentFile.open(name, in: directory, for: .reading, of: fileSystem)
    } catch {
      if error.code == ENOENT { return true }
      throw error
    }
    // A segment without a complete header is being made. It is looked at again next time.
    guard let file else { return false }
    let size = try file.byteCount()
    let number = index.withLock { $0.add(file, size: SegmentHeader.byteCount, age: file.number) }
    return try extend(number, to: size, &writer)
  }

  /// Takes up the records after those that were scanned. Returns whether there were any.
  private func extend(
    _ number: Int, to size: Int, _ writer: inout Writer
  ) throws(DiskCacheError) -> Bool {
    guard let state = index.withLock({ $0.segments[number] }), size > state.scanned else { return false }
    var found: [SegmentFile.ScannedEntry] = []
    let scan = try state.file.scan(from: state.scanned, to: size, searched: state.searched) {
      found.append($0)
    }
    counters.corruptEntries.wrappingAdd(scan.gapCount, ordering: .relaxed)
    let current = found.filter { entry in
      entry.header.isLive && !writer.outdated.contains(entry.header, in: entry.partition)
        && !isOlderThanOffered(entry, &writer)
    }
    for entry in current { index.readPage(of: entry.header.key, in: entry.partition) }
    index.withLock { index in
      for entry in current {
        let partition = index.number(of: entry.partition, capacity: capacity(of:))
        _ = index.insert(entry.header, in: partition, segment: number, offset: entry.offset)
      }
      index.enter(scan, size: size, ofSegment: number)
    }
    return scan.end > state.scanned
  }
}
