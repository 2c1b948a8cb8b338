import OzuHTTP
import OzuSynchronization

/// The stores as the storage of an HTTP cache. Reads wait for a disk thread; writes go through the backlog, in the
/// background.
///
/// Beginnings of interrupted transfers are also kept in memory, so that a retry finds them at once: small ones for a
/// while; large ones, which are mapped from files, until the first level has written them.
///
/// The storage of one exchange writes only while nothing has been removed since its request (`storing(while:)`).
struct OriginalStorage: HTTPCacheStorage {
  let caches: ImageCaches
  let runner: JobRunner
  let backlog: StoreBacklog
  private let partials = InMemoryHTTPCacheStorage(byteLimit: 16 << 20)
  private let unwritten = UnwrittenPartials()
  /// Whether no removal has come after the request of the exchange.
  private var isCurrent: @Sendable () -> Bool = { true }

  init(caches: ImageCaches, runner: JobRunner, backlog: StoreBacklog) {
    self.caches = caches
    self.runner = runner
    self.backlog = backlog
  }

  /// The same storage for one exchange.
  func storing(while isCurrent: @escaping @Sendable () -> Bool) -> OriginalStorage {
    var storage = self
    storage.isCurrent = isCurrent
    return storage
  }

  /// Forgets the beginnings of interrupted transfers that are in memory: those of some sources, or all for `nil`.
  func removePartialsFromMemory(of sources: Set<CacheKey>?) {
    partials.removeAll { sources?.contains(ResponseStore.storeKey($0)) ?? true }
    unwritten.removeAll { sources?.contains(ResponseStore.storeKey($0)) ?? true }
  }

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await runner.run(on: .disk, priority: .high) { [caches] in caches.responses(for: key) }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    backlog.enqueue(byteCount: entry.body.count, originalOf: ResponseStore.storeKey(key)) {
      [caches, isCurrent] in
      guard isCurrent() else { return }
      caches.store(entry, replacing: old, for: key)
      if !isCurrent() { caches.removeResponses(for: key) }
    }
    await backlog.room()
  }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    // The body is normally on disk already, so the entry does not count as waiting bytes.
    backlog.enqueue(originalOf: ResponseStore.storeKey(key)) { [caches, isCurrent] in
      guard isCurrent() else { return }
      caches.refresh(entry, replacing: old, for: key)
      if !isCurrent() { caches.removeResponses(for: key) }
    }
  }

  func removeEntries(for key: HTTPCacheKey) async {
    backlog.enqueue(originalOf: ResponseStore.storeKey(key)) { [caches, isCurrent] in
      if isCurrent() { caches.removeResponses(for: key) }
    }
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
    guard isCurrent() else { return }
    await partials.setPartialBody(partial, for: key)
    let ticket = unwritten.set(partial, for: key)
    if !isCurrent() { removePartialsFromMemory(of: [ResponseStore.storeKey(key)]) }
    backlog.enqueue(byteCount: partial?.body.count ?? 0) { [caches, unwritten, isCurrent] in
      defer { unwritten.remove(ticket, for: key) }
      guard isCurrent() else { return }
      caches.setPartialBody(partial, for: key)
      if !isCurrent() { caches.setPartialBody(nil, for: key) }
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

  func removeAll(where isMeant: (HTTPCacheKey) -> Bool) {
    state.withLock { state in
      for key in state.partials.keys where isMeant(key) { state.partials[key] = nil }
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
