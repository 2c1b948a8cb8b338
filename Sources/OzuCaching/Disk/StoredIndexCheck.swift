/// Whether a stored index agrees with itself, so that using it never leaves its memory, never loops and never counts
/// wrongly. What it cannot know without reading segments is whether the records are where the index says; a
/// fetch finds that out.
///
/// Both passes read from front to back: following links and hashes would miss the processor's caches once per entry and
/// take ten times as long. That the cells are those of the entries, and that each link to a slot is answered by one
/// back, is checked by comparing sums of hashes. They are seeded with random numbers of this check, so nobody can prepare
/// a file for them.
///
/// Such sums cannot find a circle of entries apart from its list. Nothing depends on that: whoever walks along a list
/// compares its length (`SegmentIndex.slots(inSegment:)`, `slotsByAccess(inPartition:)`).
///
/// - Complexity: O(slots + cells).
struct StoredIndexCheck {
  let slots: SlotStorage
  let table: SlotTable
  let seed: TableSeed
  let partitions: ContiguousArray<SegmentIndex.PartitionState>
  let places: [StoredIndex.Place?]
  let free: Int32
  let nextSequence: UInt64
  let nextNumber: UInt64

  /// The entries that a list should have, and what is known of its ends.
  private struct List {
    var count = 0
    var byteCount = 0
    var firstCount = 0
    var lastCount = 0
  }

  /// What the slots add up to.
  private struct Sums {
    let partitions: ContiguousArray<List>
    let segments: ContiguousArray<List>
    /// The cells that there must be.
    let cells: UInt64
    // Of each kind: the links to other slots less the links that answer them.
    let partitionLinks: UInt64
    let segmentLinks: UInt64
    let freeLinks: UInt64
  }

  /// The hash of two numbers under random seeds: their product in 128 bits, folded.
  private struct LinkHash {
    let seeds = (UInt64.random(in: 1 ... .max), UInt64.random(in: 1 ... .max))

    @inline(__always)
    func callAsFunction(_ one: UInt64, _ two: UInt64) -> UInt64 {
      let product = (one ^ seeds.0).multipliedFullWidth(by: two ^ seeds.1)
      return product.high ^ product.low
    }

    /// The hash of a link in a list.
    @inline(__always)
    func callAsFunction(from: Int32, to: Int32, list: Int32) -> UInt64 {
      self(
        UInt64(UInt32(bitPattern: from)) << 32 | UInt64(UInt32(bitPattern: to)),
        UInt64(UInt32(bitPattern: list)))
    }
  }

  private let hash = LinkHash()

  init(
    slots: SlotStorage, table: SlotTable, seed: TableSeed,
    partitions: ContiguousArray<SegmentIndex.PartitionState>, places: [StoredIndex.Place?], free: Int32,
    nextSequence: UInt64, nextNumber: UInt64
  ) {
    self.slots = slots
    self.table = table
    self.seed = seed
    self.partitions = partitions
    self.places = places
    self.free = free
    self.nextSequence = nextSequence
    self.nextNumber = nextNumber
  }

  func isConsistent() -> Bool {
    guard arePlacesConsistent(), let sums = sumsOfSlots(), areCellsConsistent(sums.cells),
      sums.partitionLinks == 0, sums.segmentLinks == 0, sums.freeLinks == 0
    else { return false }
    for (state, list) in zip(partitions, sums.partitions) {
      let ends = list.count > 0 ? 1 : 0
      guard state.count == list.count, state.byteCount == list.byteCount, list.firstCount == ends,
        list.lastCount == ends, ends == 1 || (state.newest == -1 && state.oldest == -1)
      else { return false }
    }
    for (place, list) in zip(places, sums.segments) {
      guard let place else { continue }
      let ends = list.count > 0 ? 1 : 0
      guard place.live == list.byteCount, place.live <= place.scanned - SegmentHeader.byteCount,
        list.firstCount == ends, list.lastCount == ends, ends == 1 || place.first == -1
      else { return false }
    }
    return true
  }

  private func arePlacesConsistent() -> Bool {
    var names: Set<String> = []
    for place in places {
      guard let place else { continue }
      guard place.segmentNumber < nextNumber, place.age <= nextNumber,
        place.scanned >= SegmentHeader.byteCount, place.scanned < SegmentFile.largestByteCount,
        names.insert(place.name).inserted
      else { return false }
    }
    return true
  }

  // MARK: Cells

