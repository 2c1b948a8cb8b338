/// A segment that is about to leave, and how far its entries have been looked at.
struct Drain {
  enum Purpose {
    /// To make room: entries used since they were written are copied, up to half the segment, and the rest goes.
    case eviction
    /// To give back dead space: all entries are copied.
    case compaction
  }

  let segment: Int
  let salt: UInt64
  let purpose: Purpose
  /// The bytes that all files may have while entries are copied.
  let limit: Int
  /// Where the next record begins.
  var position = SegmentHeader.byteCount
  /// Bytes of entries that were copied.
  var keptByteCount = 0
}

// How a segment leaves: a few records at a time, so that no store pays for all of them.
extension SegmentStore {
  /// The records of a leaving segment that one step looks at.
  static let recordsPerStep = 256
  /// Segments up to this size leave at once.
  static let smallSegmentByteCount = 256 << 10

  /// How full the files may be before the oldest segment begins to leave: there is room for the copies of half a segment
  /// and for the stores that are made meanwhile.
  private func drainThreshold(_ capacity: Int) -> Int { capacity - segmentSize(for: capacity) }

  /// What is due after a store of `length` bytes: a segment leaves a bit further, and pages of the index are written.
  ///
  /// - Parameter latest: The segment that has what was stored.
  func doUpkeep(length: Int, keeping latest: Int? = nil, _ writer: inout Writer) {
    rebuildIndexIfDamaged(&writer)
    adoptOffersIfDue(&writer)
    note(&writer) { (writer) throws(DiskCacheError) in
      if writer.drain == nil { startDrainIfDue(keeping: latest, &writer) }
      guard let drain = writer.drain, let size = index.withLock({ $0.segments[drain.segment]?.size }) else {
        writer.drain = nil
        return
      }
      let isSmall = size <= Self.smallSegmentByteCount
      // A quarter of a segment's bytes is stored while it leaves.
      let byteCount = isSmall ? Int.max : max(64 << 10, min(length, 1 << 40) * 4)
      let recordCount = isSmall ? Int.max : Self.recordsPerStep + length / 256
      try advance(byteCount: byteCount, recordCount: recordCount, &writer)
    }
    // In a synchronized cache a page must not tell of a copy before the copy is durable: its original would be lost with it.
    if configuration.durability == .buffered { writeSomePages(&writer) }
  }

  private func startDrainIfDue(keeping latest: Int?, _ writer: inout Writer) {
    // The last one, and the one that is written to, leave only when there is no room.
    let active = writer.active
    let mayLeave =
      reservedByteCount(writer) > drainThreshold(writer.capacity)
      && index.withLock { index in
        index.segments.count(where: { $0 != nil }) > 1 && index.oldestSegment() != active
      }
    if mayLeave {
      startEviction(keeping: latest, &writer)
    } else if let emptiest = segmentToCompact(writer) {
      startDrain(of: emptiest, for: .compaction, &writer)
    }
  }

  /// Begins to evict the oldest segment. One with a single large entry that was used gets another turn.
  func startEviction(keeping latest: Int? = nil, _ writer: inout Writer) {
    // A number that no segment will have.
    var age = writer.nextNumber
    let oldest = index.withLock { index -> Int? in
      var turns = index.segments.count
      while let oldest = index.oldestSegment(), let segment = index.segments[oldest] {
        turns -= 1
        guard turns > 0, segment.dead == 0, oldest != writer.active, let only = onlyEntry(of: oldest, index),
          only.isReferenced, let position = index.position(of: only)
        else { return oldest }
        index.clearReference(position)
        index.setAge(age, ofSegment: oldest)
        age += 1
      }
      return nil
    }
    writer.nextNumber = age
    if let oldest, oldest != latest { startDrain(of: oldest, for: .eviction, &writer) }
  }

  /// The entry of a segment that has no other.
  private func onlyEntry(of number: Int, _ index: SegmentIndex) -> SegmentIndex.Location? {
    guard let segment = index.segments[number] else { return nil }
    var first: SegmentFile.ScannedEntry?
    _ = try? segment.file.scan(from: SegmentHeader.byteCount, to: segment.scanned, limit: 1) { first = $0 }
    guard let first, first.header.recordLength == segment.live else { return nil }
    return index.location(of: first, inSegment: number)
  }

  func startDrain(
    of number: Int, for purpose: Drain.Purpose, limit: Int? = nil, _ writer: inout Writer
  ) {
    if writer.active == number { writer.active = nil }
    let limit = limit ?? writer.capacity
    writer.drain = index.withLock { index in
      index.segments[number].map {
        Drain(segment: number, salt: $0.file.salt, purpose: purpose, limit: limit)
      }
    }
  }

  /// Removes the segment that is leaving, or the oldest, with what may go of it.
  ///
  /// - Returns: Whether there was one.
  func evictOldestSegment(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    // What a compaction has copied is dead where it was, so that it can be left.
    if writer.drain?.purpose != .eviction { startEviction(&writer) }
    guard let drain = writer.drain else { return false }
    // On a full disk nothing can be copied; giving up the entries is what makes room again.
    note(&writer) { (writer) throws(DiskCacheError) in
      try advance(byteCount: .max, recordCount: .max, &writer)
    }
    if index.withLock({ $0.segments[drain.segment]?.file.salt == drain.salt }) {
      writer.drain = nil
      try removeSegment(drain.segment, evicting: true, &writer)
    }
    return true
  }

