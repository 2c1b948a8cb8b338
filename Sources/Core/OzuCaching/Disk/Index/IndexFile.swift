/// The stored index: the file `pages` with the pages, and the file `index` with everything else.
///
/// Design. The index in memory (`SegmentIndex`) consists of pages, which are read when they are needed and written
/// after they changed, a few with each store. After a certain number of sealed segments a round begins: the dirty
/// pages are written, some with each store, and then the file `index`, which records the sizes of the segments at the
/// beginning of the round. After a crash, the later parts of the segments are scanned. Pages that changed after they
/// were written in a round are newer than the file `index`. That does no harm: every entry that was added meanwhile is
/// found by the scan, and the record of every entry that was removed says so.
///
/// Both files are only a shorter way to open the cache. If one is missing, damaged or too large, or a write to one
/// fails, they are removed and built again from the segments. An index that was found to be wrong is not used again
/// (`distrust`).
///
/// With synchronized durability pages are written only by a flush, and are durable before the file that refers to
/// them. The lock of the writer guards this value; its functions take the lock of the index briefly, and no file is
/// read or written under that one.
struct IndexFile {
  /// One round of writing pages, and the facts that the file `index` gets when all of them are written.
  private struct Round {
    /// The numbers of the pages that still have to be written.
    var numbers: [Int]
    let segmentStates: [StoredIndex.SegmentState]
    let position: SegmentLog.Position
  }

  /// The most segments that must be scanned after a crash, apart from those that are filled during a round.
  static let sealedSegmentsPerRound = 4
  /// The most pages that a store writes, besides those that it added.
  static let pagesPerTurn = 4
  /// The most pages that a flush writes with synchronized durability, which writes pages only then.
  static let pagesPerSynchronization = 256
  /// The most bytes that one store may add to the files.
  static let slack = 2 * IndexPage.byteCount

  /// The file `pages` of this epoch.
  private var pages: (any OpenFile)?
  /// Whether the file `index` exists and belongs to these pages.
  private(set) var isBased = false
  private var round: Round?
  /// The number of segments that were sealed since the last round began.
  private var sealedSinceRound = 0
  /// The bytes of the files `pages` and `index`.
  private var pagesByteCount = 0
  private var indexByteCount = 0
  /// Whether the stored index may be used; false after one of its entries was found to be wrong.
  private var isTrusted = true
  /// Whether files were made or renamed since `takeNewNames`.
  private var hasNewNames = false
  private let context: StoreContext

  private var index: LiveIndex { context.index }
  private var indexPath: String { context.path(StoredIndex.fileName) }
  private var pagesPath: String { context.path(StoredIndex.pagesFileName) }

  init(_ context: StoreContext) { self.context = context }

  // MARK: Whether the index is stored

  /// Decides whether the index is stored: only if its files take at most half of the bytes that all files may have.
  mutating func decideStoring(limit: Int) {
    let hasGrown = index.withLock { index in
      let wasStored = index.isStored
      index.isStored = index.neededByteCount + Self.slack <= limit / 2
      return wasStored && !index.isStored
    }
    if hasGrown { remove() }
  }

  /// Removes the files. They are not needed for correctness, and do no harm if they cannot be removed.
  @discardableResult
  mutating func remove() -> Bool {
    // Pages that are only in the file are still needed, unless the index is damaged.
    index.readAllPages()
    let wereThere = removeFiles()
    forget()
    index.withLock { $0.storedByteCount = 0 }
    return wereThere
  }

  /// Removes both files, because neither is useful without the other.
  @discardableResult
  private func removeFiles() -> Bool {
    let hadIndex = (try? context.fileSystem.remove(indexPath)) != nil
    let hadPages = (try? context.fileSystem.remove(pagesPath)) != nil
    return hadIndex || hadPages
  }

  mutating func forget() {
    (pages, isBased, round, sealedSinceRound) = (nil, false, nil, 0)
    (pagesByteCount, indexByteCount) = (0, 0)
  }

  /// Stops using the stored index, of which an entry was wrong.
  mutating func distrust() -> Bool {
    defer { isTrusted = false }
    return isTrusted
  }

  /// Whether files were made or renamed since the last call, so that the directory must be synchronized.
  mutating func takeNewNames() -> Bool {
    defer { hasNewNames = false }
    return hasNewNames
  }

  // MARK: Rounds

  /// Records that a segment is full, and begins a round if one is due.
  mutating func noteSealed(at position: SegmentLog.Position, limit: Int) {
    sealedSinceRound += 1
    if sealedSinceRound >= Self.sealedSegmentsPerRound { beginRound(at: position, limit: limit) }
  }

  private mutating func beginRound(at position: SegmentLog.Position, limit: Int) {
    guard round == nil else { return }
    decideStoring(limit: limit)
    guard index.withLock({ $0.isStored }) else { return }
    do throws(DiskCacheError) {
      if pages == nil { try makePages() }
      sealedSinceRound = 0
      let (numbers, segmentStates) = index.withLock { ($0.pages.dirtyNumbers, $0.segmentStates) }
      round = Round(numbers: numbers.reversed(), segmentStates: segmentStates, position: position)
    } catch {
      context.errors.note(error)
      remove()
    }
  }

