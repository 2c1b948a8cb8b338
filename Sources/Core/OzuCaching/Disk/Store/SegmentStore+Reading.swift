// Reads and finds single entries, and drops those that cannot be served. A reader finds the entries that the writer
// stored since the reader opened.
//
// The writer writes the new record of an entry before it kills the old one or removes its segment, so an entry has a live
// record at every moment. But a reader looks at one file after the other: while it does, the writer can replace or move
// the entry, and the reader sees neither the old record alive nor the new one. In that case the look finds something
// else that is new: a dead record behind the former end of a segment, or a segment that is gone. So a search ends only
// when a look finds nothing new.
extension SegmentStore {
  /// Reads an entry, whole or up to its body, and calls `use` with it.
  func withRecord<Result>(
    _ key: CacheKey, in partition: Partition, countsAsUse: Bool = false,
    read: (SegmentIndex.Location) throws(DiskCacheError) -> RecordReader.Result,
    use: (consuming Record) -> Result
  ) -> Result? {
    // The entry may be moved or replaced between the lookup and the read; then its new place is looked up. Each
    // further turn means that the writer has written meanwhile, so a few turns are enough.
    var search = Search()
    for _ in 0..<Search.lookLimit {
      let (found, isReader) = locate(key, in: partition, &search) { $0.location(of: key, in: $1) }
      guard let location = found else { return nil }
      if isReader, !location.file.file.isLinked {
        // The writer removed the segment. Its records are still readable and may look alive, although they were
        // moved and replaced since.
        forgetSegment(of: location)
        search.isUrgent = true
        continue
      }
      do throws(DiskCacheError) {
        switch try read(location) {
        case .record(var record):
          if isExpired(record.header, in: partition) {
            drop(location, because: .expired)
            continue
          }
          // The index may have a later time of use than the file.
          record.header.accessed = location.accessed
          if countsAsUse { noteUse(of: location) }
          return use(record)
        case .dead:
          // The entry has left the index too by now, or the writer in another process marked the record as dead.
          drop(location, because: .dead)
          search.isUrgent = true
        case .corrupt:
          drop(location, because: .corrupt)
        case .misplaced:
          distrustIndex(because: location)
        }
      } catch {
        context.errors.report(error)
        return nil
      }
    }
    return nil
  }

  func isExpired(_ header: EntryHeader, in partition: Partition) -> Bool {
    guard context.ages.shortest != nil else { return false }
    return context.ages.isExpired(storedAt: header.stored, in: partition, at: context.now())
  }

  /// The reason why an entry cannot be served.
  private enum Flaw {
    case dead, corrupt, expired
  }

