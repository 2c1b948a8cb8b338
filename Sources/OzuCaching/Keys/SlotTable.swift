/// An open-addressing index from 32-bit hash tags to slot numbers of some other array.
///
/// It keeps no keys: the owner compares them in its slots when tags agree. One cell is eight bytes (tag above,
/// slot + 1 below, zero when empty); probing is linear and removal shifts followers back, so there are
/// no tombstones and lookups never degrade.
///
/// Adding, finding and removing is O(1) expected as long as tags are spread; growing doubles the table.
@usableFromInline
struct SlotTable: Sendable {
  @usableFromInline var cells: ContiguousArray<UInt64>
  @usableFromInline var mask: Int
  @usableFromInline var count = 0

  @inlinable
  init() {
    cells = ContiguousArray(repeating: 0, count: 16)
    mask = 15
  }

  @inlinable @inline(__always)
  static func tag(_ cell: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: cell >> 32) }

  @inlinable @inline(__always)
  static func slot(_ cell: UInt64) -> Int { Int(cell & 0xffff_ffff) &- 1 }

  /// The slot with this tag for which `matches` holds.
  @inlinable @inline(__always)
  func find(_ tag: UInt32, where matches: (Int) -> Bool) -> Int? {
    var position = Int(tag) & mask
    while true {
      let cell = cells[position]
      if cell == 0 { return nil }
      if Self.tag(cell) == tag, matches(Self.slot(cell)) { return Self.slot(cell) }
      position = (position &+ 1) & mask
    }
  }

  /// Adds a slot that is not in the table yet.
  @inlinable
  mutating func insert(_ tag: UInt32, slot: Int) {
    if (count &+ 1) &* 3 > cells.count &* 2 { grow() }
    place(UInt64(tag) << 32 | UInt64(slot &+ 1))
    count &+= 1
  }

  /// Removes a slot that is in the table.
  @inlinable
  mutating func remove(_ tag: UInt32, slot: Int) {
    let cell = UInt64(tag) << 32 | UInt64(slot &+ 1)
    var hole = Int(tag) & mask
    while cells[hole] != cell {
      if cells[hole] == 0 { return }
      hole = (hole &+ 1) & mask
    }
    count &-= 1
    var next = hole
    while true {
      next = (next &+ 1) & mask
      let follower = cells[next]
      if follower == 0 { break }
      // A follower may move into the hole unless its home lies cyclically after the hole.
      let home = Int(Self.tag(follower)) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        cells[hole] = follower
        hole = next
      }
    }
    cells[hole] = 0
  }

  @inlinable
  mutating func place(_ cell: UInt64) {
    var position = Int(Self.tag(cell)) & mask
    while cells[position] != 0 { position = (position &+ 1) & mask }
    cells[position] = cell
  }

  @usableFromInline
  mutating func grow() {
    let old = cells
    cells = ContiguousArray(repeating: 0, count: old.count &* 2)
    mask = cells.count &- 1
    for cell in old where cell != 0 { place(cell) }
  }
}
