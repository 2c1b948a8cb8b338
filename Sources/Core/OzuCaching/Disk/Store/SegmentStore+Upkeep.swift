// The work that keeps the promises about space and time: makes room, empties segments, removes what is over a capacity
// or too old, writes pages of the index, and adopts what other processes hand over.
extension SegmentStore {
  /// Does the work that is due after a store of `length` bytes: empties a part of a segment, and writes pages of
  /// the index.
  func doUpkeep(length: Int, keeping latest: Int? = nil, _ writer: inout Writer) {
    rebuildIndexIfDamaged(&writer)
    adoptOffersIfDue(&writer)
    // A cache that could not rebuild its index has given its lock back.
    guard writer.ownership.isWriter else { return }
    context.errors.attempt { () throws(DiskCacheError) in
      writer.eviction.startDrainIfDue(keeping: latest, &writer.log)
      if writer.eviction.drain != nil { try drain(writer.eviction.turn(afterStoreOf: length), &writer) }
    }
    // With synchronized durability, a page must not refer to a copy before the copy is durable: otherwise the entry
    // could be lost together with its original.
    if !context.isSynced { writer.indexFile.writeSomePages() }
  }

  // MARK: Segments

  /// Removes the oldest segments until a record of `length` bytes fits under the capacity, together with the pages
  /// that it may add to the index.
  func makeRoom(for length: Int, _ writer: inout Writer) throws(DiskCacheError) {
    writer.indexFile.decideStoring(limit: writer.eviction.limit)
    while !writer.eviction.hasRoom(for: length) {
      if try evictOldestSegment(&writer) { continue }
      if removeOffers(&writer) { continue }
      // No entry is left, but the index still has the pages that the former ones needed.
      writer.indexFile.remove()
      return index.rebuildPages()
    }
  }

  /// Removes the segment that is being emptied, or the oldest one, with its entries.
  private func evictOldestSegment(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    // Records that a compaction has copied are dead in the old segment already, so the compaction can be abandoned.
    if writer.eviction.drain?.purpose != .eviction { writer.eviction.startEviction(&writer.log) }
    guard let oldest = writer.eviction.drain else { return false }
    // On a full disk nothing can be copied, so the entries are given up to make room.
    context.errors.attempt { () throws(DiskCacheError) in try drain(.whole, &writer) }
    if writer.eviction.isDraining(oldest) {
      writer.eviction.drain = nil
      // The entries that were copied before it failed are kept.
      if writer.log.holdsOriginals(inSegment: oldest.segment) {
        context.errors.attempt { () throws(DiskCacheError) in try synchronize(&writer) }
      }
      try writer.log.remove(oldest.segment, evicting: true)
    }
    return true
  }

  /// Copies all entries of a segment and removes it, unless the files would have more than `limit` bytes meanwhile.
  func compact(_ number: Int, limit: Int? = nil, _ writer: inout Writer) throws(DiskCacheError) {
    writer.eviction.startDrain(of: number, for: .compaction, limit: limit, &writer.log)
    try drain(.whole, &writer)
  }

  /// Rewrites the segment with the largest dead share, if that is due.
  func compactIfDue(_ writer: inout Writer) throws(DiskCacheError) {
    if writer.eviction.drain == nil, let victim = writer.eviction.segmentToCompact(writer.log) {
      try compact(victim, &writer)
    }
  }

  private func drain(_ turn: Eviction.Turn, _ writer: inout Writer) throws(DiskCacheError) {
    var turn = turn
    while let step = try writer.eviction.nextStep(&turn) {
      switch step {
      case .copy(let location):
        do throws(DiskCacheError) {
          try relocate(location, &writer)
        } catch {
          guard writer.eviction.drain?.purpose == .eviction else {
            writer.eviction.drain = nil
            throw error
          }
          context.errors.note(error)
          removeEntry(location, evicting: true, keepsSegment: true, &writer)
        }
      case .evict(let location):
        removeEntry(location, evicting: true, keepsSegment: true, &writer)
      case .forget(let location):
        index.withLock { $0.remove(location) }
      case .end(let drain):
        // The copies must be durable before the originals are removed.
        if writer.log.holdsOriginals(inSegment: drain.segment) { try synchronize(&writer) }
        try writer.log.remove(drain.segment, evicting: drain.purpose == .eviction)
        if drain.purpose == .compaction { counters.count { $0.compactions += 1 } }
      }
    }
  }

