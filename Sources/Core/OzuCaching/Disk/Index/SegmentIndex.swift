/// The index of a disk cache in memory: the place and the last use of every live entry, and the sums of each
/// segment and partition.
///
/// Entries are in pages (`IndexPages`), 54 bytes each; on average, three quarters of a page are used. Every
/// operation on an entry touches only the page of its key: entries are not linked. The order of use follows from
/// the dates. Eviction starts with the oldest segments.
///
/// A page that is only in the file is read before its entries are looked up (`missingPage(of:partition:)`); until then
/// they are not found.
///
/// Unchecked Sendable: the lock of `LiveIndex` guards it, and only an index that is being loaded is used outside it.
final class SegmentIndex: @unchecked Sendable {
  struct Segment {
    let file: SegmentFile
    var size: Int
    /// The end of the last whole record.
    var scanned: Int
    /// The bytes of live records.
    var live = 0
    /// Segments are removed in this order.
    var age: UInt64
    /// Bytes from `scanned` up to here were searched and contain no record.
    var searched = 0
    /// Bytes before `scanned` without a record, because a header is damaged. Only those that this cache has
    /// scanned.
    var unreadable = 0

    /// The bytes that removing or rewriting the segment would give back.
    var dead: Int { size - SegmentHeader.byteCount - live }
    /// The segment's number as pages in the file have it.
    var storedNumber: UInt32 { UInt32(truncatingIfNeeded: file.number) }
  }

  struct PartitionState {
    let partition: Partition
    var byteCount = 0
    var count = 0
    /// The entries that were evicted since the cache was opened.
    var evictions = 0
  }

  /// The place of an entry on disk. It stays readable as long as this value exists.
  struct Location: Sendable {
    let file: SegmentFile
    let key: CacheKey
    let partition: Partition
    let partitionNumber: Int
    let segment: Int
    let offset: Int
    let length: Int
    let headLength: Int
    let sequence: UInt64
    let accessed: Int64
    let isReferenced: Bool
  }

  /// The place of an entry in the pages. Valid until the next change.
  struct Position {
    let page: IndexPage
    let number: Int
    let position: Int
  }

  struct Identity: Hashable {
    let key: CacheKey
    let partition: Int
  }

  /// The number of dates of access that are kept to be written into records; later ones are only in the pages.
  static let datesLimit = 256
  /// A page has two bytes for a partition.
  static let partitionLimit = 1 << 16

  var pages = IndexPages()
  var segments: [Segment?] = []
  var partitions: ContiguousArray<PartitionState> = []
  var partitionNumbers: [Partition: Int] = [:]
  /// The bytes that the partitions take in the file `index`.
  var partitionsByteCount = 0
  /// The segments by their numbers in the file.
  var segmentNumbers: [UInt32: Int] = [:]
  var recentlyUsed: [Identity] = []
  /// Whether another process writes, so that segments may disappear without a change of this index.
  var isReader = false
  /// Whether a page could not be read or contradicts the rest, so that the index must be rebuilt.
  var isDamaged = false
  var segmentByteCount = 0
  /// The current bytes of the files of the stored index.
  var storedByteCount = 0
  /// The bytes of the files in which other processes hand over entries, as far as the writer knows, and the bytes
  /// by which these files may still grow.
  var offerByteCount = 0
  var unusedOfferByteCount = 0
  /// Whether the index is to be stored; false if its files would take too large a part of the capacity.
  var isStored = false
  var liveByteCount = 0
  var count = 0
  /// The bound of sequence numbers that a stored index states: all entries have lower ones.
  var sequenceLimit = UInt64.max
  /// Entries with lower sequence numbers come from an index that was stored before its writer ended. They may be
  /// dead on disk; their records say so.
  var unverifiedBelow: UInt64 = 0

  deinit { pages.deallocate() }

  var totalByteCount: Int { segmentByteCount &+ storedByteCount &+ offerByteCount }
  /// The bytes of all files, plus the bytes that the stored index will need and that offers may still take.
  var reservedByteCount: Int {
    segmentByteCount &+ (isStored ? max(storedByteCount, neededByteCount) : storedByteCount) &+ offerByteCount
      &+ unusedOfferByteCount
  }

  /// The number of a partition. Comparing a few short names is faster than hashing one.
  func number(of partition: Partition) -> Int? {
    guard partitions.count <= 8 else { return partitionNumbers[partition] }
    return partitions.firstIndex { $0.partition == partition }
  }

  /// The number of a partition. A new partition gets the next number.
  func number(adding partition: Partition) -> Int {
    if let number = number(of: partition) { return number }
    partitions.append(PartitionState(partition: partition))
    partitionNumbers[partition] = partitions.count - 1
    partitionsByteCount += partition.name.utf8.count + 18
    return partitions.count - 1
  }

  /// Takes over the counts of an index that this one replaces: they are those since the cache was opened.
  func keepEvictions(of former: ContiguousArray<PartitionState>) {
    for state in former where state.evictions > 0 {
      partitions[number(adding: state.partition)].evictions = state.evictions
    }
  }

  func state(of partition: Partition) -> PartitionState? {
    partitionNumbers[partition].map { partitions[$0] }
  }

  /// Adds an entry to the sums, or subtracts it. Sums from a forged index may be wrong, so this must not trap.
  func count(_ entry: IndexEntry, as sign: Int) {
    let length = sign &* entry.length
    partitions[entry.partition].byteCount &+= length
    partitions[entry.partition].count &+= sign
    segments[entry.segment]?.live &+= length
    liveByteCount &+= length
    count &+= sign
  }

  /// Whether the sums are possible. Those of a forged index may not be.
  var hasPossibleSums: Bool {
    count >= 0 && partitions.allSatisfy { $0.count >= 0 && $0.byteCount >= 0 && $0.byteCount < 1 << 62 }
      && segments.allSatisfy { segment in
        segment.map { $0.live >= 0 && $0.live <= $0.scanned - SegmentHeader.byteCount } ?? true
      }
  }

  /// Computes all sums again. All pages are in memory.
  func recount() {
    for number in partitions.indices { (partitions[number].byteCount, partitions[number].count) = (0, 0) }
    for number in segments.indices { segments[number]?.live = 0 }
    (liveByteCount, count) = (0, 0)
    for number in 0..<pages.count {
      guard let page = pages[number] else { continue }
      for position in 0..<page.count { count(page[position], as: 1) }
    }
  }
}
