// Reads and finds single entries, and drops those that cannot be served.
extension SegmentStore {
  /// Reads an entry, whole or up to its body, and calls `use` with it.
  func withRecord<Result>(
    _ key: CacheKey, in partition: Partition, countsAsUse: Bool,
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
        search.noteChange()
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
          search.noteChange()
        case .corrupt:
          drop(location, because: .corrupt)
        case .misplaced:
          distrustIndex(because: location)
        }
      } catch {
        report(error)
        return nil
      }
    }
    return nil
  }

  /// The reason why an entry cannot be served.
  private enum Flaw {
    case dead, corrupt, expired
  }

  /// Removes an entry that cannot be served from the index, unless it changed since it was found.
  private func drop(_ location: SegmentIndex.Location, because flaw: Flaw) {
    let isCorrupt = flaw == .corrupt
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      // Metadata that was updated twice while it was read looks damaged. Under the lock, no update is under way.
      if isCorrupt, let again = try? RecordReader.read(location), case .record = again { return }
      if case .writer = writer.role {
        // A record that is dead on disk but live in the writer's index is damaged too, unless it may have died
        // after the index was stored.
        if flaw == .expired {
          counters.expirations.increment()
        } else if isCorrupt || index.withLock({ location.sequence >= $0.unverifiedBelow }) {
          counters.corruptEntries.increment()
        }
        // Without the record's header, the state word at this place may belong to something else.
        if !isCorrupt || RecordReader.hasHeader(location) {
          removeEntry(location, &writer)
        } else {
          index.withLock { $0.remove(location) }
          removeIfEmpty(location.segment, &writer)
        }
      } else {
        if isCorrupt { counters.corruptEntries.increment() }
        index.withLock { $0.remove(location) }
      }
    }
  }

  private func forgetSegment(of location: SegmentIndex.Location) {
    _ = try? write { (writer) throws(DiskCacheError) in
      if index.withLock({ $0.holds(location) }) { index.removeSegments([location.segment]) }
    }
  }

  private func noteUse(of location: SegmentIndex.Location) {
    let date = now()
    index.withLock { index in
      if let position = index.position(of: location) { index.touch(position, at: date) }
    }
  }

  /// Whether the index entry was stored before its writer ended without closing, so that the record may be dead.
  private func mayBeDead(_ key: CacheKey, in partition: Partition) -> Bool {
    guard index.withLock({ $0.unverifiedBelow > 0 }) else { return false }
    index.readPage(of: key, in: partition)
    return index.withLock { index in
      index.location(of: key, in: partition).map { $0.sequence < index.unverifiedBelow } ?? false
    }
  }

  /// Whether the entry's record is alive. If not, the entry leaves the index.
  private func isAlive(_ key: CacheKey, in partition: Partition) -> Bool {
    withRecord(
      key, in: partition, countsAsUse: false,
      read: { (location) throws(DiskCacheError) in try RecordReader.readHead(location) }, use: { _ in true }
    ) ?? false
  }

  func contains(_ key: CacheKey, in partition: Partition) -> Bool {
    var search = Search()
    // Whether the entry is known to be alive without reading its record.
    let isCertain = locate(key, in: partition, &search) { index, number in
      index.find(key, in: number).map { $0.page[$0.position].sequence >= index.unverifiedBelow }
    }.found
    guard let isCertain else { return false }
    return isCertain && !ages.apply(to: partition) || isAlive(key, in: partition)
  }

  /// Marks an entry as used now.
  func touch(_ key: CacheKey, in partition: Partition) -> Bool {
    if mayBeDead(key, in: partition) || ages.apply(to: partition), !isAlive(key, in: partition) {
      return false
    }
    let date = now()
    var search = Search()
    let touched: Void? = locate(key, in: partition, &search) { index, number in
      index.find(key, in: number).map { index.touch($0, at: date) }
    }.found
    return touched != nil
  }
}
