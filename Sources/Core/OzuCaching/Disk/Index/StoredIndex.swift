/// The file `index`: everything of the index except the pages, which are in the file `pages` (`IndexPage`).
/// `Documentation/the-disk-cache.md` has the tables of both.
///
/// If its writer closed, it is clean: the pages are exactly those that the stamps describe, and are read when they are needed.
/// Otherwise pages were written in place and added since, so all of them are read, in these versions or later ones
/// (`SegmentIndex.recover`). The index must not be newer than the segments: a segment that is shorter than it says makes it
/// unusable, and so does a page that is damaged or older than its stamp. It is replaced as a whole, but it is short: about 20 bytes
/// per page.
struct StoredIndex {
  static let fileName = "index"
  static let newFileName = "index.new"
  static let pagesFileName = "pages"
  static let headerLength = 112
  /// The size for five hundred million entries. A larger file is not read.
  static let largestByteCount = 1 << 28
  static let version: UInt32 = 3
  static let magic: UInt64 = 0x0a78_646e_6955_5a4f
  static let clean: UInt64 = 0x6e61_656c_6355_5a4f
  static let checksumOffset = 80
  static let cleanOffset = 88
  static let unverifiedOffset = 96
  static let segmentStateLength = 40
  /// The most cells of the directory per page: a random seed does not produce more.
  static let cellsPerPage = 32

  struct SegmentState {
    let segmentNumber: UInt64
    let salt: UInt64
    let scanned: Int
    let live: Int
    let age: UInt64

    var name: String { SegmentHeader(number: segmentNumber, salt: salt, created: 0).fileName }
  }

  var epoch: UInt64
  var seed: TableSeed
  var count: Int
  var nextSequence: UInt64
  var nextNumber: UInt64
  var partitions: ContiguousArray<SegmentIndex.PartitionState>
  var segmentStates: [SegmentState]
  var stamps: ContiguousArray<UInt64>
  var directory: ContiguousArray<UInt32>
  var isClean: Bool
  /// Entries with lower sequence numbers may be dead on disk, even if the writer closed.
  var unverifiedBelow: UInt64

  /// The bytes of the file.
  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.headerLength)
    bytes.reserveCapacity(
      bytes.count + partitions.count * 48 + segmentStates.count * Self.segmentStateLength
        + stamps.count * 8 + directory.count * 4)
    func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for sums in partitions {
      append(Int64(sums.byteCount))
      append(Int64(sums.count))
      append(UInt16(sums.partition.name.utf8.count))
      bytes.append(contentsOf: sums.partition.name.utf8)
    }
    for state in segmentStates {
      append(state.segmentNumber)
      append(state.salt)
      append(Int64(state.scanned))
      append(Int64(state.live))
      append(state.age)
    }
    // These arrays have the same layout in memory and in the file.
    stamps.withUnsafeBytes { bytes.append(contentsOf: $0) }
    directory.withUnsafeBytes { bytes.append(contentsOf: $0) }
    bytes.withUnsafeMutableBytes { bytes in
      bytes.set(Self.magic, at: 0)
      bytes.set(Self.version, at: 8)
      bytes.set(UInt32(Self.headerLength), at: 12)
      bytes.set(epoch, at: 16)
      bytes.set(seed.first, at: 24)
      bytes.set(seed.second, at: 32)
      bytes.set(UInt64(count), at: 40)
      bytes.set(nextSequence, at: 48)
      bytes.set(nextNumber, at: 56)
      bytes.set(UInt32(partitions.count), at: 64)
      bytes.set(UInt32(segmentStates.count), at: 68)
      bytes.set(UInt32(stamps.count), at: 72)
      bytes.set(UInt32(directory.count.trailingZeroBitCount), at: 76)
      bytes.set(unverifiedBelow, at: Self.unverifiedOffset)
      bytes.set(isClean ? Self.clean : 0, at: Self.cleanOffset)
      bytes.set(Self.checksum(UnsafeRawBufferPointer(bytes)), at: Self.checksumOffset)
    }
    return bytes
  }

  /// The checksum of all bytes except itself and the word that says whether the writer closed.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let head = Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[..<checksumOffset]), seed: 0)
    return Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[(cleanOffset + 8)...]), seed: head)
  }
}

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
    segmentStates = []
    for _ in 0..<bytes.integer(at: 64, as: UInt32.self) {
      guard let sums = reader.partition() else { return nil }
      partitions.append(sums)
    }
    for _ in 0..<bytes.integer(at: 68, as: UInt32.self) {
      guard let state = reader.state() else { return nil }
      segmentStates.append(state)
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
      // Memory is reserved for a part of the entries of a partition before their pages are read.
      stamps.allSatisfy({ Int($0 & 0xffff_ffff) <= IndexPage.capacity }),
      Set(segmentStates.map { UInt32(truncatingIfNeeded: $0.segmentNumber) }).count == segmentStates.count
    else { return false }
    // When the writer closed, all sums were taken at one moment.
    if isClean {
      let byteCount = partitions.reduce(0) { $0 &+ $1.byteCount }
      guard segmentStates.reduce(0, { $0 &+ $1.live }) == byteCount,
        stamps.reduce(0, { $0 &+ Int($1 & 0xffff_ffff) }) == count
      else { return false }
    }
    for state in segmentStates {
      guard state.segmentNumber < nextNumber, state.age <= nextNumber, state.salt != 0,
        state.scanned >= SegmentHeader.byteCount, state.scanned < SegmentFile.largestByteCount,
        state.live >= 0,
        state.live <= state.scanned - SegmentHeader.byteCount
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
    mutating func partition() -> SegmentIndex.PartitionState? {
      guard let sums = bytes(18), let count = Int(exactly: sums.integer(at: 8, as: Int64.self)), count >= 0,
        let byteCount = Int(exactly: sums.integer(at: 0, as: Int64.self)), byteCount >= 0,
        byteCount < 1 << 62, count < 1 << 40,
        let name = bytes(Int(sums.integer(at: 16, as: UInt16.self)))
      else { return nil }
      let partition = Partition(String(decoding: name, as: UTF8.self))
      guard partition.name.utf8.elementsEqual(name) else { return nil }
      return SegmentIndex.PartitionState(partition: partition, byteCount: byteCount, count: count)
    }

    mutating func state() -> SegmentState? {
      bytes(StoredIndex.segmentStateLength).map { bytes in
        SegmentState(
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
