import OzuBase

/// The engine of a disk cache. It orders four parts, each of which owns its state and opens with its design:
///
/// - `DirectoryOwnership`: which process writes; hand-over and take-over (with `Offers`, `OwnOffers`).
/// - `SegmentLog`: the records on disk; appending, marking as dead, synchronizing.
/// - `IndexFile`: the stored index; rounds of pages, opening.
/// - `Eviction`: what leaves, and when; capacities, partitions, ages.
///
/// The parts do not know each other, except that `Eviction` uses the log. An act that needs two of them is a function of
/// the store: a store of an entry claims the directory, makes room, appends, enters the index, and does a part of the work
/// that is due.
///
/// Locks. Every operation that changes files holds `writer`, which guards the parts; a lookup or a change in memory
/// holds `index` briefly (`LiveIndex`). `writer` is always taken first. Fetches take only `index`, and read without a
/// lock: the record that they read is either unchanged or says that it is dead. No file is read or written under
/// `index`. Nothing of an app's runs under a lock: errors are noted, and reported after it is released.
final class SegmentStore: Sendable {
  struct Writer {
    var ownership: DirectoryOwnership
    var log: SegmentLog
    var indexFile: IndexFile
    var eviction: Eviction
    /// The files in which other processes hand over entries.
    var offers: Offers
    /// The entries that this cache hands over while another process writes.
    var own: OwnOffers
    /// The entries that were to be replaced while this cache could not write.
    var outdated = OutdatedEntries()
  }

  let context: StoreContext
  let index: LiveIndex
  let counters: DiskCacheCounters
  let writer: Mutex<Writer>
  /// A copy of the writer's role, for callers that must not wait until a write is done.
  private let isWriting = Atomic<Bool>(false)
  /// Whether other processes hand over entries to this one.
  let hasOffers = Atomic<Bool>(false)
  private let currentCapacity: Atomic<Int>

  init(directory: String, configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    let context = StoreContext(directory: directory, configuration: configuration)
    self.context = context
    index = context.index
    counters = context.counters
    let writer = Writer(
      ownership: DirectoryOwnership(context), log: SegmentLog(context), indexFile: IndexFile(context),
      eviction: Eviction(context), offers: Offers(context), own: OwnOffers(context))
    currentCapacity = Atomic(writer.eviction.capacity)
    self.writer = Mutex(writer)
    try write { (writer) throws(DiskCacheError) in
      try writer.ownership.prepareDirectory()
      writer.ownership.acquire()
      try load(&writer)
    }
  }

  var directory: String { context.directory }
  var isWriter: Bool { isWriting.load(ordering: .relaxed) }
  var capacity: Int { currentCapacity.load(ordering: .relaxed) }

