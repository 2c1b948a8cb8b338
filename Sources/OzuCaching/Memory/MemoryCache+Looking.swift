import OzuSynchronization

/// What a look into a shard finds, whichever way the reader came in.
extension MemoryCache {
  @usableFromInline
  enum Outcome<Result> {
    case hit(Result)
    /// The value was evicted and is alive elsewhere.
    case revival(Result)
    case expired
    case miss
  }

  @inlinable @inline(__always)
  func look<Result>(
    _ key: Key, _ tag: UInt32, in shard: borrowing Shard, holding held: inout Value?,
    _ read: (Value) -> Result
  ) -> Outcome<Result> {
    guard let index = shard.find(key, tag: tag) else {
      if live != nil, findLive(key, holding: &held), let held { return .revival(read(held)) }
      return .miss
    }
    let node = shard.node(index)
    if node.pointee.deadline != .max, node.pointee.deadline <= elapsed() { return .expired }
    let hits = node.pointee.hits.load(ordering: .relaxed)
    // Once an entry was used a few times, using it writes nothing to it.
    if hits < AdaptiveS3FIFO.mostHits { node.pointee.hits.store(hits &+ 1, ordering: .relaxed) }
    return .hit(read(node.pointee.value))
  }

  /// Counts a reader out, by what it found.
  @inlinable @inline(__always)
  func leave<Result>(
    _ tally: UnsafeMutablePointer<ReaderTally>, with outcome: Outcome<Result>
  ) -> Result? {
    switch outcome {
    case .hit(let result):
      tally.pointee.hits.wrappingAdd(1, ordering: .releasing)
      return result
    case .revival(let result):
      tally.pointee.revivals.wrappingAdd(1, ordering: .releasing)
      return result
    case .expired, .miss:
      tally.pointee.misses.wrappingAdd(1, ordering: .releasing)
      return nil
    }
  }

  @inlinable
  func isLive(_ key: Key, _ tag: UInt32, in shard: borrowing Shard, holding held: inout Value?) -> Bool {
    guard let index = shard.find(key, tag: tag) else { return findLive(key, holding: &held) }
    let deadline = shard.node(index).pointee.deadline
    return deadline == .max || deadline > elapsed()
  }

  /// Reads a value behind the writer that closed the gate.
  @inlinable @inline(never)
  func lookUnderLock<Result: Sendable>(
    _ key: Key, _ tag: UInt32, holding held: inout Value?, _ read: (Value) -> Result
  ) -> Result? {
    let number = shardNumber(of: tag)
    let tally = tally(Int(processorNumber()) & tallyMask, ofShard: number)
    // Counted as entered like the others, so that the sums agree. No writer waits for it: it has the lock.
    let found = hold(number) { shard -> Result? in
      let outcome = look(key, tag, in: shard, holding: &held, read)
      tally.pointee.entered.wrappingAdd(1, ordering: .relaxed)
      // What is past its time goes when the next one asks, or when its turn comes.
      return leave(tally, with: outcome)
    }
    return found
  }

  /// Removes the entry of a key if it is past its time.
  @inlinable @inline(never)
  func removeExpired(_ key: Key, _ tag: UInt32) {
    let expired = write(shardNumber(of: tag)) { shard -> Shard.Departed? in
      guard let index = shard.find(key, tag: tag) else { return nil }
      let deadline = shard.node(index).pointee.deadline
      guard deadline != .max, deadline <= elapsed() else { return nil }
      shard.counters.expirations &+= 1
      return remove(index, from: &shard)
    }
    // Released here, after the lock.
    _ = consume expired
  }
}
