@testable import OzuCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a stored index, which a test changes field by field. The checksum of the result is right, so nothing but
/// the fields themselves tells that it is forged.
struct IndexEditor {
  private(set) var bytes: [UInt8]
  let slotCount: Int
  let cellCount: Int
  /// Where each partition and each place begins.
  private(set) var partitions: [Int] = []
  private(set) var places: [Int] = []

  init(_ index: Data) {
    bytes = Array(index)
    slotCount = Int(Self.integer(bytes, 16, UInt64.self))
    cellCount = Int(Self.integer(bytes, 24, UInt64.self))
    var offset = StoredIndex.headerLength + slotCount * StoredIndex.slotLength + cellCount * 8
    for _ in 0..<Self.integer(bytes, 64, UInt32.self) {
      partitions.append(offset)
      offset += 26 + Int(Self.integer(bytes, offset + 24, UInt16.self))
    }
    for _ in 0..<Self.integer(bytes, 68, UInt32.self) {
      places.append(offset)
      offset += 44
    }
  }

  private static func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: [UInt8], _ offset: Int, _ type: T.Type
  ) -> T {
    bytes.withUnsafeBytes { $0.integer(at: offset) }
  }

  func get<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: T.Type = T.self) -> T {
    Self.integer(bytes, offset, type)
  }

  mutating func set<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ value: T) {
    bytes.withUnsafeMutableBytes { $0.set(value, at: offset) }
  }

  mutating func append(_ more: [UInt8]) { bytes += more }

  mutating func copy(_ count: Int, from source: Int, to target: Int) {
    bytes.replaceSubrange(target..<target + count, with: Array(bytes[source..<source + count]))
  }

  // MARK: Parts

  func slot(_ number: Int) -> Int { StoredIndex.headerLength + number * StoredIndex.slotLength }
  func cell(_ position: Int) -> Int { slot(slotCount) + position * 8 }

  /// The slot of a key.
  func slot(of key: CacheKey) -> Int {
    (0..<slotCount).first {
      get(slot($0), UInt64.self) == key.high && get(slot($0) + 8, UInt64.self) == key.low
        && get(slot($0) + 44, Int32.self) >= 0
    } ?? 0
  }

  /// Fills the cells anew from the slots, under the seed of the file.
  mutating func fillCells() {
    let seed = TableSeed(first: get(StoredIndex.seedOffset), second: get(StoredIndex.seedOffset + 8))
    for position in 0..<cellCount { set(cell(position), UInt64(0)) }
    for number in 0..<slotCount {
      let (offset, partition) = (slot(number), get(slot(number) + 44, Int32.self))
      guard partition >= 0 else { continue }
      let tag = seed.tag(CacheKey(high: get(offset), low: get(offset + 8)), partition: Int(partition))
      var position = Int(tag) & (cellCount - 1)
      while get(cell(position), UInt64.self) != 0 { position = (position + 1) & (cellCount - 1) }
      set(cell(position), SlotTable.cell(tag, number))
    }
  }

  /// A slot that is free.
  var freeSlot: Int { (0..<slotCount).first { get(slot($0) + 44, Int32.self) < 0 } ?? 0 }

  /// The bytes with the checksum that fits them.
  var sealed: Data {
    var sealed = self
    let (slots, cells) = (slotCount * StoredIndex.slotLength, cellCount * 8)
    let sum = bytes.withUnsafeBytes { StoredIndex.checksum($0, slots: slots, cells: cells) }
    sealed.set(80, sum)
    return Data(sealed.bytes)
  }
}
