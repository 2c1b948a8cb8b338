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
}