  /// Whether the cells are those of the entries, and each can be found: no empty cell lies between the one where its
  /// search begins and the cell itself. There is an empty cell, because at most two thirds are full.
  private func areCellsConsistent(_ expected: UInt64) -> Bool {
    let (cells, mask) = (table.cells, table.mask)
    guard let start = (0...mask).first(where: { cells[$0] == 0 }) else { return false }
    var (sum, count, run) = (UInt64(0), 0, 0)
    for step in 1...mask + 1 {
      let position = (start + step) & mask
      let cell = cells[position]
      guard cell != 0 else {
        run = 0
        continue
      }
      let home = Int(SlotTable.tag(cell)) & mask
      guard (position &- home) & mask <= run else { return false }
      run += 1
      count += 1
      sum &+= hash(cell, 0)
    }
    return count == table.count && sum == expected
  }

  // MARK: Slots

  /// Checks each slot by itself and adds up the rest; nil if one is not as it must be.
  private func sumsOfSlots() -> Sums? {
    // Local, because loops over arrays in properties check for other owners at each turn.
    let (hash, seed, count) = (hash, seed, slots.count)
    let scanned = ContiguousArray(places.map { $0?.scanned ?? 0 })
    let firsts = ContiguousArray(places.map { $0?.first ?? -1 })
    let newest = ContiguousArray(partitions.map(\.newest))
    let oldest = ContiguousArray(partitions.map(\.oldest))
    var inPartition = ContiguousArray(repeating: List(), count: partitions.count)
    var inSegment = ContiguousArray(repeating: List(), count: places.count)
    var (cells, partitionLinks, segmentLinks, freeLinks) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    if free != -1 { freeLinks = hash(from: -1, to: free, list: -1) }
    func isLink(_ number: Int32) -> Bool { number >= -1 && number < count }

    for number in 0..<count {
      guard hasValidFlags(number) else { return nil }
      let (own, slot) = (Int32(number), slots.base + number)
      let partition = slot.pointee.partition
      guard partition >= 0 else {
        guard partition == -1 else { return nil }
        // Each free slot is the first one, or the next of one other.
        freeLinks &-= hash(from: -1, to: own, list: -1)
        if slot.pointee.older != -1 { freeLinks &+= hash(from: -1, to: slot.pointee.older, list: -1) }
        continue
      }
      let segment = slot.pointee.segment
      let (offset, length, head) = (slot.pointee.offset, slot.pointee.length, Int(slot.pointee.headLength))
      guard partition < inPartition.count, segment >= 0, segment < inSegment.count,
        offset >= SegmentHeader.byteCount, offset + length <= scanned[Int(segment)],
        head >= EntryHeader.byteCount, head <= length, slot.pointee.sequence < nextSequence,
        isLink(slot.pointee.newer), isLink(slot.pointee.older), isLink(slot.pointee.nextInSegment),
        isLink(slot.pointee.previousInSegment)
      else { return nil }
      cells &+= hash(SlotTable.cell(seed.tag(slot.pointee.key, partition: Int(partition)), number), 0)

      inPartition[Int(partition)].count += 1
      inPartition[Int(partition)].byteCount += length
      if slot.pointee.newer >= 0 {
        partitionLinks &-= hash(from: slot.pointee.newer, to: own, list: partition)
      } else {
        guard newest[Int(partition)] == own else { return nil }
        inPartition[Int(partition)].firstCount += 1
      }
      if slot.pointee.older >= 0 {
        partitionLinks &+= hash(from: own, to: slot.pointee.older, list: partition)
      } else {
        guard oldest[Int(partition)] == own else { return nil }
        inPartition[Int(partition)].lastCount += 1
      }

      inSegment[Int(segment)].count += 1
      inSegment[Int(segment)].byteCount += length
      if slot.pointee.previousInSegment >= 0 {
        segmentLinks &-= hash(from: slot.pointee.previousInSegment, to: own, list: segment)
      } else {
        guard firsts[Int(segment)] == own else { return nil }
        inSegment[Int(segment)].firstCount += 1
      }
      if slot.pointee.nextInSegment >= 0 {
        segmentLinks &+= hash(from: own, to: slot.pointee.nextInSegment, list: segment)
      } else {
        inSegment[Int(segment)].lastCount += 1
      }
    }
    return Sums(
      partitions: inPartition, segments: inSegment, cells: cells, partitionLinks: partitionLinks,
      segmentLinks: segmentLinks, freeLinks: freeLinks)
  }

  /// Looks at the two bytes that become booleans, which must be zero or one, before anything reads them as such. No
  /// date waits to be written in an index that is stored.
  private func hasValidFlags(_ number: Int) -> Bool {
    let bytes = UnsafeRawPointer(slots.base + number)
    return bytes.load(fromByteOffset: 68, as: UInt8.self) <= 1
      && bytes.load(fromByteOffset: 69, as: UInt8.self) == 0
  }
}
