import Dispatch
import OzuBase
import OzuHTTP

/// The disk cache as a store. Each kind has its own partition. The first thread that needs the cache opens it.
///
/// The disk cache counts and reports its own errors (`Configuration.Caching.onDiskError`). Before it is open, `mayContain` returns true
/// for every key; if it cannot be opened, false.
///
/// An opening that fails for want of descriptors or memory is repeated after a while, in the background. Some of the entries that are
/// there then may be out of date or removed, so changes and listings meanwhile throw: `StoreLevel` hides what they are about.
///
/// Opening does I/O and runs code of the app (`DiskStorage.opening`, `caching.onDiskError`), which may call the pipeline. So
/// no lock is held during it: one thread opens the cache, other threads that need it wait for that thread, and errors
/// are reported after the result is set. The lock is held only to read or change the state.
final class DiskStore: ImageStoring {
  private struct State {
    var phase = Phase.closed
    var isInBackground = false
    var eventCount = 0
    /// For a cache that is opened after they were set.
    var capacities: [ImageStoreKind: Int] = [
      .partial: DiskStore.partialsCapacity, .variants: DiskStore.variantsCapacity,
    ]
  }

  private enum Phase {
    case closed
    /// The thread that opens it, and the group for which the other threads wait.
    case underWay(thread: ThreadIdentity, DispatchGroup)
    /// It was not opened for want of descriptors or memory. The first use after an instant begins another attempt; `nil` while that
    /// runs.
    case postponed(DiskCacheError, until: ContinuousClock.Instant?)
    case done(DiskCache?)
  }

  /// The limit in bytes for the beginnings of interrupted transfers.
  private static let partialsCapacity = 64 << 20
  /// Enough for the lists of about ten thousand sources.
  private static let variantsCapacity = 2 << 20
  /// The time between two attempts to open it.
  static let pause = Duration.seconds(10)

  private let storage: DiskStorage
  private let releasesLocks: Bool?
  private let onError: @Sendable (DiskCacheError) -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  /// Makes a store without opening the disk cache.
  ///
  /// - Parameters:
  ///   - releasesLocks: whether it has no lock while the app is in the background; `nil` if that is so in the container of an app
  ///     group.
  ///   - onError: receives errors, outside all locks.
  init(
    _ storage: DiskStorage, releasesLocks: Bool? = nil,
    onError: @escaping @Sendable (DiskCacheError) -> Void,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.storage, self.releasesLocks, self.onError, self.now) = (storage, releasesLocks, onError, now)
    state = Mutex(State())
  }

  /// Makes a store from an open disk cache, and does not change its capacities.
  init(_ cache: DiskCache) {
    storage = .none
    releasesLocks = nil
    onError = { _ in }
    now = { .now }
    state = Mutex(State(phase: .done(cache)))
  }

  var name: String { "disk" }

  func mayContain(_ key: ImageStoreKey) -> Bool {
    switch state.withLock({ $0.phase }) {
    case .closed, .underWay: true
    case .postponed: false
    case .done(let cache): cache?.mayContain(key.key, in: key.kind.partition) ?? false
    }
  }

  func read(_ key: ImageStoreKey) -> ImageStoreEntry? {
    cache?.entry(forKey: key.key, in: key.kind.partition).map {
      ImageStoreEntry(metadata: $0.metadata, body: $0.body)
    }
  }

  func peek(_ key: ImageStoreKey) -> ImageStoreEntry? {
    cache?.entry(key.key, in: key.kind.partition, countsAsUse: false).map {
      ImageStoreEntry(metadata: $0.metadata, body: $0.body)
    }
  }

  func contains(_ key: ImageStoreKey) -> Bool {
    cache?.contains(key.key, in: key.kind.partition) ?? false
  }

  func metadata(of key: ImageStoreKey) -> Data? {
    cache?.metadata(forKey: key.key, in: key.kind.partition)
  }

  func updateMetadata(_ metadata: Data, of key: ImageStoreKey) -> Bool {
    cache?.updateMetadata(metadata, forKey: key.key, in: key.kind.partition) ?? false
  }

  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    try settledCache()?.store(
      entry.body, metadata: entry.metadata, forKey: key.key, in: key.kind.partition, label: key.label)
  }

  /// Without a cache true, because nothing can be written again.
  func touch(_ key: ImageStoreKey) -> Bool { cache?.touch(key.key, in: key.kind.partition) ?? true }

  /// A cache that another one writes forgets the entry for itself alone, which is reported.
  func remove(_ key: ImageStoreKey) throws {
    guard let cache = try settledCache() else { return }
    let isThere = contains(key)
    guard !cache.remove(forKey: key.key, in: key.kind.partition), isThere, !cache.statistics.isWriter else {
      return
    }
    onError(DiskCacheError(.change, path: cache.directory, code: EBUSY))
  }

  /// As `remove`, but reported once.
  func removeAll(of kind: ImageStoreKind) throws {
    guard let cache = try settledCache() else { return }
    do throws(DiskCacheError) { try cache.removeAll(in: kind.partition) } catch {
      let left = cache.entries(in: kind.partition).map(\.key)
      for key in left { cache.remove(forKey: key, in: kind.partition) }
      if !left.isEmpty { onError(error) }
    }
  }

  /// Reports the error also if nothing else fails because of it, for example because another process writes to the
  /// cache.
  func removeAll() throws {
    let cache = try settledCache()
    do throws(DiskCacheError) { try cache?.removeAll() } catch {
      // The files that could not be removed stay, without their entries. A cache in the background has no lock for now.
      if let cache, cache.statistics.isWriter || error.isShortage {
        for entry in cache.entries() { cache.remove(forKey: entry.key, in: entry.partition) }
      }
      onError(error)
    }
    if let spoolDirectory { HTTPSpoolingConfiguration.removePartialBodies(in: spoolDirectory) }
  }

  func entries(of kind: ImageStoreKind?) throws -> any Sequence<ImageStoreInfo> & Sendable {
    guard let cache = try settledCache() else { return [ImageStoreInfo]() }
    return Listing(entries: kind.map { cache.entries(in: $0.partition) } ?? cache.entries())
  }

  /// Zero removes the limit of the kind.
  func setCapacity(_ byteCount: Int, of kind: ImageStoreKind) {
    state.withLock { $0.capacities[kind] = byteCount }
    cache?.setCapacity(byteCount, of: kind.partition)
  }

  func byteCount(of kind: ImageStoreKind) -> Int { cache?.byteCount(of: kind.partition) ?? 0 }

  var evictionCounts: [ImageStoreKind: Int] {
    guard case .done(let cache?) = state.withLock({ $0.phase }) else { return [:] }
    let counts = cache.evictionCounts.map { (ImageStoreKind($0.key.name), $0.value) }
    return Dictionary(uniqueKeysWithValues: counts)
  }

  /// Has nothing to do before the cache is opened.
  func flush() {
    if case .closed = state.withLock({ $0.phase }) { return }
    try? cache?.flush()
  }

  /// The folder of the cache; one of this user in the temporary folder if the cache gives its locks back in the background. A body that
  /// arrives keeps a lock on its file until it is complete, and iOS ends an app that it suspends with a lock in a shared folder.
  var spoolDirectory: String? {
    cache.map { givesLocksBack($0) ? DiskStorage.temporaryFolder : $0.directory }
  }

  /// The entries, looked up during the iteration.
  private struct Listing: Sequence, Sendable {
    let entries: DiskCache.Entries

    struct Iterator: IteratorProtocol {
      var entries: DiskCache.Entries.Iterator

      mutating func next() -> ImageStoreInfo? {
        entries.next().map { info in
          ImageStoreInfo(
            key: ImageStoreKey(ImageStoreKind(info.partition.name), info.key, label: info.label),
            accessDate: info.accessDate)
        }
      }
    }

    func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }
  }
}

