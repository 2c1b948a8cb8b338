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
      index.segments.lazy.compactMap { $0 }.filter { $0.file.number >= first }
        .min { $0.file.number < $1.file.number }.map { (file: $0.file, end: $0.scanned) }
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

/// How old the entries of a disk cache may become, in nanoseconds.
struct AgeLimits: Sendable {
  /// How far in the future the date of an entry may be and still count as now, for entries that a machine with
  /// another clock stored, or whose clock was set back a little. The age of an entry from later is unknown. Such an
  /// entry counts as expired; otherwise it could stay for ever.
  static let tolerance: Int64 = 86_400_000_000_000

  private let common: Int64?
  /// The limits of single partitions; nil for no limit.
  private let own: [Partition: Int64?]
  /// The shortest of all limits; nil if entries may have any age.
  let shortest: Int64?

  init(maximumAge: Double?, partitionMaximumAges: [Partition: Double]) {
    common = maximumAge.flatMap(Self.nanoseconds)
    own = partitionMaximumAges.mapValues(Self.nanoseconds)
    shortest = (own.values + [common]).compactMap { $0 }.min()
  }

  /// The date of storing by which the later one of two entries is found. A date from later than now, beyond the
  /// tolerance, comes from a clock that was wrong: such an entry is the older one.
  static func order(storedAt stored: Int64, at now: Int64) -> Int64 {
    stored > now &+ tolerance ? .min : stored
  }

  /// The limit in nanoseconds; nil if the value is infinite or not a number, which means no limit.
  private static func nanoseconds(_ seconds: Double) -> Int64? {
    seconds.isFinite ? Int64(max(0, min(9e18, seconds * 1e9))) : nil
  }

  /// The most age of a partition's entries; nil if they do not expire.
  func limit(of partition: Partition) -> Int64? {
    guard shortest != nil else { return nil }
    return own[partition] ?? common
  }

  func isExpired(storedAt stored: Int64, in partition: Partition, at now: Int64) -> Bool {
    guard let limit = limit(of: partition) else { return false }
    let (age, overflows) = now.subtractingReportingOverflow(stored)
    return overflows || age < -Self.tolerance || max(0, age) >= limit
  }
}