  func removeAllSegments(_ writer: inout Writer) throws(DiskCacheError) {
    writer.eviction.drain = nil
    index.readAllPages()
    try writer.log.removeAll()
    writer.indexFile.remove()
    index.rebuildPages()
  }

  // MARK: Trimming

  /// Removes the least recently used entries and rewrites segments until the files have at most `limit` bytes.
  func trim(toByteCount limit: Int, _ writer: inout Writer) throws(DiskCacheError) {
    guard index.withLock({ $0.totalByteCount + $0.unusedOfferByteCount }) > max(0, limit) else { return }
    adoptOffers(&writer)
    try readAllPages(&writer)
    if writer.offers.limit > limit / 4 { removeOffers(&writer) }
    let limit = limit - writer.offers.limit
    let highest = max(writer.eviction.capacity, index.withLock { $0.totalByteCount })
    writer.eviction.noteTrim(toByteCount: limit)
    writer.indexFile.decideStoring(limit: writer.eviction.limit)
    // Begins with the least recently used entry. The index needs fewer pages for fewer entries once it is stored
    // again.
    var rest = index.entriesByAccess(at: context.now())[...]
    while true {
      let (total, live, indexByteCount) = index.withLock { index in
        let headers = index.segments.count(where: { $0 != nil }) * SegmentHeader.byteCount
        let stored = index.isStored ? index.neededByteCount : 0
        return (index.segmentByteCount + stored, index.liveByteCount + headers + stored, stored)
      }
      guard total > max(0, limit) else { break }
      if live <= limit, let emptiest = writer.eviction.emptiestSegment(),
        writer.eviction.canCopy(emptiest, under: highest)
      {
        try compact(emptiest, limit: highest, &writer)
      } else if let entry = rest.popLast() {
        let location = index.withLock { $0.location(of: entry.key, in: entry.partition) }
        if let location, location.sequence == entry.sequence {
          removeEntry(location, evicting: true, &writer)
        }
        if indexByteCount > 0, rest.count % 64 == 0 { shrinkIndexIfSparse(&writer) }
      } else {
        // Only files without entries are left.
        return try removeAllSegments(&writer)
      }
    }
    shrinkIndexIfSparse(&writer)
    if index.withLock({ $0.segmentByteCount + $0.storedByteCount }) > limit { writer.indexFile.remove() }
  }

  /// Builds the pages again if most of them are nearly empty.
  private func shrinkIndexIfSparse(_ writer: inout Writer) {
    let isSparse = index.withLock { index in
      index.pages.count > 1 && index.count < index.pages.count * IndexPage.capacity / 4
    }
    guard isSparse else { return }
    writer.indexFile.remove()
    index.rebuildPages()
    writer.indexFile.decideStoring(limit: writer.eviction.limit)
  }

  /// Evicts the least recently used entries of a partition until its capacity holds, except the entry with the
  /// sequence number `latest`.
  func enforceCapacity(ofPartition number: Int, keeping latest: UInt64? = nil, _ writer: inout Writer) {
    while let victim = writer.eviction.nextVictim(ofPartition: number, keeping: latest) {
      removeEntry(victim, evicting: true, &writer)
    }
  }

  // MARK: Ages

  /// Continues the search for expired entries, and removes those that it finds.
  func expireSome(_ limit: Int, _ writer: inout Writer) {
    guard writer.ownership.isWriter else { return }
    for location in writer.eviction.someExpired(limit) { removeExpired(location, &writer) }
  }

  private func removeExpired(_ location: SegmentIndex.Location, _ writer: inout Writer) {
    counters.count { $0.expirations += 1 }
    removeEntry(location, &writer)
  }

