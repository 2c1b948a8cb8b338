/// The progress of the pass over the records.
struct AgePass {
  /// The time when the last pass began.
  fileprivate var began: Int64?
  /// The next record and the number of its segment; nil between two passes.
  fileprivate var position: (number: UInt64, offset: Int)?
}

// Finds entries that are too old. The age is measured from the date of storing in the record; copies keep this date.
//
// A read notices an expired entry: it is a miss, and the writer removes it. For entries that are not read, the
// writer makes passes over the headers of all records, from the oldest segment to the newest, a few records at the
// end of each store and flush. A pass includes segments that are made meanwhile: an old entry may have been copied
// there, and a store adds fewer records than it examines. A pass begins when a sixteenth of the shortest maximum
// age has passed since the last one began. So a header is read about sixteen times in the life of its entry,
// however much is stored.
extension Eviction {
  /// The numbers of records that a store and a flush examine.
  static let examinedPerStore = 8
  static let examinedPerFlush = 64

  /// The expired entries among the next records of the pass. Begins a pass if one is due.
  ///
  /// - Complexity: At most `limit` headers are read; nothing happens between two passes.
  mutating func someExpired(_ limit: Int) -> [SegmentIndex.Location] {
    guard let shortest = context.ages.shortest else { return [] }
    let date = context.now()
    if agePass.position == nil {
      if let began = agePass.began, began <= date {
        let (elapsed, isLongAgo) = date.subtractingReportingOverflow(began)
        if !isLongAgo, elapsed < shortest / 16 { return [] }
      }
      agePass = AgePass(began: date, position: (0, 0))
    }
    var expired: [SegmentIndex.Location] = []
    var rest = limit
    while rest > 0, let position = agePass.position {
      guard let segment = segment(from: position.number) else {
        agePass.position = nil
        break
      }
      let number = segment.file.number
      let offset = number == position.number ? position.offset : 0
      // The pass continues after this segment, even if reading it fails.
      agePass.position = (number + 1, 0)
      do throws(DiskCacheError) {
        let (found, count, end) = try entries(of: segment, from: offset, limit: rest) {
          context.ages.isExpired(storedAt: $0.header.stored, in: $0.partition, at: date)
        }
        expired += found
        if count == rest { agePass.position = (number, end) }
        // A segment without records counts as well.
        rest -= max(1, count)
      } catch {
        context.errors.note(error)
        rest -= 1
      }
    }
    return expired
  }

  /// The segment with the lowest number from `first` on, and the end of its last whole record.
  func segment(from first: UInt64) -> (file: SegmentFile, end: Int)? {
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

  /// The live entries of a segment for which `isMeant` returns true, among `limit` records.
  ///
  /// - Returns: The entries, the number of records examined, and the end of the last one.
  func entries(
    of segment: (file: SegmentFile, end: Int), from offset: Int = 0, limit: Int = .max,
    where isMeant: (SegmentFile.ScannedEntry) -> Bool
  ) throws(DiskCacheError) -> (found: [SegmentIndex.Location], count: Int, end: Int) {
    var (count, meant) = (0, [SegmentFile.ScannedEntry]())
    let scan = try segment.file.scan(
      from: max(offset, SegmentHeader.byteCount), to: segment.end, limit: limit
    ) { entry in
      count += 1
      if entry.header.isLive, isMeant(entry) { meant.append(entry) }
    }
    let found = meant.compactMap { entry -> SegmentIndex.Location? in
      index.readPage(of: entry.header.key, in: entry.partition)
      let location = index.withLock { $0.location(of: entry.header.key, in: entry.partition) }
      // The key may have a newer record.
      guard let location, location.file === segment.file, location.offset == entry.offset else { return nil }
      return location
    }
    return (found, count, scan.end)
  }
}
