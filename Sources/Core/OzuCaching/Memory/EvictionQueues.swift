/// The two queues of a memory cache, its limits and its counts: which entry leaves next. Keys and values are in the
/// parts of the dictionary (`MemoryTable`); an entry is a node here, with a number that its cell knows.
///
/// Nodes are linked by number in one array. A freed node goes to a free list, so steady use allocates nothing.
@usableFromInline
struct EvictionQueues: ~Copyable, Sendable {
  /// The limit that makes an entry leave.
  @usableFromInline
  enum Measure: Sendable {
    case cost
    case count
    /// Memory is short. The queue is chosen by cost, as for the cost limit.
    case pressure
  }

  struct Node {
    var tag: UInt32
    var isInMain = false
    var cost: Int
    /// Nanoseconds on the cache's clock at which the entry expires; `.max` for never.
    var deadline: Int64
    var previous: Int32 = -1
    /// The next node of the queue or of the free list.
    var next: Int32 = -1
  }

  /// Nodes enter at the head and leave at the tail.
  struct Queue {
    var head: Int32 = -1
    var tail: Int32 = -1
    var count = 0
    var cost = 0
  }

  /// The entry at the tail of a queue.
  @usableFromInline
  struct Tail {
    @usableFromInline let node: Int
    @usableFromInline let tag: UInt32
    @usableFromInline let isInMain: Bool

    /// The hits that carry the entry to the head of the main queue.
    @usableFromInline var promotion: UInt32 { isInMain ? 1 : AdaptiveS3FIFO.promotion }
  }

  /// A cell has 29 bits for the number of a node.
  private static let mostNodes = 1 << 29

  @usableFromInline private(set) var costLimit: Int
  @usableFromInline private(set) var countLimit: Int
  /// All counts but those of lookups, which each part of the dictionary has.
  @usableFromInline var statistics = MemoryCacheStatistics()
  private(set) var small = Queue()
  private(set) var main = Queue()
  private(set) var nodes = ContiguousArray<Node>()
  private var free: Int32 = -1
  private var policy = AdaptiveS3FIFO()

  init(costLimit: Int, countLimit: Int) {
    (self.costLimit, self.countLimit) = (0, 0)
    limit(cost: costLimit, count: countLimit)
  }

  @usableFromInline
  mutating func limit(cost: Int? = nil, count: Int? = nil) {
    if let cost { costLimit = max(0, cost) }
    if let count { countLimit = max(0, count) }
  }

  @usableFromInline var count: Int { small.count &+ main.count }
  @usableFromInline var totalCost: Int { small.cost &+ main.cost }

  @usableFromInline
  func deadline(of node: Int) -> Int64 { nodes[node].deadline }

  // This and `tail` are mutating only because the compiler passes copies of all 232 bytes otherwise: a seventh of an
  // insertion that evicts.
  /// The limit that has no room for one more entry of this cost.
  @usableFromInline
  mutating func lacksRoom(for cost: Int) -> Measure? {
    if cost > costLimit &- totalCost { return .cost }
    return count >= min(countLimit, Self.mostNodes &- 1) ? .count : nil
  }

  // MARK: Entries that come and go

  /// Makes a node that is in no queue yet.
  @usableFromInline
  mutating func makeNode(_ tag: UInt32, cost: Int, deadline: Int64) -> Int {
    let node = Node(tag: tag, cost: cost, deadline: deadline)
    guard free >= 0 else {
      nodes.append(node)
      return nodes.count &- 1
    }
    let number = Int(free)
    free = nodes[number].next
    nodes[number] = node
    return number
  }

  /// Adds a new node to its queue.
  @usableFromInline
  mutating func admit(_ number: Int) {
    statistics.insertions &+= 1
    if policy.hasEvicted {
      let node = nodes[number]
      let (part, total) = part(node.cost)
      nodes[number].isInMain = policy.admitsToMain(node.tag, part: part, of: total)
      link(number)
    } else {
      link(number)
      overflowWhileFilling()
    }
    if count > policy.expected { policy.expect(count) }
  }

