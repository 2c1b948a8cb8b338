import Ozu

/// Decides which of several nodes has a key: the one with the highest score, which is a hash of the node's name and
/// the key (highest random weight; Thaler and Ravishankar 1998).
///
/// Every machine gets the same result from the same names, in any order. A new node takes its share from all
/// others, and if a node is removed, only its keys move.
struct RendezvousHash: Sendable {
  private let nodes: [CacheKey]

  /// - Parameter names: the names of the nodes, all different.
  init(_ names: [String]) { nodes = names.map { CacheKey($0) } }

  /// The index of the node that has a key, in the list given to the initializer.
  ///
  /// - Complexity: O(nodes).
  func node(of key: CacheKey) -> Int {
    guard nodes.count > 1 else { return 0 }
    func score(_ node: CacheKey) -> UInt64 {
      var builder = CacheKey.Builder(deriving: node)
      builder.append(key)
      return builder.key.low
    }
    // Equal scores practically never occur; then the smaller hash decides, in any order of the nodes.
    let best = nodes.indices.max { a, b in
      let (first, second) = (score(nodes[a]), score(nodes[b]))
      return first == second ? nodes[a].low > nodes[b].low : first < second
    }
    return best ?? 0
  }
}
