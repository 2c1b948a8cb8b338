import Foundation

/// Encoded images in memory and in the levels of storage. What concerns the levels blocks: for the pipeline's own threads
/// alone.
extension ImageCaches {
  /// What memory has, fresh or not; made of a local file as that is now.
  func encodedInMemory(_ key: CacheKey, of request: ImageRequest) -> EncodedEntry? {
    guard let entry = encodedMemory.value(forKey: key) else { return nil }
    if entry.stands(for: request.source) { return entry }
    encodedMemory.removeValue(forKey: key)
    return nil
  }

  /// Whether a level may have it. Never waits.
  func mayHaveEncoded(_ key: CacheKey, of request: ImageRequest) -> Bool {
    stores.mayContain(ImageStoreKey(.encoded, key), request.source.reach)
  }

  /// Whether a further level may have it. Never waits.
  func mayHaveFarEncoded(_ key: CacheKey, of request: ImageRequest) -> Bool {
    stores.mayContainFurther(ImageStoreKey(.encoded, key), request.source.reach)
  }

  /// What the first level has, or the further ones. What does not stand for its source is removed from the first.
  func encoded(_ key: CacheKey, of request: ImageRequest, isFar: Bool) -> EncodedEntry? {
    let isLast = isFar || !mayHaveFarEncoded(key, of: request)
    return observeRead(.encoded, for: request, isLast: isLast) { () -> EncodedEntry? in
      let place = ImageStoreKey(.encoded, key, label: isFar ? request.label : nil)
      let read = { EncodedEntry($0, of: request) }
      return isFar ? further(place, request.source.reach, read) : first(place, read)
    } byteCount: {
      $0.data.count
    }
  }

  /// Counts a look that a hint has answered.
  func noteAbsence(ofEncoded request: ImageRequest) {
    events.lookedUp(.encoded, found: nil, of: request.source.name, for: request)
  }

  func store(_ entry: EncodedEntry, _ key: CacheKey, for request: ImageRequest) {
    observeStore(.encoded, byteCount: entry.data.count, for: request) {
      stores.write(
        ImageStoreEntry(metadata: entry.record.data, body: entry.data),
        for: ImageStoreKey(.encoded, key, label: request.label), request.source.reach)
    }
  }

  func removeEncoded(_ key: CacheKey, of request: ImageRequest) {
    stores.remove(ImageStoreEntry.self, ImageStoreKey(.encoded, key), request.source.reach)
  }

  /// Puts it into memory, where it is not too large for that.
  func keepEncoded(_ entry: EncodedEntry, _ key: CacheKey) {
    encodedMemory.insert(entry, forKey: key, cost: entry.data.count + Self.encodedOverhead)
  }

  /// What an entry takes beside its bytes, about.
  private static let encodedOverhead = 512
}

extension EncodedEntry {
  /// The entry of a store; `nil` when it has no record of ours, or another state of a local file.
  fileprivate convenience init?(_ entry: ImageStoreEntry, of request: ImageRequest) {
    guard let record = EncodedRecord(entry.metadata) else { return nil }
    self.init(entry.body, record, of: request)
    if !stands(for: request.source) { return nil }
  }
}
