// Decodes the bytes of the file.
extension StoredIndex {
  /// Decodes the file `index`. Nil if it has another version, is damaged, or its numbers contradict each other.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerLength, bytes.integer(at: 0, as: UInt64.self) == Self.magic,
      bytes.integer(at: 8, as: UInt32.self) == Self.version,
      bytes.integer(at: 12, as: UInt32.self) == Self.headerLength, 1.littleEndian == 1,
      Self.checksum(bytes) == bytes.integer(at: Self.checksumOffset, as: UInt64.self)
    else { return nil }
    epoch = bytes.integer(at: 16)
    seed = TableSeed(first: bytes.integer(at: 24), second: bytes.integer(at: 32))
    nextSequence = bytes.integer(at: 48)
    nextNumber = bytes.integer(at: 56)
    isClean = bytes.integer(at: Self.cleanOffset, as: UInt64.self) == Self.clean
    unverifiedBelow = bytes.integer(at: Self.unverifiedOffset)
    let pageCount = Int(bytes.integer(at: 72, as: UInt32.self))
    let depth = Int(bytes.integer(at: 76, as: UInt32.self))
    guard let count = Int(exactly: bytes.integer(at: 40, as: UInt64.self)), count < 1 << 40,
      nextSequence < LogNumbers.exhausted, nextNumber < LogNumbers.segmentsExhausted, depth <= 32,
      pageCount > 0,
      1 << depth <= pageCount * Self.cellsPerPage
    else { return nil }
    self.count = count
    var reader = Reader(rest: UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength...]))
    partitions = []
    places = []
    for _ in 0..<bytes.integer(at: 64, as: UInt32.self) {
      guard let sums = reader.partition() else { return nil }
      partitions.append(sums)
    }
    for _ in 0..<bytes.integer(at: 68, as: UInt32.self) {
      guard let place = reader.place() else { return nil }
      places.append(place)
    }
    guard let stamps = reader.numbers(pageCount, as: UInt64.self),
      let directory = reader.numbers(1 << depth, as: UInt32.self), reader.rest.isEmpty
    else { return nil }
    (self.stamps, self.directory) = (stamps, directory)
    guard isConsistent() else { return nil }
  }

  /// Whether the numbers agree with each other, so that using them never leaves memory, never loops and never
  /// traps. The content of pages is checked when they are read.
  private func isConsistent() -> Bool {
    guard Set(partitions.map(\.partition)).count == partitions.count,
      partitions.count <= SegmentIndex.partitionLimit,
      partitions.reduce(0, { $0 &+ $1.count }) == count,
      Set(places.map { UInt32(truncatingIfNeeded: $0.segmentNumber) }).count == places.count
    else { return false }
    // When the writer closed, all sums were taken at one moment.
    if isClean {
      let byteCount = partitions.reduce(0) { $0 &+ $1.byteCount }
      guard places.reduce(0, { $0 &+ $1.live }) == byteCount,
        stamps.reduce(0, { $0 &+ Int($1 & 0xffff_ffff) }) == count
      else { return false }
    }
    for place in places {
      guard place.segmentNumber < nextNumber, place.age <= nextNumber, place.salt != 0,
        place.scanned >= SegmentHeader.byteCount, place.scanned < SegmentFile.largestByteCount,
        place.live >= 0,
        place.live <= place.scanned - SegmentHeader.byteCount
      else { return false }
    }
    return isDirectoryConsistent()
  }

  /// Whether each page has one run of cells whose length is a power of two and which begins at a multiple of its
  /// length.
  private func isDirectoryConsistent() -> Bool {
    var isSeen = [Bool](repeating: false, count: stamps.count)
    var (first, pageCount) = (0, 0)
    while first < directory.count {
      let number = directory[first]
      var end = first + 1
      while end < directory.count, directory[end] == number { end += 1 }
      let length = end - first
      guard number < stamps.count, !isSeen[Int(number)], length.nonzeroBitCount == 1, first % length == 0
      else { return false }
      isSeen[Int(number)] = true
      pageCount += 1
      first = end
    }
    return pageCount == stamps.count
  }

  /// Reads numbers from the rest of the file; nil after its end.
  private struct Reader {
    var rest: UnsafeRawBufferPointer

    private mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
      guard rest.count >= count else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
      return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    /// The next partition; nil if it is damaged.
    mutating func partition() -> PartitionSums? {
      guard let sums = bytes(18), let count = Int(exactly: sums.integer(at: 8, as: Int64.self)), count >= 0,
        let byteCount = Int(exactly: sums.integer(at: 0, as: Int64.self)), byteCount >= 0,
        byteCount < 1 << 62, count < 1 << 40,
        let name = bytes(Int(sums.integer(at: 16, as: UInt16.self)))
      else { return nil }
      let partition = Partition(String(decoding: name, as: UTF8.self))
      guard partition.name.utf8.elementsEqual(name) else { return nil }
      return PartitionSums(partition: partition, byteCount: byteCount, count: count)
    }

    mutating func place() -> Place? {
      bytes(StoredIndex.placeLength).map { bytes in
        Place(
          segmentNumber: bytes.integer(at: 0), salt: bytes.integer(at: 8),
          scanned: Int(truncatingIfNeeded: bytes.integer(at: 16, as: Int64.self)),
          live: Int(truncatingIfNeeded: bytes.integer(at: 24, as: Int64.self)), age: bytes.integer(at: 32))
      }
    }

    mutating func numbers<T: FixedWidthInteger & BitwiseCopyable>(
      _ count: Int, as type: T.Type
    ) -> ContiguousArray<T>? {
      guard let bytes = bytes(count * MemoryLayout<T>.size) else { return nil }
      return ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initialized in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
        initialized = count
      }
    }
  }
}
