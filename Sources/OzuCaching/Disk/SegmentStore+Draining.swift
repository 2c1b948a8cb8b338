/// A segment that is being emptied, and the progress.
struct Drain {
  enum Purpose {
    /// Makes room. Entries that were used since they were written are copied, up to half the segment; the others
    /// are evicted.
    case eviction
    /// Gives back dead space. All entries are copied.
    case compaction
  }

  let segment: Int
  let salt: UInt64
  let purpose: Purpose
  /// The most bytes that all files may have while entries are copied.
  let limit: Int
  /// The offset of the next record.
  var position = SegmentHeader.byteCount
  /// The bytes of entries that were copied.
  var keptByteCount = 0
}

// Empties a segment a few records at a time, so that no single store pays for all of them.
extension SegmentStore {
  /// The number of records of the segment that one step examines.
  static let recordsPerStep = 256
  /// Segments up to this size are emptied in one step.
  static let smallSegmentByteCount = 256 << 10

  /// The bytes of all files at which the oldest segment begins to be emptied. Above it there is room for the copies
  /// of half a segment, and for the stores meanwhile.
  private func drainThreshold(_ capacity: Int) -> Int { capacity - segmentSize(for: capacity) }

  /// Does the work that is due after a store of `length` bytes: empties a part of a segment, and writes pages of
  /// the index.
  ///
  /// - Parameter latest: The segment with the new record.
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
      // While a segment is emptied, stores add at most a quarter of its bytes.
      let byteCount = isSmall ? Int.max : max(64 << 10, min(length, 1 << 40) * 4)
      let recordCount = isSmall ? Int.max : Self.recordsPerStep + length / 256
      try advance(byteCount: byteCount, recordCount: recordCount, &writer)
    }
    // With synchronized durability, a page must not refer to a copy before the copy is durable: otherwise the entry
    // could be lost together with its original.
    if configuration.durability == .buffered { writeSomePages(&writer) }
  }

  private func startDrainIfDue(keeping latest: Int?, _ writer: inout Writer) {
    // The last segment and the active one are emptied only if there is no room.
    let active = writer.active
    let mayLeave =
      reservedByteCount > drainThreshold(writer.capacity)
      && index.withLock { index in
        index.segments.count(where: { $0 != nil }) > 1 && index.oldestSegment() != active
      }
    if mayLeave {
      startEviction(keeping: latest, &writer)
    } else if let emptiest = segmentToCompact(writer) {
      startDrain(of: emptiest, for: .compaction, &writer)
    }
  }

  /// Begins to evict the oldest segment. A segment with one large entry that was used is spared this time.
  func startEviction(keeping latest: Int? = nil, _ writer: inout Writer) {
    // A number that no segment will get.
    var age = writer.nextNumber
    var turns = index.withLock { $0.segments.count }
    var oldest = index.withLock { $0.oldestSegment() }
    while let number = oldest {
      turns -= 1
      guard turns > 0, number != writer.active, spare(number, age: age) else { break }
      age += 1
      oldest = index.withLock { $0.oldestSegment() }
    }
    writer.nextNumber = age
    if let oldest, oldest != latest { startDrain(of: oldest, for: .eviction, &writer) }
  }

  /// Makes a segment younger if it has only one entry, and this one was used since the segment was written.
  ///
  /// - Returns: Whether it did.
  private func spare(_ number: Int, age: UInt64) -> Bool {
    guard let segment = index.withLock({ $0.segments[number] }), segment.dead == 0 else { return false }
    var first: SegmentFile.ScannedEntry?
    _ = try? segment.file.scan(from: SegmentHeader.byteCount, to: segment.scanned, limit: 1) { first = $0 }
    guard let first, first.header.recordLength == segment.live else { return false }
    index.readPage(of: first.header.key, in: first.partition)
    return index.withLock { index in
      guard let only = index.location(of: first, inSegment: number), only.isReferenced,
        let position = index.position(of: only)
      else { return false }
      index.clearReference(position)
      index.setAge(age, ofSegment: number)
      return true
    }
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

  /// Removes the segment that is being emptied, or the oldest one, with its entries.
  ///
  /// - Returns: Whether there was a segment.
  func evictOldestSegment(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    // Records that a compaction has copied are dead in the old segment already, so the compaction can be abandoned.
    if writer.drain?.purpose != .eviction { startEviction(&writer) }
    guard let drain = writer.drain else { return false }
    // On a full disk nothing can be copied, so the entries are given up to make room.
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

  /// Examines the next records of the segment, and removes the segment after the last one.
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

  /// Copies a record of the segment, or evicts it.
  private func pass(
    _ entry: SegmentFile.ScannedEntry, of segment: SegmentIndex.Segment, _ writer: inout Writer
  ) throws(DiskCacheError) {
    index.readPage(of: entry.header.key, in: entry.partition)
    guard let drain = writer.drain,
      let location = index.withLock({ $0.location(of: entry, inSegment: drain.segment) })
    else { return }
    // The record died on disk before a crash.
    guard entry.header.isLive else { return index.withLock { $0.remove(location) } }
    let isKept =
      switch drain.purpose {
      case .compaction: true
      case .eviction: location.isReferenced && drain.keptByteCount + location.length <= segment.size / 2
      }
    if isKept, hasRoom(for: location.length, under: drain.limit) {
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

  private func hasRoom(for length: Int, under limit: Int) -> Bool {
    reservedByteCount + length + SegmentHeader.byteCount <= limit
  }

  private func endDrain(_ writer: inout Writer) throws(DiskCacheError) {
    guard let drain = writer.drain else { return }
    writer.drain = nil
    // The copies must be durable before the originals are removed.
    if configuration.durability == .synced, drain.keptByteCount > 0 { try synchronize(&writer) }
    try removeSegment(drain.segment, evicting: drain.purpose == .eviction, &writer)
    if drain.purpose == .compaction { counters.compactions.increment() }
  }
}
