import Foundation

/// Synchronous access to pictures in memory. `cache` asks the disk too.
extension ImagePipeline {
  /// The picture of a request if memory has it. Synchronous; it never waits. For a request of a local file it checks the
  /// file's date and size, so that a picture of a changed file is never shown.
  ///
  /// A picture from the web is returned even if it is no longer fresh, because it is better than a placeholder.
  /// `image(for:)` validates it and returns the newer one.
  public func cachedImage(for request: ImageRequest) -> Picture? {
    guard request.readsMemory else { return nil }
    // The common case, on the shortest way, which counts one reference.
    if request.needsNoAdjustment, takesRequestsAsTheyAre {
      return memory.picture(forKey: request.key)
    }
    let request = current(request)
    let cached = caches.cachedPicture(for: request)
    if context.events.isObserved { context.events.lookedIntoMemory(cached, for: request) }
    if let cached, request.format != nil { formatStore.noteHit(of: cached, for: request) }
    return cached?.picture.at(scale: request)
  }

  /// The picture of a URL at its own size if memory has it.
  public func cachedImage(for url: URL) -> Picture? {
    cachedImage(for: ImageRequest(url: url))
  }

  /// The largest picture of a request's source that memory has, in any size, to show until the picture of the request is
  /// loaded. Processed pictures, and pictures of a file that has changed since, are left out. Synchronous; it never waits.
  public func cachedImage(ofSourceOf request: ImageRequest) -> Picture? {
    let request = current(request)
    guard request.readsMemory else { return nil }
    for made in context.variants.finished(of: request.key.source).reversed() {
      if let cached = caches.currentPicture(made.key, of: request) { return cached.picture }
    }
    return nil
  }
}
