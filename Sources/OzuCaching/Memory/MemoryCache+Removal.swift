extension MemoryCache {
  /// Removes the values for which the closure returns true. The closure runs under a lock of the cache: it must be
  /// short and must not use the cache.
  ///
  /// - Complexity: O(entries).
  public func removeValues(where isToGo: (Key, Value) -> Bool) {
    for number in 0...shardMask {
      let removed = withShard(number) { shard -> [Shard.Departed] in
        var indices: [Int] = []
        for queue in [shard.small, shard.main] {
          var index = Int(queue.head)
          while index >= 0 {
            let node = shard.node(index)
            if isToGo(node.pointee.key, node.pointee.value) { indices.append(index) }
            index = Int(node.pointee.next)
          }
        }
        return indices.map { remove($0, from: &shard) }
      }
      // Released here, after the lock: releasing the last reference to a value may run any code.
      _ = consume removed
    }
    live?.forget(where: isToGo)
  }
}
