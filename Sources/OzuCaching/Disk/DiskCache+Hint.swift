extension DiskCache {
  /// Whether a key may have an entry, as far as the index in memory knows. Never waits: neither for a write, nor for a
  /// file.
  ///
  /// A hint. The entry may be gone or damaged, and what another process has stored since this one last looked is not
  /// known yet.
  package func mayContain(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.index.withLock { $0.find(key, in: partition) != nil }
  }
}
