// Loads the index from its file, and the records of the segments that it does not have.
extension SegmentStore {
  /// Loads the stored index and the later records of the segments, or all records. The writer also cleans up: it
  /// removes unreadable segments and those of other versions, and marks superseded records as dead.
  ///
  /// A writer must know all segments. An unknown segment may have records with higher sequence numbers than those
  /// that the writer would use, which would come back at the next opening, and its bytes would not be counted. If a
  /// segment can neither be read nor removed, or if loading fails, this cache becomes a reader.
  func load(_ writer: inout Writer) throws(DiskCacheError) {
    writer.log.release()
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
    let names = try context.fileSystem.list(directory).sorted()
    writer.log.reset()
    writer.eviction.reset()
    writer.own.reset()
    forgetOffers(&writer)
    let stored = writer.indexFile.load(
      Set(names), isWriter: writer.ownership.isWriter, mayUse: writer.outdated.commonDate == nil)
    if let stored { writer.log.resume(stored.position) }
    let fresh = stored?.index ?? SegmentIndex()
    fresh.keepEvictions(of: index.withLock { $0.partitions })
    let live = LiveIndex(fresh)
    let found = scanSegments(names, of: live, &writer)
    if let unseen = found.unseen { becomeReader(because: unseen, &writer) }
    let isWriter = writer.ownership.isWriter
    fresh.isReader = !isWriter
    let outdated = removeOutdated(from: live, writer)
    if isWriter {
      // A record that takes the place of another may be a copy that the former writer had not synchronized when it ended.
      if context.isSynced, !found.superseded.isEmpty { makeDurable(fresh.segments) }
      for record in found.superseded + outdated { writer.log.kill(record.file, at: record.offset) }
      writer.log.chooseActive(of: fresh, segmentSize: writer.eviction.segmentSize)
    }
    index.replace(with: fresh)
    writer.ownership.noteLook()
    guard isWriter else { return }
    writer.outdated = OutdatedEntries()
    try cleanUp(names, &writer)
  }

  /// Synchronizes segments, and their names, to the device.
  private func makeDurable(_ segments: [SegmentIndex.Segment?]) {
    for case let segment? in segments {
      context.errors.attempt { () throws(DiskCacheError) in try segment.file.file.synchronize() }
    }
    context.errors.attempt { () throws(DiskCacheError) in
      try context.fileSystem.synchronizeDirectory(directory)
    }
  }

  /// Removes out-of-date entries from a stored index, and returns their records.
  private func removeOutdated(from live: LiveIndex, _ writer: borrowing Writer) -> [SegmentLog.Original] {
    let index = live.withLock { $0 }
    return writer.outdated.keys.compactMap { key, partition in
      live.readPage(of: key, in: partition)
      guard let location = index.location(of: key, in: partition) else { return nil }
      // Another process may have stored a later entry.
      if case .record(let record)? = try? RecordReader.readHead(location),
        !writer.outdated.contains(record.header, in: partition, at: context.now())
      {
        return nil
      }
      index.remove(location)
      return SegmentLog.Original(file: location.file, offset: location.offset)
    }
  }

  /// Scans the segments of a directory. Segments that an index knows are scanned from the place where its knowledge
  /// ends. No other thread uses it yet.
  ///
  /// - Returns: The superseded records, and the error of a segment that the cache needs and cannot read.
  private func scanSegments(
    _ names: [String], of live: LiveIndex, _ writer: inout Writer
  ) -> (superseded: [SegmentLog.Original], unseen: DiskCacheError?) {
    let index = live.withLock { $0 }
    let isWriter = writer.ownership.isWriter
    var superseded: [SegmentLog.Original] = []
    var unseen: DiskCacheError?
    var known: [String: Int] = [:]
    for number in index.segments.indices {
      if let name = index.segments[number]?.file.name { known[name] = number }
    }
    for name in names where SegmentHeader.isFileName(name) {
      do throws(DiskCacheError) {
        if let segment = known[name] {
          superseded += try scan(segment, of: live, writer: &writer)
          continue
        }
        let access: FileAccess = isWriter ? .updating : .reading
        guard let file = try SegmentFile.open(name, in: directory, for: access, of: context.fileSystem) else {
          if isWriter {
            counters.count { $0.damagedSegments += 1 }
            try context.fileSystem.remove(context.path(name))
          }
          continue
        }
        if file.isHeaderDamaged { counters.count { $0.damagedSegments += 1 } }
        let size = try file.byteCount()
        // The file name alone is not trusted: a number counts only if the header has it too.
        writer.log.skip(number: file.number)
        let segment = index.add(file, size: size, age: file.number)
        known[name] = segment
        superseded += try scan(segment, of: live, writer: &writer)
      } catch {
        // A file that disappeared after the listing is not an error.
        if error.isAbsent { continue }
        context.errors.note(error)
        if isWriter, !giveUp(name, number: known[name], after: error, of: live) { unseen = error }
      }
    }
    return (superseded, unseen)
  }

  /// Removes a segment that cannot be read.
  ///
  /// - Returns: Whether the cache can continue without the segment: it has no records, or it was removed.
  private func giveUp(
    _ name: String, number: Int?, after error: DiskCacheError, of live: LiveIndex
  ) -> Bool {
    // The segment can be read when the shortage has passed.
    if error.isShortage { return false }
    counters.count { $0.damagedSegments += 1 }
    do throws(DiskCacheError) {
      try context.fileSystem.remove(context.path(name))
    } catch {
      if !error.isAbsent { context.errors.note(error) }
      guard error.isAbsent || error.isNotRegularFile else { return false }
    }
    if let number { live.removeSegments([number]) }
    return true
  }

