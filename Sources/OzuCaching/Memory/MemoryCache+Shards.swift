import OzuSynchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of shards, and access to one of them.
extension MemoryCache {
  /// Four shards for each core, at most sixteen, as long as each has 256 MB and 8,192 entries: smaller shards would
  /// make worse eviction decisions.
  static func shardCount(for configuration: MemoryCacheConfiguration) -> Int {
    let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let most = min(cores * 4, 16, configuration.costLimit >> 28, configuration.countLimit >> 13)
    return powerOfTwo(upTo: most)
  }

  private static func powerOfTwo(upTo most: Int) -> Int {
    var count = 1
    while count * 2 <= most { count *= 2 }
    return count
  }

  /// The 32-bit tag of a key in this cache. Keys that are already hashes, such as `CacheKey`, return their bits as
  /// `hashValue`.
  @inlinable @inline(__always)
  func tag(of key: Key) -> UInt32 {
    seed.tag(key.hashValue)
  }

  @inlinable @inline(__always)
  func shardNumber(of tag: UInt32) -> Int {
    // The shard count is a power of two. The tables use the low bits of the tag, so the shard comes from high bits.
    Int(tag &>> 24) & shardMask
  }

  /// Runs a closure with exclusive access to a shard.
  @inlinable @inline(__always)
  func withShard<Result: ~Copyable & Sendable>(_ number: Int, _ body: (inout Shard) -> Result) -> Result {
    (shards + number).pointee.withLock { body(&$0) }
  }

  /// Runs a closure with exclusive access to the shard of a tag.
  @inlinable @inline(__always)
  func withShard<Result: ~Copyable & Sendable>(of tag: UInt32, _ body: (inout Shard) -> Result) -> Result {
    withShard(shardNumber(of: tag), body)
  }
}
