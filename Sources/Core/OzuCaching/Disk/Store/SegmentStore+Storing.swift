import OzuBase

// Stores, replaces, moves and removes entries.
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
      sequence: 0, date: context.now(), bodyLength: body.count,
      bodyChecksum: original?.bodyChecksum ?? body.withUnsafeBytes { Checksum64.of($0, seed: 0) })
    if let original { (header.stored, header.accessed) = (original.stored, original.accessed) }
    let length = header.recordLength

    return write { (writer) -> Bool in
      var latest: Int?
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          if original == nil, writer.ownership.hasOtherWriter,
            writer.own.append(&head, header, body, in: partition)
          {
            return true
          }
          counters.count { $0.dropped += 1 }
          forget(key, in: partition, &writer)
          return false
        }
        let (number, limit) = number(of: partition)
        if let original {
          let isCurrent = index.withLock { $0.location(of: key, in: number)?.sequence == original.sequence }
          guard isCurrent else { return false }
        }
        guard writer.eviction.fits(length, inPartition: number, limit: limit), metadata.count < 1 << 31 else {
          counters.count { $0.refusals += 1 }
          forget(key, in: partition, &writer)
          return false
        }
        latest = try enter(&header, in: partition, number, &writer) {
          (header, writer) throws(DiskCacheError) in
          try append(length: length, &writer) { seed, write in
            head.withParts(header, body, seed: seed) { write($0) }
          }
        }
        counters.count { $0.stores += 1 }
      } catch {
        context.errors.note(error)
        forget(key, in: partition, &writer)
        return false
      }
      // The entry is stored, even if the following work fails.
      expireSome(Eviction.examinedPerStore, &writer)
      doUpkeep(length: length, keeping: latest, &writer)
      return true
    }
  }

  /// Appends a record under the next sequence number, and makes it the entry of its key.
  func enter(
    _ header: inout EntryHeader, in partition: Partition, _ number: Int, _ writer: inout Writer,
    append: (EntryHeader, inout Writer) throws(DiskCacheError) -> SegmentLog.RecordLocation
  ) throws(DiskCacheError) -> Int {
    writer.eviction.endTrim()
    index.readPage(of: header.key, in: partition)
    try makeRoom(for: header.recordLength, &writer)
    header.sequence = writer.log.takeSequence()
    let numbered = header
    let record = try append(numbered, &writer)
    let former = index.withLock {
      $0.insert(numbered, in: number, segment: record.segment, offset: record.offset).superseded
    }
    if let former { writer.log.kill(former) }
    writer.outdated.remove(header.key, in: partition)
    enforceCapacity(ofPartition: number, keeping: header.sequence, &writer)
    return record.segment
  }

  /// Appends a record. On a full disk an entry is worth more than the stored index.
  func append(
    length: Int, _ writer: inout Writer,
    encode: (_ seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> SegmentLog.RecordLocation {
    let size = writer.eviction.segmentSize
    if writer.log.seal(ifFullFor: length, segmentSize: size) {
      writer.indexFile.noteSealed(at: writer.log.position, limit: writer.eviction.limit)
    }
    do throws(DiskCacheError) {
      return try writer.log.append(length: length, segmentSize: size, encode: encode)
    } catch {
      guard error.isFull, writer.indexFile.remove() else { throw error }
      return try writer.log.append(length: length, segmentSize: size, encode: encode)
    }
  }

  /// Copies an entry to the end of the log. A damaged entry is not copied.
  func relocate(_ location: SegmentIndex.Location, _ writer: inout Writer) throws(DiskCacheError) {
    var record: Record
    switch try RecordReader.read(location) {
    case .record(let read): record = read
    case .dead: return index.withLock { $0.remove(location) }
    // Damaged, or the record of another entry.
    default:
      counters.count { $0.corruptEntries += 1 }
      return index.withLock { $0.remove(location) }
    }
    if isExpired(record.header, in: location.partition) {
      counters.count { $0.expirations += 1 }
      return removeEntry(location, keepsSegment: true, &writer)
    }
    let sequence = writer.log.takeSequence()
    record.header.sequence = sequence
    record.header.accessed = location.accessed
    let copy = try append(length: location.length, &writer) { seed, write in
      record.withEncoded(seed: seed) { write([$0]) }
    }
    counters.count { $0.relocations += 1 }
    let isStillThere = index.withLock { index in
      guard let position = index.position(of: location) else { return false }
      index.relocate(position, to: copy.segment, offset: copy.offset, sequence: sequence)
      return true
    }
    guard isStillThere else {
      if let file = index.withLock({ $0.segments[copy.segment]?.file }) {
        writer.log.kill(file, at: copy.offset)
      }
      return
    }
    writer.log.retire(location.file, at: location.offset, sequence: location.sequence, copiedAs: sequence)
  }

  // MARK: Metadata

  private enum Update: Sendable {
    case done
    /// The key has no entry, or it could not be changed.
    case failed
    /// The record has no room for the metadata.
    case needsCopy
  }

  /// Replaces the metadata of an entry: in its record if it has room, otherwise by storing the entry again.
  func updateMetadata(_ metadata: Data, key: CacheKey, partition: Partition) -> Bool {
    // A damaged or dead record is removed from the index in one turn and missing in the next; a copy may collide
    // with a store.
    for _ in 0..<8 {
      switch updateInPlace(metadata, key, partition) {
      case .done: return true
      case .failed: return false
      case .needsCopy: break
      }
      var original: (header: EntryHeader, label: String, body: Data)?
      let found: Void? = withRecord(key, in: partition, read: RecordReader.read) { record in
        let (header, label) = (record.header, record.label ?? "")
        original = (header, label, record.takeBody())
      }
      guard found != nil, let original else { return false }
      let isStored = store(
        original.body, metadata: metadata, label: original.label, key: key, partition: partition,
        copyOf: original.header)
      if isStored { return true }
    }
    return false
  }

  private func updateInPlace(_ metadata: Data, _ key: CacheKey, _ partition: Partition) -> Update {
    write { (writer) -> Update in
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          counters.count { $0.dropped += 1 }
          return .failed
        }
        index.readPage(of: key, in: partition)
        rebuildIndexIfDamaged(&writer)
        let location = index.withLock { $0.location(of: key, in: partition) }
        guard writer.ownership.isWriter, let location else { return .failed }
        // Damaged and expired records are handled by the read before the copy.
        guard case .record(let record) = try RecordReader.readHead(location),
          !isExpired(record.header, in: partition), record.header.areas.count == 2,
          metadata.count <= record.header.areas.room
        else { return .needsCopy }
        try writer.log.write(metadata, to: record.header, at: location)
        return .done
      } catch {
        context.errors.note(error)
        return .failed
      }
    }
  }

  // MARK: Removing

  /// Removes an entry from the index, if it is still there, and marks its record as dead.
  func removeEntry(
    _ location: SegmentIndex.Location, evicting isEviction: Bool = false, keepsSegment: Bool = false,
    _ writer: inout Writer
  ) {
    let wasThere = index.withLock { index in
      guard index.holds(location) else { return false }
      if isEviction { index.partitions[location.partitionNumber].evictions &+= 1 }
      index.remove(location)
      return true
    }
    guard wasThere else { return }
    if isEviction { counters.count { $0.evictions += 1 } }
    writer.log.kill(location, keepsSegment: keepsSegment)
  }

  /// Removes the entry of a key that could not be replaced, because it is out of date. A cache that could not
  /// become the writer removes it only for itself. A cache that follows another process continues to serve the
  /// entry of that process.
  func forget(_ key: CacheKey, in partition: Partition, _ writer: inout Writer) {
    if writer.ownership.followsAnother { return }
    writer.outdated.insert(key, in: partition, at: context.now())
    index.readPage(of: key, in: partition)
    guard let location = index.withLock({ $0.location(of: key, in: partition) }) else { return }
    if writer.ownership.isWriter {
      removeEntry(location, &writer)
    } else {
      index.withLock { $0.remove(location) }
    }
  }

  /// Removes the entries of a key in one partition, or in all. A reader only removes them from its index.
  func remove(_ key: CacheKey, in partition: Partition?) -> Bool {
    write { (writer) -> Bool in
      var isWriter = false
      context.errors.attempt { () throws(DiskCacheError) in isWriter = try prepareToWrite(&writer) }
      // Entries that were handed over before must not come back.
      adoptOffers(&writer)
      var entries = entries(of: key, in: partition)
      // An entry in a damaged page still exists, and would come back.
      if index.withLock({ $0.isDamaged }) {
        rebuildIndexIfDamaged(&writer)
        entries = self.entries(of: key, in: partition)
      }
      // A cache that could not rebuild its index has given its lock back.
      isWriter = isWriter && writer.ownership.isWriter
      for entry in entries {
        if isWriter {
          removeEntry(entry, &writer)
        } else {
          index.withLock { $0.remove(entry) }
          writer.own.withdraw(entry, &writer.log)
          // It must not come back when this cache writes again.
          if !writer.ownership.followsAnother {
            writer.outdated.insert(key, in: entry.partition, at: context.now())
          }
        }
      }
      if isWriter, !entries.isEmpty {
        doUpkeep(length: 0, &writer)
      } else if !entries.isEmpty {
        counters.count { $0.dropped += 1 }
      }
      return isWriter && !entries.isEmpty
    }
  }

  private func entries(of key: CacheKey, in partition: Partition?) -> [SegmentIndex.Location] {
    index.readPages(of: key)
    return index.withLock { index in
      index.partitions.indices
        .filter { partition == nil || index.partitions[$0].partition == partition }
        .compactMap { index.location(of: key, in: $0) }
    }
  }

  func removeAll(in partition: Partition?) throws(DiskCacheError) {
    try write { (writer) throws(DiskCacheError) in
      try requireWriter(&writer)
      guard let partition else {
        removeOffers(&writer)
        try removeAllSegments(&writer)
        makeOffers(&writer)
        return
      }
      adoptOffers(&writer)
      try readAllPages(&writer)
      for entry in index.entriesByAccess(in: partition, at: context.now()) {
        if let location = index.withLock({ $0.location(of: entry.key, in: entry.partition) }) {
          removeEntry(location, &writer)
        }
      }
      while index.withLock({ $0.segmentByteCount > $0.liveByteCount &* 2 }) {
        let before = index.withLock { $0.segmentByteCount }
        writer.eviction.drain = nil
        try compactIfDue(&writer)
        if index.withLock({ $0.segmentByteCount }) >= before { return }
      }
    }
  }
}
