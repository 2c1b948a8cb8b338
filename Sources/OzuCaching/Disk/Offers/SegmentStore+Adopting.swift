#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// How the writer takes up what other processes hand over.
//
// It keeps an offer or more that nobody uses, and room for all it has made. What is in them it adopts at each flush and removal, at
// opening and closing, and once per refresh interval at a store or a miss: it appends a record to its own log, unless it has a
// later one of the key, and marks the offered one as dead. So a crash at any moment leaves an entry in one place or in
// both, and adopting twice changes nothing. An offer is removed only under its lock: nobody writes to it then.
extension SegmentStore {
  /// The bytes of offered records that a store or a miss adopts at most.
  private static let adoptedPerTurn = 4 << 20

  /// Adopts some of what others handed over, if the refresh interval has passed since the last time.
  func adoptOffersIfDue(_ writer: inout Writer) {
    if !writer.offers.all.isEmpty, isDue(since: writer.offers.looked) {
      adoptOffers(&writer, byteCount: Self.adoptedPerTurn)
    }
  }

  /// Adopts what others handed over, and sees to it that there are offers that nobody uses.
  func adoptOffers(_ writer: inout Writer, byteCount: Int = .max) {
    guard case .writer = writer.role else { return }
    writer.offers.looked = now()
    var rest = byteCount
    for salt in writer.offers.all.map(\.file.salt) {
      note(&writer) { (writer) throws(DiskCacheError) in try adoptOffer(salt, &rest, &writer) }
    }
    let isUsed = writer.offers.all.contains(where: \.isUsed)
    hasGuests.store(isUsed, ordering: .relaxed)
    if !isUsed {
      // One is enough for the next that comes.
      for offer in writer.offers.all.dropFirst() {
        note(&writer) { (writer) throws(DiskCacheError) in try removeIfAbandoned(offer.file, &writer) }
      }
    }
    makeOffers(&writer)
    rebuildIndexIfDamaged(&writer)
  }

  private func adoptOffer(
    _ salt: UInt64, _ rest: inout Int, _ writer: inout Writer
  ) throws(DiskCacheError) {
    guard let number = writer.offers.index(of: salt) else { return }
    let offer = writer.offers.all[number]
    guard offer.file.file.isLinked else {
      writer.offers.all.remove(at: number)
      return noteOffers(writer)
    }
    let size = try offer.file.byteCount()
    guard size > SegmentHeader.byteCount else { return }
    writer.offers.all[number].size = size
    noteOffers(writer)
    var position = offer.adopted
    while position < size, rest > 0 {
      var found: [SegmentFile.ScannedEntry] = []
      _ = try offer.file.scan(from: position, to: size, limit: 64) { found.append($0) }
      guard !found.isEmpty else { break }
      for entry in found {
        // One that is damaged is passed over when nothing has changed since: it is not being written.
        guard try adopt(entry, of: offer.file, isFinal: size == offer.size, &writer) else { return }
        position = entry.offset + entry.header.recordLength
        rest -= entry.header.recordLength
        guard let number = writer.offers.index(of: salt) else { return }
        writer.offers.all[number].adopted = position
      }
    }
    if rest > 0, size == offer.size || size > offer.limit / 2 { try removeIfAbandoned(offer.file, &writer) }
  }

  /// Makes an offered record the entry of its key, if it is the latest, and marks it as dead where it was.
  ///
  /// - Returns: Whether that is done, or there is nothing to be done; false if the record is damaged.
  private func adopt(
    _ entry: SegmentFile.ScannedEntry, of file: SegmentFile, isFinal: Bool, _ writer: inout Writer
  ) throws(DiskCacheError) -> Bool {
    guard entry.header.isLive else { return true }
    let offered = SegmentIndex.Location(
      file: file, key: entry.header.key, partition: entry.partition, partitionNumber: 0, segment: 0,
      offset: entry.offset, length: entry.header.recordLength, headLength: entry.header.bodyOffset,
      sequence: entry.header.sequence, accessed: entry.header.accessed, isReferenced: false)
    var record: Record
    switch try RecordReader.read(offered) {
    case .record(let read): record = read
    case .dead: return true
    // The header was read from this very place.
    case .misplaced: return true
    case .corrupt:
      if isFinal { counters.corruptEntries.increment() }
      return isFinal
    }
    guard let number = try number(forAdopting: record.header, in: entry.partition, &writer) else {
      kill(file, at: entry.offset, &writer)
      return true
    }
    var header = record.header
    header.correctAccess(now: now())
    _ = try enter(&header, in: entry.partition, number, &writer) { (header, writer) throws(DiskCacheError) in
      record.header = header
      return try append(length: header.recordLength, &writer) { seed, write in
        record.withEncoded(seed: seed) { write([$0]) }
      }
    }
    counters.adopted.increment()
    if configuration.durability == .synced {
      writer.pendingKills[header.sequence, default: []].append(
        Writer.PendingKill(file: file, offset: entry.offset))
    } else {
      kill(file, at: entry.offset, &writer)
    }
    return true
  }

