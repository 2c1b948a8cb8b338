import OzuBase
import OzuHTTP

/// Reading the stores. One function reads all kinds of entries: it asks the levels in order, promotes what a further level has,
/// removes what is damaged, and counts. Reads block, so only the pipeline's own threads may call them.
extension ImageCaches {
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
  func responses(for key: HTTPCacheKey, from tiers: Tiers) -> [HTTPCacheEntry] {
    read(.responses(key), from: tiers) { (stored: StoredVariants) in (stored.entries, stored.byteCount) }
      ?? []
  }

  /// The finished picture of another key of a source. It is not counted, because no request asked for it, and has no label: the list
  /// of variants names it.
  func rendition(
    _ key: ImageKey, of source: ImageSource, in kind: ImageStoreKind, from tiers: Tiers
  ) -> Rendition? {
    let stored = ImageStoreKey(kind, key.rendition)
    if hides([.all, .source(key.source), .kind(kind), .entry(stored)]) { return nil }
    let read = { (entry: ImageStoreEntry) in Rendition(entry, of: source) }
    if tiers != .far, let found = near(stored, read) { return found }
    return tiers == .near ? nil : far(stored, source.reach, read)
  }

  /// Whether a further level may have it. Never waits.
  func mayHaveFar(_ key: ImageKey, of source: ImageSource, in kind: ImageStoreKind) -> Bool {
    stores.mayContainFurther(ImageStoreKey(kind, key.rendition), source.reach)
  }

  /// The rendition of an entry in a listing of the first level; `nil` if its record is unreadable. Does not count as
  /// a use.
  ///
  /// - Parameter source: its source, as far as its label says it.
  func rendition(of info: ImageStoreInfo, _ source: CacheKey) -> Rendition? {
    let removals = [Removal.all, .source(source), .kind(info.key.kind), .entry(info.key)]
    guard let first = stores.first, !first.hides(info.key), !hides(removals) else { return nil }
    let entry = first.attempt(.read) { try $0.peek(info.key) } ?? nil
    return entry.flatMap { Rendition($0, of: nil) }
  }

  /// Reads an entry, reports the read to observers, and counts it. A miss counts at the last level that is asked.
  ///
  /// - Parameter value: the value of an entry, with its number of bytes; `nil` if the entry cannot be used.
  func read<Entry: StoredValue, Value>(
    _ wanted: Wanted, from tiers: Tiers, _ value: (Entry) -> (value: Value, byteCount: Int)?
  ) -> Value? {
    if hides(wanted) {
      noteAbsence(wanted)
      return nil
    }
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
