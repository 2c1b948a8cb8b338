import Foundation

/// The pictures that memory has, without waiting. `cache` asks the disk too.
extension ImagePipeline {
  /// The picture of a request if memory has it: synchronous, without any waiting. For a request of a local
  /// file the file's date and size are looked at, so that a picture of a changed file is never shown.
  ///
  /// A picture from the web is given also past its lifetime: it is better to show than a placeholder, and
  /// `image(for:)`, which validates it, brings the newer one.
  public func cachedImage(for request: ImageRequest) -> Picture? {
    guard request.readsMemory else { return nil }
    // Nearly always: the shortest way, which counts one reference.
    if request.isPlain, takesRequestsAsTheyAre {
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

  /// The largest picture that memory has of a request's source, at whatever size: something to show until the picture of
  /// the request is there. Processed pictures are not among them, nor what was made of a file that has changed.
  /// Synchronous, without any waiting.
  public func cachedImage(ofSourceOf request: ImageRequest) -> Picture? {
    let request = current(request)
    guard request.readsMemory else { return nil }
    for made in context.variants.finished(of: request.key.source).reversed() {
      if let cached = caches.currentPicture(made.key, of: request) { return cached.picture }
    }
    return nil
  }
}