  /// Removes all entries that were stored before a date, and rewrites segments with dead space. Other operations
  /// may run between two segments.
  func trim(olderThan date: Int64) throws(DiskCacheError) {
    var next: UInt64? = 0
    while let first = next {
      next = try write { (writer) throws(DiskCacheError) -> UInt64? in
        try requireWriter(&writer)
        if first == 0 {
          adoptOffers(&writer)
          try readAllPages(&writer)
        }
        guard let segment = writer.eviction.segment(from: first) else { return nil }
        let old = try writer.eviction.entries(of: segment) { $0.header.stored < date }
        for location in old.found { removeExpired(location, &writer) }
        return segment.file.number + 1
      }
    }
    try write { (writer) throws(DiskCacheError) in
      try requireWriter(&writer)
      var before = Int.max
      while case let count = index.withLock({ $0.totalByteCount }), count < before {
        before = count
        try compactIfDue(&writer)
      }
    }
  }

  // MARK: Adopting

  /// The most bytes of offered records that one store or miss adopts.
  private static let adoptedPerTurn = 4 << 20

  /// Adopts some of the offered records, if the refresh interval has passed since the last time.
  func adoptOffersIfDue(_ writer: inout Writer) {
    if writer.offers.isDue { adoptOffers(&writer, byteCount: Self.adoptedPerTurn) }
  }

  /// Adopts offered records, and makes sure that there are unused offers.
  func adoptOffers(_ writer: inout Writer, byteCount: Int = .max) {
    guard writer.ownership.isWriter else { return }
    writer.offers.noteLook()
    var rest = byteCount
    for salt in writer.offers.all.map(\.file.salt) {
      context.errors.attempt { () throws(DiskCacheError) in try adoptOffer(salt, &rest, &writer) }
    }
    let isUsed = writer.offers.isUsed
    hasOffers.store(isUsed, ordering: .relaxed)
    if !isUsed {
      // One unused offer is enough for the next process.
      for offer in writer.offers.all.dropFirst() {
        context.errors.attempt { () throws(DiskCacheError) in try removeIfAbandoned(offer, &writer) }
      }
    }
    makeOffers(&writer)
    rebuildIndexIfDamaged(&writer)
  }

  private func adoptOffer(
    _ salt: UInt64, _ rest: inout Int, _ writer: inout Writer
  ) throws(DiskCacheError) {
    guard writer.offers[salt]?.file.file.isLinked == true else { return writer.offers.remove(salt) }
    guard let offer = try writer.offers.look(at: salt) else { return }
    var position = offer.adopted
    while position < offer.size, rest > 0 {
      var found: [SegmentFile.ScannedEntry] = []
      _ = try offer.file.scan(from: position, to: offer.size, limit: 64) { found.append($0) }
      guard !found.isEmpty else { break }
      for entry in found {
        // A damaged record is skipped if the file has not grown since the last look: then it is not being written.
        guard try adopt(entry, of: offer, &writer) else { return }
        position = entry.offset + entry.header.recordLength
        rest -= entry.header.recordLength
        guard writer.offers[salt] != nil else { return }
        writer.offers.noteAdopted(upTo: position, of: salt)
      }
    }
    if rest > 0, offer.isQuiet || offer.size > offer.limit / 2 { try removeIfAbandoned(offer, &writer) }
  }

  /// Makes an offered record the entry of its key, if it is the latest, and marks the offered record as dead.
  ///
  /// - Returns: Whether the record is finished with; false if it is damaged and may still be being written.
  private func adopt(
    _ entry: SegmentFile.ScannedEntry, of offer: Offers.Offer, _ writer: inout Writer
  ) throws(DiskCacheError) -> Bool {
    guard entry.header.isLive else { return true }
    var record: Record
    switch try RecordReader.read(entry.location(in: offer.file, segment: 0, partition: 0)) {
    case .record(let read): record = read
    // The header was just read from the same place, so it is not another one.
    case .dead: return true
    case .misplaced: return true
    case .corrupt:
      if offer.isQuiet { counters.count { $0.corruptEntries += 1 } }
      return offer.isQuiet
    }
    guard let number = try number(forAdopting: record.header, in: entry.partition, &writer) else {
      writer.log.kill(offer.file, at: entry.offset)
      return true
    }
    var header = record.header
    header.correctAccess(now: context.now())
    _ = try enter(&header, in: entry.partition, number, &writer) { (header, writer) throws(DiskCacheError) in
      record.header = header
      return try append(length: header.recordLength, &writer) { seed, write in
        record.withEncoded(seed: seed) { write([$0]) }
      }
    }
    counters.count { $0.adopted += 1 }
    writer.log.retire(
      offer.file, at: entry.offset, sequence: entry.header.sequence, copiedAs: header.sequence)
    return true
  }