  /// Copies all entries of a segment and removes it, unless the files would have more than `limit` bytes meanwhile.
  func compact(_ number: Int, limit: Int? = nil, _ writer: inout Writer) throws(DiskCacheError) {
    startDrain(of: number, for: .compaction, limit: limit, &writer)
    try advance(byteCount: .max, recordCount: .max, &writer)
  }

  /// Looks at the next records of the segment that is leaving, and removes it after the last.
  private func advance(
    byteCount: Int, recordCount: Int, _ writer: inout Writer
  ) throws(DiskCacheError) {
    guard let drain = writer.drain else { return }
    guard let segment = index.withLock({ $0.segments[drain.segment] }), segment.file.salt == drain.salt else {
      writer.drain = nil
      return
    }
    var rest = recordCount
    var position = drain.position
    let start = position
    while rest > 0, position - start < byteCount, writer.drain != nil {
      var found: [SegmentFile.ScannedEntry] = []
      let limit = min(rest, 64)
      let scan = try segment.file.scan(from: position, to: segment.scanned, limit: limit) { found.append($0) }
      for entry in found { try pass(entry, of: segment, &writer) }
      rest -= found.count
      position = scan.end
      writer.drain?.position = position
      guard found.count == limit else { return try endDrain(&writer) }
    }
  }

  /// Copies a record of the segment that is leaving, or lets it go.
  private func pass(
    _ entry: SegmentFile.ScannedEntry, of segment: SegmentIndex.Segment, _ writer: inout Writer
  ) throws(DiskCacheError) {
    guard let drain = writer.drain,
      let location = index.withLock({ $0.location(of: entry, inSegment: drain.segment) })
    else { return }
    // One that died on disk before a crash.
    guard entry.header.isLive else { return index.withLock { $0.remove(location) } }
    let isKept =
      switch drain.purpose {
      case .compaction: true
      case .eviction: location.isReferenced && drain.keptByteCount + location.length <= segment.size / 2
      }
    if isKept, hasRoom(for: location.length, under: drain.limit, writer) {
      writer.drain?.keptByteCount += location.length
      do throws(DiskCacheError) {
        return try relocate(location, &writer)
      } catch {
        if drain.purpose == .compaction {
          writer.drain = nil
          throw error
        }
        writer.errors.append(error)
      }
    } else if drain.purpose == .compaction {
      // The copies would exceed the capacity. The segment stays.
      writer.drain = nil
      return
    }
    removeEntry(location, evicting: true, keepsSegment: true, &writer)
  }

  private func hasRoom(for length: Int, under limit: Int, _ writer: borrowing Writer) -> Bool {
    reservedByteCount(writer) + length + SegmentHeader.byteCount <= limit
  }

  private func endDrain(_ writer: inout Writer) throws(DiskCacheError) {
    guard let drain = writer.drain else { return }
    writer.drain = nil
    // A copy must be safe before the original goes.
    if configuration.durability == .synced, drain.keptByteCount > 0 { try synchronize(&writer) }
    try removeSegment(drain.segment, evicting: drain.purpose == .eviction, &writer)
    if drain.purpose == .compaction { counters.compactions.increment() }
  }

  /// Copies an entry to the end of the log. A damaged one is left behind.
  private func relocate(
    _ location: SegmentIndex.Location, _ writer: inout Writer
  ) throws(DiskCacheError) {
    var record: Record
    switch try RecordReader.read(location) {
    case .record(let read):
      record = read
    case .dead:
      return index.withLock { $0.remove(location) }
    case .corrupt:
      counters.corruptEntries.increment()
      return index.withLock { $0.remove(location) }
    case .misplaced:
      counters.corruptEntries.increment()
      return index.withLock { $0.remove(location) }
    }
    if isExpired(record.header, in: location.partition) {
      counters.expirations.increment()
      return removeEntry(location, keepsSegment: true, &writer)
    }
    let sequence = writer.nextSequence
    writer.nextSequence += 1
    record.header.sequence = sequence
    record.header.accessed = location.accessed
    let place = try append(length: location.length, &writer) { seed, write in
      record.withEncoded(seed: seed) { write([$0]) }
    }
    counters.relocations.increment()
    let isStillThere = index.withLock { index in
      guard let position = index.position(of: location) else { return false }
      index.relocate(position, to: place.segment, offset: place.offset, sequence: sequence)
      return true
    }
    guard isStillThere else {
      if let file = index.withLock({ $0.segments[place.segment]?.file }) {
        kill(file, at: place.offset, &writer)
      }
      return
    }
    // The original must not come back when the copy is removed. But it must not go before the copy is durable.
    if configuration.durability == .synced {
      // The original of an original is no more than waiting either.
      let former = writer.pendingKills.removeValue(forKey: location.sequence) ?? []
      writer.pendingKills[sequence] =
        former + [Writer.PendingKill(file: location.file, offset: location.offset)]
    } else {
      kill(location.file, at: location.offset, &writer)
    }
  }
}
