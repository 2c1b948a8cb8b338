/// The eviction policies that a cache is measured against: exact, by cost, and slow enough to be obviously right.
protocol ReferencePolicy {
  static var name: String { get }
  init(capacity: Int)
  /// Whether the key is there; if not it goes in, and others out.
  mutating func request(_ key: Int, cost: Int) -> Bool
}

/// Keys with costs in a doubly linked list, newest first.
struct LinkedKeys {
  struct Node {
    var key: Int
    var cost: Int
    var hits = 0
    var previous = -1
    var next = -1
  }

  private(set) var nodes: [Node] = []
  private var free: [Int] = []
  private(set) var head = -1
  private(set) var tail = -1
  private(set) var cost = 0

  mutating func push(_ key: Int, cost: Int) -> Int {
    let index: Int
    if let last = free.popLast() {
      index = last
      nodes[index] = Node(key: key, cost: cost)
    } else {
      index = nodes.count
      nodes.append(Node(key: key, cost: cost))
    }
    nodes[index].next = head
    if head >= 0 { nodes[head].previous = index } else { tail = index }
    head = index
    self.cost += cost
    return index
  }

  @discardableResult
  mutating func remove(_ index: Int) -> Node {
    let node = nodes[index]
    if node.previous >= 0 { nodes[node.previous].next = node.next } else { head = node.next }
    if node.next >= 0 { nodes[node.next].previous = node.previous } else { tail = node.previous }
    cost -= node.cost
    free.append(index)
    return node
  }

  mutating func setHits(_ hits: Int, of index: Int) { nodes[index].hits = hits }
}

/// Evicts the least recently used entry.
struct LRUPolicy: ReferencePolicy {
  static let name = "LRU"
  private let capacity: Int
  private var list = LinkedKeys()
  private var places: [Int: Int] = [:]

  init(capacity: Int) { self.capacity = capacity }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    if let place = places[key] {
      let node = list.remove(place)
      places[key] = list.push(key, cost: node.cost)
      return true
    }
    guard cost <= capacity else { return false }
    while list.cost + cost > capacity { places[list.remove(list.tail).key] = nil }
    places[key] = list.push(key, cost: cost)
    return false
  }
}

/// SIEVE (Zhang, Yang, Yue, Vigfusson, Rashmi, NSDI 2024): a hand walks from the oldest to the newest, spares what
/// was hit and takes the first that was not.
struct SievePolicy: ReferencePolicy {
  static let name = "SIEVE"
  private let capacity: Int
  private var list = LinkedKeys()
  private var places: [Int: Int] = [:]
  private var hand = -1

  init(capacity: Int) { self.capacity = capacity }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    if let place = places[key] {
      list.setHits(1, of: place)
      return true
    }
    guard cost <= capacity else { return false }
    while list.cost + cost > capacity {
      if hand < 0 { hand = list.tail }
      while list.nodes[hand].hits > 0 {
        list.setHits(0, of: hand)
        hand = list.nodes[hand].previous >= 0 ? list.nodes[hand].previous : list.tail
      }
      let previous = list.nodes[hand].previous
      places[list.remove(hand).key] = nil
      hand = previous
    }
    places[key] = list.push(key, cost: cost)
    return false
  }
}

/// S3-FIFO as its authors describe it, with a small queue of a tenth (see `AdaptiveS3FIFO`).
struct S3FIFOPolicy: ReferencePolicy {
  static let name = "S3-FIFO"
  private let capacity: Int
  private var small = LinkedKeys()
  private var main = LinkedKeys()
  private var ghosts = LinkedKeys()
  private var places: [Int: (place: Int, isMain: Bool)] = [:]
  private var ghostPlaces: [Int: Int] = [:]

  init(capacity: Int) { self.capacity = capacity }

  mutating func request(_ key: Int, cost: Int) -> Bool {
    if let (place, isMain) = places[key] {
      if isMain {
        main.setHits(min(3, main.nodes[place].hits + 1), of: place)
      } else {
        small.setHits(min(3, small.nodes[place].hits + 1), of: place)
      }
      return true
    }
    guard cost <= capacity else { return false }
    let ghost = ghostPlaces.removeValue(forKey: key)
    if let ghost { ghosts.remove(ghost) }
    while small.cost + main.cost + cost > capacity { evict() }
    let isMain = ghost != nil
    places[key] = (isMain ? main.push(key, cost: cost) : small.push(key, cost: cost), isMain)
    return false
  }

  private mutating func evict() {
    if small.cost * 10 >= capacity || main.tail < 0 {
      let node = small.remove(small.tail)
      if node.hits > 1 {
        places[node.key] = (main.push(node.key, cost: node.cost), true)
        return
      }
      places[node.key] = nil
      ghostPlaces[node.key] = ghosts.push(node.key, cost: node.cost)
      while ghosts.cost * 10 > capacity * 9 { ghostPlaces[ghosts.remove(ghosts.tail).key] = nil }
      return
    }
    let node = main.remove(main.tail)
    places[node.key] = nil
    if node.hits > 0 {
      let place = main.push(node.key, cost: node.cost)
      main.setHits(node.hits - 1, of: place)
      places[node.key] = (place, true)
    }
  }
}
