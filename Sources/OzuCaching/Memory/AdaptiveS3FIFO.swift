/// Which queue a newcomer joins and which queue gives: S3-FIFO (Yang, Zhang, Qiu, Yue, Vigfusson: "FIFO queues are
/// all you need for cache eviction", SOSP 2023) with a small queue that finds its size.
///
/// A newcomer enters a small queue. At its tail it moves to the main queue if it was hit twice meanwhile, else it
/// leaves and its tag is remembered while as much as the whole cache leaves after it; a newcomer that is
/// remembered goes straight to the main queue. At the main queue's tail an entry that was hit goes around again
/// with one hit less. So one pass over a thousand pictures flows through the small queue and never touches the
/// main one, and a hit is one counter: nothing is relinked.
///
/// Ours. The small queue's share starts at a tenth and moves between 1 % and 90 %, in the manner of ARC (Megiddo
/// and Modha, FAST 2003): a newcomer that left the small queue only just now, within a tenth of
/// the cache, shows that the queue is too short, and makes it longer by the newcomer's own share; one that left the
/// main queue within a fifth of the cache makes it shorter. Only such near misses count, because a loop that is far
/// longer than the cache makes ghosts by the thousand that no size of the queue would turn into hits. A cache that
/// fills for the first time lets the small queue overflow into the main one, which costs nobody a place.
///
/// The figures were found on the traces and workloads that the benchmark `eviction` replays. Shares are by cost or by
/// count, whichever limit is being enforced. The policy knows tags and shares, no entries: queues and
/// nodes are `MemoryShard`'s.
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
  /// The hits that are counted at most.
  @usableFromInline static var mostHits: UInt8 { 3 }

  /// The small queue's share of the cache.
  @usableFromInline private(set) var smallShare = Self.initialShare
  /// Whether anything has left yet; until then the cache is filling.
  @usableFromInline private(set) var hasEvicted = false
  /// The entries there is room to remember for.
  @usableFromInline private(set) var expected = 32
  private var smallGhosts = GhostSet(window: Self.whole)
  private var mainGhosts = GhostSet(window: Self.nearMissOfMain)

  @usableFromInline
  init() {}

  /// Gives back the memory of what is remembered; the last thing its owner does with it.
  @usableFromInline
  func deallocate() {
    smallGhosts.deallocate()
    mainGhosts.deallocate()
  }

  /// Whether a newcomer, which takes `part` of `total`, goes straight to the main queue. Learns from what is
  /// remembered of it.
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

  /// Notes that an entry, which took `part` of `total`, left from the tail of a queue.
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

  /// The share that `part` is of the cache, at most the whole.
  @inlinable
  static func share(_ part: Int, of total: Int) -> UInt32 {
    part >= total ? 1 << 20 : UInt32(Double(part) / Double(total) * 1_048_576)
  }

  /// Makes room to remember twice as many departures as there are entries: those that left may be smaller.
  @usableFromInline
  mutating func expect(_ entries: Int) {
    smallGhosts.grow(toCapacity: entries &* 2)
    mainGhosts.grow(toCapacity: entries / 2)
    expected = smallGhosts.capacity / 2
  }
}