  /// Changes the cost of a node whose value was replaced.
  ///
  /// - Returns: Whether there is room. If not, the node is in no queue until `resume`, so that it is not evicted.
  @usableFromInline
  mutating func replace(_ number: Int, cost: Int, deadline: Int64) -> Bool {
    statistics.replacements &+= 1
    nodes[number].deadline = deadline
    let growth = cost &- nodes[number].cost
    guard growth <= costLimit &- totalCost else {
      unlink(number)
      nodes[number].cost = cost
      return false
    }
    nodes[number].cost = cost
    if nodes[number].isInMain { main.cost &+= growth } else { small.cost &+= growth }
    return true
  }

  /// Puts a node at the head of the queue that it was in.
  @usableFromInline
  mutating func resume(_ number: Int) { link(number) }

  @usableFromInline
  mutating func remove(_ number: Int) {
    unlink(number)
    discard(number)
  }

  /// Frees a node that is in no queue.
  @usableFromInline
  mutating func discard(_ number: Int) {
    nodes[number].next = free
    free = Int32(truncatingIfNeeded: number)
  }

  /// Frees the memory of all nodes and forgets the evicted ones, if there is no entry.
  mutating func releaseIfEmpty() {
    guard count == 0 else { return }
    let (former, limits) = (statistics, (costLimit, countLimit))
    self = EvictionQueues(costLimit: limits.0, countLimit: limits.1)
    statistics = former
  }

  // MARK: Eviction

  /// The entry that is looked at next when room is needed.
  @usableFromInline
  mutating func tail(for measure: Measure) -> Tail? {
    let takesFromSmall: Bool =
      switch measure {
      case _ where main.count == 0: true
      case _ where small.count == 0: false
      case .cost, .pressure: policy.isSmallFull(small.cost, main.cost)
      case .count: policy.isSmallFull(small.count, main.count)
      }
    let number = takesFromSmall ? small.tail : main.tail
    guard number >= 0 else { return nil }
    return Tail(node: Int(number), tag: nodes[Int(number)].tag, isInMain: !takesFromSmall)
  }

  /// Moves a node to the head of the main queue.
  @usableFromInline
  mutating func promote(_ number: Int) {
    unlink(number)
    nodes[number].isInMain = true
    link(number)
  }

  @usableFromInline
  mutating func evict(_ tail: Tail, for measure: Measure) {
    let (part, total) = part(nodes[tail.node].cost)
    policy.noteEviction(of: tail.tag, fromMain: tail.isInMain, part: part, of: total)
    switch measure {
    case .cost: statistics.costEvictions &+= 1
    case .count: statistics.countEvictions &+= 1
    case .pressure: statistics.pressureEvictions &+= 1
    }
    remove(tail.node)
  }

  /// While the cache fills, moves the oldest nodes of a full small queue to the main queue.
  private mutating func overflowWhileFilling() {
    for _ in 0..<4 where small.count > 1 {
      let isFull =
        totalCost > 0
        ? policy.isSmallFull(small.cost, main.cost) : policy.isSmallFull(small.count, main.count)
      guard isFull else { return }
      promote(Int(small.tail))
    }
  }

  /// The part that a node takes of the cache, and the total: by cost, or by count if nothing has a cost.
  private func part(_ cost: Int) -> (Int, of: Int) {
    totalCost > 0 ? (cost, totalCost) : (1, max(1, count))
  }

  // MARK: Links

  private mutating func link(_ number: Int) {
    if nodes[number].isInMain { Self.link(number, &nodes, &main) } else { Self.link(number, &nodes, &small) }
  }

  private mutating func unlink(_ number: Int) {
    if nodes[number].isInMain {
      Self.unlink(number, &nodes, &main)
    } else {
      Self.unlink(number, &nodes, &small)
    }
  }

  private static func link(_ number: Int, _ nodes: inout ContiguousArray<Node>, _ queue: inout Queue) {
    let index = Int32(truncatingIfNeeded: number)
    nodes[number].previous = -1
    nodes[number].next = queue.head
    if queue.head >= 0 { nodes[Int(queue.head)].previous = index } else { queue.tail = index }
    queue.head = index
    queue.count &+= 1
    queue.cost &+= nodes[number].cost
  }

  private static func unlink(_ number: Int, _ nodes: inout ContiguousArray<Node>, _ queue: inout Queue) {
    let node = nodes[number]
    if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { queue.head = node.next }
    if node.next >= 0 { nodes[Int(node.next)].previous = node.previous } else { queue.tail = node.previous }
    queue.count &-= 1
    queue.cost &-= node.cost
  }
}
