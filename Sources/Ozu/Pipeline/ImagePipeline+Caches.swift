import Foundation

extension ImagePipeline {
  /// Returns when everything loaded so far is in the disk cache and survives the end of the process.
  public func flush() async {
    await parts.httpCache.backgroundValidations()
    await parts.backlog.drain()
    await parts.diskQueue.run(priority: .normal) { [parts] _ in try? parts.caches.disk?.flush() }
  }

  /// Removes the picture of a request from every cache: the rendition in memory and on disk, and the original.
  public func removeImage(for request: ImageRequest) async {
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    parts.failures.forget(request.key.source)
    parts.caches.memory.removeValue(forKey: request.key)
    await parts.backlog.drain()
    await parts.diskQueue.run(priority: .normal) { [parts] _ in
      parts.caches.removeRendition(for: request)
      parts.caches.forgetStored(request)
      parts.caches.removeOriginal(for: request)
    }
  }

  /// Empties the memory cache and the disk cache. A disk cache that another process writes to stays, which
  /// `ImagePipeline.Configuration.onDiskError` is told.
  public func removeAllImages() async {
    parts.formats.stopPreloads()
    parts.failures.forgetAll()
    parts.caches.memory.removeAll()
    await parts.backlog.drain()
    await parts.diskQueue.run(priority: .normal) { [parts] _ in parts.caches.emptyDisk() }
  }

  /// Empties the memory cache; the disk cache stays.
  public func removeImagesFromMemory() {
    parts.caches.memory.removeAll()
  }

  /// What the memory cache holds and how it has served.
  public var memoryCacheStatistics: MemoryCacheStatistics { parts.caches.memory.statistics }

  /// The disk cache, opened if it was not; `nil` without one. Blocks while it is opened: not for a main thread.
  public var diskCache: DiskCache? { parts.caches.disk }
}
