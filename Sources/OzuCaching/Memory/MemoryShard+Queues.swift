import OzuSynchronization

/// A queue of nodes that are linked by index. Nodes enter at the head and leave at the tail.
@usableFromInline
struct NodeQueue: Sendable {
  @usableFromInline var head: Int32 = -1
  @usableFromInline var tail: Int32 = -1
  @usableFromInline var count = 0
  @usableFromInline var cost = 0

  @inlinable
  init() {}
}

// Carries out the policy's decisions on the queues. The number of moves that one insertion may make is bounded;
// after these moves the tail entry is evicted even if it has hits.
extension MemoryShard {
  /// The limit that makes an entry leave.
  @usableFromInline
  enum Measure: Sendable {
    case cost
    case count
    /// Memory is short. The queue is chosen by cost, as for the cost limit.
    case pressure
  }

  /// The part that a node takes of the cache, and the total: by cost, or by count if nothing has a cost.
  @inlinable @inline(__always)
  func part(_ cost: Int) -> (Int, of: Int) {
    let total = small.cost &+ main.cost
    return total > 0 ? (cost, total) : (1, max(1, small.count &+ main.count))
  }

  /// Adds a new node to its queue.
  @inlinable
  mutating func admit(_ index: Int) {
    let pointer = node(index)
    if policy.hasEvicted {
      let (part, total) = part(pointer.pointee.cost)
      pointer.pointee.isInMain = policy.admitsToMain(pointer.pointee.tag, part: part, of: total)
      link(index)
    } else {
      link(index)
      overflowWhileFilling()
    }
    if count > policy.expected { policy.expect(count) }
  }

  /// While the cache fills, moves the oldest nodes of a full small queue to the main queue.
  @inlinable
  mutating func overflowWhileFilling() {
    for _ in 0..<4 where small.count > 1 {
      let isFull =
        small.cost &+ main.cost > 0
        ? policy.isSmallFull(small.cost, main.cost) : policy.isSmallFull(small.count, main.count)
      guard isFull else { return }
      move(Int(small.tail), toMain: true)
    }
  }

  /// Detaches the least valuable entry and returns its index. `steps` is the number of moves that the caller has
  /// left.
  @inlinable
  mutating func evict(for measure: Measure, steps: inout Int) -> Int? {
    while true {
      let takesFromSmall: Bool =
        switch measure {
        case _ where main.count == 0: true
        case _ where small.count == 0: false
        case .cost, .pressure: policy.isSmallFull(small.cost, main.cost)
        case .count: policy.isSmallFull(small.count, main.count)
        }
      let index = Int(takesFromSmall ? small.tail : main.tail)
      guard index >= 0 else { return nil }
      let pointer = node(index)
      let hits = pointer.pointee.hits
      if hits >= (takesFromSmall ? AdaptiveS3FIFO.promotion : 1), steps > 0 {
        steps &-= 1
        pointer.pointee.hits = takesFromSmall ? 0 : hits &- 1
        move(index, toMain: true)
        continue
      }
      let (part, total) = part(pointer.pointee.cost)
      policy.noteEviction(of: pointer.pointee.tag, fromMain: !takesFromSmall, part: part, of: total)
      switch measure {
      case .cost: counters.costEvictions &+= 1
      case .count: counters.countEvictions &+= 1
      case .pressure: counters.pressureEvictions &+= 1
      }
      detach(index)
      return index
    }
  }

  @inlinable
  mutating func move(_ index: Int, toMain: Bool) {
    unlink(index)
    node(index).pointee.isInMain = toMain
    link(index)
  }

  @inlinable
  mutating func link(_ index: Int) {
    if node(index).pointee.isInMain {
      Self.link(index, pages, &main)
    } else {
      Self.link(index, pages, &small)
    }
  }

  @inlinable @inline(__always)
  static func link(_ index: Int, _ pages: UnsafeMutablePointer<Page>, _ queue: inout NodeQueue) {
    let pointer = node(index, in: pages)
    let number = Int32(truncatingIfNeeded: index)
    pointer.pointee.previous = -1
    pointer.pointee.next = queue.head
    if queue.head >= 0 {
      node(Int(queue.head), in: pages).pointee.previous = number
    } else {
      queue.tail = number
    }
    queue.head = number
    queue.count &+= 1
    queue.cost &+= pointer.pointee.cost
  }

  @inlinable
  mutating func unlink(_ index: Int) {
    if node(index).pointee.isInMain {
      Self.unlink(index, pages, &main)
    } else {
      Self.unlink(index, pages, &small)
    }
  }

  @inlinable @inline(__always)
  static func unlink(_ index: Int, _ pages: UnsafeMutablePointer<Page>, _ queue: inout NodeQueue) {
    let pointer = node(index, in: pages)
    let (previous, next) = (pointer.pointee.previous, pointer.pointee.next)
    if previous >= 0 { node(Int(previous), in: pages).pointee.next = next } else { queue.head = next }
    if next >= 0 { node(Int(next), in: pages).pointee.previous = previous } else { queue.tail = previous }
    queue.count &-= 1
    queue.cost &-= pointer.pointee.cost
  }

  /// Changes the cost of a node in place.
  @inlinable
  mutating func setCost(_ cost: Int, of index: Int) {
    let pointer = node(index)
    let change = cost &- pointer.pointee.cost
    pointer.pointee.cost = cost
    if pointer.pointee.isInMain { main.cost &+= change } else { small.cost &+= change }
  }
}
