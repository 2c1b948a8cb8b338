// Writes the dirty pages in rounds, and the file `index` at the end of each round.
extension SegmentStore {
  /// Records that a segment is full.
  func noteSealed(_ writer: inout Writer) {
    writer.files.sealedSinceRound += 1
    if writer.files.sealedSinceRound >= Self.sealedSegmentsPerRound { beginRound(&writer) }
  }

  private func beginRound(_ writer: inout Writer) {
    guard writer.files.round == nil else { return }
    decideStoring(&writer)
    guard index.withLock({ $0.isStored }) else { return }
    do throws(DiskCacheError) {
      if writer.files.pages == nil { try makePages(&writer) }
      writer.files.sealedSinceRound = 0
      let (numbers, places) = index.withLock { ($0.pages.dirtyNumbers, $0.places) }
      writer.files.round = IndexFiles.Round(
        numbers: numbers.reversed(), places: places, nextSequence: writer.nextSequence,
        nextNumber: writer.nextNumber)
    } catch {
      writer.errors.append(error)
      removeStoredIndex(&writer)
    }
  }

  /// Makes the file of the pages again, empty.
  private func makePages(_ writer: inout Writer) throws(DiskCacheError) {
    index.readAllPages()
    removeIndexFiles()
    writer.files = IndexFiles()
    let file = try withoutObstacle(at: pagesPath) { () throws(DiskCacheError) in
      try fileSystem.open(pagesPath, for: .creating)
    }
    writer.files.pages = file
    writer.isDirectoryUnsynced = true
    let epoch = UInt64.random(in: .min ... .max, using: &writer.random)
    index.withLock { index in
      index.storedByteCount = 0
      index.pages.beginEpoch(IndexPages.Source(file: file, epoch: epoch))
    }
  }

  /// Writes the added pages and some pages of the round. Ends the round when all pages are written.
  func writeSomePages(_ writer: inout Writer, limit: Int = pagesPerTurn) {
    guard writer.files.isBased || writer.files.round != nil else { return }
    do throws(DiskCacheError) {
      try writeAddedPages(&writer)
      var count = 0
      while count < limit, let number = writer.files.round?.numbers.popLast() {
        guard index.withLock({ $0.pages.isDirty(number) }) else { continue }
        try writePage(number, &writer)
        count += 1
      }
      // Pages must be durable before the file that refers to them (`endSynchronizedRound`).
      if let round = writer.files.round, round.numbers.isEmpty, configuration.durability == .buffered {
        try end(round, &writer)
      }
    } catch {
      writer.errors.append(error)
      removeStoredIndex(&writer)
    }
  }

  /// Synchronizes the pages of a round that are all written, and ends the round.
  func endSynchronizedRound(_ writer: inout Writer) throws(DiskCacheError) {
    guard let round = writer.files.round, round.numbers.isEmpty, let pages = writer.files.pages else {
      return
    }
    try pages.synchronize()
    try end(round, &writer)
  }

  private func writeAddedPages(_ writer: inout Writer) throws(DiskCacheError) {
    for number in index.withLock({ $0.pages.added }) { try writePage(number, &writer) }
  }

  private func writePage(_ number: Int, _ writer: inout Writer) throws(DiskCacheError) {
    guard let file = writer.files.pages else { return }
    let bytes = try FileBytes.allocate(IndexPage.byteCount, for: pagesPath)
    index.withLock { index in
      index.pages.seal(number, into: bytes.bytes) { index.segments[$0]?.storedNumber ?? 0 }
    }
    try file.write([UnsafeRawBufferPointer(bytes.bytes)], at: number * IndexPage.byteCount)
    writer.files.pagesByteCount = max(writer.files.pagesByteCount, (number + 1) * IndexPage.byteCount)
    noteStoredByteCount(writer)
  }

  func noteStoredByteCount(_ writer: borrowing Writer) {
    let count = writer.files.pagesByteCount + writer.files.indexByteCount
    index.withLock { $0.storedByteCount = count }
  }

  private func end(_ round: IndexFiles.Round, _ writer: inout Writer) throws(DiskCacheError) {
    writer.files.round = nil
    try writeIndex(
      places: round.places, nextSequence: round.nextSequence, nextNumber: round.nextNumber, isClean: false,
      &writer)
  }

  /// Replaces the file `index`.
  private func writeIndex(
    places: [StoredIndex.Place], nextSequence: UInt64, nextNumber: UInt64, isClean: Bool,
    _ writer: inout Writer
  ) throws(DiskCacheError) {
    index.correctSums()
    let stored = index.withLock { index in
      StoredIndex(
        epoch: index.pages.source?.epoch ?? 0, seed: index.pages.seed, count: index.count,
        nextSequence: nextSequence, nextNumber: nextNumber,
        partitions: index.partitions.map {
          StoredIndex.PartitionSums(partition: $0.partition, byteCount: $0.byteCount, count: $0.count)
        },
        places: places, stamps: index.pages.stamps, directory: index.pages.directory, isClean: isClean,
        unverifiedBelow: index.unverifiedBelow)
    }
    let bytes = stored.encoded()
    let newPath = path(StoredIndex.newFileName)
    do throws(DiskCacheError) {
      // A file that an earlier attempt left before a crash would prevent creating.
      try? fileSystem.remove(newPath)
      let file = try withoutObstacle(at: newPath) { () throws(DiskCacheError) in
        try fileSystem.open(newPath, for: .creating)
      }
      var failure: DiskCacheError?
      bytes.withUnsafeBytes { bytes in
        do throws(DiskCacheError) {
          try file.write([bytes], at: 0)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if configuration.durability == .synced { try file.synchronize() }
      try withoutObstacle(at: indexPath) { () throws(DiskCacheError) in
        try fileSystem.rename(newPath, to: indexPath)
      }
    } catch {
      try? fileSystem.remove(newPath)
      throw error
    }
    writer.isDirectoryUnsynced = true
    writer.trustsStoredIndex = true
    writer.files.isBased = true
    writer.files.indexByteCount = bytes.count
    noteStoredByteCount(writer)
  }

  /// Writes everything that is not in the files yet. If that fails, only the next opening takes longer.
  func storeIndex(_ writer: inout Writer, isClean: Bool) {
    writer.files.round = nil
    beginRound(&writer)
    guard writer.files.round != nil else { return }
    writer.files.round?.numbers = []
    note(&writer) { (writer) throws(DiskCacheError) in
      do throws(DiskCacheError) {
        // This may change pages, and on a full disk it removes the files.
        try makeRoom(for: 0, &writer)
        guard writer.files.pages != nil else { return }
        try writeAddedPages(&writer)
        for number in index.withLock({ $0.pages.dirtyNumbers }) { try writePage(number, &writer) }
        if configuration.durability == .synced { try writer.files.pages?.synchronize() }
        writer.files.round = nil
        let places = index.withLock { $0.places }
        try writeIndex(
          places: places, nextSequence: writer.nextSequence, nextNumber: writer.nextNumber, isClean: isClean,
          &writer)
        if isClean, configuration.durability == .synced { try synchronize(&writer) }
      } catch {
        removeStoredIndex(&writer)
        throw error
      }
    }
  }
}
