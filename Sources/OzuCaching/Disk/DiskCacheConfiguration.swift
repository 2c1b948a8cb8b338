#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What `DiskCache.flush()` promises. In both cases nothing torn is ever served, and what was stored survives the death of
/// the process, flushed or not; the module's overview has a table of what is kept when.
public enum Durability: Hashable, Sendable {
  /// Nothing is synchronized. After a crash of the system or a loss of power any entry may be missing or be an older one,
  /// and a removal may be undone.
  case buffered
  /// Flushed entries, removals and metadata survive a crash of the system and a loss of power. What was replaced since the
  /// flush may be as flushed, later, or missing. Costs milliseconds per flush, and when entries are copied to give back
  /// space.
  case synced
}

/// What a disk cache may do with its directory.
public enum DiskCacheAccess: Hashable, Sendable {
  /// Read and write. The directory is made if need be, and the first to open it locks it; those who come later read.
  case updating
  /// Read only. Nothing in the directory changes: it is not made, not locked and not trimmed, damaged files stay, and
  /// what would be stored or removed is dropped.
  case reading
}

/// The limits of a disk cache and the world it lives in.
public struct DiskCacheConfiguration: Sendable {
  /// The most bytes that all files of the cache may have together. Default: 512 MB.
  ///
  /// The directory keeps no capacity. A cache that opens as the writer removes what exceeds its own capacity at once,
  /// even if another program stored it under a larger one. Programs that share a directory should agree; one that only
  /// looks opens it with `DiskCacheAccess.reading`.
  public var capacity: Int
  /// What the cache may do with its directory. Default: `.updating`.
  public var access: DiskCacheAccess
  /// Whether to use a directory that belongs to another user, or that everybody may write to. Default: false, opening it
  /// fails.
  ///
  /// Checksums find damage, but they have no secret: a user who can write to the directory can give the cache any bytes
  /// for any key. Directories of the superuser are accepted, and so are those that a group may write to: the
  /// superuser decides who is in a group. A process of the superuser accepts no directory of another user.
  public var allowsForeignDirectory: Bool
  /// The most bytes that the entries of a partition may take; zero for no limit but the total.
  public var partitionCapacities: [DiskCache.Partition: Int]
  /// The capacity of the partitions not named above. Default: zero, no limit but the total.
  public var defaultPartitionCapacity: Int
  /// How many seconds after it was stored an entry expires; nil for never. Default: nil.
  ///
  /// An expired entry is served to nobody. The writer removes it when someone asks for it, or within a sixteenth of the
  /// shortest maximum age as the cache goes on storing and flushing; until then it counts in the sizes. The age counts
  /// from the store: other metadata and a use leave it. The dates are those of `now` at the time; an entry from up to a
  /// day in the future counts as new, and one from beyond as expired, because its age is not known.
  public var maximumAge: TimeInterval?
  /// The maximum age of the partitions named here, in place of the one of all; infinity for none.
  public var partitionMaximumAges: [DiskCache.Partition: TimeInterval]
  /// What `flush()` promises. Default: `.buffered`.
  public var durability: Durability
  /// How many seconds pass, of several processes with one directory, before one that does not write looks again for what
  /// the writer stored, and before the writer looks again for what the others hand over. A look takes some hundred
  /// microseconds and happens only when something is missed or stored. Default: 0.1.
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
    defaultPartitionCapacity: Int = 0, access: DiskCacheAccess = .updating,
    allowsForeignDirectory: Bool = false, maximumAge: TimeInterval? = nil,
    partitionMaximumAges: [DiskCache.Partition: TimeInterval] = [:],
    durability: Durability = .buffered, refreshInterval: TimeInterval = 0.1, concurrency: Int = 4,
    fileSystem: any FileSystem = SystemFileSystem(), now: @escaping @Sendable () -> Date = { Date() },
    onError: @escaping @Sendable (DiskCacheError) -> Void = { _ in }
  ) {
    self.capacity = capacity
    self.partitionCapacities = partitionCapacities
    self.defaultPartitionCapacity = defaultPartitionCapacity
    self.access = access
    self.allowsForeignDirectory = allowsForeignDirectory
    self.maximumAge = maximumAge
    self.partitionMaximumAges = partitionMaximumAges
    self.durability = durability
    self.refreshInterval = refreshInterval
    self.concurrency = concurrency
    self.fileSystem = fileSystem
    self.now = now
    self.onError = onError
  }
}
