import OzuBase
import OzuHTTP

/// The entries of the stores, and reading them. All kinds of entries are read by one function, which asks the levels in order, promotes what a further level
/// has, removes what is damaged, and counts. Reads block, so only the pipeline's own threads may call them; `mayHave` never waits, and
/// any thread may call it.
extension ImageCaches {
  /// The levels that a read asks: the first, the further ones, or one after the other.
  enum Tiers: Sendable { case near, far, all }

  /// An entry that the stores may have. It makes the keys of all writes, reads and removals for a request.
  struct Wanted: Sendable {
    private enum Owner { case request(ImageRequest), resource(String) }

    let key: ImageStoreKey
    let layer: ImageCacheLayer
    private let owner: Owner

    /// The finished picture of a request.
    static func rendition(_ request: ImageRequest) -> Wanted {
      Wanted(
        key: ImageStoreKey(request.renditionKind, request.key.rendition), layer: .rendition,
        owner: .request(request))
    }

    /// The original of a request.
    static func original(_ request: ImageRequest) -> Wanted {
      Wanted(
        key: ImageStoreKey(.original, request.key.source), layer: .original, owner: .request(request))
    }

    /// The encoded file of a request, by its key.
    static func encoded(_ key: CacheKey, _ request: ImageRequest) -> Wanted {
      Wanted(key: ImageStoreKey(.encoded, key), layer: .encoded, owner: .request(request))
    }

    /// The responses under a key of the HTTP cache.
    static func responses(_ key: HTTPCacheKey) -> Wanted {
      Wanted(
        key: ImageStoreKey(.original, ResponseStore.storeKey(key)), layer: .original,
        owner: .resource(key.resource))
    }

    var reach: StoreChain.Reach {
      if case .request(let request) = owner { request.source.reach } else { .all }
    }

    /// The name for observers.
    var name: String {
      switch owner {
      case .request(let request): request.source.name
      case .resource(let resource): Redaction.text(resource)
      }
    }

    /// The request for observers. Originals belong to all requests of their source.
    var request: ImageRequest? {
      if layer != .original, case .request(let request) = owner { request } else { nil }
    }

    /// The key with the label with which it is written. The removal of its source finds it by the label.
    var labelled: ImageStoreKey {
      let label =
        switch owner {
        case .request(let request):
          layer == .original ? EntryLabel.text(ofSource: request.sourceKey) : request.label
        case .resource(let resource): EntryLabel.text(ofSource: resource)
        }
      return ImageStoreKey(key.kind, key.key, label: label)
    }
  }

  /// Writes an entry to the levels of its source.
  func write(_ entry: ImageStoreEntry, for wanted: Wanted) {
    stores.write(entry, for: wanted.labelled, wanted.reach)
  }

  /// Removes an entry from the levels of its source.
  func remove<Entry: StoredValue>(_ type: Entry.Type, _ wanted: Wanted) {
    stores.remove(type, wanted.key, wanted.reach)
  }

  // MARK: Hints

  /// Whether a level may have an entry. Never waits.
  func mayHave(_ wanted: Wanted, in tiers: Tiers = .all) -> Bool {
    tiers == .far
      ? stores.mayContainFurther(wanted.key, wanted.reach) : stores.mayContain(wanted.key, wanted.reach)
  }

  /// Counts a miss for an entry that a hint has excluded.
  func noteAbsence(_ wanted: Wanted) {
    events.lookedUp(wanted.layer, found: nil, of: wanted.name, for: wanted.request)
  }

  // MARK: Reading

  /// The finished picture of a request. One that was made from another state of a local file is removed.
  func rendition(for request: ImageRequest, from tiers: Tiers = .all) -> Rendition? {
    read(.rendition(request), from: tiers) { (entry: ImageStoreEntry) in
      Rendition(entry, of: request.source).map { ($0, $0.data.count) }
    }
  }

  /// The stored bytes of a source that is not on the web.
  func original(for request: ImageRequest, from tiers: Tiers = .all) -> Data? {
    read(.original(request), from: tiers) { (entry: ImageStoreEntry) in (entry.body, entry.body.count) }
  }

  /// The responses under a key of the HTTP cache.
  func responses(for key: HTTPCacheKey, from tiers: Tiers = .all) -> [HTTPCacheEntry] {
    read(.responses(key), from: tiers) { (stored: StoredVariants) in (stored.entries, stored.byteCount) }
      ?? []
  }

  /// The finished picture of another key of a source. It is not counted, because no request asked for it, and has no label: the list
  /// of variants names it.
  func rendition(_ key: ImageKey, of source: ImageSource, in kind: ImageStoreKind) -> Rendition? {
    let key = ImageStoreKey(kind, key.rendition)
    let read = { (entry: ImageStoreEntry) in Rendition(entry, of: source) }
    return near(key, read) ?? far(key, source.reach, read)
  }

  /// The rendition of an entry in a listing of the first level; `nil` if its record is unreadable. Does not count as
  /// a use.
  func rendition(of info: ImageStoreInfo) -> Rendition? {
    let entry = stores.first?.attempt(.read) { try $0.peek(info.key) } ?? nil
    return entry.flatMap { Rendition($0, of: nil) }
  }

  /// Reads an entry, reports the read to observers, and counts it. A miss counts at the last level that is asked.
  ///
  /// - Parameter value: the value of an entry, with its number of bytes; `nil` if the entry cannot be used.
  func read<Entry: StoredValue, Value>(
    _ wanted: Wanted, from tiers: Tiers, _ value: (Entry) -> (value: Value, byteCount: Int)?
  ) -> Value? {
    let stage = events.stageBegan(.read, of: wanted.name)
    var found = tiers == .far ? nil : near(wanted.key, value)
    if found == nil, tiers != .near, mayHave(wanted, in: .far) {
      found = far(wanted.labelled, wanted.reach, value)
    }
    events.stageEnded(stage, byteCount: found?.byteCount ?? 0)
    if found != nil || tiers != .near || !mayHave(wanted, in: .far) {
      events.lookedUp(wanted.layer, found: found?.byteCount, of: wanted.name, for: wanted.request)
    }
    return found?.value
  }

  /// The value of a key in the first level. An entry that cannot be used is removed there.
  private func near<Entry: StoredValue, Value>(
    _ key: ImageStoreKey, _ value: (Entry) -> Value?
  ) -> Value? {
    guard let entry = stores.readFirst(Entry.self, key) else { return nil }
    if let value = value(entry) { return value }
    stores.remove(Entry.self, key, .first)
    return nil
  }

  /// The value of a key in the further levels. An entry that cannot be used stays there, because another release may be able to
  /// read it.
  private func far<Entry: StoredValue, Value>(
    _ key: ImageStoreKey, _ reach: StoreChain.Reach, _ value: (Entry) -> Value?
  ) -> Value? {
    var found: Value?
    _ = stores.readFurther(Entry.self, key, reach) { entry in
      found = value(entry)
      return found != nil
    }
    return found
  }
}
