/// One page of the index: the entries whose hash values begin with the same bits. It has 4096 bytes, with the same layout
/// in memory and in the file `pages` (tables in `Documentation/the-disk-cache.md`), except that an entry in memory has the
/// segment's number in the index.
///
/// A page does not refer to other pages, so it can be checked by itself.
///
/// The owner of a page calls `deallocate()`. The subscripts check positions against the capacity, so a count from a
/// file cannot lead outside the page.
struct IndexPage: @unchecked Sendable {
  // Sendable: the index owns its pages and guards them with its lock.
  static let byteCount = 4096
  static let capacity = 75
  static let versionOffset = 8
  static let countOffset = 12
  static let depthOffset = 14
  static let prefixOffset = 16
  private static let tagsOffset = 32
  static let entriesOffset = 184
  static let entryLength = 52
  static let segmentOffset = 44

  let bytes: UnsafeMutableRawBufferPointer

  init(depth: Int, prefix: UInt64) {
    bytes = .allocate(byteCount: Self.byteCount, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes[Self.depthOffset] = UInt8(depth)
    bytes.set(prefix, at: Self.prefixOffset)
  }

  func deallocate() { bytes.deallocate() }

  private var readable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }

  var count: Int { Int(readable.integer(at: Self.countOffset, as: UInt16.self)) }
  var depth: Int { Int(bytes[Self.depthOffset]) }
  var prefix: UInt64 { readable.integer(at: Self.prefixOffset) }
  var version: UInt32 { readable.integer(at: Self.versionOffset) }
  /// The entry of the file `index` for this page: the version in the high half, the number of entries in the low
  /// half.
  var stamp: UInt64 { UInt64(version) << 32 | UInt64(count) }

  private func setCount(_ count: Int) { bytes.set(UInt16(count), at: Self.countOffset) }

  /// Adds one bit of the hash values to the shared prefix.
  func deepen(to depth: Int) { bytes[Self.depthOffset] = UInt8(depth) }

  // MARK: Search

  /// The position of a key's entry.
  ///
  /// All tags are compared in vectors before any result is read, because most searches find no equal tag. The last
  /// vector extends into the first entry. That is harmless, because positions are compared with the count.
  @inline(__always)
  func find(_ key: CacheKey, partition: Int, hash: UInt64) -> Int? {
    let tag = UInt16(truncatingIfNeeded: hash).littleEndian
    let pattern = SIMD16<UInt16>(repeating: tag)
    let base = UnsafeRawPointer(bytes.baseAddress!) + Self.tagsOffset
    let first = base.load(as: SIMD16<UInt16>.self) .== pattern
    let second = base.load(fromByteOffset: 32, as: SIMD16<UInt16>.self) .== pattern
    let third = base.load(fromByteOffset: 64, as: SIMD16<UInt16>.self) .== pattern
    let fourth = base.load(fromByteOffset: 96, as: SIMD16<UInt16>.self) .== pattern
    let fifth = base.load(fromByteOffset: 128, as: SIMD16<UInt16>.self) .== pattern
    guard any(first .| second .| third .| fourth .| fifth) else { return nil }
    for position in 0..<min(count, Self.capacity)
    where base.load(fromByteOffset: position * 2, as: UInt16.self) == tag
      && holds(key, partition, at: position)
    {
      return position
    }
    return nil
  }

  private func holds(_ key: CacheKey, _ partition: Int, at position: Int) -> Bool {
    let offset = Self.offset(of: position)
    return readable.integer(at: offset, as: UInt64.self) == key.high
      && readable.integer(at: offset + 8, as: UInt64.self) == key.low
      && Int(readable.integer(at: offset + 48, as: UInt16.self)) == partition
  }

  private static func offset(of position: Int) -> Int {
    precondition(position >= 0 && position < capacity)
    return entriesOffset + position * entryLength
  }

  // MARK: Entries

