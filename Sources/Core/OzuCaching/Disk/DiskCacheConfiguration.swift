import OzuBase

/// The promise of `DiskCache.flush()`. In both cases no torn entry is ever served, and stored entries survive the
/// death of the process, also without a flush. `Documentation/the-disk-cache.md` has a table of what survives which event.
public enum Durability: Hashable, Sendable {
  /// Nothing is synchronized to the device. After a system crash or a loss of power, any entry may be missing or
  /// older, and a removal may be undone.
  case buffered
  /// Flushed entries, removals and metadata survive a system crash and a loss of power. Entries that were replaced
  /// after the flush may be the flushed ones, later ones, or missing. Costs milliseconds per flush, and each time
  /// that entries are copied to give back space.
  case synced
}

/// The rights of a disk cache in its directory.
public enum DiskCacheAccess: Hashable, Sendable {
  /// Read and write. The directory is made if it does not exist. The first cache that opens it locks it and writes;
  /// caches that open it later read.
  case updating
  /// Read only. The cache does not make, lock, trim or repair anything in the directory, and drops stores and
  /// removals.
  case reading
}

/// The limits of a disk cache, its file system and its clock.
public struct DiskCacheConfiguration: Sendable {
  /// The most bytes that all files of the cache may have together. Default: 512 MB.
  ///
  /// The capacity is not stored in the directory. A cache that opens as the writer evicts entries at once until its
  /// own capacity holds, even if another program stored them under a larger one. Programs that share a directory
  /// should use the same capacity; a program that only looks opens it with `DiskCacheAccess.reading`.
  public var capacity: Int
  /// The rights of the cache in its directory. Default: `.updating`.
  public var access: DiskCacheAccess
  /// Whether to accept a directory that belongs to another user, or that everybody may write to. Default: false;
  /// opening such a directory fails.
  ///
  /// Checksums detect damage, but they contain no secret: a user who can write to the directory can give the cache
  /// any bytes for any key. Directories of the superuser are accepted, and so are directories that a group may
  /// write to, because the superuser decides who is in a group. A process of the superuser accepts no directory of
  /// another user.
  public var allowsForeignDirectory = false
  /// The most bytes that the entries of each partition may take. Zero, and no number, mean no limit except the total.
  public var partitionCapacities: [DiskCache.Partition: Int] = [:]
  /// The number of seconds after which a stored entry expires; nil for never. Default: nil.
  ///
  /// An expired entry is never served. The writer removes it at the next lookup of its key, or, while the cache
  /// stores and flushes, within a sixteenth of the shortest maximum age. Until then it counts in the sizes. The age
  /// is measured from the store; new metadata and uses do not change it. Dates come from `now`. A date up to a day
  /// in the future counts as new. An entry from later counts as expired, because its age is unknown.
  public var maximumAge: TimeInterval?
  /// The maximum age for single partitions, instead of `maximumAge`; infinity for no limit.
  public var partitionMaximumAges: [DiskCache.Partition: TimeInterval] = [:]
  /// The promise of `flush()`. Default: `.buffered`.
  public var durability = Durability.buffered
  /// The smallest number of seconds between two looks at what other processes did, if several processes use one
  /// directory: a reader looks for entries that the writer stored, the writer looks for entries that readers hand
  /// over. A look takes some hundred microseconds, and happens only at a miss or a store. Default: 0.1.
  public var refreshInterval: TimeInterval = 0.1
  /// The number of asynchronous operations that run at once. Default: four.
  public var concurrency = 4
  /// The file system. Default: the one of the operating system.
  public var fileSystem: any FileSystem
  /// The clock for dates of storing and of access.
  public var now: @Sendable () -> Date = { Date() }
  /// Called if a call to the file system fails: once per operation and error number until the cache is opened
  /// again. The cache continues; entries that it could not keep are misses.
  public var onError: @Sendable (DiskCacheError) -> Void = { _ in }

  /// Makes a configuration from the defaults with changes: `DiskCacheConfiguration(capacity: 1 << 30) { $0.durability = .synced }`.
  ///
  /// - Parameter configure: changes what has no label.
  public init(
    capacity: Int = 512 << 20, access: DiskCacheAccess = .updating, maximumAge: TimeInterval? = nil,
    fileSystem: any FileSystem = SystemFileSystem(), _ configure: (inout Self) -> Void = { _ in }
  ) {
    self.capacity = capacity
    self.access = access
    self.maximumAge = maximumAge
    self.fileSystem = fileSystem
    configure(&self)
  }
}
