/// The memory level of a pipeline. An app that wants its own implements this and sets
/// `ImagePipeline.Configuration.Caching.imageCache`; `MemoryCache` of ``ImageKey`` and ``CachedPicture`` is the built-in one.
///
/// A pipeline calls it synchronously, from any thread, the main thread included, and in part under locks of its own: an
/// implementation answers at once and does not call the pipeline. It may refuse any picture and drop any at any time;
/// the pipeline then takes the picture from the disk or loads it again.
public protocol ImageCaching: Sendable {
  /// The picture of a key. Counts as a use of it, and in `statistics` as a hit or a miss.
  func value(forKey key: ImageKey) -> CachedPicture?

  /// Whether there is a picture of a key. Counts as no use of it.
  func contains(_ key: ImageKey) -> Bool

  /// Stores a picture in the place of the key's former one. If the cache refuses it, the key has no picture then: the
  /// former one would be out of date.
  ///
  /// - Parameter cost: the bytes that the pixels take.
  /// - Returns: whether it was stored.
  @discardableResult
  func insert(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool

  /// Removes the picture of a key and returns it.
  @discardableResult
  func removeValue(forKey key: ImageKey) -> CachedPicture?

  /// Removes every picture.
  func removeAll()

  /// Removes the pictures for which a closure returns `true`. The closure is short and does not use the cache.
  func removeValues(where isToGo: (ImageKey, CachedPicture) -> Bool)

  /// The bytes that all pictures take together.
  var totalCost: Int { get }

  /// The most bytes that all pictures may take together; `.max` without a limit. Prefetching and preloading end when
  /// their share of it is used.
  var costLimit: Int { get }

  /// Counts since the cache was made, and its size. `ImagePipeline.statistics` is in part made from it.
  var statistics: MemoryCacheStatistics { get }
}

extension MemoryCache: ImageCaching where Key == ImageKey, Value == CachedPicture {
  /// Stores a picture for the configuration's lifetime.
  @discardableResult
  public func insert(_ value: CachedPicture, forKey key: ImageKey, cost: Int) -> Bool {
    insert(value, forKey: key, cost: cost, lifetime: nil)
  }
}
