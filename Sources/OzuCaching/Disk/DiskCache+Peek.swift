#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// The body of a key's entry, verified, without counting as a use of it: for those who look through the cache.
  public func peek(_ key: CacheKey, in partition: Partition = .default) -> Data? {
    store.withRecord(
      key, in: partition, countsAsUse: false,
      read: { (location) throws(DiskCacheError) in try RecordReader.read(location) },
      use: { $0.takeBody() })
  }
}
