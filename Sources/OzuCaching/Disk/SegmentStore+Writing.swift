#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension SegmentStore {
  // MARK: Appending

  /// Appends a record, and adds its bytes but not its entry to the index.
  ///
  /// - Parameter encode: Encodes the record with the seed of its place, and passes its parts to `write`.
  func append(
    length: Int, _ writer: inout Writer,
    encode: (_ seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> (segment: Int, offset: Int) {
    do throws(DiskCacheError) {
      return try appendOnce(length: length, &writer, encode: encode)
    } catch {
      // On a full disk an entry is worth more than the stored index.
      guard error.code == ENOSPC, removeStoredIndex(&writer) else { throw error }
      return try appendOnce(length: length, &writer, encode: encode)
    }
  }

  private func appendOnce(
    length: Int, _ writer: inout Writer,
    encode: (_ seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> (segment: Int, offset: Int) {
    let number = try segment(forRecordOf: length, &writer)
    guard let state = index.withLock({ $0.segments[number] }) else {
      throw DiskCacheError(.write, path: directory, code: ENOENT)
    }
    let offset = state.size
    var failure: DiskCacheError?
    encode(state.file.header.seed(at: offset)) { parts in
      do throws(DiskCacheError) {
        try state.file.file.write(parts, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure {
      // The next record would overwrite the partial write; cutting it off is only cleaner.
      try? state.file.file.truncate(to: offset)
      removeIfEmpty(number, &writer)
      throw failure
    }
    index.withLock { $0.setSize(offset + length, scanned: offset + length, ofSegment: number) }
    if configuration.durability == .synced { writer.unsynced[state.file.salt] = state.file }
    return (number, offset)
  }

  private func segment(forRecordOf length: Int, _ writer: inout Writer) throws(DiskCacheError) -> Int {
    let limit = segmentSize(for: writer.capacity)
    if length > limit / 2 { return try makeSegment(&writer) }
    if let active = writer.active {
      let size = index.withLock { $0.segments[active]?.size ?? Int.max }
      if size < limit, size + length <= limit { return active }
      writer.active = nil
      writeAccessDates(&writer)
      removeIfEmpty(active, &writer)
      noteSealed(&writer)
    }
    let number = try makeSegment(&writer)
    writer.active = number
    return number
  }

  private func makeSegment(_ writer: inout Writer) throws(DiskCacheError) -> Int {
    let header = SegmentHeader(
      number: writer.nextNumber, salt: UInt64.random(in: 1 ... .max, using: &writer.random), created: now())
    writer.nextNumber += 1
    let segment = try makeSegmentFile(header.fileName, header, &writer)
    return index.withLock { $0.add(segment, size: SegmentHeader.byteCount, age: header.number) }
  }

  /// Makes a file that contains only a header.
  func makeSegmentFile(
    _ name: String, _ header: SegmentHeader, _ writer: inout Writer
  ) throws(DiskCacheError) -> SegmentFile {
    let path = directory + "/" + name
    let file = try fileSystem.open(path, for: .creating)
    var failure: DiskCacheError?
    header.bytes.withUnsafeBytes { bytes in
      do throws(DiskCacheError) {
        try file.write([bytes], at: 0)
      } catch {
        failure = error
      }
    }
    if let failure {
      try? fileSystem.remove(path)
      throw failure
    }
    writer.isDirectoryUnsynced = true
    return SegmentFile(name: name, header: header, file: file)
  }

  // MARK: Dying

  /// Marks a record as dead.
  func kill(_ file: SegmentFile, at offset: Int, _ writer: inout Writer) {
    let dead: UInt32 = 0
    withUnsafeBytes(of: dead) { bytes in
      do throws(DiskCacheError) {
        try file.file.write([bytes], at: offset + EntryHeader.stateOffset)
      } catch {
        writer.errors.append(error)
      }
    }
    if configuration.durability == .synced { writer.unsynced[file.salt] = file }
  }

  /// Removes an entry from the index, if it is still there, and marks its record as dead.
  ///
  /// - Parameter keepsSegment: Whether the segment stays even if it has no live entries any more.
  func removeEntry(
    _ location: SegmentIndex.Location, evicting isEviction: Bool = false, keepsSegment: Bool = false,
    _ writer: inout Writer
  ) {
    let wasThere = index.withLock { index in
      guard index.holds(location) else { return false }
      if isEviction { index.noteEviction(inPartition: location.partitionNumber) }
      index.remove(location)
      return true
    }
    guard wasThere else { return }
    if isEviction { counters.evictions.increment() }
    kill(location, keepsSegment: keepsSegment, &writer)
  }

  /// Marks the record of an entry that left the index as dead, and the records that it is a copy of.
  func kill(_ location: SegmentIndex.Location, keepsSegment: Bool = false, _ writer: inout Writer) {
    kill(location.file, at: location.offset, &writer)
    for original in writer.pendingKills.removeValue(forKey: location.sequence) ?? [] {
      kill(original.file, at: original.offset, &writer)
    }
    if !keepsSegment { removeIfEmpty(location.segment, &writer) }
  }

  /// Removes a segment's file if it has no live entries and will get no new ones.
  func removeIfEmpty(_ number: Int, _ writer: inout Writer) {
    let isEmpty = index.withLock { index in
      guard number < index.segments.count, let segment = index.segments[number] else { return false }
      return segment.live == 0
    }
    guard isEmpty, number != writer.active else { return }
    do throws(DiskCacheError) {
      try removeSegment(number, &writer)
    } catch {
      writer.errors.append(error)
    }
  }

  /// Removes a segment's file and its entries.
  func removeSegment(
    _ number: Int, evicting isEviction: Bool = false, _ writer: inout Writer
  ) throws(DiskCacheError) {
    guard let file = index.withLock({ $0.segments[number]?.file }) else { return }
    try removeFile(of: file, &writer)
    if writer.active == number { writer.active = nil }
    let removed = index.removeSegments([number], evicting: isEviction)
    if isEviction { counters.evictions.wrappingAdd(removed, ordering: .relaxed) }
  }

  func removeFile(of segment: SegmentFile, _ writer: inout Writer) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try fileSystem.remove(directory + "/" + segment.name)
    } catch {
      if error.code != ENOENT { throw error }
    }
    writer.unsynced[segment.salt] = nil
    writer.isDirectoryUnsynced = true
  }

  // MARK: Flushing

  /// Writes the dates of the latest uses into their records, at most `SegmentIndex.datesLimit` of them. The pages
  /// of the index have all dates.
  func writeAccessDates(_ writer: inout Writer) {
    let entries = index.withLock { $0.takeRecentlyUsed() }
    guard case .writer = writer.role else { return }
    for entry in entries {
      let date = entry.accessed.littleEndian
      withUnsafeBytes(of: date) { bytes in
        do throws(DiskCacheError) {
          try entry.file.file.write([bytes], at: entry.offset + EntryHeader.accessedOffset)
        } catch {
          writer.errors.append(error)
        }
      }
      if configuration.durability == .synced { writer.unsynced[entry.file.salt] = entry.file }
    }
  }

  /// Synchronizes all written bytes to the device.
  func synchronize(_ writer: inout Writer) throws(DiskCacheError) {
    try synchronizeFiles(&writer)
    // A copy is durable when the name of its segment is.
    for (sequence, originals) in writer.pendingKills {
      writer.pendingKills[sequence] = nil
      for original in originals where original.file.file.isLinked {
        kill(original.file, at: original.offset, &writer)
      }
    }
    writeSomePages(&writer, limit: Self.pagesPerSynchronization)
    try endSynchronizedRound(&writer)
    try synchronizeFiles(&writer)
  }

  /// Synchronizes the changed segments and the names of all files to the device.
  private func synchronizeFiles(_ writer: inout Writer) throws(DiskCacheError) {
    for (salt, file) in writer.unsynced {
      try file.file.synchronize()
      writer.unsynced[salt] = nil
    }
    if writer.isDirectoryUnsynced {
      try fileSystem.synchronizeDirectory(directory)
      writer.isDirectoryUnsynced = false
    }
  }
}
