import Foundation

extension ImagePipeline {
  /// Waits until all pictures loaded so far are in the disk cache and survive the end of the process.
  public func flush() async {
    await context.httpCache.backgroundValidations()
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.stores.flushFirst() }
    await caches.flushFurther(sleep: configuration.testing.sleep)
  }

  /// Removes the pictures of a request's source from memory and disk, in every size and format, and the original.
  /// `cache.remove(_:)` removes only one picture.
  ///
  /// It reaches the loads that are running: they return their pictures to those who wait for them, but store nothing. A request
  /// that comes after this call loads again, and does not join them.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImage(for request: ImageRequest) async {
    var whole = request
    whole.resize = nil
    whole.processors = []
    let requests = [request, whole].map { $0.keyed(by: configuration.caching.cacheKeyRules) }
    await removeImages(of: requests)
  }

  /// Removes the pictures of a URL, as `removeImage(for:)` does for its request.
  public func removeImage(for url: URL) async {
    await removeImage(for: ImageRequest(url: url))
  }

  /// Empties the memory cache and the disk cache. Loads that are running store nothing, as for `removeImage(for:)`. A disk cache that another process writes stays as it is, and
  /// `ImagePipeline.Configuration.Caching.onDiskError` receives an error.
  public func removeAllImages() async {
    context.epochs.beginRemovalOfAll()
    formatStore.stopPreloads()
    context.failures.forgetAll()
    context.originalStorage.removePartialsFromMemory(of: nil)
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

  /// The entries and bytes of the memory cache, and its hits and misses.
  public var memoryCacheStatistics: MemoryCacheStatistics { caches.memory.statistics }

  /// The disk cache; `nil` if the pipeline has none. The first access opens it and blocks until it is open, so do not
  /// make it on the main thread.
  public var diskCache: DiskCache? { caches.stores.disk }
}
