#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The writer adopts the entries that other processes hand over.
//
// It keeps at least one unused offer, and room for all offers. It adopts their records at each flush and removal,
// at opening and closing, and once per refresh interval at a store or a miss: it appends a record to its own log,
// unless it has a later one of the same key, and then marks the offered record as dead. So after a crash at any
// moment the entry is in one place or in both, and adopting it twice changes nothing. An offer is removed only
// under its lock, so that no process writes to it then.
extension SegmentStore {
  /// The most bytes of offered records that one store or miss adopts.
  private static let adoptedPerTurn = 4 << 20

  /// Adopts some of the offered records, if the refresh interval has passed since the last time.
  func adoptOffersIfDue(_ writer: inout Writer) {
    if !writer.offers.all.isEmpty, isDue(since: writer.offers.looked) {
      adoptOffers(&writer, byteCount: Self.adoptedPerTurn)
    }
  }

  /// Adopts offered records, and makes sure that there are unused offers.
  func adoptOffers(_ writer: inout Writer, byteCount: Int = .max) {
    guard case .writer = writer.role else { return }
    writer.offers.looked = now()
    var rest = byteCount
    for salt in writer.offers.all.map(\.file.salt) {
      note(&writer) { (writer) throws(DiskCacheError) in try adoptOffer(salt, &rest, &writer) }
    }
    let isUsed = writer.offers.all.contains(where: \.isUsed)
    hasOffers.store(isUsed, ordering: .relaxed)
    if !isUsed {
      // One unused offer is enough for the next process.
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
        // A damaged record is skipped if the file has not grown since the last look: then it is not being written.
        guard try adopt(entry, of: offer.file, isFinal: size == offer.size, &writer) else { return }
        position = entry.offset + entry.header.recordLength
        rest -= entry.header.recordLength
        guard let number = writer.offers.index(of: salt) else { return }
        writer.offers.all[number].adopted = position
      }
    }
    if rest > 0, size == offer.size || size > offer.limit / 2 { try removeIfAbandoned(offer.file, &writer) }
  }

  /// Makes an offered record the entry of its key, if it is the latest, and marks the offered record as dead.
  ///
  /// - Returns: Whether the record is finished with; false if it is damaged and may still be being written.
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
    // The header was just read from the same place.
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

  /// The number of the partition for an offered entry. Nil if the entry is not to be adopted, because the key has a
  /// later one, or because it is expired, out of date or too large.
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
    index.readPage(of: header.key, in: partition)
    // The later record must be intact: it may be a copy that a loss of power has torn.
    if let own = index.withLock({ $0.location(of: header.key, in: number) }),
      case .record(let record) = try RecordReader.read(own), record.header.stored >= header.stored
    {
      return nil
    }
    return number
  }
}