  /// Removes leftover files, and entries that exceed the capacity.
  private func cleanUp(_ names: [String], _ writer: inout Writer) throws(DiskCacheError) {
    // Unfinished entries of a former version of this program, which wrote long ones piece by piece.
    for name in names where name.hasSuffix(SegmentHeader.suffix + ".part") {
      try? context.fileSystem.remove(context.path(name))
    }
    if writer.log.isExhausted {
      try removeAllSegments(&writer)
      writer.log.restart()
    }
    // An index that could not be read because of a shortage would be out of date after the first change.
    if !writer.indexFile.isBased { writer.indexFile.remove() }
    for number in index.withLock({ $0.segments.indices }) { writer.log.removeIfEmpty(number) }
    writer.offers.takeUp(names)
    if !writer.offers.all.isEmpty { adoptOffers(&writer) }
    removeLargeOffers(&writer)
    context.errors.attempt { () throws(DiskCacheError) in
      try trim(toByteCount: writer.eviction.capacity, &writer)
    }
    writer.eviction.endTrim()
    // A cache that could not rebuild its index has given its lock back.
    guard writer.ownership.isWriter else { return }
    writer.indexFile.decideStoring(limit: writer.eviction.limit)
    adoptOffers(&writer)
    // Finding this many entries took long, and should not be necessary after the next crash.
    if !writer.indexFile.isBased, index.withLock({ $0.count }) >= Self.entriesWorthStoring {
      storeIndex(&writer, isClean: false)
    }
  }

  private static let entriesWorthStoring = 4096

  /// Adds the records of a segment after the part that was scanned before, and returns the superseded ones.
  private func scan(
    _ segment: Int, of live: LiveIndex, writer: inout Writer
  ) throws(DiskCacheError) -> [SegmentLog.Original] {
    let index = live.withLock { $0 }
    guard let state = index.segments[segment], state.scanned < state.size else { return [] }
    var found: [SegmentFile.ScannedEntry] = []
    let scan = try state.file.scan(from: state.scanned, to: state.size) { found.append($0) }
    counters.count { $0.corruptEntries += scan.gapCount }
    var superseded: [SegmentLog.Original] = []
    let date = context.now()
    for entry in found {
      writer.log.skip(sequence: entry.header.sequence)
      guard entry.header.isLive else { continue }
      var header = entry.header
      header.correctAccess(now: date)
      let own = SegmentLog.Original(file: state.file, offset: entry.offset)
      if writer.outdated.contains(header, in: entry.partition, at: context.now()) {
        superseded.append(own)
        continue
      }
      let partition = index.number(adding: entry.partition)
      guard partition < SegmentIndex.partitionLimit else { continue }
      live.readPage(of: header.key, in: entry.partition)
      if let loser = unfinished(of: entry, inSegment: segment, state.file, partition, index) {
        // The intact record stays: the other one was not complete when the power failed.
        counters.count { $0.corruptEntries += 1 }
        superseded.append(loser)
        if loser.file === state.file, loser.offset == entry.offset { continue }
      }
      let result = index.insert(
        header, in: partition, segment: segment, offset: entry.offset,
        isReferenced: header.accessed > header.stored)
      if !result.isCurrent { superseded.append(own) }
      if let former = result.superseded {
        superseded.append(SegmentLog.Original(file: former.file, offset: former.offset))
      }
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
  ) -> SegmentLog.Original? {
    guard let other = index.location(of: entry.header.key, in: partition) else { return nil }
    if other.sequence > entry.header.sequence {
      if case .corrupt? = try? RecordReader.read(other) {
        index.remove(other)
        return SegmentLog.Original(file: other.file, offset: other.offset)
      }
      return nil
    }
    // The other record died on disk after the index was stored.
    guard case .record? = try? RecordReader.readHead(other) else { return nil }
    let own = entry.location(in: file, segment: number, partition: partition)
    if case .corrupt? = try? RecordReader.read(own) {
      return SegmentLog.Original(file: file, offset: entry.offset)
    }
    return nil
  }

  // MARK: Rebuilding

  /// Removes an entry that pointed to the record of another entry, and rebuilds the index from the segments. Such
  /// an index was stored by something else, and none of its entries can be trusted. A reader only removes the one
  /// entry.
  func distrustIndex(because location: SegmentIndex.Location) {
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      index.withLock { $0.remove(location) }
      rebuildIndex(&writer)
    }
  }

  /// Rebuilds the index from the segments, at most once per stored index.
  private func rebuildIndex(_ writer: inout Writer) {
    guard writer.ownership.isWriter, writer.indexFile.distrust() else { return }
    counters.count { $0.rebuiltIndexes += 1 }
    context.errors.attempt { () throws(DiskCacheError) in try load(&writer) }
  }

  func rebuildIndexIfDamaged(_ writer: inout Writer) {
    if index.withLock({ $0.isDamaged }) { rebuildIndex(&writer) }
  }

  /// Reads all pages, and rebuilds the index if one of them is damaged.
  ///
  /// - Throws: The reason why this cache may not write any more, if the index could not be rebuilt.
  func readAllPages(_ writer: inout Writer) throws(DiskCacheError) {
    index.readAllPages()
    rebuildIndexIfDamaged(&writer)
    guard writer.ownership.isWriter else { throw writer.ownership.refusal }
  }
}
