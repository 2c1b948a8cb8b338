import Foundation
import OzuHTTP

/// Responses in a disk cache, one entry for each variant: the first under the key itself, the others under keys
/// derived from it. Blocking, like the disk cache.
struct ResponseShelf: Sendable {
  static let responses = DiskCache.Partition("originals")
  static let partials = DiskCache.Partition("partials")

  let disk: DiskCache

  /// The key of a response as images know it; hashed, so that no credential is written down.
  static func diskKey(_ key: HTTPCacheKey) -> CacheKey {
    let source = CacheKey(key.resource)
    return key.partition.isEmpty ? source : source.derived("credentials", key.partition)
  }

  private static func place(_ number: Int, of key: CacheKey) -> CacheKey {
    number == 0 ? key : key.derived("variant \(number)")
  }

  /// The variants of a key. A lookup of the first counts as a hit or a miss of the disk cache.
  func entries(for key: CacheKey) -> [HTTPCacheEntry] {
    (0..<HTTPVariants.maximumCount).compactMap { number in
      let place = Self.place(number, of: key)
      guard number == 0 || disk.contains(place, in: Self.responses),
        let entry = disk.fetch(place, in: Self.responses),
        let response = OriginalRecord(entry.metadata)?.response
      else { return nil }
      return HTTPCacheEntry(response: response, body: entry.body)
    }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: CacheKey, source: String) {
    let (place, _) = makePlace(for: entry.response, replacing: old, of: key)
    store(entry, at: place, source: source)
  }

  private func store(_ entry: HTTPCacheEntry, at place: CacheKey, source: String) {
    guard let record = OriginalRecord(entry.response) else {
      disk.remove(forKey: place, in: Self.responses)
      return
    }
    disk.store(
      entry.body, metadata: record.data, forKey: place, in: Self.responses,
      label: DiskLabel.text(ofSource: source))
  }

  /// Gives a stored response a new head; its body is the same as before.
  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: CacheKey, source: String)
  {
    let (place, stored) = makePlace(for: entry.response, replacing: old, of: key)
    // The record alone, unless the entry was evicted meanwhile, another body came, or the record has outgrown its room.
    if stored?.bodyIdentity == entry.response.bodyIdentity, let record = OriginalRecord(entry.response),
      disk.updateMetadata(record.data, forKey: place, in: Self.responses)
    {
      return
    }
    store(entry, at: place, source: source)
  }

  /// The place where a response goes, after those it makes void are emptied, and what is there.
  private func makePlace(
    for response: HTTPStoredResponse, replacing old: HTTPStoredResponse?, of key: CacheKey
  ) -> (place: CacheKey, stored: HTTPStoredResponse?) {
    var occupied: [Int: HTTPStoredResponse] = [:]
    for number in 0..<HTTPVariants.maximumCount {
      let place = Self.place(number, of: key)
      guard disk.contains(place, in: Self.responses) else { continue }
      occupied[number] = disk.metadata(forKey: place, in: Self.responses).flatMap {
        OriginalRecord($0)?.response
      }
    }
    let (number, emptied) = HTTPVariants.place(for: response, replacing: old, among: occupied)
    for number in emptied { disk.remove(forKey: Self.place(number, of: key), in: Self.responses) }
    return (Self.place(number, of: key), occupied[number])
  }

  func removeEntries(for key: CacheKey) {
    for number in 0..<HTTPVariants.maximumCount {
      disk.remove(forKey: Self.place(number, of: key), in: Self.responses)
    }
  }

  /// The beginning of a body whose transfer broke off.
  func partialBody(for key: CacheKey) -> HTTPPartialBody? {
    guard disk.contains(key, in: Self.partials), let entry = disk.fetch(key, in: Self.partials),
      let response = OriginalRecord(entry.metadata)?.response
    else { return nil }
    return HTTPPartialBody(response: response, body: entry.body)
  }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: CacheKey, source: String) {
    guard let partial, let record = OriginalRecord(partial.response) else {
      disk.remove(forKey: key, in: Self.partials)
      return
    }
    disk.store(
      partial.body, metadata: record.data, forKey: key, in: Self.partials,
      label: DiskLabel.text(ofSource: source))
  }
}
