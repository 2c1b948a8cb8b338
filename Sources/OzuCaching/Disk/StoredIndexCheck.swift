/// Whether a stored index agrees with itself, so that using it never leaves its memory, never loops and never counts
/// wrongly. What it cannot know without reading segments is whether the records are where the index says; a
/// fetch finds that out.
///
/// - Complexity: O(slots + cells): one pass over the slots, each with a probe of the table, and a walk along each list.
struct StoredIndexCheck {
  let slots: SlotStorage
  let table: SlotTable
  let partitions: ContiguousArray<SegmentIndex.PartitionState>
  let places: [StoredIndex.Place?]
  let free: Int32
  let nextSequence: UInt64
  let nextNumber: UInt64

  /// What the slots add up to.
  private struct Sums {
    var free = 0
    var partitionCounts: [Int]
    var partitionBytes: [Int]
    var segmentCounts: [Int]
    var segmentBytes: [Int]
  }

  func isConsistent() -> Bool {
    guard arePlacesConsistent(), occupiedCells() == table.count, let sums = sumsOfSlots() else {
      return false
    }
    for number in partitions.indices {
      let state = partitions[number]
      guard state.count == sums.partitionCounts[number], state.byteCount == sums.partitionBytes[number],
        isPartitionListWhole(number)
      else { return false }
    }
    for number in places.indices {
      guard let place = places[number] else { continue }
      guard place.live == sums.segmentBytes[number], place.live <= place.scanned - SegmentHeader.byteCount,
        isSegmentListWhole(place, count: sums.segmentCounts[number])
      else { return false }
    }
    return isFreeListWhole(count: sums.free)
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

  private func occupiedCells() -> Int {
    var count = 0
    for position in 0...table.mask where table.cells[position] != 0 { count += 1 }
    return count
  }

  // MARK: Slots

  /// Checks each slot by itself and its cell in the table; nil if one is not as it must be.
  private func sumsOfSlots() -> Sums? {
    var sums = Sums(
      partitionCounts: Array(repeating: 0, count: partitions.count),
      partitionBytes: Array(repeating: 0, count: partitions.count),
      segmentCounts: Array(repeating: 0, count: places.count),
      segmentBytes: Array(repeating: 0, count: places.count))
    let ends = places.map { $0?.scanned ?? 0 }
    for number in slots.indices {
      guard hasValidFlags(number) else { return nil }
      let slot = slots[number]
      guard slot.partition >= 0 else {
        guard slot.partition == -1 else { return nil }
        sums.free += 1
        continue
      }
      let (partition, segment) = (Int(slot.partition), Int(slot.segment))
      guard partition < partitions.count, segment >= 0, segment < ends.count,
        slot.offset >= SegmentHeader.byteCount, slot.offset + slot.length <= ends[segment],
        slot.headLength >= EntryHeader.byteCount, slot.headLength <= slot.length,
        slot.sequence < nextSequence, hasCell(number, slot)
      else { return nil }
      sums.partitionCounts[partition] += 1
      sums.partitionBytes[partition] += slot.length
      sums.segmentCounts[segment] += 1
      sums.segmentBytes[segment] += slot.length
    }
    return sums
  }

  /// Looks at the two bytes that become booleans, which must be zero or one, before anything reads them as such. No
  /// date waits to be written in an index that is stored.
  private func hasValidFlags(_ number: Int) -> Bool {
    let bytes = UnsafeRawPointer(slots.base + number)
    return bytes.load(fromByteOffset: 68, as: UInt8.self) <= 1
      && bytes.load(fromByteOffset: 69, as: UInt8.self) == 0
  }

  /// Whether a search for the slot's key ends at the slot. It passes all cells with the same tag that lie before, so of
  /// two slots with one key the second one finds the first. `occupiedCells` has found an empty cell, where it ends.
  private func hasCell(_ number: Int, _ slot: SegmentIndex.Slot) -> Bool {
    let tag = SegmentIndex.tag(slot.key, partition: Int(slot.partition))
    let wanted = SlotTable.cell(tag, number)
    var position = Int(tag) & table.mask
    while true {
      let cell = table.cells[position]
      if cell == wanted { return true }
      if cell == 0 { return false }
      if SlotTable.tag(cell) == tag {
        let other = SlotTable.slot(cell)
        guard other >= 0, other < slots.count else { return false }
        if slots.base[other].key == slot.key, slots.base[other].partition == slot.partition { return false }
      }
      position = (position &+ 1) & table.mask
    }
  }

  // MARK: Lists

  // Every walk ends: a slot counts only if it names the one before it, so no slot comes twice.

  private func isPartitionListWhole(_ number: Int) -> Bool {
    var (previous, next, count) = (Int32(-1), partitions[number].newest, 0)
    while next >= 0 {
      guard next < slots.count else { return false }
      let slot = slots.base + Int(next)
      guard slot.pointee.partition == number, slot.pointee.newer == previous else { return false }
      (previous, next, count) = (next, slot.pointee.older, count + 1)
    }
    return next == -1 && previous == partitions[number].oldest && count == partitions[number].count
  }

  private func isSegmentListWhole(_ place: StoredIndex.Place, count wanted: Int) -> Bool {
    var (previous, next, count) = (Int32(-1), place.first, 0)
    while next >= 0 {
      guard next < slots.count else { return false }
      let slot = slots.base + Int(next)
      guard slot.pointee.partition >= 0, slot.pointee.segment == place.number,
        slot.pointee.previousInSegment == previous
      else { return false }
      (previous, next, count) = (next, slot.pointee.nextInSegment, count + 1)
    }
    return next == -1 && count == wanted
  }

  private func isFreeListWhole(count wanted: Int) -> Bool {
    var (next, count) = (free, 0)
    while next >= 0 {
      guard next < slots.count, slots.base[Int(next)].partition == -1, count < wanted else { return false }
      (next, count) = (slots.base[Int(next)].older, count + 1)
    }
    return next == -1 && count == wanted
  }
}
