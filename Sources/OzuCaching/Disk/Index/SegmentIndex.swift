/// What a disk cache knows without reading segments: where every live entry is, who used it when, and what each
/// segment and partition holds.
///
/// Entries lie in pages (`IndexPages`), 54 bytes each, of which three quarters are in use in the mean. Every operation
/// touches the page of its key and nothing else: there are no lists through the entries. The order of use is that
/// of the dates; what must leave is found by looking at the segments from the oldest on.
///
/// Pages that are in the file only are read when they are asked for. Operations do that under the lock that guards the
/// index, unless their caller has done it before (`missingPage(of:partition:)`).
///
/// Unchecked Sendable: `SegmentStore.index` guards it with its lock, and nobody keeps it beyond that.
final class SegmentIndex: @unchecked Sendable {
  struct Segment {
    let file: SegmentFile
    /// Bytes of the file.
    var size: Int
    /// Where the last whole record ends.
    var scanned: Int
    /// Bytes of live records.
    var live = 0
    /// Segments leave in this order.
    var age: UInt64
    /// No record begins between `scanned` and here.
    var searched = 0
    /// Bytes before `scanned` that have no record, because a header is damaged, as far as this cache scanned them.
    var unreadable = 0

    /// Bytes that removing or rewriting the segment would give back.
    var dead: Int { size - SegmentHeader.byteCount - live }
    /// The segment's number in pages of the file.
    var storedNumber: UInt32 { UInt32(truncatingIfNeeded: file.number) }
  }

  struct PartitionState {
    let partition: Partition
    var capacity: Int
    var byteCount = 0
    var count = 0
    /// Entries that left to make room since the cache was opened.
    var evictions = 0
  }

  /// Where to read an entry, good for as long as it is held.
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

  /// Where an entry is in the pages, until the next change.
  struct Position {
    let page: IndexPage
    let number: Int
    let position: Int
  }

  /// An entry by its names.
  struct Identity {
    let key: CacheKey
    let partition: Int
  }

  /// The dates of access that are kept to be written into the records; more of them are in the pages alone.
  static let datesLimit = 256
  /// Partitions have two bytes in a page.
  static let partitionLimit = 1 << 16

  var pages = IndexPages()
  var segments: [Segment?] = []
  var partitions: ContiguousArray<PartitionState> = []
  var partitionNumbers: [Partition: Int] = [:]
  /// Bytes that the partitions take in the file `index`.
  var partitionsByteCount = 0
  /// The segments by their numbers in the file.
  var segmentNumbers: [UInt32: Int] = [:]
  private var recentlyUsed: [Identity] = []
  /// Whether another process writes, so that segments may vanish without this index knowing.
  var isReader = false
  /// Whether a page could not be read or contradicts the rest, so that the index must be built anew.
  var isDamaged = false
  /// Bytes of all segment files.
  var segmentByteCount = 0
  /// Bytes of the files of the stored index as they are.
  var storedByteCount = 0
  /// Bytes of the files in which other processes hand over entries, as far as the writer knows, and what they may have
  /// beyond.
  var offerByteCount = 0
  var unusedOfferByteCount = 0
  /// Whether the index is to be stored: not if its files would take too large a part of the capacity.
  var isStored = false
  /// Bytes of all live records.
  var liveByteCount = 0
  var count = 0
  /// No entry has this sequence number or a higher one, as far as a stored index says.
  var sequenceLimit = UInt64.max
  /// Entries with lower sequence numbers come from an index that was stored before the end of its writer: they may
  /// be dead on disk, which a look at their records tells.
  var unverifiedBelow: UInt64 = 0

  deinit { pages.deallocate() }

  /// Bytes of all files.
  var totalByteCount: Int { segmentByteCount &+ storedByteCount &+ offerByteCount }
  /// Bytes of all files, with those that the stored index will have and those that offers may have.
  var reservedByteCount: Int {
    segmentByteCount &+ (isStored ? max(storedByteCount, neededByteCount) : storedByteCount) &+ offerByteCount
      &+ unusedOfferByteCount
  }

  func find(_ key: CacheKey, in partition: Int) -> Position? {
    let hash = pages.hash(key, partition: partition)
    guard let page = page(of: hash), let position = page.find(key, partition: partition, hash: hash) else {
      return nil
    }
    return Position(page: page, number: pages.number(of: hash), position: position)
  }

  /// Comparing a few short names is quicker than hashing one.
  func number(of partition: Partition) -> Int? {
    guard partitions.count <= 8 else { return partitionNumbers[partition] }
    return partitions.firstIndex { $0.partition == partition }
  }

  func location(of key: CacheKey, in partition: Int) -> Location? {
    guard let found = find(key, in: partition) else { return nil }
    let entry = found.page[found.position]
    guard let segment = segments[entry.segment] else { return nil }
    return Location(
      file: segment.file, key: entry.key, partition: partitions[partition].partition,
      partitionNumber: partition, segment: entry.segment, offset: entry.offset, length: entry.length,
      headLength: entry.headLength, sequence: entry.sequence, accessed: entry.accessed,
      isReferenced: entry.isReferenced)
  }

  func location(of key: CacheKey, in partition: Partition) -> Location? {
    number(of: partition).flatMap { location(of: key, in: $0) }
  }

