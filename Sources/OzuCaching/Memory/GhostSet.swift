#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Remembers the tags of recently evicted entries, at eight bytes each.
///
/// Its clock counts evictions, not time: each eviction advances it by the evicted share of the cache, where
/// `AdaptiveS3FIFO.whole` is the whole cache. A tag is forgotten when the clock has advanced by `window`. In a
/// bucket of four cells a new tag replaces the oldest. A rare false answer only changes an eviction decision.
///
/// When the set grows, it starts a larger table that is empty and still searches the former one until all its tags
/// are forgotten. Nothing is moved, so no single eviction pays for the growth.
@usableFromInline
struct GhostSet: @unchecked Sendable {
  // Sendable: one owner, which cannot be copied, holds the one value and deallocates it, as for `SlotTable`.
  private var cells: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private var former: UnsafeMutablePointer<UInt64>?
  private var formerMask = 0
  /// The clock at the moment when the former table was replaced.
  private var left: UInt32 = 0
  /// Starts at one so that an empty cell is never current.
  private var clock: UInt32 = 1
  private let window: UInt32

  init(window: UInt32) {
    self.window = window
    cells = SlotTable.makeCells(128)
    mask = 127
  }

  func deallocate() {
    free(cells)
    free(former)
  }

  /// The number of tags that the set has room for.
  var capacity: Int { (mask &+ 1) / 2 }

  @inline(__always)
  private static func bucket(_ tag: UInt32, mask: Int) -> Int {
    // The table of entries uses the low bits of the tag; a multiplication spreads them differently.
    let mixed = UInt64(tag) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 32) & mask & ~3
  }

  @inline(__always)
  private func age(_ cell: UInt64) -> UInt32 { clock &- UInt32(truncatingIfNeeded: cell) }

  /// Records an eviction that freed this share of the cache.
  @inline(__always)
  mutating func insert(_ tag: UInt32, share: UInt32) {
    let bucket = cells + Self.bucket(tag, mask: mask)
    var oldest = 0
    var oldestAge: UInt64 = 0
    for position in 0..<4 {
      let cell = bucket[position]
      // An empty cell counts as older than any other, and so does a cell with the same tag.
      let age = cell == 0 || SlotTable.tag(cell) == tag ? 1 << 32 : UInt64(age(cell))
      if age >= oldestAge { (oldest, oldestAge) = (position, age) }
    }
    clock &+= max(1, share)
    if former != nil, clock &- left > window {
      free(former)
      former = nil
    }
    bucket[oldest] = UInt64(tag) &<< 32 | UInt64(clock)
  }

  /// The share of the cache that was evicted since the tag was, or nil if the tag is not remembered. Forgets the
  /// tag.
  @inline(__always)
  mutating func remove(_ tag: UInt32) -> UInt32? {
    var cell = Self.take(tag, from: cells, mask: mask)
    if cell == 0, let former { cell = Self.take(tag, from: former, mask: formerMask) }
    guard cell != 0, age(cell) <= window else { return nil }
    return age(cell)
  }

  /// Empties the cell of a tag and returns its former content; zero if there is none.
  @inline(__always)
  private static func take(_ tag: UInt32, from cells: UnsafeMutablePointer<UInt64>, mask: Int) -> UInt64 {
    let bucket = cells + bucket(tag, mask: mask)
    for position in 0..<4 {
      let cell = bucket[position]
      if SlotTable.tag(cell) == tag, cell != 0 {
        bucket[position] = 0
        return cell
      }
    }
    return 0
  }

  /// Makes room for at least `wanted` tags.
  mutating func grow(toCapacity wanted: Int) {
    guard wanted > capacity else { return }
    var size = (mask &+ 1) &* 2
    while size < wanted &* 2 { size &*= 2 }
    free(former)
    (former, formerMask, left) = (cells, mask, clock)
    cells = SlotTable.makeCells(size)
    mask = size &- 1
  }
}
