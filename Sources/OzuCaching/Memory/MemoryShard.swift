/// One independently locked part of a memory cache: a slot table, flat nodes and three queues.
///
/// Nodes live in one array and are linked by index; a freed node goes to a free list, so steady use allocates
/// nothing. The owner holds the lock; what leaves is handed back so that it is released after unlocking.
@usableFromInline
struct MemoryShard<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline
  struct Node: Sendable {
    /// Nil while the node is free.
    @usableFromInline var entry: (key: Key, value: Value)?
    @usableFromInline var cost = 0
    /// Nanoseconds on the cache's clock at which the entry expires; `.max` for never.
    @usableFromInline var deadline = Int64.max
    @usableFromInline var tag: UInt32 = 0
    @usableFromInline var previous: Int32 = -1
    /// The next node of the queue, or of the free list.
    @usableFromInline var next: Int32 = -1
    /// Hits since the node entered its queue, at most three.
    @usableFromInline var frequency: UInt8 = 0
    @usableFromInline var isInMain = false

    @inlinable
    init() {}
  }

  /// What left the cache.
  @usableFromInline
  struct Removed: Sendable {
    @usableFromInline let value: Value
    @usableFromInline let cost: Int

    @inlinable
    init(value: Value, cost: Int) {
      self.value = value
      self.cost = cost
    }
  }

  @usableFromInline
  struct Counters: Sendable {
    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    @usableFromInline var insertions = 0
    @usableFromInline var replacements = 0
    @usableFromInline var costEvictions = 0
    @usableFromInline var countEvictions = 0
    @usableFromInline var expirations = 0

    @inlinable
    init() {}
  }

  @usableFromInline var nodes: ContiguousArray<Node> = []
  @usableFromInline var table = SlotTable()
  @usableFromInline var free: Int32 = -1
  @usableFromInline var small = NodeQueue()
  @usableFromInline var main = NodeQueue()
  @usableFromInline var ghosts = GhostSet()
  @usableFromInline var counters = Counters()

  @inlinable var count: Int { table.count }

  @inlinable
  init() {}

  @inlinable @inline(__always)
  func find(_ key: Key, tag: UInt32) -> Int? {
    table.find(tag) { nodes[$0].entry?.key == key }
  }

  @inlinable
  mutating func add(key: Key, value: Value, tag: UInt32, cost: Int, deadline: Int64) {
    let index: Int
    if free >= 0 {
      index = Int(free)
      free = nodes[index].next
    } else {
      index = nodes.count
      nodes.append(Node())
    }
    nodes[index].entry = (key, value)
    nodes[index].cost = cost
    nodes[index].deadline = deadline
    nodes[index].tag = tag
    nodes[index].frequency = 0
    table.insert(tag, slot: index)
    admit(index)
    counters.insertions &+= 1
  }

  /// Gives a node another value where it is in its queue, and returns the former one.
  @inlinable
  mutating func replace(_ index: Int, by value: Value, cost: Int, deadline: Int64) -> Removed? {
    guard let former = nodes[index].entry else { return nil }
    nodes[index].entry = (former.key, value)
    nodes[index].deadline = deadline
    let removed = Removed(value: former.value, cost: nodes[index].cost)
    setCost(cost, of: index)
    counters.replacements &+= 1
    return removed
  }

  /// Takes a node out of everything.
  @inlinable
  mutating func removeNode(_ index: Int) -> Removed? {
    guard let entry = nodes[index].entry else { return nil }
    unlink(index)
    table.remove(nodes[index].tag, slot: index)
    let removed = Removed(value: entry.value, cost: nodes[index].cost)
    nodes[index].entry = nil
    nodes[index].next = free
    free = Int32(truncatingIfNeeded: index)
    return removed
  }

  /// Forgets every entry and returns the nodes that hold them, for release after unlocking.
  @inlinable
  mutating func takeAll() -> (nodes: ContiguousArray<Node>, cost: Int, count: Int) {
    let taken = (nodes, small.cost &+ main.cost, count)
    nodes = []
    table = SlotTable()
    free = -1
    small = NodeQueue()
    main = NodeQueue()
    return taken
  }
}
