// Reads pages of the index, and rebuilds the index from the segments if it is damaged.
extension SegmentStore {
  /// Removes an entry that pointed to the record of another entry, and rebuilds the index from the segments. Such
  /// an index was stored by something else, and none of its entries can be trusted. A reader only removes the one
  /// entry.
  func distrustIndex(because location: SegmentIndex.Location) {
    try? write { (writer) throws(DiskCacheError) in
      guard index.withLock({ $0.holds(location) }) else { return }
      index.withLock { $0.remove(location) }
      rebuildIndex(&writer)
    }
  }

  /// Rebuilds the index from the segments, at most once per stored index.
  private func rebuildIndex(_ writer: inout Writer) {
    guard case .writer = writer.role, writer.trustsStoredIndex else { return }
    writer.trustsStoredIndex = false
    counters.rebuiltIndexes.increment()
    note(&writer) { (writer) throws(DiskCacheError) in try load(&writer) }
  }

  /// Rebuilds the index if one of its pages is damaged.
  func rebuildIndexIfDamaged(_ writer: inout Writer) {
    if index.withLock({ $0.isDamaged }) { rebuildIndex(&writer) }
  }

  /// Reads all pages, and rebuilds the index if one of them is damaged.
  func readAllPages(_ writer: inout Writer) {
    readAllPages()
    rebuildIndexIfDamaged(&writer)
  }

  /// Reads all pages that are not in memory. Fetches may use the index between two pages.
  func readAllPages() {
    for number in 0..<index.withLock({ $0.pages.count }) { readPage(number) }
  }

  /// Reads the page of a key's entry if it is not in memory, without holding the lock of the index meanwhile.
  func readPage(of key: CacheKey, in partition: Partition) {
    let missing = index.withLock { index in
      index.number(of: partition).flatMap { index.missingPage(of: key, partition: $0) }
    }
    if let missing { readPage(missing) }
  }

  /// Reads a page if it is not in memory, without holding the lock of the index meanwhile.
  func readPage(_ number: Int) {
    if let missing = index.withLock({ $0.missingPage(number) }) { readPage(missing) }
  }

  func readPage(_ missing: SegmentIndex.MissingPage) {
    let page = try? IndexPage.read(missing.number, from: missing.source)
    index.withLock { index in
      // The index may have been replaced meanwhile.
      if index.pages.source?.epoch == missing.source.epoch, missing.number < index.pages.count {
        index.take(page, as: missing.number)
      } else {
        page?.deallocate()
      }
    }
  }
}