extension ImageStoreKind {
  fileprivate var partition: DiskCache.Partition { DiskCache.Partition(name) }
}

extension StoreChain {
  /// The stores of a configuration: the disk cache, then those of the app.
  convenience init(_ configuration: ImagePipeline.Configuration) {
    let caching = configuration.caching
    var stores = caching.stores
    if case .none = caching.diskStorage {
    } else {
      let disk = DiskStore(
        caching.diskStorage, releasesLocks: caching.releasesDiskLocksInBackground,
        onError: caching.onDiskError, now: configuration.testing.now)
      stores.insert(disk, at: 0)
    }
    let levels = stores.map { StoreLevel($0, onError: caching.onStoreError) }
    let further = levels.dropFirst().map { FurtherLevel($0, readLimit: caching.storeReadLimit) }
    self.init(first: levels.first, further: further, now: configuration.testing.now)
  }

  var diskStore: DiskStore? { first?.store as? DiskStore }

  /// The disk cache; opened now if necessary; `nil` without one. Blocks while it is opened.
  var disk: DiskCache? { diskStore?.cache }
}

/// The cache, and the app in the background.
extension DiskStore {
  /// The disk cache, opened now if necessary; `nil` if there is none.
  ///
  /// Waits while another thread opens it. The thread that opens it gets `nil` until it is open: so code of the app
  /// that runs meanwhile on that thread finds a pipeline without a disk cache.
  var cache: DiskCache? {
    enum Turn {
      case done(DiskCache?)
      case wait(DispatchGroup)
      case open(DispatchGroup)
      case tryAgain(after: ContinuousClock.Instant)
    }
    let thread = ThreadIdentity.current
    while true {
      let turn = state.withLock { state -> Turn in
        switch state.phase {
        case .done(let cache): return .done(cache)
        case .underWay(thread, _): return .done(nil)
        case .underWay(_, let group): return .wait(group)
        case .postponed(_, let instant): return instant.map { Turn.tryAgain(after: $0) } ?? .done(nil)
        case .closed:
          let group = DispatchGroup()
          group.enter()
          state.phase = .underWay(thread: thread, group)
          return .open(group)
        }
      }
      switch turn {
      case .done(let cache): return cache
      case .wait(let group): group.wait()
      case .open(let group): return open(reportsShortage: true) { group.leave() }
      case .tryAgain(let instant):
        tryAgain(after: instant)
        return nil
      }
    }
  }

