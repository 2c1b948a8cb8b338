import OzuHTTP

/// A storage that does not keep the beginnings of interrupted transfers.
struct StorageWithoutBeginnings<Storage: HTTPCacheStorage>: HTTPCacheStorage {
  let storage: Storage

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] { await storage.entries(for: key) }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    await storage.store(entry, replacing: old, for: key)
  }

  func removeEntries(for key: HTTPCacheKey) async { await storage.removeEntries(for: key) }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    await storage.refresh(entry, replacing: old, for: key)
  }

  var spoolDirectory: String? { storage.spoolDirectory }

  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? { nil }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {}
}
