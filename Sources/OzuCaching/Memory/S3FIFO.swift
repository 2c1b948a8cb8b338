/// A queue of nodes linked by index: in at the head, out at the tail.
@usableFromInline
struct NodeQueue: Sendable {
  @usableFromInline var head: Int32 = -1
  @usableFromInline var tail: Int32 = -1
  @usableFromInline var count = 0
  @usableFromInline var cost = 0

  @inlinable
  init() {}
}

// S3-FIFO (Yang, Zhang, Qiu, Yue, Vigfusson: "FIFO queues are all you need for cache eviction", SOSP 2023).
//
// A newcomer enters a small queue of about a tenth of the cache. At its tail it moves to the main queue if it
// was hit twice meanwhile, else it leaves and only its tag is remembered; a newcomer that is remembered goes
// straight to the main queue. At the main queue's tail an entry that was hit goes around again with one hit
// less. So one pass over a thousand pictures flows through the small queue and never touches the main one,
// and a hit is one counter: nothing is relinked.
//
// Ours: shares are by cost (bytes) or by count, whichever limit is being enforced, and the moves that one
// insertion may make are bounded; beyond the bound the tail leaves whatever its hits.
extension MemoryShard {
  /// The limit that makes an entry leave.
  @usableFromInline
  enum Measure: Sendable {
    case cost
    case count
  }

  /// Links a new node.
  @inlinable
  mutating func admit(_ index: Int) {
    nodes[index].isInMain = ghosts.remove(nodes[index].tag)
    link(index)
    if main.count > ghosts.capacity { ghosts.grow(toCapacity: main.count &* 2) }
  }

  /// Removes the entry that is worth least. `steps` is what is left of the caller's moves.
  @inlinable
  mutating func evict(for measure: Measure, steps: inout Int) -> Removed? {
    while true {
      let takesFromSmall: Bool =
        switch measure {
        case _ where main.count == 0: true
        case _ where small.count == 0: false
        case .cost: small.cost &* 10 >= small.cost &+ main.cost
        case .count: small.count &* 10 >= small.count &+ main.count
        }
      let index = Int(takesFromSmall ? small.tail : main.tail)
      guard index >= 0 else { return nil }
      let frequency = nodes[index].frequency
      if frequency > (takesFromSmall ? 1 : 0), steps > 0 {
        steps &-= 1
        unlink(index)
        nodes[index].frequency = takesFromSmall ? 0 : frequency &- 1
        nodes[index].isInMain = true
        link(index)
        continue
      }
      if takesFromSmall { ghosts.insert(nodes[index].tag) }
      switch measure {
      case .cost: counters.costEvictions &+= 1
      case .count: counters.countEvictions &+= 1
      }
      return removeNode(index)
    }
  }

  @inlinable
  mutating func link(_ index: Int) {
    var queue = nodes[index].isInMain ? main : small
    nodes[index].previous = -1
    nodes[index].next = queue.head
    if queue.head >= 0 { nodes[Int(queue.head)].previous = Int32(truncatingIfNeeded: index) }
    queue.head = Int32(truncatingIfNeeded: index)
    if queue.tail < 0 { queue.tail = queue.head }
    queue.count &+= 1
    queue.cost &+= nodes[index].cost
    if nodes[index].isInMain { main = queue } else { small = queue }
  }

  @inlinable
  mutating func unlink(_ index: Int) {
    let (previous, next) = (nodes[index].previous, nodes[index].next)
    var queue = nodes[index].isInMain ? main : small
    if previous >= 0 { nodes[Int(previous)].next = next } else { queue.head = next }
    if next >= 0 { nodes[Int(next)].previous = previous } else { queue.tail = previous }
    queue.count &-= 1
    queue.cost &-= nodes[index].cost
    if nodes[index].isInMain { main = queue } else { small = queue }
  }

  /// Gives a node another cost where it is.
  @inlinable
  mutating func setCost(_ cost: Int, of index: Int) {
    let change = cost &- nodes[index].cost
    nodes[index].cost = cost
    if nodes[index].isInMain { main.cost &+= change } else { small.cost &+= change }
  }
}
