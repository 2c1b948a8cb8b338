#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open-addressing hash table from 32-bit hash tags to slot numbers of another storage.
///
/// It stores no keys: the owner compares keys in its slots when tags agree. A cell has eight bytes: the tag in the
/// upper half, slot + 1 in the lower half; an empty cell is zero. Probing is linear, and a removal shifts the
/// following cells back, so lookups do not become slower with time.
///
/// Growing is incremental, so that no single insertion pays for the whole table. The larger table starts empty
/// (fresh pages of the system are zero already), and every insertion moves sixteen cells of the former table.
/// Lookups search both tables until the move ends, which is long before the next growth. A cell that left the
/// former table becomes a tombstone there, so that its probe chains stay whole.
///
/// Cells are raw memory, because the bounds checks and uniqueness checks of an array cost more than a probe. Every
/// position is masked to the table's size before use.
@usableFromInline
struct SlotTable: @unchecked Sendable {
  // Sendable: one owner, which cannot be copied, holds the one value and calls `deallocate()` in its `deinit`. A
  // `deinit` here would keep the compiler from inlining the table into callers in other modules.
  @usableFromInline var cells: UnsafeMutablePointer<UInt64>
  @usableFromInline var mask: Int
  @usableFromInline var count = 0
  @usableFromInline var former: UnsafeMutablePointer<UInt64>?
  @usableFromInline var formerMask = 0
  /// Cells of the former table before this one have moved.
  @usableFromInline var moved = 0

  /// A cell of the former table that was moved or removed. It names no slot, so it equals the cell of no entry.
  @usableFromInline static var tombstone: UInt64 { 0xffff_ffff_0000_0000 }

  @usableFromInline
  init() {
    cells = Self.makeCells(16)
    mask = 15
  }

  @usableFromInline
  func deallocate() {
    free(cells)
    free(former)
  }

  /// Moves all remaining cells of a growth that has begun, so that `cells` is complete.
  mutating func finishGrowing() {
    while former != nil { moveSome() }
  }

  @usableFromInline
  static func makeCells(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    guard let memory = calloc(count, MemoryLayout<UInt64>.stride) else {
      fatalError("No memory for \(count) cells")
    }
    return memory.bindMemory(to: UInt64.self, capacity: count)
  }

  @inlinable @inline(__always)
  static func tag(_ cell: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: cell >> 32) }

  @inlinable @inline(__always)
  static func slot(_ cell: UInt64) -> Int { Int(cell & 0xffff_ffff) &- 1 }

  @inlinable @inline(__always)
  static func cell(_ tag: UInt32, _ slot: Int) -> UInt64 { UInt64(tag) << 32 | UInt64(slot &+ 1) }

  /// The slot with this tag for which `matches` holds.
  @inlinable @inline(__always)
  func find(_ tag: UInt32, where matches: (Int) -> Bool) -> Int? {
    var position = Int(tag) & mask
    while true {
      let cell = cells[position]
      if cell == 0 { break }
      if Self.tag(cell) == tag, matches(Self.slot(cell)) { return Self.slot(cell) }
      position = (position &+ 1) & mask
    }
    guard let former else { return nil }
    position = Int(tag) & formerMask
    while true {
      let cell = former[position]
      if cell == 0 { return nil }
      if Self.tag(cell) == tag, cell != Self.tombstone, matches(Self.slot(cell)) {
        return Self.slot(cell)
      }
      position = (position &+ 1) & formerMask
    }
  }

  /// Adds a slot that is not in the table yet.
  @inlinable
  mutating func insert(_ tag: UInt32, slot: Int) {
    if former != nil { moveSome() }
    if (count &+ 1) &* 3 > (mask &+ 1) &* 2 { grow() }
    place(Self.cell(tag, slot))
    count &+= 1
  }

  /// Removes a slot that is in the table.
  @inlinable
  mutating func remove(_ tag: UInt32, slot: Int) {
    let cell = Self.cell(tag, slot)
    var hole = Int(tag) & mask
    while cells[hole] != cell {
      if cells[hole] == 0 {
        removeFormer(cell)
        return
      }
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
  mutating func removeFormer(_ cell: UInt64) {
    guard let former else { return }
    var position = Int(Self.tag(cell)) & formerMask
    while former[position] != cell {
      if former[position] == 0 { return }
      position = (position &+ 1) & formerMask
    }
    former[position] = Self.tombstone
    count &-= 1
  }

  @usableFromInline
  mutating func moveSome() {
    guard let former else { return }
    let end = min(moved &+ 16, formerMask &+ 1)
    while moved < end {
      let cell = former[moved]
      if cell != 0, cell != Self.tombstone {
        place(cell)
        former[moved] = Self.tombstone
      }
      moved &+= 1
    }
    if moved > formerMask {
      free(former)
      self.former = nil
    }
  }

  @usableFromInline
  mutating func grow() {
    // Sixteen cells move per insertion and the table doubles, so the former move ended long ago; this is a
    // safeguard.
    finishGrowing()
    (former, formerMask, moved) = (cells, mask, 0)
    let size = (mask &+ 1) &* 2
    cells = Self.makeCells(size)
    mask = size &- 1
  }
}
