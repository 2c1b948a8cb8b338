import OzuHTTP
import OzuSynchronization

/// The levels of storage as the storage of an HTTP cache. Reads wait for a disk thread; writes go through the backlog,
/// behind the caller's back.
///
/// Beginnings of broken transfers are kept in memory too, so that a retry finds them at once: small ones for a while,
/// large ones, which are mapped from files, until the first level has them.
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
    backlog.enqueue(byteCount: entry.body.count, originalOf: ResponseShelf.storeKey(key)) { [caches] in
      caches.store(entry, replacing: old, for: key)
    }
    await backlog.room()
  }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    // Its body is on disk already, as a rule, and not held for this.
    backlog.enqueue(originalOf: ResponseShelf.storeKey(key)) { [caches] in
      caches.refresh(entry, replacing: old, for: key)
    }
  }

  func removeEntries(for key: HTTPCacheKey) async {
    backlog.enqueue(originalOf: ResponseShelf.storeKey(key)) { [caches] in caches.removeResponses(for: key) }
  }

  /// The folder of the first level, so that a body is on the medium whose size the app has thought about. Opens the disk
  /// cache if nobody has.
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

/// The beginnings of broken transfers that wait in the backlog. One lock guards them.
private final class UnwrittenPartials: Sendable {
  private struct State {
    var partials: [HTTPCacheKey: (partial: HTTPPartialBody, ticket: Int)] = [:]
    var lastTicket = 0
  }

  private let state = Mutex(State())

  subscript(key: HTTPCacheKey) -> HTTPPartialBody? {
    state.withLock { $0.partials[key]?.partial }
  }

  /// Notes a beginning, or that there is none any more. Returns what `remove` is given.
  func set(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) -> Int {
    state.withLock { state in
      state.lastTicket += 1
      state.partials[key] = partial.map { ($0, state.lastTicket) }
      return state.lastTicket
    }
  }

  /// Forgets a beginning that is written, unless a later one has taken its place.
  func remove(_ ticket: Int, for key: HTTPCacheKey) {
    state.withLock { state in
      if state.partials[key]?.ticket == ticket { state.partials[key] = nil }
    }
  }
}
