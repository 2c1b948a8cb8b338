#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Loads the index from its file, and the records of the segments that it does not have.
extension SegmentStore {
  /// Loads the stored index and the later records of the segments, or all records. The writer also cleans up: it
  /// removes unreadable segments and those of other versions, and marks superseded records as dead.
  ///
  /// A writer must know all segments. An unknown segment may have records with higher sequence numbers than those
  /// that the writer would use, which would come back at the next opening, and its bytes would not be counted. If a
  /// segment can neither be read nor removed, or if loading fails, this cache becomes a reader.
  func load(_ writer: inout Writer) throws(DiskCacheError) {
    writer.active = nil
    do throws(DiskCacheError) {
      try loadSegments(&writer)
    } catch {
      // The index in memory is out of date.
      becomeReader(because: error, &writer)
      index.withLock { $0.isReader = true }
      throw error
    }
  }

  private func loadSegments(_ writer: inout Writer) throws(DiskCacheError) {
    let names = try fileSystem.list(directory).sorted()
    writer.nextSequence = 1
    (writer.drain, writer.pendingKills, writer.evictionCandidates) = (nil, [:], [:])
    writer.own = OwnOffers()
    forgetOffers(&writer)
    let stored = storedIndex(Set(names), &writer)
    let fresh = stored ?? SegmentIndex()
    let found = scanSegments(names, of: fresh, &writer)
    if let unseen = found.unseen { becomeReader(because: unseen, &writer) }
    let isWriter = writer.isWriter
    fresh.isReader = !isWriter
    let outdated = removeOutdated(from: fresh, writer)
    if isWriter {
      for record in found.superseded + outdated { kill(record.file, at: record.offset, &writer) }
      chooseActive(of: fresh, &writer)
    }
    index.replace(with: fresh)
    writer.refreshed = now()
    guard isWriter else { return }
    writer.outdated = OutdatedEntries()
    try cleanUp(names, &writer)
  }

  /// Removes out-of-date entries from a stored index, and returns their records.
  private func removeOutdated(
    from index: SegmentIndex, _ writer: borrowing Writer
  ) -> [(file: SegmentFile, offset: Int)] {
    writer.outdated.keys.compactMap { key, partition in
      if let number = index.number(of: partition) { index.readPage(of: key, partition: number) }
      guard let location = index.location(of: key, in: partition) else { return nil }
      // Another process may have stored a later entry.
      if case .record(let record)? = try? RecordReader.readHead(location),
        !writer.outdated.contains(record.header, in: partition)
      {
        return nil
      }
      index.remove(location)
      return (location.file, location.offset)
    }
  }

  /// Scans the segments of a directory. Segments that `index` knows are scanned from the place where its knowledge
  /// ends.
  ///
  /// - Returns: The superseded records, and the error of a segment that the cache needs and cannot read.
  private func scanSegments(
    _ names: [String], of index: SegmentIndex, _ writer: inout Writer
  ) -> (superseded: [(file: SegmentFile, offset: Int)], unseen: DiskCacheError?) {
    let isWriter = writer.isWriter
    var superseded: [(file: SegmentFile, offset: Int)] = []
    var unseen: DiskCacheError?
    var known: [String: Int] = [:]
    for number in index.segments.indices {
      if let name = index.segments[number]?.file.name { known[name] = number }
    }
    for name in names where SegmentHeader.isFileName(name) {
      do throws(DiskCacheError) {
        if let segment = known[name] {
          superseded += try scan(segment, of: index, writer: &writer)
          continue
        }
        let access: FileAccess = isWriter ? .updating : .reading
        guard let file = try SegmentFile.open(name, in: directory, for: access, of: fileSystem) else {
          if isWriter {
            counters.damagedSegments.increment()
            try fileSystem.remove(directory + "/" + name)
          }
          continue
        }
        if file.isHeaderDamaged { counters.damagedSegments.increment() }
        let size = try file.byteCount()
        // The file name alone is not trusted: a number counts only if the header has it too.
        writer.nextNumber = max(writer.nextNumber, file.number + 1)
        let segment = index.add(file, size: size, age: file.number)
        known[name] = segment
        superseded += try scan(segment, of: index, writer: &writer)
      } catch {
        // A file that disappeared after the listing is not an error.
        if error.code == ENOENT { continue }
        writer.errors.append(error)
        if isWriter, !giveUp(name, number: known[name], after: error, of: index, &writer) { unseen = error }
      }
    }
    return (superseded, unseen)
  }

  /// Removes a segment that cannot be read.
  ///
  /// - Returns: Whether the cache can continue without the segment: it has no records, or it was removed.
  private func giveUp(
    _ name: String, number: Int?, after error: DiskCacheError, of index: SegmentIndex, _ writer: inout Writer
  ) -> Bool {
    // The segment can be read when the shortage has passed.
    if error.isShortage { return false }
    counters.damagedSegments.increment()
    do throws(DiskCacheError) {
      try fileSystem.remove(directory + "/" + name)
    } catch {
      if error.code != ENOENT { writer.errors.append(error) }
      guard error.code == ENOENT || error.isNotRegularFile else { return false }
    }
    if let number {
      index.readAllPages()
      for page in 0..<index.pages.count {
        _ = index.removeEntries(ofSegments: [number], inPage: page, evicting: false)
      }
      index.removeEmptySegment(number)
    }
    return true
  }

