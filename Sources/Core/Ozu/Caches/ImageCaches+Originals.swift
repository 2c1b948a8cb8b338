import OzuBase
import OzuHTTP

/// Originals in the stores. Those from the web are responses with their variants (`ResponseStore`); those of fetchers
/// are bytes under the key of the source. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  func store(_ original: FetchedData.Original, for request: ImageRequest, by right: EpochRight) {
    right.store {
      observeStore(.original, byteCount: original.byteCount, of: request.source.name, for: request) {
        switch original {
        case .response(let entry): store(entry, replacing: nil, at: Wanted.original(request).labelled)
        case .data(let data):
          write(ImageStoreEntry(metadata: OriginalRecord().data, body: data), for: .original(request))
        }
      }
    } takeBack: {
      removeOriginal(for: request)
    }
  }

  func removeOriginal(for request: ImageRequest) {
    remove(StoredVariants.self, .original(request))
    let partial = ImageStoreKey(.partial, request.key.source)
    if stores.mayContain(partial) { stores.remove(ImageStoreEntry.self, partial) }
  }

  // MARK: Responses

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
