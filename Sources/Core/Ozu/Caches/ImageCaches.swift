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
    if request.format?.isRetired == true { return false }
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
    stores.mayContain(ImageStoreKey(.partial, ResponseStore.storeKey(key)))
  }

  /// Empties all levels. A level that is read-only for this process is left unchanged, which is reported.
  func emptyStores() {
    stores.removeAll(of: nil)
  }

  /// Returns when the further levels have written what waits for them, or after a time limit, because a level may
  /// never answer.
  ///
  /// - Parameter sleep: waits for the given duration.
  func flushFurther(sleep: @escaping @Sendable (Duration) async throws -> Void) async {
    guard !stores.further.isEmpty else { return }
    let timer = Mutex<Task<Void, Never>?>(nil)
    await withCheckedContinuation { continuation in
      let end = SingleResumption(continuation)
      timer.withLock { timer in
        timer = Task {
          try? await sleep(Self.flushLimit)
          end.resume()
        }
      }
      stores.flushFurther { end.resume() }
    }
    timer.withLock { $0?.cancel() }
  }

  private static let flushLimit = Duration.seconds(10)
}

/// Resumes a continuation once, at the first of several calls.
private final class SingleResumption: Sendable {
  private let continuation: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

  func resume() {
    let waiter = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiter?.resume()
  }
}

/// Writes and evictions, for observers.
extension ImageCaches {
  /// Writes to a layer on disk.
  func observeStore(
    _ layer: ImageCacheLayer, byteCount: Int, for request: ImageRequest, _ store: () -> Void
  ) {
    observeStore(layer, byteCount: byteCount, of: request.source.name, for: request, store)
  }

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