  /// The cache; `nil` if there is none and will be none.
  ///
  /// - Throws: the reason why it may be opened later.
  private func settledCache() throws(DiskCacheError) -> DiskCache? {
    if let cache { return cache }
    switch state.withLock({ $0.phase }) {
    case .done(let cache): return cache
    case .postponed(let error, _): throw error
    case .closed, .underWay: return nil
    }
  }

  /// Begins another attempt, for which nobody waits, unless it is too early or another thread has begun one.
  private func tryAgain(after instant: ContinuousClock.Instant) {
    guard now() >= instant else { return }
    let isFirst = state.withLock { state in
      guard case .postponed(let error, let until?) = state.phase, until == instant else { return false }
      state.phase = .postponed(error, until: nil)
      return true
    }
    guard isFirst else { return }
    // The error has been reported.
    DispatchQueue.global(qos: .utility).async { _ = self.open(reportsShortage: false) {} }
  }

  /// - Parameter didOpen: called before errors are reported.
  private func open(reportsShortage: Bool, _ didOpen: () -> Void) -> DiskCache? {
    let errors = PostponedErrors(onError)
    var phase = Phase.done(nil)
    do throws(DiskCacheError) {
      phase = .done(try make(errors))
    } catch {
      if reportsShortage || !error.isShortage { errors.add(error) }
      if error.isShortage { phase = .postponed(error, until: now().advanced(by: Self.pause)) }
    }
    let cache: DiskCache? = if case .done(let made) = phase { made } else { nil }
    if publish(phase, cache) { followBackground() }
    didOpen()
    errors.report()
    return cache
  }

  /// Ends an opening, when the cache has all capacities that were set before that.
  ///
  /// - Returns: whether the app is in the background.
  private func publish(_ phase: Phase, _ cache: DiskCache?) -> Bool {
    var applied: [ImageStoreKind: Int]?
    while true {
      let (capacities, isInBackground) = state.withLock { state in
        if state.capacities == applied { state.phase = phase }
        return (state.capacities, state.isInBackground)
      }
      if capacities == applied { return isInBackground }
      for (kind, byteCount) in capacities { cache?.setCapacity(byteCount, of: kind.partition) }
      applied = capacities
    }
  }

  /// The number of an event of the app that has come now, for `setInBackground`.
  func noteEvent() -> Int {
    state.withLock { state in
      state.eventCount += 1
      return state.eventCount
    }
  }

  /// Gives the locks back while the app is in the background, if they are to be given back, and takes them again. A cache that is
  /// opened in the background has none either. Does nothing if another event has come since `event`. Blocks while the cache is
  /// written to disk.
  func setInBackground(_ isInBackground: Bool, at event: Int) {
    let isLast = state.withLock { state in
      guard event == state.eventCount else { return false }
      state.isInBackground = isInBackground
      return true
    }
    if isLast { followBackground() }
  }

  /// Gives the locks back or takes them, and again if the app has come or gone meanwhile.
  private func followBackground() {
    while let (cache, isInBackground) = openCache, givesLocksBack(cache) {
      if isInBackground { cache.suspend() } else { cache.resume() }
      if openCache?.isInBackground == isInBackground { return }
    }
  }

  /// Whether the cache gives its locks back while the app is in the background.
  private func givesLocksBack(_ cache: DiskCache) -> Bool {
    releasesLocks ?? cache.directory.contains("/Containers/Shared/AppGroup/")
  }

  private var openCache: (cache: DiskCache, isInBackground: Bool)? {
    state.withLock { state in
      guard case .done(let cache?) = state.phase else { return nil }
      return (cache, state.isInBackground)
    }
  }

  private func make(_ errors: PostponedErrors) throws(DiskCacheError) -> DiskCache? {
    switch storage {
    case .none: return nil
    case .opening(let open): return try open()
    case .folder(let folder, let capacity):
      return try DiskCache(
        directory: folder.path(percentEncoded: false),
        configuration: DiskCacheConfiguration(capacity: capacity) { $0.onError = errors.add })
    }
  }
}

/// The errors of a disk cache: collected while it is opened, and reported at once after that, outside the lock.
private final class PostponedErrors: Sendable {
  // `nil` after `report`.
  private let kept = Mutex<[DiskCacheError]?>([])
  private let onError: @Sendable (DiskCacheError) -> Void

  init(_ onError: @escaping @Sendable (DiskCacheError) -> Void) { self.onError = onError }

  func add(_ error: DiskCacheError) {
    let isKept = kept.withLock { kept in
      kept?.append(error)
      return kept != nil
    }
    if !isKept { onError(error) }
  }

  func report() {
    let errors = kept.withLock { kept in
      defer { kept = nil }
      return kept ?? []
    }
    for error in errors { onError(error) }
  }
}
