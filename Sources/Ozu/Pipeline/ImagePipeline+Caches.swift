import Foundation

extension ImagePipeline {
  /// Returns when everything loaded so far is in the disk cache and survives the end of the process.
  public func flush() async {
    await context.httpCache.backgroundValidations()
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.stores.flushFirst() }
    await caches.flushFurther(sleep: configuration.testing.sleep)
  }

  /// Removes what the caches have of a request's source: the picture in every size and format, in memory and on disk, and
  /// the original. `cache.remove(_:)` removes one picture alone.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImage(for request: ImageRequest) async {
    var whole = request
    whole.resize = nil
    whole.processors = []
    let requests = [request, whole].map { $0.keyed(by: configuration.caching.cacheKeyRules) }
    await removeImages(of: requests)
  }

  /// Removes what the caches have of a URL, as `removeImage(for:)` does for its request.
  public func removeImage(for url: URL) async {
    await removeImage(for: ImageRequest(url: url))
  }

  /// Empties the memory cache and the disk cache. A disk cache that another process writes to stays, which
  /// `ImagePipeline.Configuration.Caching.onDiskError` is told.
  public func removeAllImages() async {
    formatStore.stopPreloads()
    context.failures.forgetAll()
    context.variants.noteRemoval(of: nil)
    removeImagesFromMemory()
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.emptyStores() }
  }

  /// Empties the memory cache; the disk cache stays.
  public func removeImagesFromMemory() {
    caches.memory.removeAll()
    caches.encodedMemory.removeAll()
  }

  /// What the memory cache holds and how it has served.
  public var memoryCacheStatistics: MemoryCacheStatistics { caches.memory.statistics }

  /// The disk cache, opened if it was not; `nil` without one. Blocks while it is opened: not for a main thread.
  public var diskCache: DiskCache? { caches.stores.disk }
}
