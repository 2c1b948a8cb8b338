import OzuBase
import OzuHTTP

/// The HTTP responses in one store, one entry for each variant: the first under the key itself, the others under keys
/// derived from it. Blocks as long as the store does.
struct ResponseStore {
  let store: any ImageStoring

  /// The cache key of a response. It is hashed, so that no credential is stored.
  static func storeKey(_ key: HTTPCacheKey) -> CacheKey {
    let source = CacheKey(key.resource)
    return key.partition.isEmpty ? source : source.derived("credentials", key.partition)
  }

  /// The key of the first variant, with the label of the resource.
  static func place(of key: HTTPCacheKey) -> ImageStoreKey {
    place(0, of: storeKey(key), label: EntryLabel.text(ofSource: key.resource))
  }

  private static func place(_ number: Int, of key: CacheKey, label: String? = nil) -> ImageStoreKey {
    ImageStoreKey(.original, number == 0 ? key : key.derived("variant \(number)"), label: label)
  }

  /// The variants of a key; none if the first one is missing, because a store may be slow to say that there are no others.
  /// Each read of a variant reads the first one too, so it is hardly ever evicted alone.
  func entries(for key: CacheKey) throws -> [HTTPCacheEntry] {
    // It is read without asking `contains` before: this read is the one that statistics count.
    guard let first = try entry(at: Self.place(0, of: key)) else { return [] }
    guard first.response.headers.contains(name: "Vary") else { return [first] }
    return try (1..<HTTPVariants.maximumCount).reduce(into: [first]) { found, number in
      let place = Self.place(number, of: key)
      if try store.contains(place), let entry = try entry(at: place) { found.append(entry) }
    }
  }

  /// The entry of a key. An entry whose record is damaged, or of another version, is removed.
  private func entry(at place: ImageStoreKey) throws -> HTTPCacheEntry? {
    guard let entry = try store.read(place) else { return nil }
    guard let record = OriginalRecord(entry.metadata) else {
      try store.remove(place)
      return nil
    }
    return record.response.map { HTTPCacheEntry(response: $0, body: entry.body) }
  }

  /// Stores a response, and removes those that it replaces. Of two answers the one that was asked for later is the newer, whichever
  /// arrives last: an older one is not stored.
  ///
  /// - Parameter first: the key of the first variant.
  func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, at first: ImageStoreKey
  ) throws {
    guard let (place, _) = try makePlace(for: entry.response, replacing: old, of: first) else { return }
    try store(entry, at: place)
  }

  private func store(_ entry: HTTPCacheEntry, at place: ImageStoreKey) throws {
    guard let record = OriginalRecord(entry.response) else { return try store.remove(place) }
    try store.write(ImageStoreEntry(metadata: record.data, body: entry.body), for: place)
  }

  /// Replaces the head of a stored response; the body stays the same. Does nothing if another body was stored meanwhile that is
  /// not older than the confirmation.
  func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, at first: ImageStoreKey
  ) throws {
    guard let (place, stored) = try makePlace(for: entry.response, replacing: old, of: first) else { return }
    if let stored, stored.bodyIdentity != entry.response.bodyIdentity,
      stored.requestDate == entry.response.requestDate
    {
      return
    }
    // Only the record is written, unless the entry was evicted meanwhile, its body has changed, or the record does
    // not fit any more.
    if stored?.bodyIdentity == entry.response.bodyIdentity, let record = OriginalRecord(entry.response),
      try store.updateMetadata(record.data, of: place)
    {
      return
    }
    try store(entry, at: place)
  }

  /// Removes the responses that a new one replaces, and returns the key for the new one and the response that is
  /// stored there now; `nil` if that was asked for later. A date after the new one's own end is of a clock that was set back.
  private func makePlace(
    for response: HTTPStoredResponse, replacing old: HTTPStoredResponse?, of first: ImageStoreKey
  ) throws -> (place: ImageStoreKey, stored: HTTPStoredResponse?)? {
    var occupied: [Int: HTTPStoredResponse] = [:]
    for number in 0..<HTTPVariants.maximumCount {
      let place = Self.place(number, of: first.key)
      guard store.mayContain(place), let metadata = try store.metadata(of: place) else { continue }
      occupied[number] = OriginalRecord(metadata)?.response
    }
    let (number, emptied) = HTTPVariants.place(for: response, replacing: old, among: occupied)
    if let newer = occupied[number], newer.requestDate > response.requestDate,
      newer.requestDate <= response.responseDate
    {
      return nil
    }
    for number in emptied { try store.remove(Self.place(number, of: first.key)) }
    return (Self.place(number, of: first.key, label: first.label), occupied[number])
  }

  func removeEntries(for key: CacheKey) throws {
    for number in 0..<HTTPVariants.maximumCount { try store.remove(Self.place(number, of: key)) }
  }

  /// The beginning of a body whose transfer was interrupted.
  func partialBody(for key: HTTPCacheKey) throws -> HTTPPartialBody? {
    let place = ImageStoreKey(.partial, Self.storeKey(key))
    guard try store.contains(place), let entry = try self.entry(at: place) else { return nil }
    return HTTPPartialBody(response: entry.response, body: entry.body)
  }

  /// Stores the beginning of a body; `nil` removes it.
  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) throws {
    let place = ImageStoreKey(
      .partial, Self.storeKey(key), label: EntryLabel.text(ofSource: key.resource))
    guard let partial, let record = OriginalRecord(partial.response) else { return try store.remove(place) }
    try store.write(ImageStoreEntry(metadata: record.data, body: partial.body), for: place)
  }
}
