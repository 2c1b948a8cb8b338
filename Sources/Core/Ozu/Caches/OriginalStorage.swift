import OzuBase
import OzuHTTP

/// The stores as the storage of an HTTP cache. Reads wait for a thread of the disk, then of the further levels; writes
/// go through the backlog, in the background.
///
/// Beginnings of interrupted transfers are also kept in memory, so that a retry finds them at once: small ones for a
/// while; large ones, which are mapped from files, until the first level has written them.
///
/// The storage of one exchange writes only while its right is valid, and only for a request that writes originals
/// (`storing(by:if:)`).
struct OriginalStorage: HTTPCacheStorage {
  let caches: ImageCaches
  let runner: JobRunner
  let backlog: StoreBacklog
  private let partials = InMemoryHTTPCacheStorage(byteLimit: 16 << 20)
  private let unwritten = UnwrittenPartials()
  /// Whether it keeps the beginnings of interrupted transfers.
  var keepsPartials = true
  /// The right of the exchange; `nil` for a storage that nobody has narrowed.
  private var right: EpochRight?
  private var writes = true

  init(caches: ImageCaches, runner: JobRunner, backlog: StoreBacklog) {
    self.caches = caches
    self.runner = runner
    self.backlog = backlog
  }

  /// The same storage for one exchange.
  func storing(by right: EpochRight, if writes: Bool) -> OriginalStorage {
    var storage = self
    (storage.right, storage.writes) = (right, writes)
    return storage
  }

  /// Queues a write of originals under a key.
  private func write(
    _ key: HTTPCacheKey, byteCount: Int = 0, _ work: @escaping @Sendable (ImageCaches) -> Void
  ) {
    guard writes else { return }
    backlog.enqueue(byteCount: byteCount, originalOf: ResponseStore.storeKey(key)) { [caches, right] in
      guard let right else { return work(caches) }
      right.store {
        work(caches)
      } takeBack: {
        caches.removeResponses(for: key)
      }
    }
  }

  /// Forgets the beginnings of interrupted transfers that are in memory: those of some sources, or all for `nil`.
  func removePartialsFromMemory(of sources: Set<CacheKey>?) {
    partials.removeAll { sources?.contains(ResponseStore.storeKey($0)) ?? true }
    unwritten.removeAll { sources?.contains(ResponseStore.storeKey($0)) ?? true }
  }

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    let entries = await runner.run(on: .disk, priority: .high) { [caches] in
      caches.responses(for: key, from: .near)
    }
    guard entries.isEmpty, caches.mayHave(.responses(key), in: .far) else { return entries }
    return await runner.run(on: .levels, priority: .high) { [caches] in
      caches.responses(for: key, from: .far)
    }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    write(key, byteCount: entry.body.count) { $0.store(entry, replacing: old, for: key) }
    await backlog.room()
  }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    // The body is normally on disk already, so the entry does not count as waiting bytes.
    write(key) { $0.refresh(entry, replacing: old, for: key) }
  }

  func removeEntries(for key: HTTPCacheKey) async {
    write(key) { $0.removeResponses(for: key) }
  }

  /// The folder of the first level, so that a body is spooled to the medium that the app has chosen for the cache.
  /// Opens the disk cache if it is not open.
  var spoolDirectory: String? { caches.stores.first?.store.spoolDirectory }

  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    guard keepsPartials else { return nil }
    // Nearly always there are none, and a function that suspends costs memory.
    if partials.byteCount > 0, let partial = await partials.partialBody(for: key) { return partial }
    if let partial = unwritten[key] { return partial }
    guard caches.mayHavePartial(for: key) else { return nil }
    return await runner.run(on: .disk, priority: .high) { [caches] in caches.partialBody(for: key) }
  }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    guard keepsPartials, right?.isValid ?? true else { return }
    await partials.setPartialBody(partial, for: key)
    let ticket = writes ? unwritten.set(partial, for: key) : nil
    if right?.isValid == false { removePartialsFromMemory(of: [ResponseStore.storeKey(key)]) }
    guard let ticket else { return }
    backlog.enqueue(byteCount: partial?.body.count ?? 0) { [caches, unwritten, right] in
      defer { unwritten.remove(ticket, for: key) }
      guard let right else { return caches.setPartialBody(partial, for: key) }
      right.store {
        caches.setPartialBody(partial, for: key)
      } takeBack: {
        caches.setPartialBody(nil, for: key)
      }
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
