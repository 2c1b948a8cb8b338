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
  fileprivate let salt: UInt64
  let purpose: Purpose
  /// The most bytes that all files may have while entries are copied.
  fileprivate let limit: Int
  /// The records that were read and not examined, the next one last.
  fileprivate var read: [SegmentFile.ScannedEntry] = []
  /// The end of the last record that was read.
  fileprivate var readEnd = SegmentHeader.byteCount
  fileprivate var hasReadAll = false
  /// The bytes of entries that were copied.
  fileprivate var keptByteCount = 0
}

// Empties a segment a few records at a time, so that no single store pays for all of them.
extension Eviction {
  /// The number of records of the segment that one turn examines.
  static let recordsPerTurn = 256
  /// Segments up to this size are emptied in one turn.
  static let smallSegmentByteCount = 256 << 10
  /// The number of records that are read at once.
  private static let recordsPerRead = 64

  /// The rest of a turn.
  struct Turn {
    var recordCount = Int.max
    var byteCount = Int.max

    static let whole = Turn()
  }

  /// The next act on a segment that is being emptied.
  enum Step {
    /// Copy the entry to the end of the log.
    case copy(SegmentIndex.Location)
    case evict(SegmentIndex.Location)
    /// Remove the entry from the index; its record died on disk before a crash.
    case forget(SegmentIndex.Location)
    /// All entries were examined: remove the segment.
    case end(Drain)
  }

  // MARK: Which segment

  /// Begins to empty a segment if one must make room, or if there is much dead space.
  mutating func startDrainIfDue(keeping latest: Int?, _ log: inout SegmentLog) {
    guard drain == nil else { return }
    // Above this number of bytes there is room for the copies of half a segment, and for the stores meanwhile.
    let threshold = capacity - segmentSize
    let oldest = index.withLock { index -> Int? in
      guard index.reservedByteCount > threshold, index.segments.count(where: { $0 != nil }) > 1 else {
        return nil
      }
      return index.oldestSegment()
    }
    // The last segment and the active one are emptied only if there is no room.
    if let oldest, !log.isActive(oldest) {
      startEviction(keeping: latest, &log)
    } else if let emptiest = segmentToCompact(log) {
      startDrain(of: emptiest, for: .compaction, &log)
    }
  }

  /// Begins to evict the oldest segment. A segment with one large entry that was used is spared this time.
  mutating func startEviction(keeping latest: Int? = nil, _ log: inout SegmentLog) {
    var turns = index.withLock { $0.segments.count }
    var oldest = index.withLock { $0.oldestSegment() }
    while let number = oldest {
      turns -= 1
      guard turns > 0, !log.isActive(number), spare(number, &log) else { break }
      oldest = index.withLock { $0.oldestSegment() }
    }
    if let oldest, oldest != latest { startDrain(of: oldest, for: .eviction, &log) }
  }

  /// Makes a segment younger if it has only one entry, and this one was used since the segment was written.
  private func spare(_ number: Int, _ log: inout SegmentLog) -> Bool {
    guard let segment = index.withLock({ $0.segments[number] }), segment.dead == 0 else { return false }
    var first: SegmentFile.ScannedEntry?
    _ = try? segment.file.scan(from: SegmentHeader.byteCount, to: segment.scanned, limit: 1) { first = $0 }
    guard let first, first.header.recordLength == segment.live else { return false }
    index.readPage(of: first.header.key, in: first.partition)
    let isUsed = index.withLock { index in
      guard let only = index.location(of: first, inSegment: number), only.isReferenced,
        let position = index.position(of: only)
      else { return false }
      index.clearReference(position)
      return true
    }
    if isUsed {
      let age = log.takeNumber()
      index.withLock { $0.segments[number]?.age = age }
    }
    return isUsed
  }

  /// Begins to empty a segment.
  ///
  /// - Parameter limit: The most bytes that all files may have meanwhile, if not the capacity.
  mutating func startDrain(
    of number: Int, for purpose: Drain.Purpose, limit: Int? = nil, _ log: inout SegmentLog
  ) {
    if log.isActive(number) { log.release() }
    let salt = index.withLock { $0.segments[number]?.file.salt }
    drain = salt.map { Drain(segment: number, salt: $0, purpose: purpose, limit: limit ?? capacity) }
  }

  /// Whether the segment that is being emptied still exists.
  func isDraining(_ drain: Drain) -> Bool {
    index.withLock { $0.segments[drain.segment]?.file.salt == drain.salt }
  }

  // MARK: Emptying

  /// The work of one store of `length` bytes.
  func turn(afterStoreOf length: Int) -> Turn {
    let size = drain.flatMap { drain in index.withLock { $0.segments[drain.segment]?.size } } ?? 0
    if size <= Self.smallSegmentByteCount { return .whole }
    // While a segment is emptied, stores add at most a quarter of its bytes.
    return Turn(
      recordCount: Self.recordsPerTurn + length / 256, byteCount: max(64 << 10, min(length, 1 << 40) * 4))
  }

  /// The next step of emptying the segment. Nil if the turn is over, or if no segment is being emptied any more.
  mutating func nextStep(_ turn: inout Turn) throws(DiskCacheError) -> Step? {
    guard var current = drain else { return nil }
    guard let segment = index.withLock({ $0.segments[current.segment] }), segment.file.salt == current.salt
    else {
      drain = nil
      return nil
    }
    // Taken out meanwhile, so that no second owner makes its list of records be copied.
    drain = nil
    var isOver = false
    defer { if !isOver { drain = current } }
    while true {
      guard let entry = current.read.popLast() else {
        if current.hasReadAll {
          isOver = true
          return .end(current)
        }
        guard turn.recordCount > 0, turn.byteCount > 0 else { return nil }
        try read(&current, of: segment, &turn)
        continue
      }
      index.readPage(of: entry.header.key, in: entry.partition)
      guard let location = index.withLock({ $0.location(of: entry, inSegment: current.segment) }) else {
        continue
      }
      guard entry.header.isLive else { return .forget(location) }
      let isKept =
        switch current.purpose {
        case .compaction: true
        case .eviction: location.isReferenced && current.keptByteCount + location.length <= segment.size / 2
        }
      if isKept, hasRoomForCopy(of: location.length, under: current.limit) {
        current.keptByteCount += location.length
        return .copy(location)
      }
      if current.purpose == .compaction {
        // The copies would exceed the capacity. The segment stays.
        isOver = true
        return nil
      }
      return .evict(location)
    }
  }

  private func read(
    _ current: inout Drain, of segment: SegmentIndex.Segment, _ turn: inout Turn
  ) throws(DiskCacheError) {
    let limit = min(turn.recordCount, Self.recordsPerRead)
    let start = current.readEnd
    var found: [SegmentFile.ScannedEntry] = []
    let scan = try segment.file.scan(from: start, to: segment.scanned, limit: limit) { found.append($0) }
    turn.recordCount -= found.count
    turn.byteCount -= min(turn.byteCount, scan.end - start)
    current.readEnd = scan.end
    current.hasReadAll = found.count < limit
    current.read = found.reversed()
  }

  func hasRoomForCopy(of length: Int, under limit: Int) -> Bool {
    index.withLock { $0.reservedByteCount } + length + SegmentHeader.byteCount <= limit
  }
}
