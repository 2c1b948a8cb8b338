import Dispatch
import OzuBase

/// A crash-safe cache of bytes on disk with a strict limit in bytes. Several processes can share it.
///
/// ```swift
/// let cache = try DiskCache(directory: "/var/cache/pictures")
/// cache.store(bytes, forKey: CacheKey(url), in: "originals", label: url)
/// if let entry = cache.entry(forKey: CacheKey(url), in: "originals") { show(entry.body) }
/// ```
///
/// An entry is whole or absent, also after a crash. The files never have more than `capacity` bytes together. No failure of the file
/// system is fatal: it costs misses, and is counted and reported. Of several processes with one directory the first one writes;
/// the others read, and hand their entries over to it. The page of the module lists the promises, and
/// `Documentation/the-disk-cache.md` has each in detail.
///
/// Every operation has a synchronous form and an `async` form with the same name. The `async` form runs on queues
/// of the cache, and never blocks the threads of Swift concurrency. Every operation may be called from any thread.
public final class DiskCache: Sendable {
  /// A stored value.
  public struct Entry: Sendable {
    /// The bytes.
    public let body: Data
    /// The bytes stored with the body; empty if there were none.
    public let metadata: Data
    /// The text for listings of the cache.
    public let label: String?
    /// The date when the entry was stored.
    public let storedDate: Date
    /// The date of the last use before this fetch.
    public let accessDate: Date
  }

  let store: SegmentStore
  let queues: SerialQueues

  /// Opens the cache in a directory. Makes the directory if it does not exist.
  ///
  /// - Throws: If the directory cannot be made or listed, or if it belongs to another user or everybody may write
  ///   to it (`DiskCacheConfiguration.allowsForeignDirectory`). Other failures are reported to the configuration's
  ///   observer and lead to misses. If some segments cannot be opened, for example because the process has too many
  ///   open files, the cache reads the others, drops stores, and tries again later.
  /// - Complexity: Reads the stored index and the entries that were appended since it was stored. Without a stored
  ///   index, one small read per entry on disk.
  public init(
    directory: String, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) throws(DiskCacheError) {
    store = try SegmentStore(directory: directory, configuration: configuration)
    queues = SerialQueues(count: configuration.concurrency)
  }

  /// Opens the cache in the directory of a file URL.
  ///
  /// - Throws: If the directory cannot be made or listed.
  public convenience init(
    directory: URL, configuration: DiskCacheConfiguration = DiskCacheConfiguration()
  ) throws(DiskCacheError) {
    try self.init(directory: directory.path(percentEncoded: false), configuration: configuration)
  }

  deinit { close() }

  /// The path of the directory as it was given to the initializer.
  public var directory: String { store.directory }

  /// Stores bytes under a key and replaces the key's former entry in the partition.
  ///
  /// If this returns false, the key has no entry, so that an outdated one is never served; while another process writes, it keeps the
  /// last one that was stored or handed over. While another process writes, this cache hands the entry over to
  /// it: this cache can read the entry at once, the other processes after the writer has looked. Such an entry is
  /// dropped if it is larger than a 64th of the capacity, or if too many bytes already wait for the writer.
  ///
  /// - Parameters:
  ///   - body: The bytes, at most as many as fit under the partition's and the total capacity.
  ///   - metadata: A few bytes that can be read without the body.
  ///   - label: A text for listings of the cache, such as a URL; at most 4,096 bytes are kept.
  /// - Returns: Whether the entry was stored.
  @discardableResult
  public func store(
    _ body: Data, metadata: Data = Data(), forKey key: CacheKey, in partition: Partition = .default,
    label: String? = nil
  ) -> Bool {
    store.store(body, metadata: metadata, label: label ?? "", key: key, partition: partition)
  }

  /// The verified entry of a key. Counts as a use.
  public func entry(forKey key: CacheKey, in partition: Partition = .default) -> Entry? {
    let found = entry(key, in: partition, countsAsUse: true)
    store.counters.countFetch(isHit: found != nil)
    return found
  }

  /// The verified entry of a key, of which nothing is counted.
  package func entry(_ key: CacheKey, in partition: Partition, countsAsUse: Bool) -> Entry? {
    store.withRecord(key, in: partition, countsAsUse: countsAsUse, read: RecordReader.read) { record in
      let (header, label, metadata) = (record.header, record.label, record.metadata)
      return Entry(
        body: record.takeBody(), metadata: metadata, label: label,
        storedDate: Date(nanoseconds: header.stored), accessDate: Date(nanoseconds: header.accessed))
    }
  }

  /// The verified metadata of a key's entry. The body is not read. Does not count as a use.
  public func metadata(forKey key: CacheKey, in partition: Partition = .default) -> Data? {
    store.withRecord(key, in: partition, read: RecordReader.readHead) { $0.metadata }
  }

  /// Replaces the metadata of a key's entry. The body is not moved and not rewritten. Does not count as a use, and
  /// does not change the date of storing.
  ///
  /// A fetch returns either the former or the new metadata, also after a crash; after `flush()` the new one. A
  /// record with metadata of up to four kilobytes has room for later metadata that is an eighth and 32 bytes
  /// longer. Longer metadata, and metadata for an entry that was stored without any, cause the whole entry to be
  /// rewritten.
  ///
  /// - Returns: Whether the key has an entry with this metadata now. False also in a cache that only reads.
  /// - Complexity: O(metadata) if it fits, otherwise O(entry).
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
  /// - Returns: Whether the key has an entry.
  @discardableResult
  public func touch(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.touch(key, in: partition)
  }
}

extension Date {
  init(nanoseconds: Int64) {
    self.init(timeIntervalSince1970: Double(nanoseconds) / 1e9)
  }

  /// Nanoseconds since 1970, clamped to the range of the number.
  var nanoseconds: Int64 { Int64(max(-9e18, min(9e18, timeIntervalSince1970 * 1e9))) }
}

/// A few serial queues that share work by key. Blocking calls run here instead of on the threads of Swift
/// concurrency. At most as many run at once as there are queues, and calls for one key run in their order.
final class SerialQueues: Sendable {
  private let queues: [DispatchQueue]

  init(count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "ozu.disk-cache.\($0)") }
  }

  /// Runs `work` on the queue of a key.
  func run<Result: Sendable>(_ key: CacheKey? = nil, _ work: @escaping @Sendable () -> Result) async -> Result
  {
    let queue = queues[Int((key?.low ?? 0) % UInt64(queues.count))]
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  /// Runs `work`, which may fail, on the first queue.
  func attempt<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskCacheError) -> Result
  ) async throws(DiskCacheError) -> Result {
    try await run { Swift.Result { () throws(DiskCacheError) in try work() } }.get()
  }
}
