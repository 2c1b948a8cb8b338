#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file `index`: the index in memory as it is, little-endian, behind 96 bytes of header:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `OZUindx\n` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | length of this header, 96 |
/// | 16, 24 | 8, 8 | number of slots (72 bytes each); number of cells (8 bytes each), a power of two |
/// | 32, 40 | 8, 8 | number of entries; first free slot, or -1 |
/// | 48, 56 | 8, 8 | next sequence number; next segment number |
/// | 64, 68 | 4, 4 | number of partitions; number of segment places |
/// | 72 | 8 | bytes of partitions and segment places together |
/// | 80 | 8 | XXH64 of everything but bytes 80–95 (chained: header, slots, cells, rest; the first seed is 0) |
/// | 88 | 8 | `OZUclean` if it was stored when its writer closed, else zero |
///
/// Then come the slots, the cells, the partitions and the segment places. It is mapped as a private copy and used
/// where it lies, so opening costs the checksum and nothing per entry.
///
/// The file may be older than the segments: what was appended since is scanned, segments that are gone take
/// their entries along, and entries that died since say so when they are read. It may not be newer:
/// a segment shorter than the index says makes it damaged. A damaged index, or one of another version, is not
/// used; the segments have everything that it has.
struct StoredIndex {
  static let fileName = "index"
  static let headerLength = 96
  static let slotLength = 72
  private static let version: UInt32 = 1
  private static let magic: UInt64 = 0x0a78_646e_6955_5a4f
  private static let clean: UInt64 = 0x6e61_656c_6355_5a4f
  private static let cleanOffset = 88

  /// A segment the index knows of, at its place.
  struct Place {
    let name: String
    let number: Int
    let scanned: Int
    let live: Int
    let first: Int32
    let age: UInt64
  }

  let index: SegmentIndex
  let places: [Place]
  let nextSequence: UInt64
  let nextNumber: UInt64
  let isClean: Bool

  // MARK: Writing

  /// The bytes of a file for the index as it is now.
  static func encode(
    _ index: SegmentIndex, nextSequence: UInt64, nextNumber: UInt64, isClean: Bool
  ) -> FileBytes {
    index.table.finishGrowing()
    let tail = encodedTail(of: index)
    let (slots, cells) = (index.slots.count * slotLength, (index.table.mask + 1) * 8)
    let file = FileBytes(.allocate(byteCount: headerLength + slots + cells + tail.count, alignment: 16)) {
      $0.deallocate()
    }
    let bytes = file.bytes
    bytes.set(magic, at: 0)
    bytes.set(version, at: 8)
    bytes.set(UInt32(headerLength), at: 12)
    bytes.set(UInt64(index.slots.count), at: 16)
    bytes.set(UInt64(index.table.mask + 1), at: 24)
    bytes.set(UInt64(index.table.count), at: 32)
    bytes.set(Int64(index.free), at: 40)
    bytes.set(nextSequence, at: 48)
    bytes.set(nextNumber, at: 56)
    bytes.set(UInt32(index.partitions.count), at: 64)
    bytes.set(UInt32(index.segments.count), at: 68)
    bytes.set(UInt64(tail.count), at: 72)
    let base = bytes.baseAddress!
    (base + headerLength).copyMemory(from: index.slots.base, byteCount: slots)
    (base + headerLength + slots).copyMemory(from: index.table.cells, byteCount: cells)
    tail.withUnsafeBytes {
      (base + headerLength + slots + cells).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    bytes.set(checksum(UnsafeRawBufferPointer(bytes), slots: slots, cells: cells), at: 80)
    bytes.set(isClean ? clean : 0, at: cleanOffset)
    return file
  }

  private static func encodedTail(of index: SegmentIndex) -> [UInt8] {
    var tail: [UInt8] = []
    func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
      withUnsafeBytes(of: number.littleEndian) { tail += $0 }
    }
    for number in index.partitions.indices {
      let state = index.partitions[number]
      append(Int64(state.byteCount))
      append(Int64(state.count))
      append(state.newest)
      append(state.oldest)
      append(UInt16(state.partition.name.utf8.count))
      tail += Array(state.partition.name.utf8)
    }
    for number in index.segments.indices {
      let segment = index.segments[number]
      append(segment?.file.number ?? 0)
      // A salt is never zero: zero is an empty place.
      append(segment?.file.salt ?? 0)
      append(Int64(segment?.scanned ?? 0))
      append(Int64(segment?.live ?? 0))
      append(segment?.age ?? 0)
      append(segment?.first ?? -1)
    }
    return tail
  }

