#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// One entry at a time: storing, reading, asking.
extension SegmentStore {
  /// Stores an entry in the place of the key's former one.
  ///
  /// - Parameter original: Nil, or the entry that this one is a copy of: it keeps the date of storing, and is not
  ///   stored if the key has another entry by now.
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
      // The entry is stored, whatever becomes of the tidying.
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

  /// Appends the record of a header under the next sequence number, and makes it the entry of its key.
  ///
  /// - Parameter append: Appends the record with the header it is given.
  /// - Returns: The segment it is in.
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

  /// Runs `body` and notes its error for reporting.
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
    // An entry may move or be replaced between look-up and reading; then its new place is looked up. Each turn
    // is paid for by somebody's write, so a few suffice.
    var search = Search()
    for _ in 0..<Search.lookLimit {
      let (found, isReader) = locate(key, in: partition, &search) { $0.location(of: key, in: $1) }
      guard let location = found else { return nil }
      if isReader, !location.file.file.isLinked {
        // The writer removed the segment. Its records are still readable and may say they are alive, though
        // they were moved and replaced since.
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
          // The index knows of later uses than the file.
          record.header.accessed = location.accessed
          if countsAsUse { noteUse(of: location) }
          return use(record)
        case .dead:
          // Gone in the index too by now, or else killed by the writer in another process.
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

  /// Why an entry cannot be served.
  private enum Flaw {
    case dead, corrupt, expired
  }

  /// Takes an entry that cannot be served out of the index, unless it changed since it was found.
  private func drop(_ location: SegmentIndex.Location, because flaw: Flaw) {
    let isCorrupt = flaw == .corrupt
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      // Metadata that was updated twice while it was read looks damaged. No update is under way now.
      if isCorrupt, let again = try? RecordReader.read(location), case .record = again { return }
      if case .writer = writer.role {
        // A live entry of the writer that says it is dead is damaged as well, unless it may have died after the
        // stored index was written.
        if flaw == .expired {
          counters.expirations.increment()
        } else if isCorrupt || index.withLock({ location.sequence >= $0.unverifiedBelow }) {
          counters.corruptEntries.increment()
        }
        // Without the record's header at its place, nobody knows to what the state word there belongs.
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

  /// Builds the index anew from the segments after an entry of it pointed at the record of another: such an index was
  /// stored by someone else, and no entry of it can be relied on. A reader forgets the one entry.
  private func distrustIndex(because location: SegmentIndex.Location) {
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      index.withLock { $0.remove(location) }
      rebuildIndex(&writer)
    }
  }

  /// Builds the index anew from the segments, once for a stored index.
  private func rebuildIndex(_ writer: inout Writer) {
    guard case .writer = writer.role, writer.trustsStoredIndex else { return }
    writer.trustsStoredIndex = false
    counters.rebuiltIndexes.increment()
    note(&writer) { (writer) throws(DiskCacheError) in try load(&writer) }
  }

  /// Builds the index anew if a page of it was found to be damaged.
  func rebuildIndexIfDamaged(_ writer: inout Writer) {
    if index.withLock({ $0.isDamaged }) { rebuildIndex(&writer) }
  }

  /// Reads all pages, and builds the index anew if one of them is damaged.
  func readAllPages(_ writer: inout Writer) {
    index.withLock { $0.readAllPages() }
    rebuildIndexIfDamaged(&writer)
  }

  /// Reads the page of a key's entry if it is not in memory, with no lock held meanwhile on what others look up in.
  func readPage(of key: CacheKey, in partition: Partition) {
    let missing = index.withLock { index in
      index.number(of: partition).flatMap { index.missingPage(of: key, partition: $0) }
    }
    if let missing { readPage(missing) }
  }

  func readPage(_ missing: SegmentIndex.MissingPage) {
    let page = try? IndexPage.read(missing.number, from: missing.source)
    index.withLock { index in
      // The index may be another by now.
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

  /// Whether what the index knows of an entry was stored before its writer ended without closing.
  private func mayBeDead(_ key: CacheKey, in partition: Partition) -> Bool {
    index.withLock { index in
      guard index.unverifiedBelow > 0, let location = index.location(of: key, in: partition) else {
        return false
      }
      return location.sequence < index.unverifiedBelow
    }
  }

  /// Whether the entry's record says that it lives; if not the entry leaves the index.
  private func isAlive(_ key: CacheKey, in partition: Partition) -> Bool {
    withRecord(
      key, in: partition, countsAsUse: false,
      read: { (location) throws(DiskCacheError) in try RecordReader.readHead(location) }, use: { _ in true }
    ) ?? false
  }

  func contains(_ key: CacheKey, in partition: Partition) -> Bool {
    var search = Search()
    // Whether the entry is known to live.
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
