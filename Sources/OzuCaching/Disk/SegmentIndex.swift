/// What a disk cache knows without reading: where every live entry is, who used it when, and what each segment
/// and partition holds.
///
/// Slots live in one run of memory (72 bytes each) and are linked by number in two lists: of their partition, by
/// date of access, and of their segment. Every operation is O(1). At opening the index is taken as it was stored
/// (`StoredIndex`) and what was written since is added, or it is rebuilt from the segments.
///
/// Unchecked Sendable: `SegmentStore.index` guards it with its lock, and nobody keeps it beyond that.
final class SegmentIndex: @unchecked Sendable {
  struct Slot {
    var key = CacheKey(high: 0, low: 0)
    var sequence: UInt64 = 0
    /// Nanoseconds since 1970.
    var accessed: Int64 = 0
    /// Offset and length of the record in units of eight bytes.
    var offsetWords: UInt32 = 0
    var lengthWords: UInt32 = 0
    /// Bytes of the record before the body.
    var headLength: UInt32 = 0
    /// The number of the partition, or -1 while the slot is free.
    var partition: Int32 = -1
    var segment: Int32 = -1
    var newer: Int32 = -1
    /// The next older entry of the partition, or the next free slot.
    var older: Int32 = -1
    var nextInSegment: Int32 = -1
    var previousInSegment: Int32 = -1
    /// Whether the entry was used since it was written to this segment.
    var isReferenced = false
    /// Whether the date of access on disk is out of date.
    var isDateDirty = false

    var offset: Int { Int(offsetWords) &* 8 }
    var length: Int { Int(lengthWords) &* 8 }
  }

  struct Segment {
    let file: SegmentFile
    /// Bytes of the file.
    var size: Int
    /// Where the last whole record ends.
    var scanned: Int
    /// Bytes of live records.
    var live = 0
    var first: Int32 = -1
    /// Segments leave in this order.
    var age: UInt64
    /// No record begins between `scanned` and here.
    var searched = 0
    /// Bytes before `scanned` that have no record, because a header is damaged, as far as this cache scanned them.
    var unreadable = 0

    /// Bytes that removing or rewriting the segment would give back.
    var dead: Int { size - SegmentHeader.byteCount - live }
  }

  struct PartitionState {
    let partition: Partition
    var capacity: Int
    var byteCount = 0
    var count = 0
    /// Entries that left to make room since the cache was opened.
    var evictions = 0
    var newest: Int32 = -1
    var oldest: Int32 = -1
  }

  /// Where to read an entry, good for as long as it is held.
  struct Location: Sendable {
    let file: SegmentFile
    let key: CacheKey
    let partition: Partition
    let segment: Int
    let slot: Int
    let offset: Int
    let length: Int
    let headLength: Int
    let sequence: UInt64
    let accessed: Int64
  }

  var slots = SlotStorage()
  var free: Int32 = -1
  var table = SlotTable()
  /// Under which the table hashes keys.
  var seed = TableSeed()
  var segments: [Segment?] = []
  var partitions: ContiguousArray<PartitionState> = []
  var partitionNumbers: [Partition: Int] = [:]
  private var dirtySlots: [Int32] = []
  /// Whether another process writes, so that segments may vanish without this index knowing.
  var isReader = false
  /// Bytes of all segment files.
  var totalByteCount = 0
  /// Bytes of all live records.
  var liveByteCount = 0
  /// Entries with lower sequence numbers come from an index that was stored before the end of its writer: they may
  /// be dead on disk, which a look at their records tells.
  var unverifiedBelow: UInt64 = 0

  deinit {
    table.deallocate()
    slots.deallocate()
  }

  var count: Int { table.count }
  var dirtyDateCount: Int { dirtySlots.count }

  // MARK: Entries

  func find(_ key: CacheKey, in partition: Int) -> Int? {
    table.find(seed.tag(key, partition: partition)) {
      slots[$0].key == key && Int(slots[$0].partition) == partition
    }
  }

  /// Comparing a few short names is quicker than hashing one.
  private func number(of partition: Partition) -> Int? {
    guard partitions.count <= 8 else { return partitionNumbers[partition] }
    return partitions.firstIndex { $0.partition == partition }
  }

  func find(_ key: CacheKey, in partition: Partition) -> Int? {
    number(of: partition).flatMap { find(key, in: $0) }
  }

