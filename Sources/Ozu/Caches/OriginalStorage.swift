import OzuHTTP
import OzuSynchronization

/// The disk cache as the storage of an HTTP cache. Reads wait for a disk thread; writes go through the backlog,
/// behind the caller's back.
///
/// Beginnings of broken transfers are kept in memory too, so that a retry finds them at once: small ones for a while,
/// large ones, which are mapped from files, until the disk cache has them.
struct OriginalStorage: HTTPCacheStorage {
  let caches: ImageCaches
  let queue: WorkQueue
  let backlog: StoreBacklog
  private let partials = InMemoryHTTPCacheStorage(byteLimit: 16 << 20)
  private let unwritten = UnwrittenPartials()

  init(caches: ImageCaches, queue: WorkQueue, backlog: StoreBacklog) {
    self.caches = caches
    self.queue = queue
    self.backlog = backlog
  }

  func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await queue.run(priority: .high) { [caches] flag in
      flag.isRaised ? [] : caches.responses(for: key)
    }
  }

  func store(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey) async {
    await backlog.add(byteCount: entry.body.count) { [caches] in
      caches.store(entry, replacing: old, for: key)
    }
  }

  func refresh(_ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey) async {
    // Its body is on disk already, as a rule, and not held for this.
    await backlog.add(byteCount: 0) { [caches] in
      caches.shelf?.refresh(entry, replacing: old, for: ResponseShelf.diskKey(key), source: key.resource)
    }
  }

  func removeEntries(for key: HTTPCacheKey) async {
    await backlog.add(byteCount: 0) { [caches] in caches.shelf?.removeEntries(for: ResponseShelf.diskKey(key))
    }
  }

  /// The disk cache's own folder, so that a body is on the medium whose size the app has thought about. Opens the
  /// cache if nobody has.
  var spoolDirectory: String? { caches.disk?.directory }

  func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    if let partial = await partials.partialBody(for: key) ?? unwritten[key] { return partial }
    return await queue.run(priority: .high) { [caches] flag in
      flag.isRaised ? nil : caches.shelf?.partialBody(for: ResponseShelf.diskKey(key))
    }
  }

  func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    await partials.setPartialBody(partial, for: key)
    let ticket = unwritten.set(partial, for: key)
    await backlog.add(byteCount: partial?.body.count ?? 0) { [caches, unwritten] in
      caches.shelf?.setPartialBody(partial, for: ResponseShelf.diskKey(key), source: key.resource)
      unwritten.remove(ticket, for: key)
    }
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
