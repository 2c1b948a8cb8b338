#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension SegmentStore {
  // MARK: Appending

  /// Appends a record and enters the bytes in the index, but not the entry.
  ///
  /// - Parameter encode: Writes the record for a salt and calls the closure it is given with its parts.
  func append(
    length: Int, _ writer: inout Writer,
    encode: (_ salt: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> (segment: Int, offset: Int) {
    do throws(DiskCacheError) {
      return try appendOnce(length: length, &writer, encode: encode)
    } catch {
      // On a full disk an entry is worth more than the stored index.
      guard error.code == ENOSPC, removeStoredIndex() else { throw error }
      return try appendOnce(length: length, &writer, encode: encode)
    }
  }

  private func appendOnce(
    length: Int, _ writer: inout Writer,
    encode: (_ salt: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> (segment: Int, offset: Int) {
    let number = try segment(forRecordOf: length, &writer)
    guard let state = index.withLock({ $0.segments[number] }) else {
      throw DiskCacheError(.write, path: directory, code: ENOENT)
    }
    let offset = state.size
    var failure: DiskCacheError?
    encode(state.file.salt) { parts in
      do throws(DiskCacheError) {
        try state.file.file.write(parts, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure {
      // What was written of it is overwritten by the next record; cutting it off is only tidier.
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
      writer.sealedSinceStored += 1
      if writer.sealedSinceStored >= Self.sealedSegmentsPerIndex { storeIndex(&writer, isClean: false) }
    }
    let number = try makeSegment(&writer)
    writer.active = number
    return number
  }

  private func makeSegment(_ writer: inout Writer) throws(DiskCacheError) -> Int {
    let header = SegmentHeader(
      number: writer.nextNumber, salt: UInt64.random(in: 1 ... .max, using: &writer.random), created: now())
    writer.nextNumber += 1
    let path = directory + "/" + header.fileName
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
    let segment = SegmentFile(name: header.fileName, header: header, file: file)
    return index.withLock { $0.add(segment, size: SegmentHeader.byteCount, age: header.number) }
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

  /// Takes an entry out of the index and marks its record as dead.
  func removeEntry(_ slot: Int, _ writer: inout Writer) {
    let location = index.withLock { index in
      let location = index.location(of: slot)
      if location != nil { index.remove(slot) }
      return location
    }
    guard let location else { return }
    kill(location.file, at: location.offset, &writer)
    removeIfEmpty(location.segment, &writer)
  }

  /// Removes a segment's file if nothing in it is alive and nothing will be written to it.
  func removeIfEmpty(_ number: Int, _ writer: inout Writer) {
    let isEmpty = index.withLock { index in
      guard number < index.segments.count, let segment = index.segments[number] else { return false }
      return segment.live == 0
    }
    guard isEmpty, number != writer.active else { return }
    do throws(DiskCacheError) {
      _ = try removeSegment(number, &writer)
    } catch {
      writer.errors.append(error)
    }
  }

  /// Removes a segment's file with all that is in it; returns how many entries that were.
  func removeSegment(_ number: Int, _ writer: inout Writer) throws(DiskCacheError) -> Int {
    guard let file = index.withLock({ $0.segments[number]?.file }) else { return 0 }
    do throws(DiskCacheError) {
      try fileSystem.remove(directory + "/" + file.name)
    } catch {
      if error.code != ENOENT { throw error }
    }
    if writer.active == number { writer.active = nil }
    writer.unsynced[file.salt] = nil
    writer.isDirectoryUnsynced = true
    return index.withLock { $0.removeSegment(number) }
  }

  // MARK: Keeping the capacities

  /// Removes the oldest segments until a record of `length` bytes fits under the capacity.
  func makeRoom(for length: Int, _ writer: inout Writer) throws(DiskCacheError) {
    // A record may need a new segment, whose header counts too.
    let wanted = writer.capacity - length - SegmentHeader.byteCount - writer.spilledByteCount
    while index.withLock({ $0.totalByteCount }) > wanted {
      guard try evictOldestSegment(&writer) else { return }
    }
  }

  /// Removes the oldest segment. Entries in it that were used since they were written, the latest used first,
  /// are copied to the end of the log before, up to half the segment. A segment with one large entry that was
  /// used is not copied but gets another turn.
  ///
  /// - Returns: Whether there was one to remove.
  private func evictOldestSegment(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    let age = writer.nextNumber
    let victim = index.withLock { index -> (number: Int, used: [Int])? in
      while true {
        let oldest = index.segments.indices
          .filter { index.segments[$0] != nil }
          .min { index.segments[$0]!.age < index.segments[$1]!.age }
        guard let oldest, let segment = index.segments[oldest] else { return nil }
        let entries = index.slots(inSegment: oldest)
        if entries.count == 1, segment.dead == 0, oldest != writer.active,
          index.slots[entries[0]].isReferenced
        {
          index.clearReference(entries[0])
          index.setAge(age, ofSegment: oldest)
          continue
        }
        let used = entries.filter { index.slots[$0].isReferenced }
          .sorted { index.slots[$0].accessed > index.slots[$1].accessed }
        var kept = 0
        let affordable = used.prefix { slot in
          kept += index.slots[slot].length
          return kept <= segment.size / 2
        }
        return (oldest, Array(affordable))
      }
    }
    guard let victim else { return false }
    if writer.active == victim.number { writer.active = nil }
    // On a full disk nothing can be copied; giving up the entries is what makes room again.
    note(&writer) { (writer) throws(DiskCacheError) in try relocate(victim.used, &writer) }
    let count = try removeSegment(victim.number, &writer)
    counters.evictions.wrappingAdd(count, ordering: .relaxed)
    return true
  }

  /// Copies entries to the end of the log. Damaged ones are left behind.
  private func relocate(_ slots: [Int], _ writer: inout Writer) throws(DiskCacheError) {
    for slot in slots {
      guard let location = index.withLock({ $0.location(of: slot) }) else { continue }
      var record: Record
      switch try RecordReader.read(location) {
      case .record(let read):
        record = read
      case .dead:
        continue
      case .corrupt:
        counters.corruptEntries.increment()
        continue
      }
      let sequence = writer.nextSequence
      writer.nextSequence += 1
      record.header.sequence = sequence
      record.header.accessed = location.accessed
      let place = try append(length: location.length, &writer) { salt, write in
        record.withEncoded(salt: salt) { write([$0]) }
      }
      counters.relocations.increment()
      let isStillThere = index.withLock { index in
        guard index.holds(location) else { return false }
        index.relocate(slot, to: place.segment, offset: place.offset, sequence: sequence)
        return true
      }
      if !isStillThere, let file = index.withLock({ $0.segments[place.segment]?.file }) {
        kill(file, at: place.offset, &writer)
      }
    }
    // A copy must be safe before the original goes.
    if configuration.durability == .synced, !slots.isEmpty { try synchronize(&writer) }
  }

  /// Removes the least recently used entries of a partition until it keeps its capacity.
  func enforceCapacity(ofPartition number: Int, _ writer: inout Writer) {
    while true {
      let victim = index.withLock { index -> Int? in
        let state = index.partitions[number]
        guard state.capacity > 0, state.byteCount > state.capacity, state.oldest >= 0 else { return nil }
        return Int(state.oldest)
      }
      guard let victim else { return }
      removeEntry(victim, &writer)
      counters.evictions.increment()
    }
  }

  /// Rewrites the segment with the largest dead part if the files have more than five quarters of the live entries'
  /// bytes, apart from a quarter of a segment.
  func compactIfDue(_ writer: inout Writer) throws(DiskCacheError) {
    let slack = segmentSize(for: writer.capacity)
    let victim = index.withLock { index -> Int? in
      guard index.totalByteCount - slack / 4 > index.liveByteCount + index.liveByteCount / 4 else {
        return nil
      }
      return Self.emptiest(of: index, except: writer.active)
    }
    if let victim { try compact(victim, &writer) }
  }

  private static func emptiest(of index: SegmentIndex, except active: Int?) -> Int? {
    var best: (number: Int, share: Double)?
    for number in index.segments.indices where number != active {
      guard let segment = index.segments[number], segment.dead > 0 else { continue }
      let share = Double(segment.dead) / Double(segment.size)
      if share > best?.share ?? 0 { best = (number, share) }
    }
    return best?.number
  }

  private func compact(_ number: Int, _ writer: inout Writer) throws(DiskCacheError) {
    if writer.active == number { writer.active = nil }
    let entries = index.withLock { index in
      // From the oldest use to the newest, so that the copies age in that order.
      index.slots(inSegment: number).sorted { index.slots[$0].accessed < index.slots[$1].accessed }
    }
    try relocate(entries, &writer)
    _ = try removeSegment(number, &writer)
    counters.compactions.increment()
  }

  /// Removes the least recently used entries and rewrites segments until the files have at most `limit` bytes.
  func trim(toByteCount limit: Int, _ writer: inout Writer) throws(DiskCacheError) {
    while true {
      let step = index.withLock { index -> (evict: Int?, compact: Int?)? in
        guard index.totalByteCount > max(0, limit) else { return nil }
        let headers = index.segments.count(where: { $0 != nil }) * SegmentHeader.byteCount
        if index.liveByteCount + headers <= limit, let emptiest = Self.emptiest(of: index, except: nil) {
          return (nil, emptiest)
        }
        return (index.leastRecentlyUsed, nil)
      }
      guard let step else { return }
      if let number = step.compact {
        try compact(number, &writer)
      } else if let slot = step.evict {
        removeEntry(slot, &writer)
        counters.evictions.increment()
      } else {
        // Only files without entries are left.
        try removeAllSegments(&writer)
        return
      }
    }
  }

  func removeAllSegments(_ writer: inout Writer) throws(DiskCacheError) {
    for number in index.withLock({ $0.segments.indices }) { _ = try removeSegment(number, &writer) }
  }

  // MARK: Flushing

  /// Writes the dates of access that changed into their records, or all of them into the stored index if they are
  /// many.
  func writeAccessDates(_ writer: inout Writer) {
    if case .writer = writer.role, index.withLock({ $0.dirtyDateCount }) > 256 {
      storeIndex(&writer, isClean: false)
      return
    }
    let entries = index.withLock { $0.takeDirtyDates() }
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

  /// Forces everything written to the device.
  func synchronize(_ writer: inout Writer) throws(DiskCacheError) {
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
