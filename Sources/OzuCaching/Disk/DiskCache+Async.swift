#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The same operations for asynchronous callers. They run on the cache's own queues, at most
// `DiskCacheConfiguration.concurrency` at once; those of one key run in the order of their calls.
extension DiskCache {
  /// Opens the cache in a directory without blocking the caller's thread.
  ///
  /// - Throws: When the directory cannot be made or listed.
  public static func open(
    directory: String, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) async throws(DiskCacheError) -> DiskCache {
    try await SerialQueues(count: 1).attempt { () throws(DiskCacheError) in
      try DiskCache(directory: directory, configuration: configuration)
    }
  }

  /// Stores bytes under a key, in the place of what the key had in the partition.
  ///
  /// - Returns: Whether the entry was stored.
  @discardableResult
  public func store(
    _ body: Data, metadata: Data = Data(), forKey key: CacheKey, in partition: Partition = .default,
    label: String? = nil
  ) async -> Bool {
    await queues.run(key) { self.store(body, metadata: metadata, forKey: key, in: partition, label: label) }
  }

  /// The entry of a key, verified. Counts as a use of it.
  public func fetch(_ key: CacheKey, in partition: Partition = .default) async -> Entry? {
    await queues.run(key) { self.fetch(key, in: partition) }
  }

  /// The metadata of a key's entry, verified, without reading the body.
  public func metadata(forKey key: CacheKey, in partition: Partition = .default) async -> Data? {
    await queues.run(key) { self.metadata(forKey: key, in: partition) }
  }

  /// Gives a key's entry other metadata and leaves the body as it is, where it is.
  ///
  /// - Returns: Whether the key has an entry and it has this metadata.
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
  /// - Returns: Whether there is one.
  @discardableResult
  public func touch(_ key: CacheKey, in partition: Partition = .default) async -> Bool {
    await queues.run(key) { self.touch(key, in: partition) }
  }

  /// Marks a key's entry as used now, or stores what `body` makes if there is none. Nothing waits for a thread while
  /// `body` works.
  ///
  /// - Returns: Whether the key has an entry now.
  @discardableResult
  public func touch<Failure: Error>(
    _ key: CacheKey, in partition: Partition = .default, metadata: Data = Data(), label: String? = nil,
    orStore body: () async throws(Failure) -> Data
  ) async throws(Failure) -> Bool {
    if await touch(key, in: partition) { return true }
    return await store(try await body(), metadata: metadata, forKey: key, in: partition, label: label)
  }

  /// Calls `use`, on a queue of the cache's, with the verified body of a key's entry where the mapped file has it. Counts
  /// as a use of the entry.
  ///
  /// - Parameter use: Gets the body, which must not leave the call, and the metadata.
  /// - Returns: What `use` returns, or nil if the key has no entry.
  public func withBody<Result: Sendable>(
    of key: CacheKey, in partition: Partition = .default,
    _ use: @escaping @Sendable (_ body: UnsafeRawBufferPointer, _ metadata: Data) -> Result
  ) async -> Result? {
    await queues.run(key) { self.withBody(of: key, in: partition, use) }
  }

  /// What a listing shows of a key's entry.
  public func info(forKey key: CacheKey, in partition: Partition = .default) async -> EntryInfo? {
    await queues.run(key) { self.info(forKey: key, in: partition) }
  }

  /// Changes the total capacity, and trims to it at once.
  public func setCapacity(_ capacity: Int) async {
    await queues.run { self.setCapacity(capacity) }
  }

  /// Changes a partition's capacity, and evicts its least recently used entries at once.
  public func setCapacity(_ capacity: Int, of partition: Partition) async {
    await queues.run { self.setCapacity(capacity, of: partition) }
  }

  /// Removes the entry of a key in one partition.
  ///
  /// - Returns: Whether there was one and it is gone.
  @discardableResult
  public func remove(forKey key: CacheKey, in partition: Partition) async -> Bool {
    await queues.run(key) { self.remove(forKey: key, in: partition) }
  }

  /// Removes the entries of a key in all partitions.
  ///
  /// - Returns: Whether there was any and all are gone.
  @discardableResult
  public func remove(forKey key: CacheKey) async -> Bool {
    await queues.run(key) { self.remove(forKey: key) }
  }

  /// Removes all entries of a partition.
  ///
  /// - Throws: When a file could not be removed or rewritten, or when this cache may not write.
  public func removeAll(in partition: Partition) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.removeAll(in: partition) }
  }

  /// Removes all entries.
  ///
  /// - Throws: When a file could not be removed, or when this cache may not write.
  public func removeAll() async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.removeAll() }
  }

  /// Makes what was stored durable, as far as the configuration promises.
  ///
  /// - Throws: When that failed.
  public func flush() async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.flush() }
  }

  /// Removes the least recently used entries until all files have at most `byteCount` bytes.
  ///
  /// - Throws: When a file could not be rewritten or removed, or when this cache may not write.
  public func trim(toByteCount byteCount: Int) async throws(DiskCacheError) {
    try await queues.attempt { () throws(DiskCacheError) in try self.trim(toByteCount: byteCount) }
  }

  /// Reads every entry and verifies it; damaged ones are dropped.
  public func verify() async -> DiskCacheReport {
    await queues.run { self.verify() }
  }

  /// Flushes, lets go of the files and of the lock.
  public func close() async {
    await queues.run { self.close() }
  }
}
