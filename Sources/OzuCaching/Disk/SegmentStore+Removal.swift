// What is asked to go, and what must go because it could not be replaced.
extension SegmentStore {
  /// Removes the entry of a key that could not be replaced: it is out of date. A cache that could not become the writer
  /// forgets it for itself; one that follows another process goes on serving what that has.
  func forget(_ key: CacheKey, in partition: Partition, _ writer: inout Writer) {
    if writer.followsAnother { return }
    writer.outdated.insert(key, in: partition, at: now())
    guard let slot = index.withLock({ $0.find(key, in: partition) }) else { return }
    if case .writer = writer.role {
      removeEntry(slot, &writer)
    } else {
      index.withLock { $0.remove(slot) }
    }
  }

  /// Removes the entries of a key in some partition, or in all. A reader only forgets them.
  func remove(_ key: CacheKey, in partition: Partition?) -> Bool {
    let removed = try? write { (writer) throws(DiskCacheError) -> Bool in
      var isWriter = false
      note(&writer) { (writer) throws(DiskCacheError) in isWriter = try prepareToWrite(&writer) }
      let slots = index.withLock { index in
        index.partitions.indices
          .filter { partition == nil || index.partitions[$0].partition == partition }
          .compactMap { index.find(key, in: $0) }
      }
      for slot in slots {
        if isWriter { removeEntry(slot, &writer) } else { index.withLock { $0.remove(slot) } }
      }
      if isWriter, !slots.isEmpty {
        note(&writer) { (writer) throws(DiskCacheError) in try compactIfDue(&writer) }
      } else if !slots.isEmpty {
        counters.dropped.increment()
      }
      return isWriter && !slots.isEmpty
    }
    return removed ?? false
  }

  /// Removes all entries of a partition, or all there are.
  func removeAll(in partition: Partition?) throws(DiskCacheError) {
    try write { (writer) throws(DiskCacheError) in
      try requireWriter(&writer)
      guard let partition else {
        try removeAllSegments(&writer)
        removeStoredIndex()
        return
      }
      let slots = index.withLock { index in
        index.partitions.indices.filter { index.partitions[$0].partition == partition }
          .flatMap { index.slotsByAccess(inPartition: $0) }
      }
      for slot in slots { removeEntry(slot, &writer) }
      while index.withLock({ Self.isMostlyDead($0) }) {
        let before = index.withLock { $0.totalByteCount }
        try compactIfDue(&writer)
        if index.withLock({ $0.totalByteCount }) >= before { return }
      }
    }
  }

  private static func isMostlyDead(_ index: SegmentIndex) -> Bool {
    index.totalByteCount > index.liveByteCount * 2
  }
}
