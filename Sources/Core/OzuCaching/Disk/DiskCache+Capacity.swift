// The capacity and the size of the cache. Properties do not wait for files.
extension DiskCache {
  /// The most bytes that all files may have together.
  public var capacity: Int { store.capacity }

  /// Changes the total capacity, and evicts entries at once if they exceed it.
  public func setCapacity(_ capacity: Int) {
    store.setCapacity(capacity)
  }

  /// The most bytes that a partition's entries may take; zero means no limit except the total.
  public func capacity(of partition: Partition) -> Int {
    store.context.capacity(of: partition)
  }

  /// Changes a partition's capacity, and evicts its least recently used entries at once.
  public func setCapacity(_ capacity: Int, of partition: Partition) {
    store.setCapacity(max(0, capacity), of: partition)
  }

  /// The bytes of all files of the cache, including dead space.
  public var totalByteCount: Int { store.index.withLock { $0.totalByteCount } }

  /// The bytes that the entries of a partition take.
  public func byteCount(of partition: Partition) -> Int {
    store.index.withLock { $0.state(of: partition)?.byteCount ?? 0 }
  }

  /// The number of entries.
  public var count: Int { store.index.withLock { $0.count } }

  /// The number of entries of a partition.
  public func count(in partition: Partition) -> Int {
    store.index.withLock { $0.state(of: partition)?.count ?? 0 }
  }

  /// The number of entries of each partition that were evicted since the cache was opened. Partitions without
  /// evictions are not included.
  public var evictionCounts: [Partition: Int] {
    store.index.withLock { index in
      let evicted = index.partitions.filter { $0.evictions > 0 }
      return Dictionary(uniqueKeysWithValues: evicted.map { ($0.partition, $0.evictions) })
    }
  }

  /// The partitions that have entries, by name.
  public var partitions: [Partition] {
    store.index.withLock { index in
      index.partitions.filter { $0.count > 0 }.map(\.partition).sorted { $0.name < $1.name }
    }
  }

  /// The counts since the cache was opened, and its size.
  public var statistics: DiskCacheStatistics {
    var statistics = store.counters.snapshot
    store.index.withLock { index in
      statistics.totalByteCount = index.totalByteCount
      statistics.liveByteCount = index.liveByteCount
      statistics.count = index.count
    }
    statistics.isWriter = store.isWriter
    return statistics
  }
}
