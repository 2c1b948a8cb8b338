import Ozu

/// Which of several nodes has a key: the one with the highest score, which is a hash of the node's name and the key
/// (highest random weight; Thaler and Ravishankar 1998).
///
/// Every machine computes the same from the same names, in whatever order they are given. A node that is added takes its
/// share from all others, and only the keys of a node that is removed move.
struct RendezvousHash: Sendable {
  private let nodes: [CacheKey]

  /// - Parameter names: of the nodes, all different.
  init(_ names: [String]) { nodes = names.map { CacheKey($0) } }

  /// The place of the node that has a key, in the list that the hash was made of.
  ///
  /// - Complexity: O(nodes).
  func node(of key: CacheKey) -> Int {
    guard nodes.count > 1 else { return 0 }
    func score(_ node: CacheKey) -> UInt64 {
      var builder = CacheKey.Builder(deriving: node)
      builder.append(key)
      return builder.key.low
    }
    // Equal scores do not happen in the life of a fleet; the smaller hash then decides, in whatever order they stand.
    let best = nodes.indices.max { a, b in
      let (first, second) = (score(nodes[a]), score(nodes[b]))
      return first == second ? nodes[a].low > nodes[b].low : first < second
    }
    return best ?? 0
  }
}
