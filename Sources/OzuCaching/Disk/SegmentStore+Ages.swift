#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Removes entries because of their age, which is measured from the date of storing in their record; copies keep
// this date.
//
// A read notices an expired entry: it is a miss, and the writer removes it. For entries that are not read, the
// writer makes passes over the headers of all records, from the oldest segment to the newest, a few records at the
// end of each store and flush. A pass includes segments that are made meanwhile: an old entry may have been copied
// there, and a store adds fewer records than it examines. A pass begins when a sixteenth of the shortest maximum
// age has passed since the last one began. So a header is read about sixteen times in the life of its entry,
// however much is stored.
extension SegmentStore {
  /// The numbers of records that a store and a flush examine.
  static let examinedPerStore = 8
  static let examinedPerFlush = 64

  /// The progress of the pass over the records.
  struct AgePass {
    /// The time when the last pass began.
    fileprivate var began: Int64?
    /// The next record and the number of its segment; nil between two passes.
    fileprivate var position: (number: UInt64, offset: Int)?
  }

  /// Whether a record has expired.
  func isExpired(_ header: EntryHeader, in partition: Partition) -> Bool {
    guard ages.shortest != nil else { return false }
    return ages.isExpired(storedAt: header.stored, in: partition, at: now())
  }

  /// Continues the pass over the records, or begins one if it is due, and removes expired entries.
  ///
  /// - Complexity: At most `limit` headers are read; nothing happens between two passes.
  func expireSome(_ limit: Int, _ writer: inout Writer) {
    guard let shortest = ages.shortest, case .writer = writer.role else { return }
    let date = now()
    if writer.agePass.position == nil {
      if let began = writer.agePass.began, began <= date {
        let (elapsed, isLongAgo) = date.subtractingReportingOverflow(began)
        if !isLongAgo, elapsed < shortest / 16 { return }
      }
      writer.agePass = AgePass(began: date, position: (0, 0))
    }
    var rest = limit
    while rest > 0, let position = writer.agePass.position {
      guard let segment = segment(from: position.number) else {
        writer.agePass.position = nil
        return
      }
      let number = segment.file.number
      let offset = number == position.number ? position.offset : 0
      // The pass continues after this segment, even if reading it fails.
      writer.agePass.position = (number + 1, 0)
      do throws(DiskCacheError) {
        let (count, end) = try removeRecords(of: segment, from: offset, limit: rest, &writer) {
          ages.isExpired(storedAt: $0.header.stored, in: $0.partition, at: date)
        }
        if count == rest { writer.agePass.position = (number, end) }
        // A segment without records counts as well.
        rest -= max(1, count)
      } catch {
        writer.errors.append(error)
        rest -= 1
      }
    }
  }

  /// Removes all entries that were stored before a date, and rewrites segments with dead space. Other operations
  /// may run between two segments.
  func trim(olderThan date: Int64) throws(DiskCacheError) {
    var next: UInt64? = 0
    while let first = next {
      next = try write { (writer) throws(DiskCacheError) -> UInt64? in
        try requireWriter(&writer)
        if first == 0 {
          adoptOffers(&writer)
          readAllPages(&writer)
        }
        guard let segment = segment(from: first) else { return nil }
        _ = try removeRecords(of: segment, from: 0, limit: .max, &writer) { $0.header.stored < date }
        return segment.file.number + 1
      }
    }
    try write { (writer) throws(DiskCacheError) in
      try requireWriter(&writer)
      var before = Int.max
      while case let count = index.withLock({ $0.totalByteCount }), count < before {
        before = count
        try compactIfDue(&writer)
      }
    }
  }

  /// The segment with the lowest number from `first` on, and the end of its last whole record.
  private func segment(from first: UInt64) -> (file: SegmentFile, end: Int)? {
    index.withLock { index in
      var lowest: (file: SegmentFile, end: Int)?
      for case let segment? in index.segments {
        let number = segment.file.number
        if number >= first, number < lowest?.file.number ?? .max {
          lowest = (segment.file, segment.scanned)
        }
      }
      return lowest
    }
  }

  /// Removes the live entries of a segment for which `isMeant` returns true, among `limit` records.
  ///
  /// - Returns: The number of records examined, and the end of the last one.
  private func removeRecords(
    of segment: (file: SegmentFile, end: Int), from offset: Int, limit: Int, _ writer: inout Writer,
    where isMeant: (SegmentFile.ScannedEntry) -> Bool
  ) throws(DiskCacheError) -> (count: Int, end: Int) {
    var (count, entries) = (0, [SegmentFile.ScannedEntry]())
    let scan = try segment.file.scan(
      from: max(offset, SegmentHeader.byteCount), to: segment.end, limit: limit
    ) { entry in
      count += 1
      if entry.header.isLive, isMeant(entry) { entries.append(entry) }
    }
    for entry in entries {
      index.readPage(of: entry.header.key, in: entry.partition)
      let location = index.withLock { $0.location(of: entry.header.key, in: entry.partition) }
      // The key may have a newer record.
      guard let location, location.file === segment.file, location.offset == entry.offset else { continue }
      counters.expirations.increment()
      removeEntry(location, &writer)
    }
    return (count, scan.end)
  }
}

extension DiskCache {
  /// Removes the entries of all partitions that were stored before a date, and rewrites segments with dead space.
  ///
  /// - Throws: If a file could not be read, rewritten or removed, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  /// - Complexity: One small read per entry on disk.
  public func trim(olderThan date: Date) throws(DiskCacheError) {
    try store.trim(olderThan: date.nanoseconds)
  }

  /// Removes the entries of all partitions that were stored before a date, and rewrites segments with dead space.
  ///
  /// - Throws: If a file could not be read, rewritten or removed, or if this cache may not write.
  public func trim(olderThan date: Date) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.trim(olderThan: date) }
  }
}
