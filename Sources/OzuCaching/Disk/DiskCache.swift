#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A crash-safe cache of bytes on disk, bounded at every moment, shared by processes.
///
/// ```swift
/// let cache = try DiskCache(directory: "/var/cache/pictures")
/// cache.store(bytes, forKey: CacheKey(url), in: "originals", label: url)
/// if let entry = cache.fetch(CacheKey(url), in: "originals") { show(entry.body) }
/// ```
///
/// - **Whole or absent.** An entry carries its key, its lengths and checksums; a fetch verifies all of them. What a
///   crash left unfinished or the medium damaged is a miss, is removed and is counted.
/// - **Bounded.** The files never have more than `capacity` bytes together, dead space and the index included. Keeping
///   the bound costs a constant per byte stored, and no store does much more of that work than another.
/// - **Durable as far as asked.** An entry is readable as soon as `store` returns. What was stored before `flush()`
///   returned survives the death of the process, and with `Durability.synced` the loss of power.
/// - **Harmless.** No failure of the file system is fatal: the cache misses, counts and reports it. A directory
///   that vanished is made anew at the next store.
/// - **As old as allowed.** With `DiskCacheConfiguration.maximumAge` no entry is served that was stored longer ago.
/// - **One writer.** Of several processes with one directory the first writes, by a lock; the others read what
///   it commits, and hand over to it what they store. When it goes, the next that stores takes over.
///
/// Every operation has a synchronous form and an `async` form of the same name, which runs on queues of the
/// cache's own and never blocks the threads of Swift concurrency. Every operation may be called from any
/// thread.
public final class DiskCache: Sendable {
  /// A stored value.
  public struct Entry: Sendable {
    /// The bytes.
    public let body: Data
    /// The bytes stored beside the body; empty if there were none.
    public let metadata: Data
    /// The text stored for people who list the cache.
    public let label: String?
    /// When it was stored.
    public let storedDate: Date
    /// When it was last used before this fetch.
    public let accessDate: Date
  }

  let store: SegmentStore
  let queues: SerialQueues

  /// Opens the cache in a directory, which is made if need be.
  ///
  /// - Throws: When the directory cannot be made or listed, or when it belongs to another user or everybody may write
  ///   to it (`DiskCacheConfiguration.allowsForeignDirectory`). Other failures are reported to the configuration's
  ///   observer and degrade to misses. While not all segments can be opened, for lack of descriptors for example, the
  ///   cache reads those that it has, drops what would be stored, and tries again.
  /// - Complexity: Reads the stored index and what was appended since it was stored; without one, one small read per
  ///   entry on disk.
  public init(
    directory: String, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) throws(DiskCacheError) {
    store = try SegmentStore(directory: directory, configuration: configuration)
    queues = SerialQueues(count: configuration.concurrency)
  }

  /// Opens the cache in the directory of a file URL.
  ///
  /// - Throws: When the directory cannot be made or listed.
  public convenience init(
    directory: URL, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) throws(DiskCacheError) {
    try self.init(directory: directory.path(percentEncoded: false), configuration: configuration)
  }

  deinit { close() }

  /// The directory, as it was given.
  public var directory: String { store.directory }

  // MARK: Entries

  /// Stores bytes under a key, in the place of what the key had in the partition.
  ///
  /// When this returns false the key has no entry (or, while another process writes, whatever that gives it): an entry
  /// that is out of date is never served. While another process writes, the entry is handed over to it: this cache has it
  /// at once, the others when the writer has looked. Then it is dropped if it is larger than a 64th of the
  /// capacity, or if so much already waits for the writer.
  ///
  /// - Parameters:
  ///   - body: The bytes, at most as many as fit under the partition's and the total capacity.
  ///   - metadata: A few bytes beside them that can be read alone.
  ///   - label: A text for people who list the cache, such as a URL; cut at 4,096 bytes.
  /// - Returns: Whether the entry was stored.
  @discardableResult
  public func store(
    _ body: Data, metadata: Data = Data(), forKey key: CacheKey, in partition: Partition = .default,
    label: String? = nil
  ) -> Bool {
    store.store(body, metadata: metadata, label: label ?? "", key: key, partition: partition)
  }

  /// The entry of a key, verified. Counts as a use of it.
  public func fetch(_ key: CacheKey, in partition: Partition = .default) -> Entry? {
    let entry = store.withRecord(
      key, in: partition, countsAsUse: true,
      read: { (location) throws(DiskCacheError) in try RecordReader.read(location) },
      use: { record in
        let (header, label, metadata) = (record.header, record.label, record.metadata)
        return Entry(
          body: record.takeBody(), metadata: metadata, label: label,
          storedDate: Date(nanoseconds: header.stored),
          accessDate: Date(nanoseconds: header.accessed))
      })
    if entry == nil { store.counters.misses.increment() } else { store.counters.hits.increment() }
    return entry
  }