  /// The number of the partition for an offered entry; nil if the entry is not to be adopted: the key has a later one, or it
  /// is expired, out of date or too large.
  private func number(
    forAdopting header: EntryHeader, in partition: Partition, _ writer: inout Writer
  ) throws(DiskCacheError) -> Int? {
    let (number, limit) = index.withLock { index in
      let number = index.number(of: partition, capacity: capacity(of:))
      return (number, index.partitions[number].capacity)
    }
    guard fits(header.recordLength, inPartition: number, limit: limit, writer) else {
      counters.refusals.increment()
      return nil
    }
    if isExpired(header, in: partition) || writer.outdated.contains(header, in: partition) { return nil }
    readPage(of: header.key, in: partition)
    // The later one must be whole: a copy may be all that a loss of power has torn.
    if let own = index.withLock({ $0.location(of: header.key, in: number) }),
      case .record(let record) = try RecordReader.read(own), record.header.stored >= header.stored
    {
      return nil
    }
    return number
  }

  // MARK: The files

  /// Takes up the offers that are in the directory, and removes what has the name of one and is none.
  func takeUpOffers(_ names: [String], _ writer: inout Writer) {
    for name in names where OfferFile.isFileName(name) {
      note(&writer) { (writer) throws(DiskCacheError) in
        let path = path(name)
        do throws(DiskCacheError) {
          if let file = try SegmentFile.open(name, in: directory, for: .updating, of: fileSystem),
            file.header.version == SegmentHeader.version, OfferFile.limit(file.header) != nil
          {
            writer.offers.all.append(Offers.Offer(file: file))
            return
          }
          try fileSystem.remove(path)
        } catch {
          if error.code == ENOENT { return }
          if error.isOfNoFile { return try fileSystem.removeObstacle(path) }
          throw error
        }
      }
    }
    noteOffers(writer)
    if !writer.offers.all.isEmpty { adoptOffers(&writer) }
    removeLargeOffers(&writer)
  }

  /// Makes offers that nobody uses: one, or as many as are used, unless there are enough, or they would take too large a
  /// part of the capacity.
  func makeOffers(_ writer: inout Writer) {
    guard case .writer(let lock) = writer.role, lock.isLinked else { return }
    while isOfferMissing(writer), makeOffer(&writer) {}
  }

  private func isOfferMissing(_ writer: borrowing Writer) -> Bool {
    let used = writer.offers.all.count(where: \.isUsed)
    return writer.offers.all.count < min(max(1, 2 * used), OfferFile.limit)
  }

  private func makeOffer(_ writer: inout Writer) -> Bool {
    let limit = min(writer.capacity, writer.trimmedByteCount ?? .max)
    guard let byteCount = offerByteCount(for: writer.capacity),
      writer.offers.limit + byteCount <= limit / 4
    else { return false }
    do throws(DiskCacheError) {
      try makeRoom(for: byteCount, &writer)
      guard reservedByteCount(writer) + byteCount <= writer.capacity else { return false }
      let header = OfferFile.header(
        limit: byteCount, salt: UInt64.random(in: 1 ... .max, using: &writer.random), created: now())
      let file = try makeSegmentFile(OfferFile.name(of: header), header, &writer)
      writer.offers.all.append(Offers.Offer(file: file))
      noteOffers(writer)
      return true
    } catch {
      writer.errors.append(error)
      return false
    }
  }

  /// Removes an offer of which everything is adopted, if nobody has its lock.
  private func removeIfAbandoned(_ file: SegmentFile, _ writer: inout Writer) throws(DiskCacheError) {
    let path = path(file.name)
    guard let lock = try fileSystem.lock(path) else { return }
    defer { withExtendedLifetime(lock) {} }
    // What came between the look and the lock.
    guard let number = writer.offers.index(of: file.salt),
      try file.byteCount() == writer.offers.all[number].size
    else { return }
    // A copy must be safe before the original goes.
    if configuration.durability == .synced { try synchronize(&writer) }
    try removeFile(of: file, &writer)
    writer.offers.all.remove(at: number)
    noteOffers(writer)
  }

  /// Removes all offers, with what was handed over since they were last looked at.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func removeOffers(_ writer: inout Writer) -> Bool {
    let offers = writer.offers.all
    writer.offers.all = []
    for offer in offers {
      note(&writer) { (writer) throws(DiskCacheError) in try removeFile(of: offer.file, &writer) }
    }
    noteOffers(writer)
    return !offers.isEmpty
  }

  /// Removes the offers that may become larger than offers are at this capacity, after what is in them was adopted.
  func removeLargeOffers(_ writer: inout Writer) {
    let byteCount = offerByteCount(for: writer.capacity) ?? 0
    guard writer.offers.all.contains(where: { $0.limit > byteCount }) else { return }
    adoptOffers(&writer)
    removeOffers(&writer)
  }

  /// Leaves the offers to the process that will write next.
  func forgetOffers(_ writer: inout Writer) {
    writer.offers = Offers()
    hasGuests.store(false, ordering: .relaxed)
    noteOffers(writer)
  }

  private func noteOffers(_ writer: borrowing Writer) {
    let (byteCount, limit) = (writer.offers.byteCount, writer.offers.limit)
    index.withLock { index in
      index.offerByteCount = byteCount
      index.unusedOfferByteCount = limit - byteCount
    }
  }
}
