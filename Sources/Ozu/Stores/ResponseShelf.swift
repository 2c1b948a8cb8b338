import Foundation
import OzuHTTP

/// Responses in one level of storage, one entry for each variant: the first under the key itself, the others under keys
/// derived from it. Blocking, like the level.
struct ResponseShelf {
  let store: any ImageStoring

  /// The key of a response as images know it; hashed, so that no credential is written down.
  static func storeKey(_ key: HTTPCacheKey) -> CacheKey {
    let source = CacheKey(key.resource)
    return key.partition.isEmpty ? source : source.derived("credentials", key.partition)
  }

  /// The place of a key's first variant, with the label of the resource.
  static func place(of key: HTTPCacheKey) -> ImageStoreKey {
    place(0, of: storeKey(key), label: EntryLabel.text(ofSource: key.resource))
  }

  private static func place(_ number: Int, of key: CacheKey, label: String? = nil) -> ImageStoreKey {
    ImageStoreKey(.original, number == 0 ? key : key.derived("variant \(number)"), label: label)
  }

  /// The variants of a key.
  func entries(for key: CacheKey) throws -> [HTTPCacheEntry] {
    // The first is read without a question before: where lookups are counted, it is the one that counts.
    let first = try entry(at: Self.place(0, of: key))
    if let first, !first.response.headers.contains(name: "Vary") { return [first] }
    return try [first].compactMap(\.self) + others(for: key)
  }

  /// The variants of a key in a level where each question may be a journey: none when the first is missing, which leaves
  /// no others beside it but where it alone was given up.
  func entriesIfFirst(for key: CacheKey) throws -> [HTTPCacheEntry] {
    guard let first = try entry(at: Self.place(0, of: key)) else { return [] }
    return first.response.headers.contains(name: "Vary") ? [first] + (try others(for: key)) : [first]
  }

  private func others(for key: CacheKey) throws -> [HTTPCacheEntry] {
    try (1..<HTTPVariants.maximumCount).compactMap { number in
      let place = Self.place(number, of: key)
      return try store.contains(place) ? entry(at: place) : nil
    }
  }

  private func entry(at place: ImageStoreKey) throws -> HTTPCacheEntry? {
    guard let entry = try store.read(place), let response = OriginalRecord(entry.metadata)?.response else {
      return nil
    }
    return HTTPCacheEntry(response: response, body: entry.body)
  }

  /// Stores a response in the place of those it makes void.
  ///
  /// - Parameter first: the place of the first variant.
  func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, at first: ImageStoreKey
  ) throws {
    let (place, _) = try makePlace(for: entry.response, replacing: old, of: first)
    try store(entry, at: place)
  }

  private func store(_ entry: HTTPCacheEntry, at place: ImageStoreKey) throws {
    guard let record = OriginalRecord(entry.response) else { return try store.remove(place) }
    try store.write(ImageStoreEntry(metadata: record.data, body: entry.body), for: place)
  }

  /// Gives a stored response a new head; its body is the same as before.
  func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, at first: ImageStoreKey
  ) throws {
    let (place, stored) = try makePlace(for: entry.response, replacing: old, of: first)
    // The record alone, unless the entry was evicted meanwhile, another body came, or the record has outgrown its room.
    if stored?.bodyIdentity == entry.response.bodyIdentity, let record = OriginalRecord(entry.response),
      try store.updateMetadata(record.data, of: place)
    {
      return
    }
    try store(entry, at: place)
  }

  /// The place where a response goes, after those it makes void are emptied, and what is there.
  private func makePlace(
    for response: HTTPStoredResponse, replacing old: HTTPStoredResponse?, of first: ImageStoreKey
  ) throws -> (place: ImageStoreKey, stored: HTTPStoredResponse?) {
    var occupied: [Int: HTTPStoredResponse] = [:]
    for number in 0..<HTTPVariants.maximumCount {
      let place = Self.place(number, of: first.key)
      guard store.mayContain(place), let metadata = try store.metadata(of: place) else { continue }
      occupied[number] = OriginalRecord(metadata)?.response
    }
    let (number, emptied) = HTTPVariants.place(for: response, replacing: old, among: occupied)
    for number in emptied { try store.remove(Self.place(number, of: first.key)) }
    return (Self.place(number, of: first.key, label: first.label), occupied[number])
  }

  func removeEntries(for key: CacheKey) throws {
    for number in 0..<HTTPVariants.maximumCount { try store.remove(Self.place(number, of: key)) }
  }

  /// The beginning of a body whose transfer broke off.
  func partialBody(for key: HTTPCacheKey) throws -> HTTPPartialBody? {
    let place = ImageStoreKey(.partial, Self.storeKey(key))
    guard try store.contains(place), let entry = try store.read(place),
      let response = OriginalRecord(entry.metadata)?.response
    else { return nil }
    return HTTPPartialBody(response: response, body: entry.body)
  }

  /// Keeps the beginning of a body; `nil` removes it.
  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) throws {
    let place = ImageStoreKey(
      .partial, Self.storeKey(key), label: EntryLabel.text(ofSource: key.resource))
    guard let partial, let record = OriginalRecord(partial.response) else { return try store.remove(place) }
    try store.write(ImageStoreEntry(metadata: record.data, body: partial.body), for: place)
  }
}
