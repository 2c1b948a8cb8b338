/// Decides which queue a new entry joins and which queue gives up an entry: S3-FIFO (Yang, Zhang, Qiu, Yue,
/// Vigfusson: "FIFO queues are all you need for cache eviction", SOSP 2023) with a small queue that adapts its
/// size.
///
/// A new entry joins the small queue. At the tail of the small queue it moves to the main queue if it was hit
/// twice, and is evicted otherwise. The tag of an evicted entry is remembered until as much as the whole cache was
/// evicted after it; a new entry with a remembered tag joins the main queue directly. At the tail of the main queue
/// an entry with hits returns to the head with one hit less. So one pass over a thousand pictures flows through the
/// small queue and never touches the main queue. A hit raises one counter and relinks nothing.
///
/// Not from the paper: the small queue's share starts at a tenth and moves between 1 % and 90 %, similar to ARC
/// (Megiddo and Modha, FAST 2003). If a new entry was evicted from the small queue recently, within a tenth of the
/// cache, the queue is too short and grows by the entry's share. If it was evicted from the main queue within a
/// fifth of the cache, the small queue shrinks. Only such near misses count, because a loop that is far longer than
/// the cache leaves thousands of tags that no size of the queue would turn into hits. While a cache fills for the
/// first time, the small queue overflows into the main one; nothing is evicted for that.
///
/// The figures were found with the traces and workloads of the benchmark `eviction`. Shares are measured by cost or
/// by count, depending on the limit that is enforced. The policy knows tags and shares but no entries:
/// `EvictionQueues` has the queues.
@usableFromInline
struct AdaptiveS3FIFO: Sendable {
  /// The share that is the whole cache.
  static var whole: UInt32 { 1 << 20 }

  private static var initialShare: UInt32 { whole / 10 }
  private static var smallestShare: UInt32 { whole / 100 }
  private static var largestShare: UInt32 { whole / 10 * 9 }
  private static var nearMissOfSmall: UInt32 { whole / 10 }
  private static var nearMissOfMain: UInt32 { whole / 5 }

  /// The hits that carry an entry from the small queue to the main one.
  @usableFromInline static var promotion: UInt32 { 2 }
  /// The largest number of hits that is counted.
  @usableFromInline static var mostHits: UInt32 { 3 }

  private(set) var smallShare = Self.initialShare
  /// Whether an entry was evicted yet; until then the cache is filling.
  private(set) var hasEvicted = false
  /// The number of entries that the memory of evicted tags is sized for.
  private(set) var expected = 32
  private var smallGhosts = GhostSet(window: Self.whole)
  private var mainGhosts = GhostSet(window: Self.nearMissOfMain)

  /// Whether a new entry, which takes `part` of `total`, joins the main queue directly. Adapts the small queue's
  /// share if the tag is remembered.
  mutating func admitsToMain(_ tag: UInt32, part: Int, of total: Int) -> Bool {
    guard hasEvicted else { return false }
    if mainGhosts.remove(tag) != nil {
      let share = Self.share(part, of: total)
      smallShare = max(Self.smallestShare, smallShare &- min(smallShare, share))
    }
    guard let age = smallGhosts.remove(tag) else { return false }
    let share = Self.share(part, of: total)
    if age <= max(Self.nearMissOfSmall, share) { smallShare = min(Self.largestShare, smallShare &+ share) }
    return true
  }

  /// Records that an entry, which took `part` of `total`, was evicted from the tail of a queue.
  mutating func noteEviction(of tag: UInt32, fromMain: Bool, part: Int, of total: Int) {
    hasEvicted = true
    let share = Self.share(part, of: total)
    if fromMain { mainGhosts.insert(tag, share: share) } else { smallGhosts.insert(tag, share: share) }
  }

  /// Whether the small queue has its share, or more, of both queues together.
  func isSmallFull(_ small: Int, _ main: Int) -> Bool {
    Double(small) * 1_048_576 >= Double(small &+ main) * Double(smallShare)
  }

  /// The share of the cache that `part` of `total` is, at most the whole.
  static func share(_ part: Int, of total: Int) -> UInt32 {
    part >= total ? 1 << 20 : UInt32(Double(part) / Double(total) * 1_048_576)
  }

  /// Makes room for twice as many evicted tags as there are entries, because evicted entries may be smaller.
  mutating func expect(_ entries: Int) {
    smallGhosts.grow(toCapacity: entries &* 2)
    mainGhosts.grow(toCapacity: entries / 2)
    expected = smallGhosts.capacity / 2
  }
}

/// Remembers the tags of recently evicted entries, at eight bytes each: the tag in the upper half of a cell, the clock
/// at its eviction in the lower half. An empty cell is zero.
///
/// The clock counts evictions, not time: each eviction advances it by the evicted share of the cache, where
/// `AdaptiveS3FIFO.whole` is the whole cache. A tag is forgotten when the clock has advanced by `window`. In a
/// bucket of four cells a new tag replaces the oldest. A rare false answer only changes an eviction decision.
struct GhostSet: Sendable {
  private var cells = [UInt64](repeating: 0, count: 128)
  /// Starts at one so that an empty cell is never current.
  private var clock: UInt32 = 1
  private let window: UInt32

  init(window: UInt32) { self.window = window }

  var capacity: Int { cells.count / 2 }

  private func bucket(_ tag: UInt32) -> Range<Int> {
    // The parts of the dictionary use the low bits of the tag; a multiplication spreads them differently.
    let mixed = UInt64(tag) &* 0x9E37_79B9_7F4A_7C15
    let start = Int(truncatingIfNeeded: mixed &>> 32) & (cells.count &- 1) & ~3
    return start..<start &+ 4
  }

  private func age(_ cell: UInt64) -> UInt32 { clock &- UInt32(truncatingIfNeeded: cell) }

  /// Puts a cell in place of the oldest of its bucket. An empty cell counts as older than any other, and so does a
  /// cell with the same tag.
  private mutating func put(_ cell: UInt64) {
    let tag = cell &>> 32
    var (oldest, oldestAge) = (0, UInt64.zero)
    for position in bucket(UInt32(truncatingIfNeeded: tag)) {
      let other = cells[position]
      let age = other == 0 || other &>> 32 == tag ? 1 << 32 : UInt64(age(other))
      if age >= oldestAge { (oldest, oldestAge) = (position, age) }
    }
    cells[oldest] = cell
  }

  /// Records an eviction that freed this share of the cache.
  mutating func insert(_ tag: UInt32, share: UInt32) {
    clock &+= max(1, share)
    put(UInt64(tag) &<< 32 | UInt64(clock))
  }

  /// The share of the cache that was evicted since the tag was, or nil if the tag is not remembered. Forgets the
  /// tag.
  mutating func remove(_ tag: UInt32) -> UInt32? {
    for position in bucket(tag) where cells[position] &>> 32 == UInt64(tag) && cells[position] != 0 {
      let age = age(cells[position])
      cells[position] = 0
      return age <= window ? age : nil
    }
    return nil
  }

  /// Makes room for at least `wanted` tags.
  mutating func grow(toCapacity wanted: Int) {
    guard wanted > capacity else { return }
    var size = cells.count &* 2
    while size < wanted &* 2 { size &*= 2 }
    let former = cells
    cells = [UInt64](repeating: 0, count: size)
    for cell in former where cell != 0 && age(cell) <= window { put(cell) }
  }
}