  /// Removes leftover files, and entries that exceed the capacity.
  private func cleanUp(_ names: [String], _ writer: inout Writer) throws(DiskCacheError) {
    // Unfinished entries of a former version of this program, which wrote long ones piece by piece.
    for name in names where name.hasSuffix(SegmentHeader.suffix + ".part") {
      try? fileSystem.remove(path(name))
    }
    if writer.nextSequence >= LogNumbers.exhausted || writer.nextNumber >= LogNumbers.segmentsExhausted {
      try removeAllSegments(&writer)
      removeStoredIndex(&writer)
      (writer.nextSequence, writer.nextNumber) = (1, 1)
    }
    // An index that could not be read because of a shortage would be out of date after the first change.
    if !writer.files.isBased { removeStoredIndex(&writer) }
    for number in index.withLock({ $0.segments.indices }) { removeIfEmpty(number, &writer) }
    takeUpOffers(names, &writer)
    note(&writer) { (writer) throws(DiskCacheError) in try trim(toByteCount: writer.capacity, &writer) }
    writer.trimmedByteCount = nil
    decideStoring(&writer)
    adoptOffers(&writer)
    // Finding this many entries took long, and should not be necessary after the next crash.
    if !writer.files.isBased, index.withLock({ $0.count }) >= Self.entriesWorthStoring {
      storeIndex(&writer, isClean: false)
    }
  }

  private static let entriesWorthStoring = 4096

  /// Adds the records of a segment after the part that was scanned before, and returns the superseded ones.
  private func scan(
    _ segment: Int, of index: SegmentIndex, writer: inout Writer
  ) throws(DiskCacheError) -> [(file: SegmentFile, offset: Int)] {
    guard let state = index.segments[segment], state.scanned < state.size else { return [] }
    var found: [SegmentFile.ScannedEntry] = []
    let scan = try state.file.scan(from: state.scanned, to: state.size) { found.append($0) }
    counters.corruptEntries.wrappingAdd(scan.gapCount, ordering: .relaxed)
    var superseded: [(file: SegmentFile, offset: Int)] = []
    let date = now()
    for entry in found {
      writer.nextSequence = max(writer.nextSequence, entry.header.sequence &+ 1)
      guard entry.header.isLive else { continue }
      var header = entry.header
      header.correctAccess(now: date)
      if writer.outdated.contains(header, in: entry.partition) {
        superseded.append((state.file, entry.offset))
        continue
      }
      let partition = index.number(of: entry.partition, capacity: capacity(of:))
      guard partition < SegmentIndex.partitionLimit else { continue }
      index.readPage(of: header.key, partition: partition)
      if let loser = unfinished(of: entry, inSegment: segment, state.file, partition, index) {
        // The intact record stays: the other one was not complete when the power failed.
        counters.corruptEntries.increment()
        superseded.append(loser)
        if loser.file === state.file, loser.offset == entry.offset { continue }
      }
      let result = index.insert(
        header, in: partition, segment: segment, offset: entry.offset,
        isReferenced: header.accessed > header.stored)
      if !result.isCurrent { superseded.append((state.file, entry.offset)) }
      if let former = result.superseded { superseded.append((former.file, former.offset)) }
    }
    index.enter(scan, size: state.size, ofSegment: segment)
    return superseded
  }

  /// Of two live records of one key, the one with the higher sequence number, if it is damaged: it is a copy, or a
  /// new version, that was not durable yet. The other record may have been flushed, and stays. If the damaged
  /// record is in the index, it is removed from there.
  private func unfinished(
    of entry: SegmentFile.ScannedEntry, inSegment number: Int, _ file: SegmentFile, _ partition: Int,
    _ index: SegmentIndex
  ) -> (file: SegmentFile, offset: Int)? {
    guard let other = index.location(of: entry.header.key, in: partition) else { return nil }
    if other.sequence > entry.header.sequence {
      if case .corrupt? = try? RecordReader.read(other) {
        index.remove(other)
        return (other.file, other.offset)
      }
      return nil
    }
    // The other record died on disk after the index was stored.
    guard case .record? = try? RecordReader.readHead(other) else { return nil }
    let own = SegmentIndex.Location(
      file: file, key: entry.header.key, partition: entry.partition, partitionNumber: partition,
      segment: number, offset: entry.offset, length: entry.header.recordLength,
      headLength: entry.header.bodyOffset, sequence: entry.header.sequence, accessed: entry.header.accessed,
      isReferenced: false)
    if case .corrupt? = try? RecordReader.read(own) { return (file, entry.offset) }
    return nil
  }

  /// Selects the newest segment as the active one, if it has room and the current version. The bytes after its last
  /// whole record are a write that a crash interrupted; they are cut off.
  private func chooseActive(of index: SegmentIndex, _ writer: inout Writer) {
    let size = segmentSize(for: writer.capacity)
    let newest = index.segments.indices.filter { index.segments[$0] != nil }
      .max { index.segments[$0]!.file.number < index.segments[$1]!.file.number }
    for number in index.segments.indices {
      guard let segment = index.segments[number], segment.scanned < segment.size else { continue }
      counters.damagedSegments.increment()
      guard number == newest, segment.scanned < size else { continue }
      do throws(DiskCacheError) {
        try segment.file.file.truncate(to: segment.scanned)
        index.setSize(segment.scanned, scanned: segment.scanned, ofSegment: number)
      } catch {
        writer.errors.append(error)
      }
    }
    if let newest, let segment = index.segments[newest], segment.scanned == segment.size, segment.size < size,
      segment.file.header.version == SegmentHeader.version
    {
      writer.active = newest
    }
  }
}
