/// Encoded images in memory and in the stores. The functions that use stores block; only the pipeline's own threads
/// may call them.
extension ImageCaches {
  /// The file in memory, fresh or not. One that was made from another state of a local file is removed.
  func encodedInMemory(_ key: CacheKey, of request: ImageRequest) -> EncodedEntry? {
    guard let entry = encodedMemory.value(forKey: key) else { return nil }
    if entry.stands(for: request.source) { return entry }
    encodedMemory.removeValue(forKey: key)
    return nil
  }

  /// The file. One that was made from another state of a local file is removed from the first level.
  func encoded(_ key: CacheKey, of request: ImageRequest, from tiers: Tiers) -> EncodedEntry? {
    read(.encoded(key, request), from: tiers) { (entry: ImageStoreEntry) in
      EncodedEntry(entry, of: request).map { ($0, $0.data.count) }
    }
  }

  func store(_ entry: EncodedEntry, _ key: CacheKey, for request: ImageRequest, by right: EpochRight) {
    right.store {
      observeStore(.encoded, byteCount: entry.data.count, for: request) {
        stores.write(
          ImageStoreEntry(metadata: entry.record.data, body: entry.data),
          for: ImageStoreKey(.encoded, key, label: request.label), request.source.reach)
      }
    } takeBack: {
      removeEncoded(key, of: request)
    }
  }

  func removeEncoded(_ key: CacheKey, of request: ImageRequest) {
    stores.remove(ImageStoreEntry.self, ImageStoreKey(.encoded, key), request.source.reach)
  }

  /// Puts a file into memory. The cache refuses files that are too large.
  func keepEncoded(_ entry: EncodedEntry, _ key: CacheKey, by right: EpochRight) {
    encodedMemory.store(entry, forKey: key, cost: entry.data.count + Self.encodedOverhead) { right.isValid }
  }

  /// The approximate memory of an entry beside its bytes.
  private static let encodedOverhead = 512
}

extension EncodedEntry {
  /// The entry of a store; `nil` if its record is unreadable, or belongs to another state of a local file.
  fileprivate convenience init?(_ entry: ImageStoreEntry, of request: ImageRequest) {
    guard let record = EncodedRecord(entry.metadata) else { return nil }
    self.init(entry.body, record, of: request)
    if !stands(for: request.source) { return nil }
  }
}
