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
/// `MemoryShard` has the queues and nodes.
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
  @usableFromInline static var promotion: UInt8 { 2 }
  /// The largest number of hits that is counted.
  @usableFromInline static var mostHits: UInt8 { 3 }

  /// The small queue's share of the cache.
  @usableFromInline private(set) var smallShare = Self.initialShare
  /// Whether an entry was evicted yet; until then the cache is filling.
  @usableFromInline private(set) var hasEvicted = false
  /// The number of entries that the memory of evicted tags is sized for.
  @usableFromInline private(set) var expected = 32
  private var smallGhosts = GhostSet(window: Self.whole)
  private var mainGhosts = GhostSet(window: Self.nearMissOfMain)

  @usableFromInline
  init() {}

  /// Frees the tables of remembered tags. The owner calls this last.
  @usableFromInline
  func deallocate() {
    smallGhosts.deallocate()
    mainGhosts.deallocate()
  }

  /// Whether a new entry, which takes `part` of `total`, joins the main queue directly. Adapts the small queue's
  /// share if the tag is remembered.
  @usableFromInline
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
  @usableFromInline
  mutating func noteEviction(of tag: UInt32, fromMain: Bool, part: Int, of total: Int) {
    hasEvicted = true
    let share = Self.share(part, of: total)
    if fromMain { mainGhosts.insert(tag, share: share) } else { smallGhosts.insert(tag, share: share) }
  }

  /// Whether the small queue has its share, or more, of both queues together.
  @inlinable
  func isSmallFull(_ small: Int, _ main: Int) -> Bool {
    Double(small) * 1_048_576 >= Double(small &+ main) * Double(smallShare)
  }

  /// The share of the cache that `part` of `total` is, at most the whole.
  @inlinable
  static func share(_ part: Int, of total: Int) -> UInt32 {
    part >= total ? 1 << 20 : UInt32(Double(part) / Double(total) * 1_048_576)
  }

  /// Makes room for twice as many evicted tags as there are entries, because evicted entries may be smaller.
  @usableFromInline
  mutating func expect(_ entries: Int) {
    smallGhosts.grow(toCapacity: entries &* 2)
    mainGhosts.grow(toCapacity: entries / 2)
    expected = smallGhosts.capacity / 2
  }
}