  /// Makes the file of the pages again, empty.
  private mutating func makePages() throws(DiskCacheError) {
    index.readAllPages()
    removeFiles()
    forget()
    let (fileSystem, path) = (context.fileSystem, pagesPath)
    let file = try fileSystem.withoutObstacle(at: path) { () throws(DiskCacheError) in
      try fileSystem.open(path, for: .creating)
    }
    pages = file
    hasNewNames = true
    let epoch = UInt64.random(in: .min ... .max)
    index.withLock { index in
      index.storedByteCount = 0
      index.pages.beginEpoch(IndexPages.Source(file: file, epoch: epoch))
    }
  }

  /// Writes the added pages and some pages of the round. Ends the round when all pages are written.
  mutating func writeSomePages(limit: Int = pagesPerTurn) {
    guard isBased || round != nil else { return }
    do throws(DiskCacheError) {
      try writeAddedPages()
      var count = 0
      while count < limit, let number = round?.numbers.popLast() {
        guard index.withLock({ $0.pages.isDirty(number) }) else { continue }
        try writePage(number)
        count += 1
      }
      // Pages must be durable before the file that refers to them (`endSynchronizedRound`).
      if !context.isSynced { try endRound() }
    } catch {
      context.errors.note(error)
      remove()
    }
  }

  /// Synchronizes the pages of a round that are all written, and ends the round.
  mutating func endSynchronizedRound() throws(DiskCacheError) {
    guard let round, round.numbers.isEmpty, let pages else { return }
    try pages.synchronize()
    try endRound()
  }

  private mutating func endRound() throws(DiskCacheError) {
    guard let round, round.numbers.isEmpty else { return }
    self.round = nil
    try writeIndex(segmentStates: round.segmentStates, position: round.position, isClean: false)
  }

  private mutating func writeAddedPages() throws(DiskCacheError) {
    for number in index.withLock({ $0.pages.added }) { try writePage(number) }
  }

  private mutating func writePage(_ number: Int) throws(DiskCacheError) {
    guard let pages else { return }
    let bytes = try FileBytes.allocate(IndexPage.byteCount, for: pagesPath)
    index.withLock { index in
      index.pages.seal(number, into: bytes.bytes) { index.segments[$0]?.storedNumber ?? 0 }
    }
    try pages.write([UnsafeRawBufferPointer(bytes.bytes)], at: number * IndexPage.byteCount)
    pagesByteCount = max(pagesByteCount, (number + 1) * IndexPage.byteCount)
    noteByteCount()
  }

  private func noteByteCount() {
    let count = pagesByteCount + indexByteCount
    index.withLock { $0.storedByteCount = count }
  }

  private mutating func writeIndex(
    segmentStates: [StoredIndex.SegmentState], position: SegmentLog.Position, isClean: Bool
  ) throws(DiskCacheError) {
    // Those of a forged index may not be possible.
    if !index.withLock({ $0.hasPossibleSums }) { index.recount() }
    let stored = index.withLock { index in
      StoredIndex(
        epoch: index.pages.source?.epoch ?? 0, seed: index.pages.seed, count: index.count,
        nextSequence: position.sequence, nextNumber: position.number,
        partitions: index.partitions,
        segmentStates: segmentStates, stamps: index.pages.stamps, directory: index.pages.directory,
        isClean: isClean,
        unverifiedBelow: index.unverifiedBelow)
    }
    let bytes = stored.encoded()
    let (fileSystem, path, newPath) = (context.fileSystem, indexPath, context.path(StoredIndex.newFileName))
    do throws(DiskCacheError) {
      // A file that an earlier attempt left before a crash would prevent creating.
      try? fileSystem.remove(newPath)
      let file = try fileSystem.withoutObstacle(at: newPath) { () throws(DiskCacheError) in
        try fileSystem.open(newPath, for: .creating)
      }
      try file.write(at: 0) { write in bytes.withUnsafeBytes { write([$0]) } }
      if context.isSynced { try file.synchronize() }
      try fileSystem.withoutObstacle(at: path) { () throws(DiskCacheError) in
        try fileSystem.rename(newPath, to: path)
      }
    } catch {
      try? fileSystem.remove(newPath)
      throw error
    }
    (hasNewNames, isTrusted, isBased, indexByteCount) = (true, true, true, bytes.count)
    noteByteCount()
  }

  // MARK: Storing everything

  /// Begins to store everything that is not in the files yet.
  ///
  /// - Returns: Whether the index is to be stored, and the file of the pages could be made.
  mutating func beginStoring(at position: SegmentLog.Position, limit: Int) -> Bool {
    round = nil
    beginRound(at: position, limit: limit)
    round?.numbers = []
    return round != nil
  }