  /// Runs `body` with exclusive access to the files, and then reports the errors that were noted.
  func write<Result: Sendable, Failure: Error>(
    _ body: (inout Writer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { context.errors.reportNoted() }
    return try writer.withLock { (writer) throws(Failure) -> Result in
      defer {
        currentCapacity.store(writer.eviction.capacity, ordering: .relaxed)
        isWriting.store(writer.ownership.isWriter, ordering: .relaxed)
      }
      return try body(&writer)
    }
  }

  // MARK: The right to write

  /// Makes sure that this cache may write: takes over from a writer that closed, and starts again if the directory
  /// was removed.
  func prepareToWrite(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    // The lock is checked every time. If only a segment was removed, nothing but entries is lost, so that check may come
    // later.
    let isComplete = !writer.ownership.checksSegment || writer.log.isActiveLinked
    switch try writer.ownership.claim(isComplete: isComplete) {
    case .write: return true
    case .leave: return false
    case .load:
      try load(&writer)
      return writer.ownership.isWriter
    }
  }

  /// Makes sure that this cache may write, for changes that must not be dropped silently.
  func requireWriter(_ writer: inout Writer) throws(DiskCacheError) {
    if try prepareToWrite(&writer) { return }
    counters.count { $0.dropped += 1 }
    throw writer.ownership.refusal
  }

  /// Gives the right to write back after a failure that may be temporary.
  func becomeReader(because error: DiskCacheError, _ writer: inout Writer) {
    guard writer.ownership.isWriter else { return }
    writer.ownership.yield(because: error)
    writer.log.release()
    forgetOffers(&writer)
  }

  // MARK: Partitions

  func number(of partition: Partition) -> (number: Int, capacity: Int) {
    (index.withLock { $0.number(adding: partition) }, context.capacity(of: partition))
  }

  // MARK: Flushing and closing

  func flush() throws(DiskCacheError) {
    try write { (writer) throws(DiskCacheError) in
      guard writer.ownership.isWriter else {
        if writer.ownership.isReader { try writer.own.flush() }
        return
      }
      adoptOffers(&writer)
      guard writer.ownership.isWriter else { throw writer.ownership.refusal }
      writer.log.writeAccessDates()
      expireSome(Eviction.examinedPerFlush, &writer)
      if context.isSynced { try synchronize(&writer) }
    }
  }

  /// Synchronizes all written bytes to the device.
  func synchronize(_ writer: inout Writer) throws(DiskCacheError) {
    try synchronizeFiles(&writer)
    writer.log.killOriginals()
    writer.indexFile.writeSomePages(limit: IndexFile.pagesPerSynchronization)
    try writer.indexFile.endSynchronizedRound()
    try synchronizeFiles(&writer)
  }

  private func synchronizeFiles(_ writer: inout Writer) throws(DiskCacheError) {
    if writer.indexFile.takeNewNames() { writer.log.noteNames() }
    try writer.log.synchronize()
  }

  /// Writes everything that is not in the files of the index yet. If that fails, only the next opening takes longer.
  func storeIndex(_ writer: inout Writer, isClean: Bool) {
    guard writer.indexFile.beginStoring(at: writer.log.position, limit: writer.eviction.limit) else { return }
    do throws(DiskCacheError) {
      // This may change pages, and on a full disk it removes the files.
      try makeRoom(for: 0, &writer)
      try writer.indexFile.writeAll(at: writer.log.position, isClean: isClean)
      if isClean, context.isSynced { try synchronize(&writer) }
    } catch {
      writer.indexFile.remove()
      context.errors.note(error)
    }
  }

  /// Flushes, and gives all locks back until `resume`. The index stays, for fetches; its files may be those of another writer
  /// now, so each is checked to have its name still.
  func suspend() {
    try? write { (writer) throws(DiskCacheError) in
      if writer.ownership.isWriter {
        leave(&writer)
        writer.log.release()
        forgetOffers(&writer)
      }
      writer.own.reset()
      writer.ownership.suspend()
      index.withLock { $0.isReader = true }
    }
  }

  /// Takes the lock back and loads what other processes stored, or becomes a reader of the process that has it.
  func resume() {
    try? write { (writer) throws(DiskCacheError) in
      guard writer.ownership.resume() else { return }
      context.errors.attempt { () throws(DiskCacheError) in
        // The other process may have changed pages that this one has not read yet. They would not fit its index, and their entries
        // would be missing as long as it reads.
        if try !prepareToWrite(&writer) { try load(&writer) }
      }
    }
  }

  /// Writes everything that is not in the files yet, for the next writer.
  private func leave(_ writer: inout Writer) {
    adoptOffers(&writer)
    guard writer.ownership.isWriter else { return }
    writer.log.writeAccessDates()
    if context.isSynced {
      context.errors.attempt { () throws(DiskCacheError) in try synchronize(&writer) }
    }
    storeIndex(&writer, isClean: true)
  }

  func close() {
    try? write { (writer) throws(DiskCacheError) in
      if writer.ownership.isWriter { leave(&writer) }
      writer.log.close()
      writer.eviction.reset()
      writer.indexFile.forget()
      writer.own.reset()
      forgetOffers(&writer)
      writer.ownership.close()
      index.replace(with: SegmentIndex())
    }
  }

  // MARK: Capacities

  func setCapacity(_ capacity: Int) {
    try? write { (writer) throws(DiskCacheError) in
      writer.eviction.capacity = max(0, capacity)
      // The drain may copy up to the former capacity.
      writer.eviction.drain = nil
      guard writer.ownership.isWriter else { return }
      removeLargeOffers(&writer)
      context.errors.attempt { () throws(DiskCacheError) in
        try trim(toByteCount: writer.eviction.capacity, &writer)
      }
      makeOffers(&writer)
    }
  }

  func setCapacity(_ capacity: Int, of partition: Partition) {
    context.setCapacity(capacity, of: partition)
    try? write { (writer) throws(DiskCacheError) in
      guard writer.ownership.isWriter else { return }
      enforceCapacity(ofPartition: number(of: partition).number, &writer)
      context.errors.attempt { () throws(DiskCacheError) in try compactIfDue(&writer) }
    }
  }

  // MARK: Verifying

  /// Reads every live record and drops the damaged ones.
  func verify() -> DiskCacheReport {
    var report = DiskCacheReport()
    for entry in entriesByAccess() {
      let before = counters.snapshot.corruptEntries
      if let length = withRecord(
        entry.key, in: entry.partition, read: RecordReader.read, use: { $0.header.recordLength })
      {
        report.intactEntries += 1
        report.intactByteCount += length
      } else if counters.snapshot.corruptEntries > before {
        report.corruptEntries.append(DiskCacheReport.Damage(key: entry.key, partition: entry.partition))
      }
    }
    let segments = index.withLock { $0.segments.compactMap { $0 } }
    for segment in segments {
      report.segments += 1
      report.deadByteCount += segment.dead
      report.unreadableByteCount += max(0, segment.size - segment.scanned) + segment.unreadable
    }
    return report
  }

  /// The entries of a partition, or of all partitions, from the most to the least recently used.
  func entriesByAccess(in partition: Partition? = nil) -> [OutdatedEntries.Identity] {
    let entries = index.entriesByAccess(in: partition, at: context.now())
    let partitions = index.withLock { $0.partitions.map(\.partition) }
    // The cache may have been closed meanwhile.
    return entries.filter { $0.partition < partitions.count }
      .map { OutdatedEntries.Identity(key: $0.key, partition: partition ?? partitions[$0.partition]) }
  }
}
