import OzuBase
import OzuHTTP

/// The caches of a pipeline, in terms of requests and pictures.
///
/// The memory level is synchronous and quick. The stores below it block, so only threads of stations call them.
/// Entries there are described by records (`RenditionRecord`, `OriginalRecord`); the stores see only bytes.
final class ImageCaches: Sendable {
  let memory: MemoryLevel
  let stores: StoreChain
  let events: PipelineEvents
  /// Encoded images, in a small cache of their own, because a byte of a file and a byte of pixels do not have the
  /// same value.
  let encodedMemory: MemoryCache<CacheKey, EncodedEntry>
  /// The removals that hide entries of the stores, and how many there are of each.
  private let removals = Mutex<[Removal: Int]>([:])

  init(
    memory: MemoryLevel, encodedMemory: MemoryCache<CacheKey, EncodedEntry>, stores: StoreChain,
    events: PipelineEvents
  ) {
    self.encodedMemory = encodedMemory
    self.events = events
    self.memory = memory
    self.stores = stores
  }
}

/// The memory level, in terms of requests. Synchronous and quick.
extension ImageCaches {
  /// The picture of a request, if memory has it, fresh or not. A picture of a local file is returned only if the file
  /// has not changed, which costs one system call for local files.
  func cachedPicture(for request: ImageRequest) -> CachedPicture? {
    guard let cached = memory.value(forKey: request.key) else { return nil }
    guard let stamp = cached.stamp, let path = request.source.filePath else { return cached }
    if FileStamp(path: path) == stamp { return cached }
    memory.removeValue(forKey: request.key)
    return nil
  }

  /// The same, unless it is a preview of a picture that is still loading.
  func finishedPicture(for request: ImageRequest) -> CachedPicture? {
    guard let cached = cachedPicture(for: request), !cached.picture.isPreview else { return nil }
    return cached
  }

  /// A finished picture in memory with another key, made from the current state of the request's source. Not counted
  /// as a miss, because no request asked for that key.
  func currentPicture(_ key: ImageKey, of request: ImageRequest) -> CachedPicture? {
    guard memory.contains(key), let cached = memory.value(forKey: key), !cached.picture.isPreview else {
      return nil
    }
    guard let path = request.source.filePath else { return cached }
    return FileStamp(path: path) == cached.stamp ? cached : nil
  }

  /// Puts a picture into memory, and notifies observers.
  ///
  /// - Parameter right: `nil` for what the app stores itself.
  func store(
    _ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest,
    by right: EpochRight?
  ) {
    if insert(picture, stamp: stamp, validity: validity, for: request, by: right) {
      tellStored(picture, for: request)
    }
  }

  /// Puts a picture into memory without notifying observers, so that it can be called under a lock. The caller then
  /// calls `tellStored` outside the lock.
  ///
  /// - Returns: whether it was stored.
  func insert(
    _ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest,
    by right: EpochRight?
  ) -> Bool {
    let entry = CachedPicture(
      picture: picture, stamp: stamp, validity: validity, formatName: request.format?.name)
    guard let right else { return memory.store(entry, forKey: request.key, cost: picture.byteCount) }
    return memory.store(entry, forKey: request.key, cost: picture.byteCount, by: right)
  }

  /// Notifies observers of a picture that was put into memory, and of the evictions that made room for it. Calls code
  /// of the app.
  func tellStored(_ picture: Picture, for request: ImageRequest) {
    events.stored(.memory, byteCount: picture.byteCount, of: request.source.name, for: request)
    events.evicted(events.evictions.takeFromMemory())
  }
}

/// Operations on all stores, and hints.
extension ImageCaches {
  /// Whether a level may have the list of variants of a source. Never waits; for any thread.
  func mayHaveVariants(of source: CacheKey) -> Bool { stores.mayContain(ImageStoreKey(.variants, source)) }

  /// Whether a level may have the beginning of an original. Never waits.
  func mayHavePartial(for key: HTTPCacheKey) -> Bool {
    // It is removed with the original.
    let original = Wanted.responses(key)
    return stores.mayContain(ImageStoreKey(.partial, original.key.key)) && !hides(original)
  }

  /// Empties all levels. A level that is read-only for this process is left unchanged, which is reported.
  func emptyStores() {
    stores.removeAll(of: nil)
  }
}

/// Removals that are under way. They wait for writes and for the disk, and a load that begins meanwhile must not find what they
/// remove: it would put that into the caches again, with the right of a load from after the removal.
extension ImageCaches {
  /// The entries that a removal removes.
  enum Removal: Hashable, Sendable {
    case all
    case source(CacheKey)
    /// One entry alone: the others of its source stay, and are found.
    case entry(ImageStoreKey)
    /// All entries of a kind, such as the renditions of a format.
    case kind(ImageStoreKind)
    /// The encoded files in a format.
    case files(format: String)
  }

