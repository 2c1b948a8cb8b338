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

  /// Evicts pictures until all together cost at most a tenth of the limit, as memory pressure evicts them. An app's own cache
  /// trims itself.
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
