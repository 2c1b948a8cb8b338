import Foundation

/// Events of sources.
extension PipelineEvents {
  /// Reports a lookup in memory to observers only, because the memory cache has counted it.
  func lookedIntoMemory(_ cached: CachedPicture?, for request: ImageRequest) {
    lookedUp(.memory, found: cached?.picture.byteCount, of: request.source.name, for: request)
  }

  /// Reads a local file, and counts it.
  func observeFile(
    _ name: String, _ read: () throws(ImageError) -> (data: Data, stamp: FileStamp)
  ) -> Result<(data: Data, stamp: FileStamp), ImageError> {
    let stage = stageBegan(.read, of: name)
    do throws(ImageError) {
      let file = try read()
      counters.fileLoads.increment()
      counters.fileByteCount.wrappingAdd(file.data.count, ordering: .relaxed)
      stageEnded(stage, byteCount: file.data.count)
      return .success(file)
    } catch {
      stageEnded(stage)
      return .failure(error)
    }
  }

  /// Calls a fetcher, and counts it.
  func observeFetcher(_ name: String, _ fetch: () async throws -> FetchedImage) async throws -> FetchedImage {
    let stage = stageBegan(.network, of: name)
    counters.fetcherLoads.increment()
    do {
      let content = try await fetch()
      if case .data(let data) = content {
        stageEnded(stage, byteCount: data.count)
      } else {
        stageEnded(stage)
      }
      return content
    } catch {
      stageEnded(stage)
      throw error
    }
  }
}

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

extension LoadContext {
  /// Looks into memory for work that began because the first lookup found nothing that could be served. The
  /// statistics do not count this second lookup.
  func lookAgain(for request: ImageRequest) -> CachedPicture? {
    let cached = caches.finishedPicture(for: request)
    if cached == nil {
      events.counters.repeatedMisses.increment()
    } else {
      events.counters.repeatedHits.increment()
    }
    return cached
  }
}