  /// Says in the file that its writer has not closed.
  static func markUnclean(_ file: any OpenFile) throws(DiskCacheError) {
    var failure: DiskCacheError?
    withUnsafeBytes(of: UInt64(0)) { zero in
      do throws(DiskCacheError) {
        try file.write([zero], at: cleanOffset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  // MARK: Reading

  /// The index in these bytes; nil if they are damaged or of another version.
  init?(_ file: FileBytes, capacity: (Partition) -> Int) {
    let bytes = UnsafeRawBufferPointer(file.bytes)
    guard bytes.count >= Self.headerLength, bytes.integer(at: 0, as: UInt64.self) == Self.magic,
      bytes.integer(at: 8, as: UInt32.self) == Self.version,
      bytes.integer(at: 12, as: UInt32.self) == Self.headerLength
    else { return nil }
    let counts = (bytes.integer(at: 16, as: UInt64.self), bytes.integer(at: 24, as: UInt64.self))
    let tailLength = bytes.integer(at: 72, as: UInt64.self)
    guard counts.0 < 1 << 31, counts.1 < 1 << 33, counts.1 > 0, counts.1.nonzeroBitCount == 1,
      tailLength < 1 << 32
    else { return nil }
    let (slots, cells) = (Int(counts.0) * Self.slotLength, Int(counts.1) * 8)
    // The layout of a slot in memory is the layout in the file.
    guard MemoryLayout<SegmentIndex.Slot>.stride == Self.slotLength, 1.littleEndian == 1,
      bytes.count == Self.headerLength + slots + cells + Int(tailLength),
      Self.checksum(bytes, slots: slots, cells: cells) == bytes.integer(at: 80, as: UInt64.self)
    else { return nil }
    nextSequence = bytes.integer(at: 48)
    nextNumber = bytes.integer(at: 56)
    isClean = bytes.integer(at: Self.cleanOffset, as: UInt64.self) == Self.clean
    index = SegmentIndex()
    index.slots.deallocate()
    index.table.deallocate()
    index.slots = SlotStorage(count: Int(counts.0), at: Self.headerLength, of: file)
    index.table = SlotTable(
      count: Int(bytes.integer(at: 32, as: UInt64.self)), cellCount: Int(counts.1),
      at: Self.headerLength + slots, of: file)
    index.free = Int32(truncatingIfNeeded: bytes.integer(at: 40, as: Int64.self))
    var reader = Reader(rest: UnsafeRawBufferPointer(rebasing: bytes[(Self.headerLength + slots + cells)...]))
    for _ in 0..<bytes.integer(at: 64, as: UInt32.self) { reader.partition(into: index, capacity: capacity) }
    var places: [Place] = []
    let placeCount = Int(bytes.integer(at: 68, as: UInt32.self))
    for number in 0..<placeCount {
      if let place = reader.place(number) { places.append(place) }
    }
    self.places = places
    index.segments = Array(repeating: nil, count: placeCount)
    index.unverifiedBelow = isClean ? 0 : nextSequence
  }

  /// Enters an open segment at its place.
  func fill(_ place: Place, with file: SegmentFile, size: Int) {
    index.segments[place.number] = SegmentIndex.Segment(
      file: file, size: size, scanned: place.scanned, live: place.live, first: place.first, age: place.age)
    index.totalByteCount += size
  }

  /// Forgets the entries of a segment that is gone.
  func drop(_ place: Place) {
    var next = place.first
    // Their segment has no state to be kept any more, only their partitions have.
    while next >= 0 {
      let following = index.slots[Int(next)].nextInSegment
      index.remove(Int(next))
      next = following
    }
  }

  private struct Reader {
    var rest: UnsafeRawBufferPointer

    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>() -> T {
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<T>.size...]) }
      return rest.integer(at: 0)
    }

    mutating func partition(into index: SegmentIndex, capacity: (Partition) -> Int) {
      let (byteCount, count): (Int64, Int64) = (integer(), integer())
      let (newest, oldest): (Int32, Int32) = (integer(), integer())
      let length: UInt16 = integer()
      let name = Partition(String(decoding: rest[..<Int(length)], as: UTF8.self))
      rest = UnsafeRawBufferPointer(rebasing: rest[Int(length)...])
      let number = index.number(of: name, capacity: capacity)
      index.partitions[number].byteCount = Int(byteCount)
      index.partitions[number].count = Int(count)
      index.partitions[number].newest = newest
      index.partitions[number].oldest = oldest
      index.liveByteCount += Int(byteCount)
    }

    mutating func place(_ index: Int) -> Place? {
      let (number, salt): (UInt64, UInt64) = (integer(), integer())
      let (scanned, live): (Int64, Int64) = (integer(), integer())
      let age: UInt64 = integer()
      let first: Int32 = integer()
      guard salt != 0 else { return nil }
      let name = SegmentHeader(number: number, salt: salt, created: 0).fileName
      return Place(
        name: name, number: index, scanned: Int(scanned), live: Int(live), first: first, age: age)
    }
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, slots: Int, cells: Int) -> UInt64 {
    var sum: UInt64 = 0
    var start = 0
    for end in [80, headerLength + slots, headerLength + slots + cells, bytes.count] {
      sum = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), seed: sum)
      start = max(end, headerLength)
    }
    return sum
  }
}
