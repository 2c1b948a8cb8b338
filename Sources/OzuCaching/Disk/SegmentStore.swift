import OzuSynchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The engine of a disk cache: an append-only log in segments with an index in memory.
///
/// The design. An entry is one record, written by one call behind the last one of the active segment; a full
/// segment is left and a new one begun; a record larger than half a segment gets one of its own. A
/// record dies in place: its state word is overwritten when it is removed, evicted or superseded, so there are no
/// tombstones to carry along and any segment can go at any time. When the files come near the capacity the oldest
/// segment is drained and removed: the entries in it that were used since they were written, up to half its
/// size, are copied to the end of the log. When live entries fill too little of the files, the emptiest segment
/// is rewritten. Both cost a constant per byte stored, and each store does a part of it (`Drain`).
///
/// The index is in pages, which are read when they are needed and written when they changed, a few with each store
/// (`SegmentIndex`, `IndexFiles`).
///
/// A crash leaves at most one record unfinished, at the end of a segment; its length or its checksum tells.
///
/// Locks. `writer` is held by everything that changes files, `index` for the moment of a look-up or a
/// change in memory; `writer` is always taken first. Fetches take `index` alone and read without a lock:
/// a record found is either still what it was, or says that it is dead.
final class SegmentStore: Sendable {
  enum Role {
    /// Holds the lock of the directory.
    case writer(any FileLock)
    /// Someone else holds it.
    case reader
    /// Serves nothing any more.
    case closed
  }

  struct Writer {
    var role = Role.reader
    /// The segment that records are appended to.
    var active: Int?
    var nextSequence: UInt64 = 1
    var nextNumber: UInt64 = 1
    /// What `flush()` must force to the device.
    var unsynced: [UInt64: SegmentFile] = [:]
    var isDirectoryUnsynced = false
    /// When a reader last looked for new entries.
    var refreshed = Int64.min
    /// When this cache last became a reader because it could not load all segments.
    var yielded = Int64.min
    /// Why this cache is a reader.
    var refusal: DiskCacheError
    /// What was to be replaced while this cache could not write.
    var outdated = OutdatedEntries()
    /// Whether the stored index may be used: false once an entry of it was found to be wrong.
    var trustsStoredIndex = true
    /// Where other processes hand over what they store.
    var offers = Offers()
    /// What this cache hands over while another process writes.
    var own = OwnOffers()
    /// Bytes of files that editors are writing.
    var spilledByteCount = 0
    /// How often it was asked whether this cache may write.
    var turns = 0
    /// The files of the stored index.
    var files = IndexFiles()
    /// The segment that is leaving.
    var drain: Drain?
    /// Records that were copied, by the sequence numbers of the copies. They are marked as dead when the copies are
    /// durable, or when the copies die.
    var pendingKills: [UInt64: [PendingKill]] = [:]
    /// Where the search for the next entry to evict goes on, by partition.
    var partitionCursors: [Int: PartitionCursor] = [:]
    /// To how many bytes the cache was trimmed, until something is stored.
    var trimmedByteCount: Int?
    /// Where the search for expired entries is.
    var agePass = AgePass()
    var capacity: Int
    var random = SystemRandomNumberGenerator()
    /// Errors met under the lock, to be reported after it.
    var errors: [DiskCacheError] = []

    struct PendingKill {
      let file: SegmentFile
      let offset: Int
    }

    /// Whether this cache holds the lock of the directory.
    var isWriter: Bool { if case .writer = role { true } else { false } }

    /// Whether this cache serves what another process writes, and nothing failed.
    var followsAnother: Bool {
      guard case .reader = role else { return false }
      return refusal.operation == .change && [EBUSY, EROFS].contains(refusal.code)
    }
  }

  let directory: String
  let configuration: DiskCacheConfiguration
  let fileSystem: any FileSystem
  let ages: AgeLimits
  let counters = DiskCacheCounters()
  let index = Mutex(SegmentIndex())
  let writer: Mutex<Writer>
  /// What the writer's state said last, for those who must not wait until a write is done.
  let isWriting = Atomic<Bool>(false)
  /// Whether other processes hand over entries to this one.
  let hasGuests = Atomic<Bool>(false)
  let currentCapacity: Atomic<Int>
  private let capacities: Mutex<[Partition: Int]>
  private let reported = Mutex<Set<DiskCacheError>>([])

  init(directory: String, configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    var directory = directory
    while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
    self.directory = directory
    self.configuration = configuration
    fileSystem = configuration.fileSystem
    ages = AgeLimits(
      maximumAge: configuration.maximumAge, partitionMaximumAges: configuration.partitionMaximumAges)
    let refusal = DiskCacheError(.change, path: directory, code: EBUSY)
    writer = Mutex(Writer(refusal: refusal, capacity: max(0, configuration.capacity)))
    currentCapacity = Atomic(max(0, configuration.capacity))
    capacities = Mutex(configuration.partitionCapacities)
    try prepareDirectory()
    try write { (writer) throws(DiskCacheError) in
      acquireRole(&writer)
      try load(&writer)
    }
  }

  // MARK: Locks and errors

  /// Runs `body` as the only one that changes files, then reports the errors it noted.
  func write<Result: Sendable>(
    _ body: (inout Writer) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    var errors: [DiskCacheError] = []
    defer { for error in errors { report(error) } }
    return try writer.withLock { (writer) throws(DiskCacheError) -> Result in
      defer {
        errors = writer.errors
        writer.errors = []
        currentCapacity.store(writer.capacity, ordering: .relaxed)
        if case .writer = writer.role {
          isWriting.store(true, ordering: .relaxed)
        } else {
          isWriting.store(false, ordering: .relaxed)
        }
      }
      return try body(&writer)
    }
  }

  /// Counts an error, and tells the observer if it is the first of its kind.
  func report(_ error: DiskCacheError) {
    counters.errors.increment()
    let isFirst = reported.withLock { reported in
      reported.insert(DiskCacheError(error.operation, path: "", code: error.code)).inserted
    }
    if isFirst { configuration.onError(error) }
  }

  /// Nanoseconds since 1970 on the injected clock.
  func now() -> Int64 { configuration.now().nanoseconds }

  func capacity(of partition: Partition) -> Int {
    capacities.withLock { $0[partition] } ?? configuration.defaultPartitionCapacity
  }

  func setCapacity(_ capacity: Int, of partition: Partition) {
    capacities.withLock { $0[partition] = capacity }
  }

  // MARK: Geometry

  /// The bytes that an offer may have: a 64th of the capacity, and no more than half a segment. Nil if that is too little.
  func offerByteCount(for capacity: Int) -> Int? {
    let byteCount = min(segmentSize(for: capacity) / 2, capacity / 64) & ~7
    return byteCount >= OfferFile.smallestByteCount ? byteCount : nil
  }

  /// A part in 32 of the capacity, between 64 KB and 32 MB, yet never more than a quarter of the capacity nor
  /// so little that a cache of less than 512 GB would need more than 128 files.
  func segmentSize(for capacity: Int) -> Int {
    let usual = min(max(capacity / 32, 64 << 10), 32 << 20)
    return min(max(min(max(usual, capacity / 128), capacity / 4), 4 << 10), 4 << 30)
  }
}