  /// The entry that was found at this location, if it is there still.
  func position(of location: Location) -> Position? {
    guard location.partitionNumber < partitions.count,
      let found = find(location.key, in: location.partitionNumber)
    else { return nil }
    let entry = found.page[found.position]
    return entry.sequence == location.sequence && entry.segment == location.segment ? found : nil
  }

  /// Whether the index has the entry that was found at this location.
  func holds(_ location: Location) -> Bool { position(of: location) != nil }

  /// Enters a record in the place of an older one of its key.
  ///
  /// - Returns: The record that is superseded: the former one, or the new one if its sequence number is lower.
  func insert(
    _ header: EntryHeader, in partition: Int, segment: Int, offset: Int, isReferenced: Bool = false
  ) -> (superseded: Location?, isCurrent: Bool) {
    guard partition < Self.partitionLimit else { return (nil, false) }
    var superseded: Location?
    if let former = location(of: header.key, in: partition) {
      if former.sequence > header.sequence { return (nil, false) }
      superseded = former
      remove(former)
    }
    insert(
      IndexEntry(
        key: header.key, partition: partition, segment: segment, sequence: header.sequence,
        accessed: header.accessed, offset: offset, length: header.recordLength,
        headLength: header.bodyOffset, isReferenced: isReferenced))
    return (superseded, true)
  }

  /// Adds an entry of a key that has none.
  func insert(_ entry: IndexEntry) {
    let hash = pages.hash(entry.key, partition: entry.partition)
    guard page(of: hash) != nil else { return }
    if !pages.makeRoom(for: hash), let full = page(of: hash) {
      let (victim, number) = (full[0], pages.number(of: hash))
      remove(Position(page: full, number: number, position: 0))
      partitions[victim.partition].evictions &+= 1
    }
    guard let page = page(of: hash) else { return }
    page.append(entry, hash: hash)
    pages.markDirty(pages.number(of: hash))
    count(entry, as: 1)
  }

  /// Takes an entry out, if it is there still.
  func remove(_ location: Location) {
    if let found = position(of: location) { remove(found) }
  }

  private func remove(_ found: Position) {
    let entry = found.page[found.position]
    found.page.remove(found.position)
    pages.markDirty(found.number)
    count(entry, as: -1)
  }

  /// Counts an entry that comes, or that goes. The sums may be those of a forged index, so they must not trap.
  func count(_ entry: IndexEntry, as sign: Int) {
    let length = sign &* entry.length
    partitions[entry.partition].byteCount &+= length
    partitions[entry.partition].count &+= sign
    segments[entry.segment]?.live &+= length
    liveByteCount &+= length
    count &+= sign
  }

  /// Takes out all entries of which `isGone` is true.
  func removeAll(where isGone: (IndexEntry) -> Bool) {
    readAllPages()
    for number in 0..<pages.count {
      guard let page = pages[number] else { continue }
      for position in (0..<page.count).reversed() where isGone(page[position]) {
        remove(Position(page: page, number: number, position: position))
      }
    }
  }

  /// Notes a use.
  func touch(_ found: Position, at date: Int64) {
    found.page.touch(found.position, at: date)
    pages.markDirty(found.number)
    guard recentlyUsed.count < Self.datesLimit else { return }
    let entry = found.page[found.position]
    recentlyUsed.append(Identity(key: entry.key, partition: entry.partition))
  }

  /// Enters that a record was copied to another place, under a new sequence number.
  func relocate(_ found: Position, to segment: Int, offset: Int, sequence: UInt64) {
    var entry = found.page[found.position]
    count(entry, as: -1)
    (entry.segment, entry.offset, entry.sequence, entry.isReferenced) = (segment, offset, sequence, false)
    found.page[found.position] = entry
    count(entry, as: 1)
    pages.markDirty(found.number)
  }

  func clearReference(_ found: Position) {
    found.page[found.position].isReferenced = false
    pages.markDirty(found.number)
  }

  /// The entries used since the last call, once each, with their dates: all of them, or the first `datesLimit` uses.
  func takeRecentlyUsed() -> [Location] {
    var seen: Set<UInt64> = []
    let locations = recentlyUsed.compactMap { location(of: $0.key, in: $0.partition) }
      .filter { seen.insert($0.sequence).inserted }
    recentlyUsed.removeAll(keepingCapacity: true)
    return locations
  }

  /// Builds the pages anew, as few as there are entries for, under another seed.
  func rebuildPages() {
    var entries: [IndexEntry] = []
    entries.reserveCapacity(count)
    forEach { entries.append($0) }
    pages.deallocate()
    pages = IndexPages()
    for entry in entries {
      insert(entry)
      count(entry, as: -1)
    }
  }

  /// Whether the sums can be right. Those of a forged index may be wrong.
  var hasPossibleSums: Bool {
    count >= 0 && partitions.allSatisfy { $0.count >= 0 && $0.byteCount >= 0 && $0.byteCount < 1 << 62 }
      && segments.allSatisfy { segment in
        segment.map { $0.live >= 0 && $0.live <= $0.scanned - SegmentHeader.byteCount } ?? true
      }
  }

  /// Counts everything anew.
  func recount() {
    readAllPages()
    for number in partitions.indices { (partitions[number].byteCount, partitions[number].count) = (0, 0) }
    for number in segments.indices { segments[number]?.live = 0 }
    (liveByteCount, count) = (0, 0)
    forEach { count($0, as: 1) }
  }
}
