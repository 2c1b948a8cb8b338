import OzuHTTP
import OzuSynchronization

/// The stores as the storage of an HTTP cache. Reads wait for a disk thread; writes go through the backlog, in the
/// background.
///
/// Beginnings of interrupted transfers are also kept in memory, so that a retry finds them at once: small ones for a
/// while; large ones, which are mapped from files, until the first level has written them.
struct OriginalStorage: HTTPCacheStorage {
  let caches: ImageCaches
  let runner: JobRunner
  let backlog: StoreBacklog
  private let partials = InMemoryHTTPCacheStorage(byteLimit: 16 << 20)
  private let unwritten = UnwrittenPartials()

  init(caches: ImageCaches, runner: JobRunner, backlog: StoreBacklog) {
    self.caches = caches
    self.runner = runner
    self.backlog = backlog
  }

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await runner.run(on: .disk, priority: .high) { [caches] in caches.responses(for: key) }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    backlog.enqueue(byteCount: entry.body.count, originalOf: ResponseStore.storeKey(key)) { [caches] in
      caches.store(entry, replacing: old, for: key)
    }
    await backlog.room()
  }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    // The body is normally on disk already, so the entry does not count as waiting bytes.
    backlog.enqueue(originalOf: ResponseStore.storeKey(key)) { [caches] in
      caches.refresh(entry, replacing: old, for: key)
    }
  }

  func removeEntries(for key: HTTPCacheKey) async {
    backlog.enqueue(originalOf: ResponseStore.storeKey(key)) { [caches] in caches.removeResponses(for: key) }
  }

  /// The folder of the first level, so that a body is spooled to the medium that the app has chosen for the cache.
  /// Opens the disk cache if it is not open.
  var spoolDirectory: String? { caches.stores.first?.store.spoolDirectory }

  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    if let partial = await partials.partialBody(for: key) ?? unwritten[key] { return partial }
    guard caches.mayHavePartial(for: key) else { return nil }
    return await runner.run(on: .disk, priority: .high) { [caches] in caches.partialBody(for: key) }
  }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    await partials.setPartialBody(partial, for: key)
    let ticket = unwritten.set(partial, for: key)
    backlog.enqueue(byteCount: partial?.body.count ?? 0) { [caches, unwritten] in
      caches.setPartialBody(partial, for: key)
      unwritten.remove(ticket, for: key)
    }
    await backlog.room()
  }
}

/// The beginnings of interrupted transfers that wait in the backlog. One lock guards them.
private final class UnwrittenPartials: Sendable {
  private struct State {
    var partials: [HTTPCacheKey: (partial: HTTPPartialBody, ticket: Int)] = [:]
    var lastTicket = 0
  }

  private let state = Mutex(State())

  subscript(key: HTTPCacheKey) -> HTTPPartialBody? {
    state.withLock { $0.partials[key]?.partial }
  }

  /// Records a beginning, or with `nil` that there is none any more. Returns the ticket for `remove`.
  func set(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) -> Int {
    state.withLock { state in
      state.lastTicket += 1
      state.partials[key] = partial.map { ($0, state.lastTicket) }
      return state.lastTicket
    }
  }

  /// Removes a beginning that has been written, unless a later one has replaced it.
  func remove(_ ticket: Int, for key: HTTPCacheKey) {
    state.withLock { state in
      if state.partials[key]?.ticket == ticket { state.partials[key] = nil }
    }
  }
}

/// A storage that does not keep the beginnings of interrupted transfers.
struct StorageWithoutPartialBodies<Storage: HTTPCacheStorage>: HTTPCacheStorage {
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