  func location(of slot: Int) -> Location? {
    let entry = slots[slot]
    guard entry.partition >= 0, let segment = segments[Int(entry.segment)] else { return nil }
    return Location(
      file: segment.file, key: entry.key, partition: partitions[Int(entry.partition)].partition,
      segment: Int(entry.segment), slot: slot, offset: entry.offset, length: entry.length,
      headLength: Int(entry.headLength), sequence: entry.sequence, accessed: entry.accessed)
  }

  /// Whether the slot still is the entry that was found at this location.
  func holds(_ location: Location) -> Bool {
    location.slot < slots.count && slots[location.slot].partition >= 0
      && slots[location.slot].sequence == location.sequence
      && Int(slots[location.slot].segment) == location.segment
  }

  /// Enters a record as the newest of its partition, in the place of an older one of its key.
  ///
  /// - Returns: The record that is superseded: the former one, or the new one if its sequence number is lower.
  func insert(
    _ header: EntryHeader, in partition: Int, segment: Int, offset: Int
  ) -> (superseded: Location?, isCurrent: Bool) {
    var superseded: Location?
    if let former = find(header.key, in: partition) {
      if slots[former].sequence > header.sequence { return (nil, false) }
      superseded = location(of: former)
      remove(former)
    }
    let index: Int
    if free >= 0 {
      index = Int(free)
      free = slots[index].older
    } else {
      index = slots.count
      slots.append(Slot())
    }
    var slot = Slot()
    slot.key = header.key
    slot.sequence = header.sequence
    slot.accessed = header.accessed
    slot.offsetWords = UInt32(offset / 8)
    slot.lengthWords = UInt32(header.recordLength / 8)
    slot.headLength = UInt32(header.bodyOffset)
    slot.partition = Int32(partition)
    slot.segment = Int32(segment)
    slots[index] = slot
    table.insert(seed.tag(header.key, partition: partition), slot: index)
    linkNewest(index)
    linkToSegment(index)
    partitions[partition].byteCount += slot.length
    partitions[partition].count += 1
    liveByteCount += slot.length
    return (superseded, true)
  }

  func remove(_ index: Int) {
    let slot = slots[index]
    table.remove(seed.tag(slot.key, partition: Int(slot.partition)), slot: index)
    unlinkFromPartition(index)
    unlinkFromSegment(index)
    partitions[Int(slot.partition)].byteCount -= slot.length
    partitions[Int(slot.partition)].count -= 1
    liveByteCount -= slot.length
    slots[index] = Slot()
    slots[index].older = free
    free = Int32(index)
  }

  /// Notes a use: the entry becomes the newest of its partition.
  func touch(_ index: Int, at date: Int64) {
    unlinkFromPartition(index)
    linkNewest(index)
    slots[index].accessed = date
    slots[index].isReferenced = true
    if !slots[index].isDateDirty {
      slots[index].isDateDirty = true
      dirtySlots.append(Int32(index))
    }
  }

  /// Enters that a record was copied to another place, under a new sequence number.
  func relocate(_ index: Int, to segment: Int, offset: Int, sequence: UInt64) {
    unlinkFromSegment(index)
    slots[index].segment = Int32(segment)
    slots[index].offsetWords = UInt32(offset / 8)
    slots[index].sequence = sequence
    slots[index].isReferenced = false
    linkToSegment(index)
  }

  func clearReference(_ index: Int) {
    slots[index].isReferenced = false
  }

  /// The entries whose date of access on disk is out of date, and the dates; they count as written.
  func takeDirtyDates() -> [Location] {
    let locations = dirtySlots.compactMap { index -> Location? in
      guard slots[Int(index)].isDateDirty else { return nil }
      slots[Int(index)].isDateDirty = false
      return location(of: Int(index))
    }
    dirtySlots.removeAll(keepingCapacity: true)
    return locations
  }

  /// Sorts every partition by date of access, after entries were found in the order of the files.
  func sortByAccessDate() {
    let order = slots.indices.filter { slots[$0].partition >= 0 }.sorted {
      (slots[$0].accessed, slots[$0].sequence) < (slots[$1].accessed, slots[$1].sequence)
    }
    for number in partitions.indices { (partitions[number].newest, partitions[number].oldest) = (-1, -1) }
    for index in order { linkNewest(index) }
  }

  /// Marks a record found at opening as used since it was written.
  func markReferenced(_ index: Int) {
    slots[index].isReferenced = true
  }
}
