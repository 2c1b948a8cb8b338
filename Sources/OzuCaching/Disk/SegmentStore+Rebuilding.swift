// Rebuilds the index from the segments if it is damaged.
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
    index.readAllPages()
    rebuildIndexIfDamaged(&writer)
  }
}
