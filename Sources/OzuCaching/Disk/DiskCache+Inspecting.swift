#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// The verified body of a key's entry. Does not count as a use, so that tools can look through the cache.
  public func peek(_ key: CacheKey, in partition: Partition = .default) -> Data? {
    store.withRecord(
      key, in: partition, countsAsUse: false,
      read: { (location) throws(DiskCacheError) in try RecordReader.read(location) },
      use: { $0.takeBody() })
  }

  /// Whether a key may have an entry, by the index in memory. Never waits for a write or a file.
  ///
  /// This is only a hint. It is also true if the page of the index was not read yet. The entry may be removed or damaged
  /// meanwhile, and entries that another process stored since this one last looked are not known yet.
  package func mayContain(_ key: CacheKey, in partition: Partition = .default) -> Bool {
    store.index.withLock { index in
      guard let number = index.number(of: partition) else { return false }
      return index.missingPage(of: key, partition: number) != nil || index.find(key, in: number) != nil
    }
  }
}
