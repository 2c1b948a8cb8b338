import OzuSynchronization

/// One part of a memory cache with a lock of its own: a slot table, nodes, two queues and the policy.
///
/// A node contains its key, so a hit reads one cell of the table and one node. Nodes are linked by index. A freed
/// node goes to a free list, so steady use allocates nothing. Nodes are in pages of 256 that never move, so growing
/// copies nothing. The cache keeps each shard in a `Mutex`. Removed entries are returned, so that the caller
/// releases them after unlocking.
///
/// Pages are raw memory, because the bounds checks and uniqueness checks of an array cost more than the rest of a
/// hit. A node is initialized exactly while it is linked in a queue; indices come only from the table and the
/// links.
@usableFromInline
struct MemoryShard<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, @unchecked Sendable {
  // Sendable: the memory belongs to this value alone, which cannot be copied; keys and values are Sendable.
  @usableFromInline
  struct Node {
    @usableFromInline let key: Key
    @usableFromInline var value: Value
    /// Nanoseconds on the cache's clock at which the entry expires; `.max` for never.
    @usableFromInline var deadline: Int64
    /// Hits since the node entered its queue.
    @usableFromInline var hits: UInt8 = 0
    @usableFromInline var isInMain = false
    @usableFromInline let tag: UInt32
    @usableFromInline var cost: Int
    @usableFromInline var previous: Int32 = -1
    @usableFromInline var next: Int32 = -1

    @inlinable
    init(key: Key, value: Value, tag: UInt32, cost: Int, deadline: Int64) {
      self.key = key
      self.value = value
      self.tag = tag
      self.cost = cost
      self.deadline = deadline
    }
  }

  /// The key and the value of an entry that left.
  @usableFromInline
  struct Departed: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let value: Value

    @inlinable
    init(key: consuming Key, value: consuming Value) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline
  struct Counters: Sendable {
    @usableFromInline var misses = 0
    @usableFromInline var weakHits = 0
    @usableFromInline var insertions = 0
    @usableFromInline var replacements = 0
    @usableFromInline var costEvictions = 0
    @usableFromInline var countEvictions = 0
    @usableFromInline var pressureEvictions = 0
    @usableFromInline var expirations = 0

    @inlinable
    init() {}
  }

  /// Room for 256 nodes.
  @usableFromInline typealias Page = UnsafeMutableRawPointer

  // The fields that a hit uses come first: together with the lock they take 56 bytes.
  @usableFromInline var pages: UnsafeMutablePointer<Page>
  @usableFromInline var hits = 0
  @usableFromInline var table = SlotTable()
  @usableFromInline var counters = Counters()
  @usableFromInline var pageCount = 0
  @usableFromInline var pageLimit = 16
  /// The first free node; a free node holds the index of the next one.
  @usableFromInline var free: Int32 = -1
  /// The number of nodes that were ever used; nodes from this index on are uninitialized.
  @usableFromInline var used = 0
  @usableFromInline var small = NodeQueue()
  @usableFromInline var main = NodeQueue()
  @usableFromInline var policy = AdaptiveS3FIFO()

  @inlinable var count: Int { small.count &+ main.count }

  @inlinable
  init() {
    pages = .allocate(capacity: 16)
  }

  deinit {
    for queue in [small, main] {
      var index = queue.head
      while index >= 0 {
        let node = node(Int(index))
        index = node.pointee.next
        node.deinitialize(count: 1)
      }
    }
    for number in 0..<pageCount { pages[number].deallocate() }
    pages.deallocate()
    table.deallocate()
    policy.deallocate()
  }

  @inlinable @inline(__always)
  func node(_ index: Int) -> UnsafeMutablePointer<Node> {
    Self.node(index, in: pages)
  }

  /// The distance of two nodes. A node that nearly fills a cache line gets one line of its own, instead of parts of
  /// two.
  @inlinable @inline(__always)
  static var nodeStride: Int {
    let stride = MemoryLayout<Node>.stride
    return stride > 40 && stride < 64 ? 64 : stride
  }

  @inlinable @inline(__always)
  static func node(_ index: Int, in pages: UnsafeMutablePointer<Page>) -> UnsafeMutablePointer<Node> {
    (pages[index &>> 8] + (index & 255) &* nodeStride).assumingMemoryBound(to: Node.self)
  }

  @inlinable @inline(__always)
  func find(_ key: Key, tag: UInt32) -> Int? {
    table.find(tag) { node($0).pointee.key == key }
  }

  @inlinable
  mutating func add(key: Key, value: Value, tag: UInt32, cost: Int, deadline: Int64) {
    let index = takeFreeNode()
    node(index).initialize(to: Node(key: key, value: value, tag: tag, cost: cost, deadline: deadline))
    table.insert(tag, slot: index)
    admit(index)
    counters.insertions &+= 1
  }

  @inlinable
  mutating func takeFreeNode() -> Int {
    if free >= 0 {
      let index = Int(free)
      free = UnsafeRawPointer(node(index)).load(as: Int32.self)
      return index
    }
    if used == pageCount &* 256 { addPage() }
    used &+= 1
    return used &- 1
  }

  @inlinable @inline(never)
  mutating func addPage() {
    if pageCount == pageLimit {
      let larger = UnsafeMutablePointer<Page>.allocate(capacity: pageLimit &* 2)
      larger.moveInitialize(from: pages, count: pageCount)
      pages.deallocate()
      pages = larger
      pageLimit &*= 2
    }
    (pages + pageCount).initialize(to: .allocate(byteCount: 256 &* Self.nodeStride, alignment: 64))
    pageCount &+= 1
  }

  /// Replaces the value of a node in place, and returns the former entry.
  @inlinable
  mutating func replace(_ index: Int, by value: Value, cost: Int, deadline: Int64) -> Departed {
    let pointer = node(index)
    let former = Departed(key: pointer.pointee.key, value: pointer.pointee.value)
    pointer.pointee.value = value
    pointer.pointee.deadline = deadline
    setCost(cost, of: index)
    counters.replacements &+= 1
    return former
  }

  /// Removes a node from the queues and the table. The node keeps its key and value until `vacate`.
  @inlinable
  mutating func detach(_ index: Int) {
    unlink(index)
    table.remove(node(index).pointee.tag, slot: index)
  }

  /// Moves the key and the value out of a detached node, and frees the node.
  @inlinable @inline(__always)
  mutating func vacate(_ index: Int) -> Departed {
    let pointer = node(index)
    let node = pointer.move()
    UnsafeMutableRawPointer(pointer).storeBytes(of: free, as: Int32.self)
    free = Int32(truncatingIfNeeded: index)
    return Departed(key: node.key, value: node.value)
  }
}
