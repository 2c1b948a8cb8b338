/// The file `index`: the index in memory as it is, little-endian, behind 112 bytes of header:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `OZUindx\n` |
/// | 8 | 4 | format version, 2 |
/// | 12 | 4 | length of this header, 112 |
/// | 16, 24 | 8, 8 | number of slots (72 bytes each); number of cells (8 bytes each), a power of two |
/// | 32, 40 | 8, 8 | number of entries; first free slot, or -1 |
/// | 48, 56 | 8, 8 | next sequence number; next segment number |
/// | 64, 68 | 4, 4 | number of partitions; number of segment places |
/// | 72 | 8 | bytes of partitions and segment places together |
/// | 80 | 8 | XXH64 of everything but bytes 80–95 (chained: bytes 0–79, bytes 96–111 with the slots, cells, rest; the first seed is 0) |
/// | 88 | 8 | `OZUclean` if it was stored when its writer closed, else zero |
/// | 96, 104 | 8, 8 | the seed of the table (`TableSeed`): under it the cells are where they are |
///
/// Then come the slots, the cells, the partitions and the segment places. The file is read into memory, checked
/// (`isConsistent`) and used as it lies there. It is not mapped: a file that somebody cuts while it is mapped ends the
/// process.
///
/// The checksum has no secret: it finds damage, and does not tell who wrote the file. So every number is checked before
/// it is used. An index that passes cannot make the cache crash or loop, and a fetch compares the record that the index
/// points at with the key that was asked for.
///
/// The file may be older than the segments: what was appended since is scanned, segments that are gone take
/// their entries along, and entries that died since say so when they are read. It may not be newer:
/// a segment shorter than the index says makes it damaged. A damaged index, or one of another version, is removed by
/// the writer and built anew; the segments have everything that it has.
struct StoredIndex {
  static let fileName = "index"
  static let headerLength = 112
  static let slotLength = 72
  /// An index of fifty million entries. A longer one is not read.
  static let largestByteCount = 1 << 32
  static let version: UInt32 = 2
  static let magic: UInt64 = 0x0a78_646e_6955_5a4f
  static let clean: UInt64 = 0x6e61_656c_6355_5a4f
  static let cleanOffset = 88
  static let seedOffset = 96

  /// A segment the index knows of, at its place.
  struct Place {
    let name: String
    /// The place's position in the index.
    let number: Int
    let segmentNumber: UInt64
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
    bytes.set(index.seed.first, at: seedOffset)
    bytes.set(index.seed.second, at: seedOffset + 8)
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

  /// Enters an open segment at its place.
  func fill(_ place: Place, with file: SegmentFile, size: Int) {
    index.segments[place.number] = SegmentIndex.Segment(
      file: file, size: size, scanned: place.scanned, live: place.live, first: place.first, age: place.age)
    index.totalByteCount += size
  }

  /// Forgets the entries of a segment that is gone.
  func drop(_ place: Place) {
    // Their segment has no state to be kept any more, only their partitions have.
    for slot in index.slots(from: place.first, live: place.live, inSegment: place.number) {
      index.remove(slot)
    }
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer, slots: Int, cells: Int) -> UInt64 {
    var sum: UInt64 = 0
    var start = 0
    for end in [80, headerLength + slots, headerLength + slots + cells, bytes.count] {
      sum = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), seed: sum)
      start = max(end, seedOffset)
    }
    return sum
  }
}
