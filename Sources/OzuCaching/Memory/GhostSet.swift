#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Remembers the tags of what left a queue lately, at eight bytes each.
///
/// Time is what departed: every departure moves the clock on by the share of the cache that left, in units of
/// `AdaptiveS3FIFO.whole` to the whole cache, and a tag is forgotten when `window` has departed since.
/// Buckets of four cells replace their oldest. A rare false answer only changes an eviction decision.
///
/// Growing makes a larger table that starts empty and keeps the former one for asking, until all that is in it is
/// forgotten: nothing is moved, so no departure pays for the crowd.
@usableFromInline
struct GhostSet: @unchecked Sendable {
  // Sendable: one owner, which cannot be copied, holds the one value and deallocates it, as for `SlotTable`.
  private var cells: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private var former: UnsafeMutablePointer<UInt64>?
  private var formerMask = 0
  /// The clock when the former table was left.
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

  /// How many tags there is room for.
  var capacity: Int { (mask &+ 1) / 2 }

  @inline(__always)
  private static func bucket(_ tag: UInt32, mask: Int) -> Int {
    // The table of entries uses the low bits of the tag; a multiplication spreads them anew.
    let mixed = UInt64(tag) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> 32) & mask & ~3
  }

  @inline(__always)
  private func age(_ cell: UInt64) -> UInt32 { clock &- UInt32(truncatingIfNeeded: cell) }

  /// Notes a departure that took this share of the cache.
  @inline(__always)
  mutating func insert(_ tag: UInt32, share: UInt32) {
    let bucket = cells + Self.bucket(tag, mask: mask)
    var oldest = 0
    var oldestAge: UInt64 = 0
    for position in 0..<4 {
      let cell = bucket[position]
      // An empty cell is older than any, and so is one with the same tag.
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

  /// How much departed since the tag did, or nil if it is not remembered; it is forgotten by asking.
  @inline(__always)
  mutating func remove(_ tag: UInt32) -> UInt32? {
    var cell = Self.take(tag, from: cells, mask: mask)
    if cell == 0, let former { cell = Self.take(tag, from: former, mask: formerMask) }
    guard cell != 0, age(cell) <= window else { return nil }
    return age(cell)
  }

  /// Empties the cell of a tag and returns what it was; zero if there is none.
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

  /// Makes room for at least so many tags.
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
