import OzuBase

// The asynchronous forms of the operations. They run on the cache's own queues, at most
// `DiskCacheConfiguration.concurrency` at once. Operations on one key run in the order of their calls.
extension DiskCache {
  /// Opens the cache in a directory without blocking the caller's thread.
  ///
  /// - Throws: If the directory cannot be made or listed.
  public static func open(
    directory: String, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) async throws(DiskCacheError) -> DiskCache {
    try await SerialQueues(count: 1).attempt { () throws(DiskCacheError) in
      try DiskCache(directory: directory, configuration: configuration)
    }
  }

  /// Stores bytes under a key and replaces the key's former entry in the partition.
  ///
  /// - Returns: Whether the entry was stored.
  @discardableResult
  public func store(
    _ body: Data, metadata: Data = Data(), forKey key: CacheKey, in partition: Partition = .default,
    label: String? = nil
  ) async -> Bool {
    await queues.run(key) { self.store(body, metadata: metadata, forKey: key, in: partition, label: label) }
  }

  /// The verified entry of a key. Counts as a use.
  public func entry(forKey key: CacheKey, in partition: Partition = .default) async -> Entry? {
    await queues.run(key) { self.entry(forKey: key, in: partition) }
  }

  /// The verified metadata of a key's entry. The body is not read.
  public func metadata(forKey key: CacheKey, in partition: Partition = .default) async -> Data? {
    await queues.run(key) { self.metadata(forKey: key, in: partition) }
  }

  /// Replaces the metadata of a key's entry. The body is not moved and not rewritten.
  ///
  /// - Returns: Whether the key has an entry with this metadata now.
  @discardableResult
  public func updateMetadata(
    _ metadata: Data, forKey key: CacheKey, in partition: Partition = .default
  ) async -> Bool {
    await queues.run(key) { self.updateMetadata(metadata, forKey: key, in: partition) }
  }

  /// Whether a key has an entry, without reading it.
  public func contains(_ key: CacheKey, in partition: Partition = .default) async -> Bool {
    await queues.run(key) { self.contains(key, in: partition) }
  }

  /// Marks a key's entry as used now.
  ///
  /// - Returns: Whether the key has an entry.
  @discardableResult
  public func touch(_ key: CacheKey, in partition: Partition = .default) async -> Bool {
    await queues.run(key) { self.touch(key, in: partition) }
  }

  /// The facts of a key's entry, without its body.
  public func info(forKey key: CacheKey, in partition: Partition = .default) async -> EntryInfo? {
    await queues.run(key) { self.info(forKey: key, in: partition) }
  }

  /// Changes the total capacity, and evicts entries at once if they exceed it.
  public func setCapacity(_ capacity: Int) async {
    await queues.run { self.setCapacity(capacity) }
  }

  /// Changes a partition's capacity, and evicts its least recently used entries at once.
  public func setCapacity(_ capacity: Int, of partition: Partition) async {
    await queues.run { self.setCapacity(capacity, of: partition) }
  }

  /// Removes the entry of a key in one partition.
  ///
  /// - Returns: Whether the key had an entry, and it was removed.
  @discardableResult
  public func remove(forKey key: CacheKey, in partition: Partition) async -> Bool {
    await queues.run(key) { self.remove(forKey: key, in: partition) }
  }

  /// Removes the entries of a key in all partitions.
  ///
  /// - Returns: Whether the key had entries, and all of them were removed.
  @discardableResult
  public func remove(forKey key: CacheKey) async -> Bool {
    await queues.run(key) { self.remove(forKey: key) }
  }

  /// Removes all entries of a partition.
  ///
  /// - Throws: If a file could not be removed or rewritten, or if this cache may not write.
  public func removeAll(in partition: Partition) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.removeAll(in: partition) }
  }

  /// Removes all entries.
  ///
  /// - Throws: If a file could not be removed, or if this cache may not write.
  public func removeAll() async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.removeAll() }
  }

  /// Makes all stored entries durable, as `DiskCacheConfiguration.durability` promises.
  ///
  /// - Throws: If that failed.
  public func flush() async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.flush() }
  }

  /// Flushes, and gives back all locks until `resume()`.
  public func suspend() async { await queues.run { self.suspend() } }

  /// Takes part again after `suspend()`.
  public func resume() async { await queues.run { self.resume() } }

  /// Removes the least recently used entries until all files have at most `byteCount` bytes.
  ///
  /// - Throws: If a file could not be rewritten or removed, or if this cache may not write.
  public func trim(toByteCount byteCount: Int) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.trim(toByteCount: byteCount) }
  }

  /// Removes the entries of all partitions that were stored before a date, and rewrites segments with dead space.
  ///
  /// - Throws: If a file could not be read, rewritten or removed, or if this cache may not write.
  public func trim(olderThan date: Date) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.trim(olderThan: date) }
  }

  /// Reads and verifies every entry, and removes damaged ones.
  public func verify() async -> DiskCacheReport {
    await queues.run { self.verify() }
  }

  /// Flushes, closes the files and releases the lock.
  public func close() async {
    await queues.run { self.close() }
  }
}