  /// The number of the partition for an offered entry. Nil if the entry is not to be adopted, because the key has a
  /// later one, or because it is expired, out of date or too large.
  private func number(
    forAdopting header: EntryHeader, in partition: Partition, _ writer: inout Writer
  ) throws(DiskCacheError) -> Int? {
    let (number, limit) = number(of: partition)
    guard writer.eviction.fits(header.recordLength, inPartition: number, limit: limit) else {
      counters.count { $0.refusals += 1 }
      return nil
    }
    if isExpired(header, in: partition) || writer.outdated.contains(header, in: partition, at: context.now())
    {
      return nil
    }
    index.readPage(of: header.key, in: partition)
    // The later record must be intact: it may be a copy that a loss of power has torn.
    if let own = index.withLock({ $0.location(of: header.key, in: number) }),
      case .record(let record) = try RecordReader.read(own),
      case let date = context.now(),
      AgeLimits.order(storedAt: record.header.stored, at: date)
        >= AgeLimits.order(storedAt: header.stored, at: date)
    {
      return nil
    }
    return number
  }

  // MARK: The files of offers

  /// Makes unused offers: at least one, and as many as are in use, unless they would take too large a part of the
  /// capacity.
  func makeOffers(_ writer: inout Writer) {
    guard writer.ownership.hasLinkedLock else { return }
    while writer.offers.isMissing, makeOffer(&writer) {}
  }

  private func makeOffer(_ writer: inout Writer) -> Bool {
    guard let byteCount = writer.eviction.offerByteCount,
      writer.offers.limit + byteCount <= writer.eviction.limit / 4
    else { return false }
    do throws(DiskCacheError) {
      try makeRoom(for: byteCount, &writer)
      guard index.withLock({ $0.reservedByteCount }) + byteCount <= writer.eviction.capacity else {
        return false
      }
      let header = OfferFile.header(
        limit: byteCount, salt: .random(in: 1 ... .max), created: context.now())
      writer.offers.add(try writer.log.makeFile(OfferFile.name(of: header), header))
      return true
    } catch {
      context.errors.note(error)
      return false
    }
  }

  /// Removes an offer whose records were all adopted, if no process holds its lock.
  private func removeIfAbandoned(_ offer: Offers.Offer, _ writer: inout Writer) throws(DiskCacheError) {
    guard let lock = try context.fileSystem.lock(context.path(offer.file.name)) else { return }
    defer { withExtendedLifetime(lock) {} }
    // A record may have been appended before the lock was taken.
    guard let known = writer.offers[offer.file.salt], try offer.file.byteCount() == known.size else { return }
    // The copies must be durable before the originals are removed.
    if context.isSynced { try synchronize(&writer) }
    try writer.log.removeFile(of: offer.file)
    writer.offers.remove(offer.file.salt)
  }

  /// Removes all offers, with the records that were handed over since the last look.
  @discardableResult
  func removeOffers(_ writer: inout Writer) -> Bool {
    let offers = writer.offers.all
    // The copies of adopted records must be durable before the originals are removed.
    if offers.contains(where: { writer.log.holdsOriginals(in: $0.file) }) {
      context.errors.attempt { () throws(DiskCacheError) in try synchronize(&writer) }
    }
    for offer in offers {
      writer.offers.remove(offer.file.salt)
      context.errors.attempt { () throws(DiskCacheError) in try writer.log.removeFile(of: offer.file) }
    }
    return !offers.isEmpty
  }

  /// Adopts and removes all offers if one is larger than the current capacity allows.
  func removeLargeOffers(_ writer: inout Writer) {
    let byteCount = writer.eviction.offerByteCount ?? 0
    guard writer.offers.all.contains(where: { $0.limit > byteCount }) else { return }
    adoptOffers(&writer)
    removeOffers(&writer)
  }

  /// Leaves the offers to the next writer.
  func forgetOffers(_ writer: inout Writer) {
    writer.offers.forget()
    hasOffers.store(false, ordering: .relaxed)
  }
}
