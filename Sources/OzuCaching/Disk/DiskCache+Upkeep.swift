// Removes entries, makes the others durable, and closes the cache.
extension DiskCache {
  /// Removes the entry of a key in one partition.
  ///
  /// - Returns: Whether the key had an entry, and it was removed. A cache that only reads forgets the entry for
  ///   itself and returns false.
  @discardableResult
  public func remove(forKey key: CacheKey, in partition: Partition) -> Bool {
    store.remove(key, in: partition)
  }

  /// Removes the entries of a key in all partitions.
  ///
  /// - Returns: Whether the key had entries, and all of them were removed.
  @discardableResult
  public func remove(forKey key: CacheKey) -> Bool {
    store.remove(key, in: nil)
  }

  /// Removes all entries of a partition.
  ///
  /// - Throws: If a file could not be removed or rewritten, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func removeAll(in partition: Partition) throws(DiskCacheError) {
    try store.removeAll(in: partition)
  }

  /// Removes all entries.
  ///
  /// - Throws: If a file could not be removed, or if this cache may not write.
  public func removeAll() throws(DiskCacheError) {
    try store.removeAll(in: nil)
  }

  /// Makes all stored entries durable, as the configuration's `durability` promises, and writes the dates of
  /// access.
  ///
  /// - Throws: If that failed; then every entry stored since the last flush may be lost.
  public func flush() throws(DiskCacheError) {
    try store.flush()
  }

  /// Removes the least recently used entries of all partitions, and rewrites segments with dead space, until all
  /// files have at most `byteCount` bytes.
  ///
  /// - Throws: If a file could not be rewritten or removed, or if this cache may not write
  ///   (`DiskCacheError.Operation.change`, or the error of the lock).
  public func trim(toByteCount byteCount: Int) throws(DiskCacheError) {
    try store.write { (writer) throws(DiskCacheError) in
      try store.requireWriter(&writer)
      try store.trim(toByteCount: byteCount, &writer)
    }
  }

  /// Flushes, closes the files and releases the lock. All later operations are misses. A cache that is released
  /// closes itself.
  public func close() {
    store.close()
  }
}
