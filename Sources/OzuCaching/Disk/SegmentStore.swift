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

/// The engine of a disk cache: an append-only log in segments, with an index in memory.
///
/// Design. An entry is one record. One call writes it after the last record of the active segment. When a segment
/// is full, a new one begins; a record larger than half a segment gets a segment of its own. A removed, evicted or
/// superseded record is marked as dead in place, by overwriting its state word. So the log needs no tombstones, and
/// any segment can be removed at any time. When the files come near the capacity, the oldest segment is emptied and
/// removed; entries that were used since they were written are first copied to the end of the log, up to half the
/// segment. A partition over its own capacity loses its least recently used entries one by one. When the share of live entries is too small, the segment with the largest dead share is rewritten. Both
/// cost a constant per stored byte, and each store does a part of the work (`Drain`).
///
/// The index consists of pages, which are read when they are needed and written after they changed, a few with each
/// store (`SegmentIndex`, `IndexFiles`).
///
/// A crash leaves at most one unfinished record, at the end of a segment; its length or its checksum shows it.
///
/// Locks. Every operation that changes files holds `writer`; a lookup or a change in memory holds `index` briefly.
/// `writer` is always taken first. Fetches take only `index`, and read without a lock: the record that they read is
/// either unchanged or says that it is dead.
final class SegmentStore: Sendable {
  enum Role {
    /// This cache holds the lock of the directory.
    case writer(any FileLock)
    /// Another cache holds the lock.
    case reader
    /// The cache is closed.
    case closed
  }

  struct Writer {
    var role = Role.reader
    /// The segment that records are appended to.
    var active: Int?
    var nextSequence: UInt64 = 1
    var nextNumber: UInt64 = 1
    /// The segments that `flush()` must synchronize to the device.
    var unsynced: [UInt64: SegmentFile] = [:]
    var isDirectoryUnsynced = false
    /// The time when a reader last looked for new entries.
    var refreshed = Int64.min
    /// The time when this cache last became a reader because it could not load all segments.
    var yielded = Int64.min
    /// The reason why this cache is a reader.
    var refusal: DiskCacheError
    /// The entries that were to be replaced while this cache could not write.
    var outdated = OutdatedEntries()
    /// Whether the stored index may be used; false after one of its entries was found to be wrong.
    var trustsStoredIndex = true
    /// The files in which other processes hand over entries.
    var offers = Offers()
    /// The entries that this cache hands over while another process writes.
    var own = OwnOffers()
    /// The number of calls of `prepareToWrite`.
    var turns = 0
    /// The files of the stored index.
    var files = IndexFiles()
    /// The segment that is being emptied.
    var drain: Drain?
    /// Records that were copied, by the sequence numbers of the copies. They are marked as dead when the copies are
    /// durable, or when the copies die.
    var pendingKills: [UInt64: [PendingKill]] = [:]
    /// The entries to evict next, by partition; the least recently used one is the last.
    var evictionCandidates: [Int: [EvictionCandidate]] = [:]
    /// The number of bytes to which the cache was trimmed, until something is stored.
    var trimmedByteCount: Int?
    /// The progress of the search for expired entries.
    var agePass = AgePass()
    var capacity: Int
    var random = SystemRandomNumberGenerator()
    /// Errors that occurred under the lock. They are reported after it is released.
    var errors: [DiskCacheError] = []

    struct PendingKill {
      let file: SegmentFile
      let offset: Int
    }

    /// Whether this cache holds the lock of the directory.
    var isWriter: Bool { if case .writer = role { true } else { false } }

    /// Whether this cache serves entries that another process writes, and nothing failed.
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
  let index = LiveIndex()
  let writer: Mutex<Writer>
  /// A copy of the writer's role, for callers that must not wait until a write is done.
  let isWriting = Atomic<Bool>(false)
  /// Whether other processes hand over entries to this one.
  let hasOffers = Atomic<Bool>(false)
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

  /// Runs `body` with exclusive access to the files, and then reports the errors that it recorded.
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

  /// Counts an error, and calls the observer if it is the first of its kind.
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
    capacities.withLock { $0[partition] } ?? 0
  }

  func setCapacity(_ capacity: Int, of partition: Partition) {
    capacities.withLock { $0[partition] = capacity }
  }

  // MARK: Geometry

  /// The most bytes that an offer may have: a 64th of the capacity, at most half a segment. Nil if that is too
  /// little.
  func offerByteCount(for capacity: Int) -> Int? {
    let byteCount = min(segmentSize(for: capacity) / 2, capacity / 64) & ~7
    return byteCount >= OfferFile.smallestByteCount ? byteCount : nil
  }

  /// A 32nd of the capacity, between 64 KB and 32 MB, but at most a quarter of the capacity, and large enough that
  /// a cache of less than 512 GB needs at most 128 files.
  func segmentSize(for capacity: Int) -> Int {
    let usual = min(max(capacity / 32, 64 << 10), 32 << 20)
    return min(max(min(max(usual, capacity / 128), capacity / 4), 4 << 10), 4 << 30)
  }
}
