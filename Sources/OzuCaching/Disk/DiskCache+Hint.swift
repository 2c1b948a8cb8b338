extension DiskCache {
  /// Whether a key may have an entry, as far as the index in memory knows. Never waits: neither for a write, nor for a
  /// file.
  ///
  /// A hint. A page of the index that was not needed yet may have it; the entry may be gone or damaged, and what another process has stored since this one last looked is not
  /// known yet.
  package func mayContain(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.index.withLock { index in
      guard let number = index.number(of: partition) else { return false }
      return index.missingPage(of: key, partition: number) != nil || index.find(key, in: number) != nil
    }
  }
}
