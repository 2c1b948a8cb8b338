import OzuSynchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the shards are, and the way into one.
extension MemoryCache {
  /// Four shards for a core, up to sixteen, while each has 256 MB and 8,192 entries to rule over: smaller
  /// ones would decide worse what to keep.
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

  /// A key's 32-bit tag in this cache. Keys that are hashes already, such as `CacheKey`, say so by their `hashValue`.
  @inlinable @inline(__always)
  func tag(of key: Key) -> UInt32 {
    seed.tag(key.hashValue)
  }

  @inlinable @inline(__always)
  func shardNumber(of tag: UInt32) -> Int {
    // The shard count is a power of two; the tables use the low bits of the tag, this uses the high ones.
    Int(tag &>> 24) & shardMask
  }

  /// Runs a closure as the only one in a shard.
  @inlinable @inline(__always)
  func withShard<Result: ~Copyable & Sendable>(_ number: Int, _ body: (inout Shard) -> Result) -> Result {
    (shards + number).pointee.withLock { body(&$0) }
  }

  /// Runs a closure as the only one in the shard of a tag.
  @inlinable @inline(__always)
  func withShard<Result: ~Copyable & Sendable>(of tag: UInt32, _ body: (inout Shard) -> Result) -> Result {
    withShard(shardNumber(of: tag), body)
  }
}