  /// Hides the entries of removals in the stores until `endHiding(_:)`.
  func beginHiding(_ entries: [Removal]) {
    removals.withLock { removals in
      for entry in entries { removals[entry, default: 0] += 1 }
    }
  }

  func endHiding(_ entries: [Removal]) {
    removals.withLock { removals in
      for entry in entries {
        let count = removals[entry] ?? 0
        removals[entry] = count > 1 ? count - 1 : nil
      }
    }
  }

  /// Whether one of these removals is under way.
  func hides(_ possible: [Removal]) -> Bool {
    removals.withLock { removals in possible.contains { removals[$0] != nil } }
  }

  /// Whether a removal is under way that removes an entry. Each load asks, so that it is quick while there is none at all.
  func hides(_ wanted: Wanted) -> Bool { isHiding && hides(wanted.removals) }

  private var isHiding: Bool { removals.withLock { !$0.isEmpty } }
}

/// Writes and evictions, for observers.
extension ImageCaches {
  /// Writes to a layer on disk, for a source that may have no request.
  func observeStore(
    _ layer: ImageCacheLayer, byteCount: Int, of source: @autoclosure () -> String,
    for request: ImageRequest?,
    _ store: () -> Void
  ) {
    let stage = events.stageBegan(.store, of: source())
    store()
    events.stageEnded(stage, byteCount: byteCount)
    events.stored(layer, byteCount: byteCount, of: source(), for: request)
    tellDiskEvictions()
  }

  /// The number of evicted entries of each kind in the first level. Never waits.
  var evictionCounts: [ImageStoreKind: Int] { stores.first?.store.evictionCounts ?? [:] }

  /// Reports the new evictions from the disk cache to observers.
  func tellDiskEvictions() {
    events.evicted(events.evictions.takeFromDisk(evictionCounts))
  }
}

/// The entries of the stores. `mayHave` never waits, and any thread may call it.
extension ImageCaches {
  /// The levels that a read asks: the first, the further ones, or one after the other.
  enum Tiers: Sendable { case near, far, all }

  /// An entry that the stores may have. It makes the keys of all writes, reads and removals for a request.
  struct Wanted: Sendable {
    private enum Owner { case request(ImageRequest), resource(String) }

    let key: ImageStoreKey
    let layer: ImageCacheLayer
    private let owner: Owner

    /// The finished picture of a request.
    static func rendition(_ request: ImageRequest) -> Wanted {
      Wanted(
        key: ImageStoreKey(request.renditionKind, request.key.rendition), layer: .rendition,
        owner: .request(request))
    }

    /// The original of a request.
    static func original(_ request: ImageRequest) -> Wanted {
      Wanted(
        key: ImageStoreKey(.original, request.key.source), layer: .original, owner: .request(request))
    }

    /// The encoded file of a request, by its key.
    static func encoded(_ key: CacheKey, _ request: ImageRequest) -> Wanted {
      Wanted(key: ImageStoreKey(.encoded, key), layer: .encoded, owner: .request(request))
    }

    /// The responses under a key of the HTTP cache.
    static func responses(_ key: HTTPCacheKey) -> Wanted {
      Wanted(
        key: ImageStoreKey(.original, ResponseStore.storeKey(key)), layer: .original,
        owner: .resource(key.resource))
    }

    /// The removals that remove it.
    var removals: [Removal] {
      // The original of a source has the key of the source.
      guard case .request(let request) = owner else { return [.all, .source(key.key), .entry(key)] }
      let removals = [Removal.all, .source(request.key.source), .kind(key.kind), .entry(key)]
      guard layer == .encoded, let format = request.format else { return removals }
      return removals + [.files(format: format.name)]
    }

    var reach: StoreChain.Reach {
      if case .request(let request) = owner { request.source.reach } else { .all }
    }

    /// The name for observers.
    var name: String {
      switch owner {
      case .request(let request): request.source.name
      case .resource(let resource): Redaction.text(resource)
      }
    }

    /// The request for observers. Originals belong to all requests of their source.
    var request: ImageRequest? {
      if layer != .original, case .request(let request) = owner { request } else { nil }
    }

    /// The key with the label with which it is written. The removal of its source finds it by the label.
    var labelled: ImageStoreKey {
      let label =
        switch owner {
        case .request(let request):
          layer == .original ? EntryLabel.text(ofSource: request.sourceKey) : request.label
        case .resource(let resource): EntryLabel.text(ofSource: resource)
        }
      return ImageStoreKey(key.kind, key.key, label: label)
    }
  }

