import OzuSynchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the shards are, and the two ways into one: to read and to write.
extension MemoryCache {
  /// Four shards for a core, up to sixteen, while each has 256 MB and 8,192 entries to rule over: smaller
  /// ones would decide worse what to keep.
  static func shardCount(for configuration: MemoryCacheConfiguration) -> Int {
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let most = min(cores * 4, 16, configuration.costLimit >> 28, configuration.countLimit >> 13)
    return powerOfTwo(upTo: most)
  }

  /// A tally for each processor, up to 32: writers look at all that were ever used.
  static var tallyCount: Int {
    powerOfTwo(upTo: min(32, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))) * 2 - 1))
  }

  private static func powerOfTwo(upTo most: Int) -> Int {
    var count = 1
    while count * 2 <= most { count *= 2 }
    return count
  }

  /// A key's 32-bit tag. Keys that are hashes already, such as `CacheKey`, say so by their `hashValue`.
  @inlinable @inline(__always)
  static func tag(of key: Key) -> UInt32 {
    UInt32(truncatingIfNeeded: key.hashValue)
  }

  @inlinable @inline(__always)
  func shardNumber(of tag: UInt32) -> Int {
    // The shard count is a power of two; the tables use the low bits of the tag, this uses the high ones.
    Int(tag &>> 24) & shardMask
  }

  /// Gates and shards lie in cache lines of their own, two by two as processors fetch them: a thread that writes in
  /// one shard does not slow those in its neighbours.
  @inlinable @inline(__always)
  static var shardStride: Int { (shardOffset &+ MemoryLayout<Shard>.stride &+ 127) & ~127 }

  /// Where the shard lies behind its gate.
  @inlinable @inline(__always)
  static var shardOffset: Int { (MemoryLayout<ShardGate>.stride &+ 15) & ~15 }

  @inlinable @inline(__always)
  func gate(_ number: Int) -> UnsafeMutablePointer<ShardGate> {
    (shards + number &* Self.shardStride).assumingMemoryBound(to: ShardGate.self)
  }

  /// The shard: for those who came through its gate.
  @inlinable @inline(__always)
  func shard(_ number: Int) -> UnsafeMutablePointer<Shard> {
    (shards + (number &* Self.shardStride &+ Self.shardOffset)).assumingMemoryBound(to: Shard.self)
  }

  @inlinable @inline(__always)
  func tally(_ index: Int, ofShard number: Int) -> UnsafeMutablePointer<ReaderTally> {
    (tallies + (number &* (tallyMask &+ 1) &+ index) &* ReaderTally.stride)
      .assumingMemoryBound(to: ReaderTally.self)
  }

  // MARK: Reading

  /// Enters a shard to read. Who entered leaves by raising one of the tally's other counts, with release.
  ///
  /// - Returns: The tally, or nil if a writer is inside.
  @inlinable @inline(__always)
  func enter(_ number: Int) -> UnsafeMutablePointer<ReaderTally>? {
    let (gate, index) = (gate(number), Int(processorNumber()) & tallyMask)
    let tally = tally(index, ofShard: number)
    let bit = UInt32(1) &<< UInt32(truncatingIfNeeded: index)
    if gate.pointee.used.load(ordering: .sequentiallyConsistent) & bit == 0 {
      gate.pointee.used.bitwiseOr(bit, ordering: .sequentiallyConsistent)
    }
    tally.pointee.entered.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if !gate.pointee.isClosed.load(ordering: .sequentiallyConsistent) { return tally }
    tally.pointee.entered.wrappingSubtract(1, ordering: .releasing)
    return nil
  }

  // MARK: Writing

  /// Runs a closure as the only one in a shard.
  @inlinable @inline(__always)
  func write<Result: ~Copyable & Sendable>(_ number: Int, _ body: (inout Shard) -> Result) -> Result {
    let gate = gate(number)
    return gate.pointee.lock.withLock { _ in
      gate.pointee.isClosed.store(true, ordering: .sequentiallyConsistent)
      var used = gate.pointee.used.load(ordering: .sequentiallyConsistent)
      while used != 0 {
        let tally = tally(used.trailingZeroBitCount, ofShard: number)
        if !tally.pointee.isEmpty { waitUntilEmpty(tally) }
        used &= used &- 1
      }
      // Nobody else is inside, so this is the one access.
      let result = body(&shard(number).pointee)
      gate.pointee.isClosed.store(false, ordering: .releasing)
      return result
    }
  }

  /// Runs a closure while nobody writes in a shard.
  @inlinable @inline(__always)
  func hold<Result: Sendable>(_ number: Int, _ body: (borrowing Shard) -> Result) -> Result {
    gate(number).pointee.lock.withLock { _ in body(shard(number).pointee) }
  }

  /// A reader is out after some dozens of instructions, unless the system took its processor away: then sleeping gives
  /// it one, whatever its priority.
  @usableFromInline @inline(never)
  func waitUntilEmpty(_ tally: UnsafeMutablePointer<ReaderTally>) {
    var attempts = 0
    while !tally.pointee.isEmpty {
      attempts += 1
      if attempts > 200 { usleep(20) }
    }
  }
}

/// A number that no two threads share which run at the same time: that of the processor. Where the system does not
/// tell it, a number of the thread's, which two seldom share.
let processorNumber: @convention(c) () -> Int32 = {
  #if os(Linux)
    // Of the C library since version 2.35 it costs no system call. It is not in the headers that Swift sees.
    if let function = dlsym(nil, "sched_getcpu") {
      return unsafeBitCast(function, to: (@convention(c) () -> Int32).self)
    }
  #endif
  return {
    #if canImport(Glibc)
      let thread = UInt(pthread_self())
    #else
      let thread = UInt(bitPattern: pthread_self())
    #endif
    // Threads' addresses are multiples of a page, in even steps as a rule: Fibonacci hashing spreads such.
    return Int32(truncatingIfNeeded: ((thread &>> 12) &* 0x9E37_79B9_7F4A_7C15) &>> 48)
  }
}()
