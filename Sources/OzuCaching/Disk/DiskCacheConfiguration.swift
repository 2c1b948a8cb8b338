#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What `DiskCache.flush()` promises.
public enum Durability: Hashable, Sendable {
  /// Flushed entries survive the death of the process, not of the machine. Costs no synchronization.
  case buffered
  /// Flushed entries survive the loss of power. Costs milliseconds per flush.
  case synced
}

/// The limits of a disk cache and the world it lives in.
public struct DiskCacheConfiguration: Sendable {
  /// The most bytes that all files of the cache may have together. Default: 512 MB.
  public var capacity: Int
  /// The most bytes that the entries of a partition may take; zero for no limit but the total.
  public var partitionCapacities: [DiskCache.Partition: Int]
  /// The capacity of the partitions not named above. Default: zero, no limit but the total.
  public var defaultPartitionCapacity: Int
  /// What `flush()` promises. Default: `.buffered`.
  public var durability: Durability
  /// How long a cache that only reads, because another process writes, waits before it looks for new
  /// entries again. Default: one second.
  public var refreshInterval: TimeInterval
  /// How many asynchronous operations run at once. Default: four.
  public var concurrency: Int
  /// Where the files are.
  public var fileSystem: any FileSystem
  /// The clock for dates of storing and of access.
  public var now: @Sendable () -> Date
  /// Called when a call to the file system fails: once per operation and error number, until the cache is
  /// opened anew. The cache itself goes on, missing what it could not keep.
  public var onError: @Sendable (DiskCacheError) -> Void

  /// A configuration; every part has a default.
  public init(
    capacity: Int = 512 << 20, partitionCapacities: [DiskCache.Partition: Int] = [:],
    defaultPartitionCapacity: Int = 0,
    durability: Durability = .buffered, refreshInterval: TimeInterval = 1, concurrency: Int = 4,
    fileSystem: any FileSystem = SystemFileSystem(), now: @escaping @Sendable () -> Date = { Date() },
    onError: @escaping @Sendable (DiskCacheError) -> Void = { _ in }
  ) {
    self.capacity = capacity
    self.partitionCapacities = partitionCapacities
    self.defaultPartitionCapacity = defaultPartitionCapacity
    self.durability = durability
    self.refreshInterval = refreshInterval
    self.concurrency = concurrency
    self.fileSystem = fileSystem
    self.now = now
    self.onError = onError
  }
}