  /// Calls `use` with the verified body of a key's entry where the mapped file has it, without copying it. Counts as a
  /// use of the entry.
  ///
  /// The entry stays readable until `use` returns, even if it is evicted, removed or replaced meanwhile: a segment's
  /// bytes are never overwritten, and its file goes only from the directory while it is mapped. A medium
  /// that fails while mapped bytes are touched ends the process, as with every mapped file; `fetch` reports an
  /// error instead. Where files cannot be mapped the body is read.
  ///
  /// - Parameter use: Gets the body, which must not leave the call, and the metadata.
  /// - Returns: What `use` returns, or nil if the key has no entry.
  public func withBody<Result, Failure: Error>(
    of key: CacheKey, in partition: Partition = .default,
    _ use: (_ body: UnsafeRawBufferPointer, _ metadata: Data) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let outcome = store.withRecord(
      key, in: partition, countsAsUse: true,
      read: { (location) throws(DiskCacheError) in try RecordReader.map(location) },
      use: { record in
        let metadata = record.metadata
        return Swift.Result { () throws(Failure) in
          try record.withBody { (body) throws(Failure) in try use(body, metadata) }
        }
      })
    if outcome == nil { store.counters.misses.increment() } else { store.counters.hits.increment() }
    return try outcome?.get()
  }

  /// The metadata of a key's entry, verified, without reading the body. Does not count as a use.
  public func metadata(forKey key: CacheKey, in partition: Partition = .default) -> Data? {
    store.withRecord(
      key, in: partition, countsAsUse: false,
      read: { (location) throws(DiskCacheError) in try RecordReader.readHead(location) },
      use: { $0.metadata })
  }

  /// Gives a key's entry other metadata and leaves the body as it is, where it is. Does not count as a use, and the
  /// date of storing stays.
  ///
  /// A fetch gets the former metadata or the new, also after a crash; after `flush()` the new. Beside metadata of up to
  /// four kilobytes a record has room for that of later: an eighth and 32 bytes more. What does not fit, and
  /// metadata for an entry that was stored without any, has the entry written anew.
  ///
  /// - Returns: Whether the key has an entry and it has this metadata. False also in a cache that only reads.
  /// - Complexity: O(metadata) where it fits; else O(entry).
  @discardableResult
  public func updateMetadata(
    _ metadata: Data, forKey key: CacheKey, in partition: Partition = .default
  ) -> Bool {
    store.updateMetadata(metadata, key: key, partition: partition)
  }

  /// Whether a key has an entry, without reading it. Does not count as a use.
  public func contains(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.contains(key, in: partition)
  }

  /// Marks a key's entry as used now.
  ///
  /// - Returns: Whether there is one.
  @discardableResult
  public func touch(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.touch(key, in: partition)
  }

  /// Marks a key's entry as used now, or stores what `body` makes if there is none.
  ///
  /// - Returns: Whether the key has an entry now.
  @discardableResult
  public func touch<Failure: Error>(
    _ key: CacheKey, in partition: Partition = .default, metadata: Data = Data(), label: String? = nil,
    orStore body: () throws(Failure) -> Data
  ) throws(Failure) -> Bool {
    if store.touch(key, in: partition) { return true }
    return store.store(try body(), metadata: metadata, label: label ?? "", key: key, partition: partition)
  }

  /// Removes the entry of a key in one partition.
  ///
  /// - Returns: Whether there was one and it is gone. A cache that only reads forgets the entry for itself and
  ///   returns false.
  @discardableResult
  public func remove(forKey key: CacheKey, in partition: Partition) -> Bool {
    store.remove(key, in: partition)
  }

  /// Removes the entries of a key in all partitions.
  ///
  /// - Returns: Whether there was any and all are gone.
  @discardableResult
  public func remove(forKey key: CacheKey) -> Bool {
    store.remove(key, in: nil)
  }

  /// Removes all entries of a partition.
  ///
  /// - Throws: When a file could not be removed or rewritten, or when this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func removeAll(in partition: Partition) throws(DiskCacheError) {
    try store.removeAll(in: partition)
  }

  /// Removes all entries.
  ///
  /// - Throws: When a file could not be removed, or when this cache may not write.
  public func removeAll() throws(DiskCacheError) {
    try store.removeAll(in: nil)
  }

  // MARK: Upkeep

  /// Makes what was stored durable, as far as the configuration's `durability` promises, and writes the dates
  /// of access.
  ///
  /// - Throws: When that failed; then nothing stored since the last flush is certain.
  public func flush() throws(DiskCacheError) {
    try store.flush()
  }

  /// Removes the least recently used entries of all partitions, and rewrites what has dead space, until all files
  /// have at most `byteCount` bytes.
  ///
  /// - Throws: When a file could not be rewritten or removed, or when this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func trim(toByteCount byteCount: Int) throws(DiskCacheError) {
    try store.write { (writer) throws(DiskCacheError) in
      try store.requireWriter(&writer)
      try store.trim(toByteCount: byteCount, &writer)
    }
  }

  /// Flushes, lets go of the files and of the lock. All later operations miss. Released caches close themselves.
  public func close() {
    store.close()
  }
}

extension Date {
  init(nanoseconds: Int64) {
    self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9)
  }

  /// Nanoseconds since 1970, as far as there are numbers.
  var nanoseconds: Int64 { Int64(max(-9e18, min(9e18, timeIntervalSince1970 * 1e9))) }
}
