// Removes entries on request, and entries that could not be replaced.
extension SegmentStore {
  /// Removes the entry of a key that could not be replaced, because it is out of date. A cache that could not
  /// become the writer removes it only for itself. A cache that follows another process continues to serve the
  /// entry of that process.
  func forget(_ key: CacheKey, in partition: Partition, _ writer: inout Writer) {
    if writer.followsAnother { return }
    writer.outdated.insert(key, in: partition, at: now())
    index.readPage(of: key, in: partition)
    guard let location = index.withLock({ $0.location(of: key, in: partition) }) else { return }
    if case .writer = writer.role {
      removeEntry(location, &writer)
    } else {
      index.withLock { $0.remove(location) }
    }
  }

  /// Removes the entries of a key in one partition, or in all. A reader only removes them from its index.
  func remove(_ key: CacheKey, in partition: Partition?) -> Bool {
    let removed = try? write { (writer) throws(DiskCacheError) -> Bool in
      var isWriter = false
      note(&writer) { (writer) throws(DiskCacheError) in isWriter = try prepareToWrite(&writer) }
      // Entries that were handed over before must not come back.
      adoptOffers(&writer)
      func find() -> [SegmentIndex.Location] {
        index.readPages(of: key)
        return index.withLock { index in
          index.partitions.indices
            .filter { partition == nil || index.partitions[$0].partition == partition }
            .compactMap { index.location(of: key, in: $0) }
        }
      }
      var entries = find()
      // An entry in a damaged page still exists, and would come back.
      if index.withLock({ $0.isDamaged }) {
        rebuildIndexIfDamaged(&writer)
        entries = find()
      }
      for entry in entries {
        if isWriter {
          removeEntry(entry, &writer)
        } else {
          index.withLock { $0.remove(entry) }
          withdraw(entry, &writer)
        }
      }
      if isWriter, !entries.isEmpty {
        doUpkeep(length: 0, &writer)
      } else if !entries.isEmpty {
        counters.dropped.increment()
      }
      return isWriter && !entries.isEmpty
    }
    return removed ?? false
  }

  /// Removes all entries of a partition, or of all partitions.
  func removeAll(in partition: Partition?) throws(DiskCacheError) {
    try write { (writer) throws(DiskCacheError) in
      try requireWriter(&writer)
      guard let partition else {
        removeOffers(&writer)
        try removeAllSegments(&writer)
        removeStoredIndex(&writer)
        makeOffers(&writer)
        return
      }
      adoptOffers(&writer)
      readAllPages(&writer)
      let entries = index.entriesByAccess(in: partition)
      for entry in entries {
        if let location = index.withLock({ $0.location(of: entry.key, in: entry.partition) }) {
          removeEntry(location, &writer)
        }
      }
      while index.withLock({ Self.isMostlyDead($0) }) {
        let before = index.withLock { $0.segmentByteCount }
        writer.drain = nil
        try compactIfDue(&writer)
        if index.withLock({ $0.segmentByteCount }) >= before { return }
      }
    }
  }

  private static func isMostlyDead(_ index: SegmentIndex) -> Bool {
    index.segmentByteCount > index.liveByteCount &* 2
  }
}
