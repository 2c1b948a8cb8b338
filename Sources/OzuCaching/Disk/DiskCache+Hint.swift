extension DiskCache {
  /// Whether a key may have an entry, by the index in memory. Never waits for a write or a file.
  ///
  /// This is only a hint. True if the page of the index was not read yet. The entry may be removed or damaged
  /// meanwhile, and entries that another process stored since this one last looked are not known yet.
  package func mayContain(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.index.withLock { index in
      guard let number = index.number(of: partition) else { return false }
      return index.missingPage(of: key, partition: number) != nil || index.find(key, in: number) != nil
    }
  }
}
