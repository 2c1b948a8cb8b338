// How the bytes of the file become an index.
extension StoredIndex {
  /// The lengths of the parts, as the header tells them.
  struct Layout {
    let slotCount: Int
    let cellCount: Int
    let entryCount: Int
    let partitionCount: Int
    let placeCount: Int
    private let tailByteCount: Int

    var slotsEnd: Int { StoredIndex.headerLength + slotCount * StoredIndex.slotLength }
    var cellsEnd: Int { slotsEnd + cellCount * 8 }
    /// The length of the whole file.
    var byteCount: Int { cellsEnd + tailByteCount }

    /// Reads a header; nil if it is of another version, or if its numbers cannot be those of an index.
    init?(_ header: UnsafeRawBufferPointer) {
      guard header.count >= StoredIndex.headerLength,
        header.integer(at: 0, as: UInt64.self) == StoredIndex.magic,
        header.integer(at: 8, as: UInt32.self) == StoredIndex.version,
        header.integer(at: 12, as: UInt32.self) == StoredIndex.headerLength,
        // The layout of a slot in memory is the layout in the file.
        MemoryLayout<SegmentIndex.Slot>.stride == StoredIndex.slotLength, 1.littleEndian == 1
      else { return nil }
      let (slots, cells): (UInt64, UInt64) = (header.integer(at: 16), header.integer(at: 24))
      let (entries, tail): (UInt64, UInt64) = (header.integer(at: 32), header.integer(at: 72))
      // A table that is at most two thirds full has an empty cell, which every search for an absent key needs.
      guard slots < 1 << 31, cells < 1 << 33, cells.nonzeroBitCount == 1, tail < 1 << 32, entries <= slots,
        entries * 3 <= cells * 2
      else { return nil }
      (slotCount, cellCount, entryCount) = (Int(slots), Int(cells), Int(entries))
      tailByteCount = Int(tail)
      partitionCount = Int(header.integer(at: 64, as: UInt32.self))
      placeCount = Int(header.integer(at: 68, as: UInt32.self))
    }
  }

  /// The index in these bytes, which it keeps and changes; nil if they are damaged, of another version, or not
  /// consistent.
  ///
  /// - Complexity: O(slots + cells).
  init?(_ file: FileBytes, capacity: (Partition) -> Int) {
    let bytes = UnsafeRawBufferPointer(file.bytes)
    guard let layout = Layout(bytes), layout.byteCount == bytes.count,
      Self.checksum(bytes, slots: layout.slotsEnd - Self.headerLength, cells: layout.cellCount * 8)
        == bytes.integer(at: 80, as: UInt64.self)
    else { return nil }
    nextSequence = bytes.integer(at: 48)
    nextNumber = bytes.integer(at: 56)
    isClean = bytes.integer(at: Self.cleanOffset, as: UInt64.self) == Self.clean
    index = SegmentIndex()
    var reader = Reader(rest: UnsafeRawBufferPointer(rebasing: bytes[layout.cellsEnd...]))
    for _ in 0..<layout.partitionCount {
      guard reader.partition(into: index, capacity: capacity) else { return nil }
    }
    var places: [Place?] = []
    for number in 0..<layout.placeCount {
      guard let salt = reader.salt(), let place = reader.place(number) else { return nil }
      places.append(salt == 0 ? nil : place)
    }
    guard reader.rest.isEmpty, let free = Int32(exactly: bytes.integer(at: 40, as: Int64.self)),
      nextSequence < LogNumbers.exhausted, nextNumber < LogNumbers.exhausted
    else { return nil }
    let slots = SlotStorage(count: layout.slotCount, at: Self.headerLength, of: file)
    let table = SlotTable(
      count: layout.entryCount, cellCount: layout.cellCount, at: layout.slotsEnd, of: file)
    let seed = TableSeed(
      first: bytes.integer(at: Self.seedOffset), second: bytes.integer(at: Self.seedOffset + 8))
    let check = StoredIndexCheck(
      slots: slots, table: table, seed: seed, partitions: index.partitions, places: places, free: free,
      nextSequence: nextSequence, nextNumber: nextNumber)
    guard check.isConsistent() else { return nil }
    index.slots.deallocate()
    index.table.deallocate()
    index.slots = slots
    index.table = table
    index.seed = seed
    index.free = free
    index.segments = Array(repeating: nil, count: places.count)
    index.unverifiedBelow = isClean ? 0 : nextSequence
    self.places = places.compactMap { $0 }
  }

  /// Reads numbers from the partitions and places; nil where the bytes end.
  private struct Reader {
    var rest: UnsafeRawBufferPointer

    private mutating func integer<T: FixedWidthInteger & BitwiseCopyable>() -> T? {
      guard rest.count >= MemoryLayout<T>.size else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<T>.size...]) }
      return rest.integer(at: 0, as: T.self)
    }

    /// Enters the next partition; false if it is damaged or if there is another of its name.
    mutating func partition(into index: SegmentIndex, capacity: (Partition) -> Int) -> Bool {
      guard let byteCount: Int64 = integer(), let count: Int64 = integer(), let newest: Int32 = integer(),
        let oldest: Int32 = integer(), let length: UInt16 = integer(), rest.count >= Int(length)
      else { return false }
      let bytes = rest[..<Int(length)]
      let partition = Partition(String(decoding: bytes, as: UTF8.self))
      rest = UnsafeRawBufferPointer(rebasing: rest[Int(length)...])
      guard partition.name.utf8.elementsEqual(bytes), index.partitionNumbers[partition] == nil,
        byteCount >= 0, byteCount < 1 << 62
      else { return false }
      let number = index.number(of: partition, capacity: capacity)
      index.partitions[number].byteCount = Int(byteCount)
      index.partitions[number].count = Int(count)
      index.partitions[number].newest = newest
      index.partitions[number].oldest = oldest
      index.liveByteCount &+= Int(byteCount)
      return true
    }

    /// The salt of the next place, which stays the next one.
    func salt() -> UInt64? {
      rest.count >= 16 ? rest.integer(at: 8, as: UInt64.self) : nil
    }

    mutating func place(_ index: Int) -> Place? {
      guard let number: UInt64 = integer(), let salt: UInt64 = integer(), let scanned: Int64 = integer(),
        let live: Int64 = integer(), let age: UInt64 = integer(), let first: Int32 = integer()
      else { return nil }
      let name = SegmentHeader(number: number, salt: salt, created: 0).fileName
      return Place(
        name: name, number: index, segmentNumber: number, scanned: Int(scanned), live: Int(live),
        first: first,
        age: age)
    }
  }
}