  /// Removes an entry that cannot be served from the index, unless it changed since it was found.
  private func drop(_ location: SegmentIndex.Location, because flaw: Flaw) {
    let isCorrupt = flaw == .corrupt
    // An entry that was moved, replaced or removed after it was found has left the index before its record died. A fetch
    // must not wait for the writer to learn that.
    guard index.withLock({ $0.holds(location) }) else { return }
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      // Metadata that was updated twice while it was read looks damaged. Under the lock, no update is under way.
      if isCorrupt, let again = try? RecordReader.read(location), case .record = again { return }
      guard writer.ownership.isWriter else {
        if isCorrupt { counters.count { $0.corruptEntries += 1 } }
        return index.withLock { $0.remove(location) }
      }
      // A record that is dead on disk but live in the writer's index is damaged too, unless it may have died
      // after the index was stored.
      if flaw == .expired {
        counters.count { $0.expirations += 1 }
      } else if isCorrupt || index.withLock({ location.sequence >= $0.unverifiedBelow }) {
        counters.count { $0.corruptEntries += 1 }
      }
      // Without the record's header, the state word at this place may belong to something else.
      if !isCorrupt || RecordReader.hasHeader(location) {
        removeEntry(location, &writer)
      } else {
        index.withLock { $0.remove(location) }
        writer.log.removeIfEmpty(location.segment)
      }
    }
  }

  private func forgetSegment(of location: SegmentIndex.Location) {
    try? write { (writer) throws(DiskCacheError) in
      if index.withLock({ $0.holds(location) }) { index.removeSegments([location.segment]) }
    }
  }

  private func noteUse(of location: SegmentIndex.Location) {
    let date = context.now()
    index.withLock { index in
      if let position = index.position(of: location) { index.touch(position, at: date) }
    }
  }

  // MARK: Without the record

  /// Whether the entry's record is alive. If not, the entry leaves the index.
  private func isAlive(_ key: CacheKey, in partition: Partition) -> Bool {
    withRecord(key, in: partition, read: RecordReader.readHead) { _ in true } ?? false
  }

  func contains(_ key: CacheKey, in partition: Partition) -> Bool {
    var search = Search()
    // Whether the entry is known to be alive without reading its record.
    let isCertain = locate(key, in: partition, &search) { index, number in
      index.find(key, in: number).map { $0.page[$0.position].sequence >= index.unverifiedBelow }
    }.found
    guard let isCertain else { return false }
    return isCertain && context.ages.limit(of: partition) == nil || isAlive(key, in: partition)
  }

  func touch(_ key: CacheKey, in partition: Partition) -> Bool {
    guard contains(key, in: partition) else { return false }
    let date = context.now()
    var search = Search()
    let touched: Void? = locate(key, in: partition, &search) { index, number in
      index.find(key, in: number).map { index.touch($0, at: date) }
    }.found
    return touched != nil
  }

  // MARK: Searching

  /// A search for one entry, which may need several looks for new entries.
  struct Search {
    /// An entry is missed after this number of looks only if the writer replaces or moves it during each of them.
    static let lookLimit = 8

    fileprivate var lookCount = 0
    fileprivate var isOver = false
    /// Whether a dead record or a removed segment was found: the writer has written another record, so the first
    /// look need not wait.
    fileprivate var isUrgent = false
  }

  /// Looks up an entry in the index. While it is missing, takes up the new entries of the writer.
  ///
  /// The first look of a search waits for the refresh interval, unless the caller found a dead record or a removed
  /// segment (`Search.isUrgent`); the others do not. The writer looks for entries that other processes handed
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
      let hasNews = refresh(isFirst: search.lookCount == 0 && !search.isUrgent)
      if hasNews != nil { search.lookCount += 1 }
      // The index is searched once more in any case: another thread may have refreshed it.
      search.isOver = hasNews != true || search.lookCount >= Search.lookLimit
    }
  }

  /// Looks for new entries, and returns whether there were any. Nil without a look: the refresh interval has not passed, or the
  /// directory cannot be read.
  private func refresh(isFirst: Bool) -> Bool? {
    write { (writer) -> Bool? in
      guard writer.ownership.mayLook(isFirst: isFirst) else { return nil }
      do throws(DiskCacheError) {
        return try catchUp(&writer)
      } catch {
        if !error.isAbsent { context.errors.note(error) }
        return nil
      }
    }
  }

  /// Takes up new records and segments, and then removes the segments that no longer exist. In this order, entries
  /// that were moved from there stay in the index.
  private func catchUp(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    let all = try context.fileSystem.list(directory)
    let names = Set(all.filter(SegmentHeader.isFileName))
    let offers = Set(all.filter(OfferFile.isFileName))
    // The segments of a reader change only under the writer's lock, which is held here.
    let known = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    var isNew = false
    for (number, file) in known where names.contains(file.name) {
      context.errors.attempt { () throws(DiskCacheError) in
        if try extend(number, to: try file.byteCount(), &writer) { isNew = true }
      }
    }
    for name in names.subtracting(known.map(\.1.name)).sorted() {
      context.errors.attempt { () throws(DiskCacheError) in
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
      file = try SegmentFile.open(name, in: directory, for: .reading, of: context.fileSystem)
    } catch {
      if error.isAbsent { return true }
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
    counters.count { $0.corruptEntries += scan.gapCount }
    for entry in found where entry.header.isLive {
      index.readPage(of: entry.header.key, in: entry.partition)
      guard !writer.outdated.contains(entry.header, in: entry.partition, at: context.now()),
        !writer.own.isNewer(than: entry)
      else { continue }
      index.withLock { index in
        let partition = index.number(adding: entry.partition)
        _ = index.insert(entry.header, in: partition, segment: number, offset: entry.offset)
      }
    }
    index.withLock { $0.enter(scan, size: size, ofSegment: number) }
    return scan.end > state.scanned
  }
}
