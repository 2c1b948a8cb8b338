import OzuBase

/// The entries that a process without the right to write has handed over.
///
/// It appends them to an offer whose lock it holds, and has them in its own index meanwhile. The writer adopts each
/// entry: it writes the record to its log and marks the offered one as dead. When this cache finds the dead record,
/// it looks for the other one. A full offer is released, and the writer removes it.
struct OwnOffers {
  /// The offer to which records are appended.
  private struct Open {
    let file: SegmentFile
    /// Held until the offer is full.
    let lock: any FileLock
    /// Its number among the segments of this cache's index.
    let segment: Int
    var size = SegmentHeader.byteCount

    /// The most bytes that the file may have.
    var limit: Int { OfferFile.limit(file.header) ?? 0 }
  }

  private var open: Open?
  /// The time when this cache last looked for a free offer and found none.
  private var sought = Int64.min
  private let context: StoreContext

  private var index: LiveIndex { context.index }

  init(_ context: StoreContext) { self.context = context }

  /// Releases the offer, because the directory is read again or the cache is closed.
  mutating func reset() { self = OwnOffers(context) }

  /// Hands an entry over to the writer, and adds it to the index of this cache.
  ///
  /// - Returns: Whether an offer had room for the entry. An offer may be smaller than the entry.
  mutating func append(
    _ head: inout EntryHead, _ header: EntryHeader, _ body: Data, in partition: Partition
  ) -> Bool {
    let number = index.withLock { $0.number(adding: partition) }
    guard number < SegmentIndex.partitionLimit else { return false }
    let length = header.recordLength
    // At most three turns: one offer is full, one was removed, one has room.
    for _ in 0..<3 {
      if open == nil { context.errors.attempt { () throws(DiskCacheError) in try claim() } }
      guard let current = open else { return false }
      guard current.file.file.isLinked else {
        index.removeSegments([current.segment])
        open = nil
        continue
      }
      guard current.size + length <= current.limit else {
        guard SegmentHeader.byteCount + length <= current.limit else { return false }
        open = nil
        continue
      }
      do throws(DiskCacheError) {
        try current.file.file.write(at: current.size) {
          head.withParts(header, body, seed: current.file.header.seed(at: current.size), $0)
        }
      } catch {
        context.errors.note(error)
        try? current.file.file.truncate(to: current.size)
        return false
      }
      enter(header, in: partition, current)
      return true
    }
    return false
  }

  private mutating func enter(_ header: EntryHeader, in partition: Partition, _ current: Open) {
    let size = current.size + header.recordLength
    open?.size = size
    index.readPage(of: header.key, in: partition)
    index.withLock { index in
      index.setSize(size, scanned: size, ofSegment: current.segment)
      let number = index.number(adding: partition)
      // The offered record has a lower sequence number than any other.
      if let former = index.location(of: header.key, in: number) { index.remove(former) }
      _ = index.insert(header, in: number, segment: current.segment, offset: current.size)
    }
    context.counters.count { $0.offered += 1 }
  }

  /// Takes the lock of an offer that no process uses.
  private mutating func claim() throws(DiskCacheError) {
    guard context.isDue(since: sought) else { return }
    let fileSystem = context.fileSystem
    for name in try fileSystem.list(context.directory).sorted() where OfferFile.isFileName(name) {
      let path = context.path(name)
      // Taking the lock makes the file again if the writer has just removed it.
      guard let lock = try fileSystem.lock(path) else { continue }
      guard let file = try SegmentFile.open(name, in: context.directory, for: .updating, of: fileSystem)
      else {
        try? fileSystem.remove(path)
        continue
      }
      // Records of another process are left to the writer.
      guard lock.isLinked, try file.byteCount() == SegmentHeader.byteCount,
        file.header.version == SegmentHeader.version, OfferFile.limit(file.header) != nil
      else { continue }
      let segment = index.withLock { $0.add(file, size: SegmentHeader.byteCount, age: file.number) }
      open = Open(file: file, lock: lock, segment: segment)
      return
    }
    sought = context.now()
  }

  /// Synchronizes the offered records to the device.
  func flush() throws(DiskCacheError) {
    guard context.isSynced else { return }
    let offers = index.withLock { $0.segments.compactMap { $0?.file } }
      .filter { OfferFile.isFileName($0.name) && $0.file.isLinked }
    for file in offers { try file.file.synchronize() }
    if !offers.isEmpty { try context.fileSystem.synchronizeDirectory(context.directory) }
  }

  /// Takes back an entry that was handed over, if the writer has not adopted it.
  func withdraw(_ location: SegmentIndex.Location, _ log: inout SegmentLog) {
    if OfferFile.isFileName(location.file.name) { log.kill(location.file, at: location.offset) }
  }

  /// Whether a record of the writer is older than the entry that this cache handed over for the same key. Until that is adopted,
  /// the writer may move older entries of its key.
  func isNewer(than entry: SegmentFile.ScannedEntry) -> Bool {
    guard let own = index.withLock({ $0.location(of: entry.header.key, in: entry.partition) }),
      OfferFile.isFileName(own.file.name), case .record(let record)? = try? RecordReader.readHead(own)
    else { return false }
    let now = context.now()
    return AgeLimits.order(storedAt: entry.header.stored, at: now)
      < AgeLimits.order(storedAt: record.header.stored, at: now)
  }
}

/// The keys whose store or removal failed, with the dates. Entries of these keys that were stored before are out of date.
///
/// An entry that could not be replaced is removed from the index at once, and its record is marked as dead if this
/// cache writes. If another process writes, the record stays alive. Without this list it would come back when the
/// writer moves it, when this cache sees more segments than before, or when this cache takes over.
struct OutdatedEntries {
  struct Identity: Hashable {
    let key: CacheKey
    let partition: Partition
  }

  /// The number of keys that are kept; they take about four megabytes.
  static let limit = 65_536

  private var dates: [Identity: Int64] = [:]
  /// All entries, of every key, that were stored up to this date are out of date.
  private(set) var commonDate: Int64?

  var keys: [(key: CacheKey, partition: Partition)] { dates.keys.map { ($0.key, $0.partition) } }

  /// Records that a store of a key failed. If there are too many keys, one date stands for all of them: then more
  /// entries count as out of date, and are stored again.
  mutating func insert(_ key: CacheKey, in partition: Partition, at date: Int64) {
    if dates.count >= Self.limit {
      commonDate = max(commonDate ?? date, date)
      dates = [:]
    } else {
      dates[Identity(key: key, partition: partition)] = date
    }
  }

  /// Records that a key was stored.
  mutating func remove(_ key: CacheKey, in partition: Partition) {
    if !dates.isEmpty { dates[Identity(key: key, partition: partition)] = nil }
  }

  /// Whether an entry was stored before a store of its key failed.
  func contains(_ header: EntryHeader, in partition: Partition, at now: Int64) -> Bool {
    let stored = AgeLimits.order(storedAt: header.stored, at: now)
    if let commonDate, stored <= commonDate { return true }
    guard !dates.isEmpty, let date = dates[Identity(key: header.key, partition: partition)] else {
      return false
    }
    return stored <= date
  }
}
