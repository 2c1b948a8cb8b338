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

    /// Bytes that removing or rewriting the segment would give back.
    var dead: Int { size - SegmentHeader.byteCount - live }
  }

  struct PartitionState {
    let partition: Partition
    var capacity: Int
    var byteCount = 0
    var count = 0
    var newest: Int32 = -1
    var oldest: Int32 = -1
  }

  /// Where to read an entry, good for as long as it is held.
  struct Location: Sendable {
    let file: SegmentFile
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

  private static func tag(_ key: CacheKey, partition: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: key.low ^ UInt64(partition) &* 0x9E37_79B9)
  }

  func find(_ key: CacheKey, in partition: Int) -> Int? {
    table.find(Self.tag(key, partition: partition)) {
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
      file: segment.file, segment: Int(entry.segment), slot: slot, offset: entry.offset, length: entry.length,
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
    table.insert(Self.tag(header.key, partition: partition), slot: index)
    linkNewest(index)
    linkToSegment(index)
    partitions[partition].byteCount += slot.length
    partitions[partition].count += 1
    liveByteCount += slot.length
    return (superseded, true)
  }

  func remove(_ index: Int) {
    let slot = slots[index]
    table.remove(Self.tag(slot.key, partition: Int(slot.partition)), slot: index)
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

  // MARK: Partitions

  /// The number of a partition, which is made if it is new.
  func number(of partition: Partition, capacity: (Partition) -> Int) -> Int {
    if let number = partitionNumbers[partition] { return number }
    partitions.append(PartitionState(partition: partition, capacity: capacity(partition)))
    partitionNumbers[partition] = partitions.count - 1
    return partitions.count - 1
  }

  func state(of partition: Partition) -> PartitionState? {
    partitionNumbers[partition].map { partitions[$0] }
  }

  func setCapacity(_ capacity: Int, ofPartition number: Int) {
    partitions[number].capacity = capacity
  }

  /// The slots of a partition from the newest access to the oldest.
  func slotsByAccess(inPartition number: Int) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(partitions[number].count)
    var next = partitions[number].newest
    while next >= 0 {
      result.append(Int(next))
      next = slots[Int(next)].older
    }
    return result
  }

  /// The entry of all partitions whose last use is longest ago.
  var leastRecentlyUsed: Int? {
    partitions.lazy.map(\.oldest).filter { $0 >= 0 }.map { Int($0) }.min {
      slots[$0].accessed < slots[$1].accessed
    }
  }

  // MARK: Segments

  /// Enters a segment and returns its number here.
  func add(_ file: SegmentFile, size: Int, age: UInt64) -> Int {
    let segment = Segment(file: file, size: size, scanned: min(size, SegmentHeader.byteCount), age: age)
    totalByteCount += size
    if let hole = segments.firstIndex(where: { $0 == nil }) {
      segments[hole] = segment
      return hole
    }
    segments.append(segment)
    return segments.count - 1
  }

  /// Enters how far a segment reaches.
  func setSize(_ size: Int, scanned: Int, ofSegment number: Int) {
    guard let old = segments[number]?.size else { return }
    totalByteCount += size - old
    segments[number]?.size = size
    segments[number]?.scanned = scanned
  }

  func setAge(_ age: UInt64, ofSegment number: Int) {
    segments[number]?.age = age
  }

  /// The slots in a segment.
  func slots(inSegment number: Int) -> [Int] {
    var result: [Int] = []
    var next = segments[number]?.first ?? -1
    while next >= 0 {
      result.append(Int(next))
      next = slots[Int(next)].nextInSegment
    }
    return result
  }

  /// Forgets a segment with all entries in it, and returns how many they were.
  func removeSegment(_ number: Int) -> Int {
    let entries = slots(inSegment: number)
    for index in entries { remove(index) }
    totalByteCount -= segments[number]?.size ?? 0
    segments[number] = nil
    return entries.count
  }

  // MARK: Lists

  private func linkNewest(_ index: Int) {
    let number = Int(slots[index].partition)
    let head = partitions[number].newest
    slots[index].newer = -1
    slots[index].older = head
    if head >= 0 { slots[Int(head)].newer = Int32(index) } else { partitions[number].oldest = Int32(index) }
    partitions[number].newest = Int32(index)
  }

  private func unlinkFromPartition(_ index: Int) {
    let number = Int(slots[index].partition)
    let (newer, older) = (slots[index].newer, slots[index].older)
    if newer >= 0 { slots[Int(newer)].older = older } else { partitions[number].newest = older }
    if older >= 0 { slots[Int(older)].newer = newer } else { partitions[number].oldest = newer }
  }

  private func linkToSegment(_ index: Int) {
    let number = Int(slots[index].segment)
    let head = segments[number]?.first ?? -1
    slots[index].previousInSegment = -1
    slots[index].nextInSegment = head
    if head >= 0 { slots[Int(head)].previousInSegment = Int32(index) }
    segments[number]?.first = Int32(index)
    segments[number]?.live += slots[index].length
  }

  private func unlinkFromSegment(_ index: Int) {
    let number = Int(slots[index].segment)
    let (previous, next) = (slots[index].previousInSegment, slots[index].nextInSegment)
    if previous >= 0 { slots[Int(previous)].nextInSegment = next } else { segments[number]?.first = next }
    if next >= 0 { slots[Int(next)].previousInSegment = previous }
    segments[number]?.live -= slots[index].length
  }
}