  /// Writes everything that is not in the files yet, unless they were removed meanwhile to make room.
  mutating func writeAll(at position: SegmentLog.Position, isClean: Bool) throws(DiskCacheError) {
    guard let pages else { return }
    try writeAddedPages()
    for number in index.withLock({ $0.pages.dirtyNumbers }) { try writePage(number) }
    if context.isSynced { try pages.synchronize() }
    round = nil
    let segmentStates = index.withLock { $0.segmentStates }
    try writeIndex(segmentStates: segmentStates, position: position, isClean: isClean)
  }

  // MARK: Opening

  /// A stored index with the segments that it knows, and the numbers that follow it.
  typealias Loaded = (index: SegmentIndex, position: SegmentLog.Position)

  /// Loads the stored index. Nil if there is none, or if it is unusable: damaged, of another version, or newer than the
  /// segments. A writer that loads an index of a closed writer marks it as out of date from now on. It removes an
  /// unusable index, so that it does no harm at the next opening, and so that the files of one index never get pages of
  /// another.
  ///
  /// - Parameter mayUse: Whether the entries of a stored index may be believed.
  mutating func load(_ names: Set<String>, isWriter: Bool, mayUse: Bool) -> Loaded? {
    forget()
    // A crash left this file during an attempt to replace the index.
    if isWriter, names.contains(StoredIndex.newFileName) {
      try? context.fileSystem.remove(context.path(StoredIndex.newFileName))
    }
    var found: Loaded?
    if names.contains(StoredIndex.fileName), isTrusted, mayUse {
      do throws(DiskCacheError) {
        found = try takeUp(names, isWriter: isWriter)
        if found == nil { context.counters.count { $0.rebuiltIndexes += 1 } }
      } catch {
        if !error.isAbsent { context.errors.note(error) }
        // A shortage is temporary, and the file is still good. Something else of its name is replaced when the index is written.
        if error.isShortage { return nil }
      }
    }
    if isWriter, !isBased { removeFiles() }
    return found
  }

  private mutating func takeUp(_ names: Set<String>, isWriter: Bool) throws(DiskCacheError) -> Loaded? {
    let access: FileAccess = isWriter ? .updating : .reading
    let file = try context.fileSystem.open(indexPath, for: access)
    let count = try file.byteCount()
    guard count <= StoredIndex.largestByteCount else { return nil }
    let bytes = try FileBytes.allocate(count, for: indexPath)
    guard try file.read(into: bytes.bytes, at: 0) == count,
      let stored = StoredIndex(UnsafeRawBufferPointer(bytes.bytes))
    else { return nil }
    let pages = try context.fileSystem.open(pagesPath, for: access)
    guard let (index, isWhole) = try fill(stored, names, access) else { return nil }
    let position = SegmentLog.Position(sequence: stored.nextSequence, number: stored.nextNumber)
    index.unverifiedBelow = stored.isClean ? stored.unverifiedBelow : stored.nextSequence
    let source = IndexPages.Source(file: pages, epoch: stored.epoch)
    let pagesByteCount = try pages.byteCount()
    // Another process may change pages while this one reads, so a reader reads all of them at once.
    if isWriter, stored.isClean, isWhole, pagesByteCount == stored.stamps.count * IndexPage.byteCount {
      // From now on it is out of date.
      try file.write(UInt64(0), at: StoredIndex.cleanOffset)
      if context.isSynced { try file.synchronize() }
      index.pages.deallocate()
      index.pages = IndexPages(
        seed: stored.seed, directory: stored.directory, stamps: stored.stamps, source: source)
      index.take(stored)
      index.isStored = true
      index.storedByteCount = pagesByteCount + count
      (self.pages, isBased) = (pages, true)
      (self.pagesByteCount, indexByteCount) = (pagesByteCount, count)
      return (index, position)
    }
    guard try index.recover(stored, from: source, byteCount: pagesByteCount) else { return nil }
    if !isWriter { index.storedByteCount = pagesByteCount + count }
    return (index, position)
  }

  /// An index with the partitions and segments of a stored one, without entries.
  ///
  /// - Returns: The index, and whether all segments are as the stored index says. Nil if a segment is shorter.
  private func fill(
    _ stored: StoredIndex, _ names: Set<String>, _ access: FileAccess
  ) throws(DiskCacheError) -> (index: SegmentIndex, isWhole: Bool)? {
    let index = SegmentIndex()
    var isWhole = true
    index.sequenceLimit = stored.nextSequence
    for sums in stored.partitions { _ = index.number(adding: sums.partition) }
    for state in stored.segmentStates {
      var segment: SegmentFile?
      if names.contains(state.name) {
        do throws(DiskCacheError) {
          segment = try SegmentFile.open(
            state.name, in: context.directory, for: access, of: context.fileSystem)
        } catch {
          // The store decides later about a file that cannot be opened.
          if error.isShortage { throw error }
        }
      }
      guard let segment else {
        isWhole = false
        continue
      }
      let size = try segment.byteCount()
      guard size >= state.scanned else { return nil }
      if size != state.scanned { isWhole = false }
      let number = index.add(segment, size: size, age: state.age)
      index.setSize(size, scanned: state.scanned, ofSegment: number)
    }
    return (index, isWhole)
  }
}
