import OzuSynchronization

// Operations on the whole store: flushing, capacities, closing, verifying.
extension SegmentStore {
  var isWriter: Bool { isWriting.load(ordering: .relaxed) }

  func flush() throws(DiskCacheError) {
    try write { (writer) throws(DiskCacheError) in
      guard case .writer = writer.role else { return try flushOffer(&writer) }
      adoptOffers(&writer)
      writeAccessDates(&writer)
      expireSome(Self.examinedPerFlush, &writer)
      if configuration.durability == .synced { try synchronize(&writer) }
    }
  }

  func close() {
    try? write { (writer) throws(DiskCacheError) in
      if case .writer = writer.role {
        adoptOffers(&writer)
        writeAccessDates(&writer)
        if configuration.durability == .synced {
          note(&writer) { (writer) throws(DiskCacheError) in try synchronize(&writer) }
        }
        storeIndex(&writer, isClean: true)
      }
      writer.active = nil
      writer.unsynced = [:]
      writer.pendingKills = [:]
      writer.drain = nil
      writer.files = IndexFiles()
      writer.own = OwnOffers()
      forgetOffers(&writer)
      writer.role = .closed
      index.replace(with: SegmentIndex())
    }
  }

  func setCapacity(_ capacity: Int) {
    try? write { (writer) throws(DiskCacheError) in
      writer.capacity = max(0, capacity)
      // The drain may copy up to the former capacity.
      writer.drain = nil
      guard case .writer = writer.role else { return }
      removeLargeOffers(&writer)
      note(&writer) { (writer) throws(DiskCacheError) in try trim(toByteCount: writer.capacity, &writer) }
      makeOffers(&writer)
    }
  }

  func setCapacity(_ capacity: Int, ofPartition partition: Partition) {
    setCapacity(capacity, of: partition)
    try? write { (writer) throws(DiskCacheError) in
      let number = index.withLock { index in
        let number = index.number(of: partition, capacity: { _ in capacity })
        index.setCapacity(capacity, ofPartition: number)
        return number
      }
      guard case .writer = writer.role else { return }
      enforceCapacity(ofPartition: number, &writer)
      note(&writer) { (writer) throws(DiskCacheError) in try compactIfDue(&writer) }
    }
  }

  /// Reads every live record and drops the damaged ones.
  func verify() -> DiskCacheReport {
    let names = index.withLock { $0.partitions.map(\.partition) }
    let keys = index.entriesByAccess().compactMap { entry in
      entry.partition < names.count ? (entry.key, names[entry.partition]) : nil
    }
    var report = DiskCacheReport()
    for (key, partition) in keys {
      let before = counters.corruptEntries.load(ordering: .relaxed)
      let length = withRecord(
        key, in: partition, countsAsUse: false,
        read: { (location) throws(DiskCacheError) in try RecordReader.read(location) },
        use: { $0.header.recordLength })
      if let length {
        report.intactEntries += 1
        report.intactByteCount += length
      } else if counters.corruptEntries.load(ordering: .relaxed) > before {
        report.corruptEntries.append(DiskCacheReport.Damage(key: key, partition: partition))
      }
    }
    index.withLock { index in
      for segment in index.segments.compactMap({ $0 }) {
        report.segments += 1
        report.deadByteCount += segment.dead
        report.unreadableByteCount += max(0, segment.size - segment.scanned) + segment.unreadable
      }
    }
    return report
  }
}
