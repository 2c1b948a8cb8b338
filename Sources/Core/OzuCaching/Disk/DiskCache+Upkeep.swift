import OzuBase

// Removes entries, makes the others durable, looks through the cache, and closes it.
extension DiskCache {
  /// Removes the entry of a key in one partition.
  ///
  /// - Returns: Whether the key had an entry, and it was removed. A cache that only reads forgets the entry for
  ///   itself and returns false.
  @discardableResult
  public func remove(forKey key: CacheKey, in partition: Partition) -> Bool {
    store.remove(key, in: partition)
  }

  /// Removes the entries of a key in all partitions.
  ///
  /// - Returns: Whether the key had entries, and all of them were removed.
  @discardableResult
  public func remove(forKey key: CacheKey) -> Bool {
    store.remove(key, in: nil)
  }

  /// Removes all entries of a partition.
  ///
  /// - Throws: If a file could not be removed or rewritten, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func removeAll(in partition: Partition) throws(DiskCacheError) {
    try store.removeAll(in: partition)
  }

  /// Removes all entries.
  ///
  /// - Throws: If a file could not be removed, or if this cache may not write.
  public func removeAll() throws(DiskCacheError) {
    try store.removeAll(in: nil)
  }

  /// Makes all stored entries durable, as the configuration's `durability` promises, and writes the dates of
  /// access.
  ///
  /// - Throws: If that failed; then every entry stored since the last flush may be lost.
  public func flush() throws(DiskCacheError) {
    try store.flush()
  }

  /// Removes the least recently used entries of all partitions, and rewrites segments with dead space, until all
  /// files have at most `byteCount` bytes.
  ///
  /// - Throws: If a file could not be rewritten or removed, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func trim(toByteCount byteCount: Int) throws(DiskCacheError) {
    try store.write { (writer) throws(DiskCacheError) in
      try store.requireWriter(&writer)
      try store.trim(toByteCount: byteCount, &writer)
    }
  }

  /// Flushes, and gives back all locks until `resume()`: iOS ends an app that it suspends while the app holds a lock in a
  /// container that it shares with extensions.
  ///
  /// Meanwhile fetches serve the entries that this cache knows, changes are refused and counted as dropped, and another
  /// process may write. An entry that could not be replaced or removed is not served any more, also after `resume()`. A
  /// process that ends before leaves it in the files.
  public func suspend() {
    store.suspend()
  }

  /// Takes part again after `suspend()`: takes the lock back and reads what other processes stored, or reads along if
  /// another process has the lock now. Does nothing for a cache that is not suspended.
  public func resume() {
    store.resume()
  }

  /// Flushes, closes the files and releases the lock. All later operations are misses. A cache that is released
  /// closes itself.
  public func close() {
    store.close()
  }

  /// Removes the entries of all partitions that were stored before a date, and rewrites segments with dead space.
  ///
  /// - Throws: If a file could not be read, rewritten or removed, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  /// - Complexity: One small read per entry on disk.
  public func trim(olderThan date: Date) throws(DiskCacheError) {
    try store.trim(olderThan: date.nanoseconds)
  }

  /// Reads and verifies every entry, and removes damaged ones.
  ///
  /// - Complexity: Reads the whole cache. Other operations continue meanwhile.
  public func verify() -> DiskCacheReport {
    store.verify()
  }

  // MARK: Looking without using

  /// The verified body of a key's entry. Does not count as a use, so that tools can look through the cache.
  public func peek(_ key: CacheKey, in partition: Partition = .default) -> Data? {
    entry(key, in: partition, countsAsUse: false)?.body
  }

  /// Whether a key may have an entry, by the index in memory. Never waits for a write or a file.
  ///
  /// This is only a hint. It is also true if the page of the index was not read yet. The entry may be removed or damaged
  /// meanwhile, and entries that another process stored since this one last looked are not known yet.
  package func mayContain(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.index.withLock { index in
      guard let number = index.number(of: partition) else { return false }
      return index.missingPage(of: key, partition: number) != nil || index.find(key, in: number) != nil
    }
  }
}

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

/// The result of `DiskCache.verify()`.
public struct DiskCacheReport: Hashable, Sendable {
  /// A damaged entry. It was removed.
  public struct Damage: Hashable, Sendable {
    /// The entry's key.
    public let key: CacheKey
    /// The entry's partition.
    public let partition: DiskCache.Partition
  }

  /// The number of entries that are as they were stored.
  public var intactEntries = 0
  /// The bytes that intact entries take.
  public var intactByteCount = 0
  /// The damaged entries.
  public var corruptEntries: [Damage] = []
  /// The number of segment files.
  public var segments = 0
  /// Bytes of removed and superseded entries, which compaction or eviction will give back.
  public var deadByteCount = 0
  /// The part of `deadByteCount` that is damaged, where entries were lost.
  public var unreadableByteCount = 0

  /// Whether no damage was found.
  public var isSound: Bool { corruptEntries.isEmpty && unreadableByteCount == 0 }

  /// Makes an empty report.
  public init() {}
}

@_spi(Benchmarks) extension DiskCache {
  /// The checksum that the cache uses, for the benchmarks: the least that a verified read or write costs.
  public static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    Checksum64.of(bytes, seed: seed)
  }
}