  subscript(position: Int) -> IndexEntry {
    get {
      let offset = Self.offset(of: position)
      return IndexEntry(
        key: CacheKey(high: readable.integer(at: offset), low: readable.integer(at: offset + 8)),
        partition: Int(readable.integer(at: offset + 48, as: UInt16.self)),
        segment: Int(readable.integer(at: offset + Self.segmentOffset, as: UInt32.self)),
        sequence: readable.integer(at: offset + 16), accessed: readable.integer(at: offset + 24),
        offset: Int(readable.integer(at: offset + 32, as: UInt32.self)) * 8,
        length: Int(readable.integer(at: offset + 36, as: UInt32.self)) * 8,
        headLength: Int(readable.integer(at: offset + 40, as: UInt32.self)),
        isReferenced: bytes[offset + 50] & 1 != 0)
    }
    nonmutating set {
      let offset = Self.offset(of: position)
      bytes.set(newValue.key.high, at: offset)
      bytes.set(newValue.key.low, at: offset + 8)
      bytes.set(newValue.sequence, at: offset + 16)
      bytes.set(newValue.accessed, at: offset + 24)
      bytes.set(UInt32(truncatingIfNeeded: newValue.offset / 8), at: offset + 32)
      bytes.set(UInt32(truncatingIfNeeded: newValue.length / 8), at: offset + 36)
      bytes.set(UInt32(truncatingIfNeeded: newValue.headLength), at: offset + 40)
      bytes.set(UInt32(truncatingIfNeeded: newValue.segment), at: offset + Self.segmentOffset)
      bytes.set(UInt16(truncatingIfNeeded: newValue.partition), at: offset + 48)
      bytes[offset + 50] = newValue.isReferenced ? 1 : 0
      bytes[offset + 51] = 0
    }
  }

  func touch(_ position: Int, at date: Int64) {
    let offset = Self.offset(of: position)
    bytes.set(date, at: offset + 24)
    bytes[offset + 50] = 1
  }

  /// Adds an entry to a page that is not full.
  func append(_ entry: IndexEntry, hash: UInt64) {
    let position = count
    self[position] = entry
    bytes.set(UInt16(truncatingIfNeeded: hash), at: Self.tagsOffset + position * 2)
    setCount(position + 1)
  }

  /// Removes an entry; the last entry of the page takes its position.
  func remove(_ position: Int) {
    let last = count - 1
    precondition(position >= 0 && position <= last)
    if position < last {
      let (from, to) = (Self.offset(of: last), Self.offset(of: position))
      UnsafeMutableRawBufferPointer(rebasing: bytes[to..<to + Self.entryLength])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + Self.entryLength]))
      bytes.set(tag(last), at: Self.tagsOffset + position * 2)
    }
    setCount(last)
  }

  func tag(_ position: Int) -> UInt16 { readable.integer(at: Self.tagsOffset + position * 2) }

  // MARK: In the file

  /// Sets the version and the checksum in the bytes of a page before it is written.
  static func seal(
    _ bytes: UnsafeMutableRawBufferPointer, number: Int, version: UInt32, epoch: UInt64
  ) {
    bytes.set(version, at: versionOffset)
    bytes.set(checksum(UnsafeRawBufferPointer(bytes), number: number, epoch: epoch), at: 0)
  }

  /// Reads a page; nil if it is damaged, belongs to another epoch, or does not exist.
  static func read(
    _ number: Int, from source: IndexPages.Source
  ) throws(DiskCacheError) -> IndexPage? {
    let page = IndexPage(depth: 0, prefix: 0)
    do throws(DiskCacheError) {
      let count = try source.file.read(into: page.bytes, at: number * byteCount)
      let sum: UInt64 = page.readable.integer(at: 0)
      if count == byteCount, sum == checksum(page.readable, number: number, epoch: source.epoch),
        page.count <= capacity
      {
        return page
      }
    } catch {
      page.deallocate()
      throw error
    }
    page.deallocate()
    return nil
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, number: Int, epoch: UInt64) -> UInt64 {
    let seed = epoch ^ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    return Checksum64.of(UnsafeRawBufferPointer(rebasing: bytes[8..<byteCount]), seed: seed)
  }
}

struct IndexEntry {
  var key: CacheKey
  /// The number of the partition.
  var partition: Int
  /// The number of the segment in the index.
  var segment: Int
  var sequence: UInt64
  /// Nanoseconds since 1970.
  var accessed: Int64
  /// The offset of the record in its segment and its length, in bytes; both are multiples of eight.
  var offset: Int
  var length: Int
  /// The bytes of the record before its body.
  var headLength: Int
  /// Whether the entry was used since it was written to this segment.
  var isReferenced = false

  /// The time since the last use. A date in the future, from before the clock was set back, counts as longer ago
  /// than every date in the past: otherwise each new entry would be the oldest one.
  func age(at date: Int64) -> UInt64 { UInt64(bitPattern: date &- accessed) }

  /// Whether the last use was longer ago than that of another entry. Of two uses at one time, the entry that was stored first.
  func wasUsed(before other: Self, at date: Int64) -> Bool {
    (age(at: date), other.sequence) > (other.age(at: date), sequence)
  }
}
