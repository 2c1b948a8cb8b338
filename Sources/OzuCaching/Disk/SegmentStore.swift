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
/// tombstones to carry along and any segment can go at any time. When the files reach the capacity the oldest
/// segment is removed whole, after the entries in it that were used since they were written, up to half its
/// size, were copied to the end of the log. When live entries fill too little of the files, the emptiest segment
/// is rewritten. Both cost a constant per byte stored.
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
    /// Bytes of files that editors are writing.
    var spilledByteCount = 0
    /// Segments that were filled since the index was stored.
    var sealedSinceStored = 0
    var capacity: Int
    var random = SystemRandomNumberGenerator()
    /// Errors met under the lock, to be reported after it.
    var errors: [DiskCacheError] = []
  }

  let directory: String
  let configuration: DiskCacheConfiguration
  let fileSystem: any FileSystem
  let counters = DiskCacheCounters()
  let index = Mutex(SegmentIndex())
  let writer: Mutex<Writer>
  private let capacities: Mutex<[Partition: Int]>
  private let reported = Mutex<Set<DiskCacheError>>([])

  init(directory: String, configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    var directory = directory
    while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
    self.directory = directory
    self.configuration = configuration
    fileSystem = configuration.fileSystem
    writer = Mutex(Writer(capacity: max(0, configuration.capacity)))
    capacities = Mutex(configuration.partitionCapacities)
    try fileSystem.makeDirectory(directory)
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
  func now() -> Int64 {
    Int64(max(-9e18, min(9e18, configuration.now().timeIntervalSince1970 * 1e9)))
  }

  func capacity(of partition: Partition) -> Int {
    capacities.withLock { $0[partition] } ?? configuration.defaultPartitionCapacity
  }

  func setCapacity(_ capacity: Int, of partition: Partition) {
    capacities.withLock { $0[partition] = capacity }
  }

  // MARK: Opening

  /// Takes the lock of the directory, or becomes a reader.
  func acquireRole(_ writer: inout Writer) {
    writer.active = nil
    do throws(DiskCacheError) {
      writer.role = try fileSystem.lock(directory + "/lock").map { .writer($0) } ?? .reader
    } catch {
      // A directory that cannot be written to can still be read.
      writer.errors.append(error)
      writer.role = .reader
    }
  }

  /// Takes up the stored index and what the segments have beyond it, or all that they have. The writer also cleans up: unreadable segments and those of other
  /// versions go, and superseded records are marked as such.
  func load(_ writer: inout Writer) throws(DiskCacheError) {
    let isWriter = if case .writer = writer.role { true } else { false }
    let names = try fileSystem.list(directory).sorted()
    writer.nextSequence = 1
    var superseded: [(file: SegmentFile, offset: Int)] = []
    let stored = storedIndex(names, &writer)
    let isRebuilt = stored == nil
    var fresh = stored ?? SegmentIndex()
    fresh.isReader = !isWriter
    var known: [String: Int] = [:]
    for number in fresh.segments.indices {
      if let name = fresh.segments[number]?.file.name { known[name] = number }
    }
    for name in names {
      guard let number = SegmentHeader.number(fromFileName: name) else { continue }
      writer.nextNumber = max(writer.nextNumber, number &+ 1)
      do throws(DiskCacheError) {
        if let segment = known[name] {
          superseded += try scan(segment, of: fresh, writer: &writer)
          continue
        }
        let access: FileAccess = isWriter ? .updating : .reading
        guard let file = try SegmentFile.open(name, in: directory, for: access, of: fileSystem) else {
          if isWriter {
            counters.damagedSegments.increment()
            try fileSystem.remove(directory + "/" + name)
          }
          continue
        }
        let segment = fresh.add(file, size: try file.file.byteCount(), age: number)
        superseded += try scan(segment, of: fresh, writer: &writer)
      } catch {
        // A file that vanished since the listing is no error; of others the rest of the cache must not suffer.
        if error.code != ENOENT { writer.errors.append(error) }
      }
    }
    // What was added to a stored index is the latest used anyway.
    if isRebuilt { fresh.sortByAccessDate() }
    if isWriter {
      for record in superseded { kill(record.file, at: record.offset, &writer) }
      try chooseActive(of: fresh, &writer)
    }
    // The former index is let go after unlocking.
    index.withLock { swap(&$0, &fresh) }
    writer.refreshed = now()
    if isWriter {
      // Files that editors had not committed when their process ended; those of this process are younger.
      if writer.spilledByteCount == 0 {
        for name in names where name.hasSuffix(".segment" + SpilledRecord.suffix) {
          try? fileSystem.remove(directory + "/" + name)
        }
      }
      for number in index.withLock({ $0.segments.indices }) { removeIfEmpty(number, &writer) }
      try trim(toByteCount: writer.capacity, &writer)
    }
  }

  /// Enters the records of a segment behind what was scanned before; returns those that are superseded.
  private func scan(
    _ segment: Int, of index: SegmentIndex, writer: inout Writer
  ) throws(DiskCacheError) -> [(file: SegmentFile, offset: Int)] {
    guard let state = index.segments[segment], state.scanned < state.size else { return [] }
    var found: [SegmentFile.ScannedEntry] = []
    let end = try state.file.scan(from: state.scanned, to: state.size) { found.append($0) }
    var superseded: [(file: SegmentFile, offset: Int)] = []
    let latest = now() + 86_400_000_000_000
    for entry in found {
      writer.nextSequence = max(writer.nextSequence, entry.header.sequence &+ 1)
      guard entry.header.isLive else { continue }
      var header = entry.header
      if header.accessed < header.stored || header.accessed > latest { header.accessed = header.stored }
      let partition = index.number(of: entry.partition, capacity: capacity(of:))
      let result = index.insert(header, in: partition, segment: segment, offset: entry.offset)
      if !result.isCurrent { superseded.append((state.file, entry.offset)) }
      if let former = result.superseded { superseded.append((former.file, former.offset)) }
      if result.isCurrent, header.accessed > header.stored, let slot = index.find(header.key, in: partition) {
        index.markReferenced(slot)
      }
    }
    index.setSize(state.size, scanned: end, ofSegment: segment)
    return superseded
  }

  /// Goes on writing in the newest segment if there is room in it. What lies behind its last whole record
  /// is a write that a crash cut short.
  private func chooseActive(of index: SegmentIndex, _ writer: inout Writer) throws(DiskCacheError) {
    let size = segmentSize(for: writer.capacity)
    let newest = index.segments.indices.filter { index.segments[$0] != nil }
      .max { index.segments[$0]!.file.number < index.segments[$1]!.file.number }
    for number in index.segments.indices {
      guard let segment = index.segments[number], segment.scanned < segment.size else { continue }
      counters.damagedSegments.increment()
      guard number == newest, segment.scanned < size else { continue }
      do throws(DiskCacheError) {
        try segment.file.file.truncate(to: segment.scanned)
        index.setSize(segment.scanned, scanned: segment.scanned, ofSegment: number)
      } catch {
        writer.errors.append(error)
      }
    }
    if let newest, let segment = index.segments[newest], segment.scanned == segment.size, segment.size < size
    {
      writer.active = newest
    }
  }

  /// Makes sure that this cache may write: takes over from a writer that went away, and starts anew if the
  /// directory vanished.
  ///
  /// - Returns: Whether it may.
  func prepareToWrite(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    switch writer.role {
    case .closed:
      return false
    case .writer(let lock):
      let isActiveLinked =
        writer.active.map { number in index.withLock { $0.segments[number]?.file.file.isLinked ?? false } }
        ?? true
      if lock.isLinked, isActiveLinked { return true }
      if !lock.isLinked {
        try fileSystem.makeDirectory(directory)
        acquireRole(&writer)
      }
      writer.active = nil
      try load(&writer)
    case .reader:
      try fileSystem.makeDirectory(directory)
      acquireRole(&writer)
      guard case .writer = writer.role else { return false }
      try load(&writer)
    }
    if case .writer = writer.role { return true }
    return false
  }

  /// Looks for what the writer committed since, at most once per refresh interval.
  ///
  /// - Returns: Whether it looked.
  func refresh() -> Bool {
    let didLook = try? write { (writer) throws(DiskCacheError) -> Bool in
      guard case .reader = writer.role else { return false }
      let date = now()
      let interval = Int64(configuration.refreshInterval * 1e9)
      if writer.refreshed <= date, date &- writer.refreshed < interval { return false }
      writer.refreshed = date
      do throws(DiskCacheError) {
        try catchUp(&writer)
        return true
      } catch {
        if error.code != ENOENT { writer.errors.append(error) }
        return false
      }
    }
    return didLook ?? false
  }

  private func catchUp(_ writer: inout Writer) throws(DiskCacheError) {
    let names = Set(try fileSystem.list(directory).filter(SegmentHeader.isFileName))
    // Only this method changes a reader's segments, and it runs under the writer's lock.
    let known = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    for (number, file) in known {
      if names.contains(file.name) {
        let size = try file.file.byteCount()
        try extend(number, to: size, &writer)
      } else {
        _ = index.withLock { $0.removeSegment(number) }
      }
    }
    for name in names.subtracting(known.map(\.1.name)).sorted() {
      let file: SegmentFile?
      do throws(DiskCacheError) {
        file = try SegmentFile.open(name, in: directory, for: .reading, of: fileSystem)
      } catch {
        if error.code == ENOENT { continue }
        throw error
      }
      // One without a whole header is being made: it is looked at again next time.
      guard let file else { continue }
      let size = try file.file.byteCount()
      let number = index.withLock { $0.add(file, size: SegmentHeader.byteCount, age: file.number) }
      try extend(number, to: size, &writer)
    }
  }

  private func extend(_ number: Int, to size: Int, _ writer: inout Writer) throws(DiskCacheError) {
    guard let state = index.withLock({ $0.segments[number] }), size > state.scanned else { return }
    var found: [SegmentFile.ScannedEntry] = []
    let end = try state.file.scan(from: state.scanned, to: size) { found.append($0) }
    index.withLock { index in
      for entry in found where entry.header.isLive {
        let partition = index.number(of: entry.partition, capacity: capacity(of:))
        _ = index.insert(entry.header, in: partition, segment: number, offset: entry.offset)
      }
      index.setSize(size, scanned: end, ofSegment: number)
    }
  }

  // MARK: Geometry

  /// A sixteenth of the capacity, between 64 KB and 32 MB, yet never more than a quarter of the capacity nor
  /// so little that a large cache would need more than 128 files.
  func segmentSize(for capacity: Int) -> Int {
    let usual = min(max(capacity / 16, 64 << 10), 32 << 20)
    return max(min(max(usual, capacity / 128), capacity / 4), 4 << 10)
  }
}
