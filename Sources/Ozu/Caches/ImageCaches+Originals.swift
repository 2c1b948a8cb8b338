import Foundation
import OzuHTTP

/// Originals in the stores. Those from the web are responses with their variants (`ResponseStore`); those of fetchers
/// are bytes under the key of the source. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  /// The stored bytes of a source that is not on the web.
  func original(for request: ImageRequest) -> Data? {
    observeRead(.original, for: request) {
      firstOriginal(for: request) ?? furtherOriginal(for: request)
    } byteCount: {
      $0.count
    }
  }

  /// Whether a further level may have the original of a request. Never waits.
  func mayHaveFarOriginal(for request: ImageRequest) -> Bool {
    stores.mayContainFurther(ImageStoreKey(.original, request.key.source), request.source.reach)
  }

  /// The same from the first level only, or from the further levels only. A miss is counted at the last level that is
  /// asked.
  func original(for request: ImageRequest, isFar: Bool) -> Data? {
    observeRead(.original, for: request, isLast: isFar || !mayHaveFarOriginal(for: request)) {
      isFar ? furtherOriginal(for: request) : firstOriginal(for: request)
    } byteCount: {
      $0.count
    }
  }

  /// The same from the first level only, without notifying observers.
  func firstOriginal(for request: ImageRequest) -> Data? {
    stores.readFirst(ImageStoreEntry.self, ImageStoreKey(.original, request.key.source))?.body
  }

  /// The same from the further levels.
  func furtherOriginal(for request: ImageRequest) -> Data? {
    guard stores.mayContainFurther(ImageStoreKey(.original, request.key.source), request.source.reach) else {
      return nil
    }
    let place = ImageStoreKey(
      .original, request.key.source, label: EntryLabel.text(ofSource: request.sourceKey))
    return stores.readFurther(ImageStoreEntry.self, place, request.source.reach)?.body
  }

  func store(_ original: FetchedData.Original, for request: ImageRequest, by right: EpochRight) {
    let key = ImageStoreKey(
      .original, request.key.source, label: EntryLabel.text(ofSource: request.sourceKey))
    right.store {
      observeStore(.original, byteCount: original.byteCount, for: request) {
        switch original {
        case .response(let entry): store(entry, replacing: nil, at: key)
        case .data(let data):
          stores.write(
            ImageStoreEntry(metadata: OriginalRecord().data, body: data), for: key, request.source.reach)
        }
      }
    } takeBack: {
      removeOriginal(for: request)
    }
  }

  func removeOriginal(for request: ImageRequest) {
    stores.remove(StoredVariants.self, ImageStoreKey(.original, request.key.source), request.source.reach)
    let partial = ImageStoreKey(.partial, request.key.source)
    if stores.mayContain(partial) { stores.remove(ImageStoreEntry.self, partial) }
  }

  // MARK: Responses

  /// The stored responses of a key of the HTTP cache.
  func responses(for key: HTTPCacheKey) -> [HTTPCacheEntry] {
    let name = Redaction.text(key.resource)
    let stage = events.stageBegan(.read, of: name)
    let entries = firstResponses(for: key) ?? furtherResponses(for: key) ?? []
    let byteCount = entries.reduce(0) { $0 + $1.body.count }
    events.stageEnded(stage, byteCount: byteCount)
    events.lookedUp(.original, found: entries.isEmpty ? nil : byteCount, of: name)
    return entries
  }

  /// The responses in the first level only, or in the further levels only. A miss is counted at the last level that
  /// is asked.
  func responses(for key: HTTPCacheKey, of request: ImageRequest, isFar: Bool) -> [HTTPCacheEntry] {
    let name = Redaction.text(key.resource)
    let stage = events.stageBegan(.read, of: name)
    let entries = (isFar ? furtherResponses(for: key) : firstResponses(for: key)) ?? []
    let byteCount = entries.reduce(0) { $0 + $1.body.count }
    events.stageEnded(stage, byteCount: byteCount)
    if isFar || !entries.isEmpty || !mayHaveFarOriginal(for: request) {
      events.lookedUp(.original, found: entries.isEmpty ? nil : byteCount, of: name)
    }
    return entries
  }

  /// The responses in the first level only; `nil` for none.
  func firstResponses(for key: HTTPCacheKey) -> [HTTPCacheEntry]? {
    stores.readFirst(StoredVariants.self, ImageStoreKey(.original, ResponseStore.storeKey(key)))?.entries
  }

  /// The responses in the first of the further levels that has any.
  func furtherResponses(for key: HTTPCacheKey) -> [HTTPCacheEntry]? {
    guard !stores.further.isEmpty else { return nil }
    return stores.readFurther(StoredVariants.self, ResponseStore.place(of: key))?.entries
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) {
    observeStore(.original, byteCount: entry.body.count, of: Redaction.text(key.resource), for: nil) {
      store(entry, replacing: old, at: ResponseStore.place(of: key))
    }
  }

  private func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, at place: ImageStoreKey) {
    stores.change(StoredVariants.self, place, byteCount: entry.body.count) { store in
      try ResponseStore(store: store).store(entry, replacing: old, at: place)
    }
  }

  /// Gives a stored response a new head.
  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) {
    let place = ResponseStore.place(of: key)
    stores.change(StoredVariants.self, place, byteCount: entry.body.count) { store in
      try ResponseStore(store: store).refresh(entry, replacing: old, at: place)
    }
  }

  func removeResponses(for key: HTTPCacheKey) {
    stores.remove(StoredVariants.self, ResponseStore.place(of: key))
  }

  /// The stored beginning of a body whose transfer was interrupted.
  func partialBody(for key: HTTPCacheKey) -> HTTPPartialBody? {
    stores.first?.attempt(.read) { try ResponseStore(store: $0).partialBody(for: key) } ?? nil
  }

  /// Stores the beginning of a body; `nil` removes it.
  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) {
    let place = ImageStoreKey(.partial, ResponseStore.storeKey(key))
    stores.change(ImageStoreEntry.self, place, byteCount: partial?.body.count ?? 0) { store in
      try ResponseStore(store: store).setPartialBody(partial, for: key)
    }
  }
}