  /// Writes an entry to the levels of its source.
  func write(_ entry: ImageStoreEntry, for wanted: Wanted) {
    stores.write(entry, for: wanted.labelled, wanted.reach)
  }

  /// Removes an entry from the levels of its source.
  func remove<Entry: StoredValue>(_ type: Entry.Type, _ wanted: Wanted) {
    stores.remove(type, wanted.key, wanted.reach)
  }

  // MARK: Hints

  /// Whether a level may have an entry. Never waits.
  func mayHave(_ wanted: Wanted, in tiers: Tiers = .all) -> Bool {
    if hides(wanted) { return false }
    if tiers != .far, stores.mayContainFirst(wanted.key) { return true }
    // The reach is worked out last: that copies the source.
    return !stores.further.isEmpty && stores.mayContainFurther(wanted.key, wanted.reach)
  }

  /// Counts a miss for an entry that a hint has excluded.
  func noteAbsence(_ wanted: Wanted) {
    events.lookedUp(wanted.layer, found: nil, of: wanted.name, for: wanted.request)
  }
}

/// The memory level of a pipeline: the built-in cache or the app's own.
///
/// The built-in cache is called directly, so that its hits do not pay for a call through a protocol.
struct MemoryLevel: Sendable {
  private let cache: any ImageCaching
  /// `cache`, or an unused empty cache if the app has its own. Not optional: an object in an optional is retained for
  /// each call.
  private let builtIn: MemoryCache<ImageKey, CachedPicture>
  private let isBuiltIn: Bool
  /// Ends with the last copy of this value.
  private let observation: MemoryPressureObservation?

  /// - Parameter onEviction: called for each eviction of the built-in cache. An app's own cache does not report
  ///   evictions.
  init(
    _ configuration: ImagePipeline.Configuration,
    onEviction: (@Sendable (ImageKey, CachedPicture) -> Void)? = nil
  ) {
    if let own = configuration.caching.imageCache {
      cache = own
      let shared = own as? MemoryCache<ImageKey, CachedPicture>
      builtIn = shared ?? MemoryCache(MemoryCacheConfiguration(costLimit: 0))
      isBuiltIn = shared != nil
      observation = nil
      return
    }
    // This type observes memory pressure, not the cache, because the cache would then hold itself weakly: counting
    // references to an object with weak references costs as much as a hit.
    var limits = configuration.caching.memoryCache
    let pressure = limits.pressure
    limits.pressure = nil
    let made = MemoryCache<ImageKey, CachedPicture>(limits, onEviction: onEviction)
    cache = made
    builtIn = made
    isBuiltIn = true
    observation = pressure?.observe { made.respond(to: $0) }
  }

  /// The picture of a key, fresh or not, finished or preview. Retains only the picture.
  func picture(forKey key: ImageKey) -> Picture? {
    guard isBuiltIn else { return cache.value(forKey: key)?.picture }
    return builtIn.withValue(forKey: key) { $0.picture }
  }

  func value(forKey key: ImageKey) -> CachedPicture? {
    isBuiltIn ? builtIn.value(forKey: key) : cache.value(forKey: key)
  }

  func contains(_ key: ImageKey) -> Bool { cache.contains(key) }

  @discardableResult
  func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool {
    cache.store(value, forKey: key, cost: cost)
  }

  /// The same, if a right has not ended. A removal that ends it and then removes the key leaves nothing that a later call would find,
  /// unless the app has its own cache: there it may for a moment.
  @discardableResult
  func store(_ value: CachedPicture, forKey key: ImageKey, cost: Int, by right: EpochRight) -> Bool {
    if isBuiltIn { return builtIn.store(value, forKey: key, cost: cost) { right.isValid } }
    var isStored = false
    return right.store {
      isStored = cache.store(value, forKey: key, cost: cost)
    } takeBack: {
      cache.removeValue(forKey: key)
    } && isStored
  }

  func removeValue(forKey key: ImageKey) { cache.removeValue(forKey: key) }

  func removeAll() { cache.removeAll() }

  /// Evicts pictures until all together cost at most a tenth of the limit, as memory pressure evicts them. A cache of a type
  /// of the app's own trims itself.
  func trimToTenth() {
    if isBuiltIn { builtIn.trim(toCost: builtIn.costLimit / 10) }
  }

  func removeValues(where shouldRemove: (ImageKey, CachedPicture) -> Bool) {
    cache.removeValues(where: shouldRemove)
  }

  var totalCost: Int { cache.totalCost }

  var costLimit: Int { cache.costLimit }

  var statistics: MemoryCacheStatistics { cache.statistics }
}
