#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Stores, reads and finds single entries.
extension SegmentStore {
  /// Stores an entry and replaces the key's former one.
  ///
  /// - Parameter original: The entry that this one is a copy of, or nil. A copy keeps the date of storing, and is
  ///   not stored if the key has another entry by now.
  func store(
    _ body: Data, metadata: Data, label: String, key: CacheKey, partition: Partition,
    copyOf original: EntryHeader? = nil
  ) -> Bool {
    // Checksums are computed before any lock is taken.
    var head = EntryHead(
      key: key, partition: partition, label: label.cut(toUTF8Count: 4096), metadata: metadata)
    var header = head.header(
      sequence: 0, date: now(), bodyLength: body.count,
      bodyChecksum: original?.bodyChecksum ?? body.withUnsafeBytes { Checksum64.of($0, seed: 0) })
    if let original { (header.stored, header.accessed) = (original.stored, original.accessed) }
    let length = header.recordLength

    let isStored = try? write { (writer) throws(DiskCacheError) -> Bool in
      var latest: Int?
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          if original == nil, offer(&head, header, body, in: partition, &writer) { return true }
          counters.dropped.increment()
          forget(key, in: partition, &writer)
          return false
        }
        let (number, ownLimit) = index.withLock { index in
          let number = index.number(of: partition, capacity: capacity(of:))
          return (number, index.partitions[number].capacity)
        }
        if let original {
          let isCurrent = index.withLock { $0.location(of: key, in: number)?.sequence == original.sequence }
          guard isCurrent else { return false }
        }
        guard fits(length, inPartition: number, limit: ownLimit, writer), metadata.count < 1 << 31 else {
          counters.refusals.increment()
          forget(key, in: partition, &writer)
          return false
        }
        latest = try enter(&header, in: partition, number, &writer) {
          (header, writer) throws(DiskCacheError) in
          try append(length: length, &writer) { seed, write in
            head.withEncoded(header, seed: seed) { head in
              body.withUnsafeBytes { body in
                Self.withZeros(length - head.count - body.count) { write([head, body, $0]) }
              }
            }
          }
        }
        counters.stores.increment()
      } catch {
        writer.errors.append(error)
        forget(key, in: partition, &writer)
        return false
      }
      // The entry is stored, even if the following work fails.
      expireSome(Self.examinedPerStore, &writer)
      doUpkeep(length: length, keeping: latest, &writer)
      return true
    }
    return isStored ?? false
  }

  /// Whether an entry of `length` bytes may be stored in a partition with this capacity.
  func fits(_ length: Int, inPartition number: Int, limit: Int, _ writer: borrowing Writer) -> Bool {
    length + 2 * SegmentHeader.byteCount <= writer.capacity && (limit == 0 || length <= limit)
      && length < 1 << 34 && number < SegmentIndex.partitionLimit
  }

  /// Appends a record under the next sequence number, and makes it the entry of its key.
  ///
  /// - Parameter append: Appends the record with the given header.
  /// - Returns: The segment of the record.
  func enter(
    _ header: inout EntryHeader, in partition: Partition, _ number: Int, _ writer: inout Writer,
    append: (EntryHeader, inout Writer) throws(DiskCacheError) -> (segment: Int, offset: Int)
  ) throws(DiskCacheError) -> Int {
    writer.trimmedByteCount = nil
    readPage(of: header.key, in: partition)
    try makeRoom(for: header.recordLength, &writer)
    header.sequence = writer.nextSequence
    writer.nextSequence += 1
    let numbered = header
    let place = try append(numbered, &writer)
    let former = index.withLock {
      $0.insert(numbered, in: number, segment: place.segment, offset: place.offset).superseded
    }
    if let former { bury(former, &writer) }
    writer.outdated.remove(header.key, in: partition)
    enforceCapacity(ofPartition: number, keeping: header.sequence, &writer)
    return place.segment
  }

  /// Calls `body` with up to seven zeros, which fill a record up to a multiple of eight.
  static func withZeros(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: UInt64(0)) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// Runs `body` and records its error, to be reported later.
  func note(_ writer: inout Writer, _ body: (inout Writer) throws(DiskCacheError) -> Void) {
    do throws(DiskCacheError) {
      try body(&writer)
    } catch {
      writer.errors.append(error)
    }
  }

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
          // The index may know of later uses than the file.
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

  /// Removes an entry that pointed to the record of another entry, and rebuilds the index from the segments. Such
  /// an index was stored by something else, and none of its entries can be trusted. A reader only removes the one
  /// entry.
  private func distrustIndex(because location: SegmentIndex.Location) {
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      index.withLock { $0.remove(location) }
      rebuildIndex(&writer)
    }
  }

  /// Rebuilds the index from the segments, at most once per stored index.
  private func rebuildIndex(_ writer: inout Writer) {
    guard case .writer = writer.role, writer.trustsStoredIndex else { return }
    writer.trustsStoredIndex = false
    counters.rebuiltIndexes.increment()
    note(&writer) { (writer) throws(DiskCacheError) in try load(&writer) }
  }

  /// Rebuilds the index if one of its pages is damaged.
  func rebuildIndexIfDamaged(_ writer: inout Writer) {
    if index.withLock({ $0.isDamaged }) { rebuildIndex(&writer) }
  }

  /// Reads all pages, and rebuilds the index if one of them is damaged.
  func readAllPages(_ writer: inout Writer) {
    index.withLock { $0.readAllPages() }
    rebuildIndexIfDamaged(&writer)
  }

  /// Reads the page of a key's entry if it is not in memory, without holding the lock of the index meanwhile.
  func readPage(of key: CacheKey, in partition: Partition) {
    let missing = index.withLock { index in
      index.number(of: partition).flatMap { index.missingPage(of: key, partition: $0) }
    }
    if let missing { readPage(missing) }
  }

  func readPage(_ missing: SegmentIndex.MissingPage) {
    let page = try? IndexPage.read(missing.number, from: missing.source)
    index.withLock { index in
      // The index may have been replaced meanwhile.
      if index.pages.source?.epoch == missing.source.epoch, missing.number < index.pages.count {
        index.take(page, as: missing.number)
      } else {
        page?.deallocate()
      }
    }
  }

  private func forgetSegment(of location: SegmentIndex.Location) {
    _ = try? write { (writer) throws(DiskCacheError) in
      index.withLock { index in
        if index.holds(location) { index.removeSegment(location.segment) }
      }
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
    index.withLock { index in
      guard index.unverifiedBelow > 0, let location = index.location(of: key, in: partition) else {
        return false
      }
      return location.sequence < index.unverifiedBelow
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
