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

  func store(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest) {
    if insert(picture, stamp: stamp, validity: validity, for: request) { tellStored(picture, for: request) }
  }

  /// Puts a picture into memory without notifying observers, so that it can be called under a lock. The caller then
  /// calls `tellStored` outside the lock.
  ///
  /// - Returns: whether it was stored.
  func insert(
    _ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest
  ) -> Bool {
    if request.format?.isRetired == true { return false }
    return memory.store(
      CachedPicture(
        picture: picture, stamp: stamp, validity: validity, formatName: request.format?.name),
      forKey: request.key, cost: picture.byteCount)
  }

  /// Notifies observers of a picture that was put into memory, and of the evictions that made room for it. Calls code
  /// of the app.
  func tellStored(_ picture: Picture, for request: ImageRequest) {
    events.stored(.memory, byteCount: picture.byteCount, of: request.source.name, for: request)
    events.evicted(events.evictions.takeFromMemory())
  }
}
