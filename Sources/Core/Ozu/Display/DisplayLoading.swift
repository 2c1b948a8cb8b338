import OzuCaching

/// The loader of a binding: a pipeline, or a script in tests.
@MainActor
protocol DisplayLoading {
  /// The picture in memory, and whether it may be shown without asking the origin.
  func cached(_ request: ImageRequest) -> (response: ImageResponse, isFresh: Bool)?

  /// The largest picture in memory of a request's source.
  func otherSize(of request: ImageRequest) -> Picture?

  var memoryPressure: (any MemoryPressureMonitoring)? { get }

  /// Forgets that a request's sources failed, so that the next load asks their origins.
  func forgetFailures(of request: ImageRequest)

  /// Whether the bytes of a request's source are at hand, or in a store once they were loaded. Otherwise each further picture of it is
  /// another download.
  func keepsOriginal(of request: ImageRequest) -> Bool

  /// Begins a load. It calls `receive` on the main actor, never before this function has returned, never after the end,
  /// and never after the load was released there.
  func load(
    _ request: ImageRequest, _ receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> DisplayLoad
}

/// A running load. Releasing it cancels the load.
final class DisplayLoad: Sendable {
  /// Changes the priority while the load waits.
  let setPriority: @Sendable (ImagePriority) -> Void
  private let stop: @Sendable () -> Void

  init(setPriority: @escaping @Sendable (ImagePriority) -> Void, stop: @escaping @Sendable () -> Void) {
    self.setPriority = setPriority
    self.stop = stop
  }

  deinit { stop() }
}

struct PipelineLoading: DisplayLoading {
  let pipeline: ImagePipeline

  func cached(_ request: ImageRequest) -> (response: ImageResponse, isFresh: Bool)? {
    guard let response = pipeline.memoryResponse(for: request) else { return nil }
    return (response, response.source != .stale || request.cachePolicy == .cacheOnly)
  }

  var memoryPressure: (any MemoryPressureMonitoring)? { pipeline.configuration.caching.memoryCache.pressure }

  func otherSize(of request: ImageRequest) -> Picture? { pipeline.cachedImage(ofSourceOf: request) }

  func forgetFailures(of request: ImageRequest) {
    let request = pipeline.current(request)
    let others = request.alternatives + [request.lowDataSource].compactMap(\.self)
    for each in [request] + others.map(request.alternative) {
      pipeline.context.failures.forget(pipeline.current(each).key.source)
    }
  }

  func keepsOriginal(of request: ImageRequest) -> Bool {
    switch request.source {
    case .data, .picture: return true
    case .url where request.source.isLocalFile || request.source.isDataURL: return true
    case .url, .request, .fetcher: break
    }
    let policy = pipeline.context.storagePolicy(of: request)
    return !pipeline.caches.stores.isEmpty && policy.storesOriginals && request.writesOriginals
      && request.afterReload.readsOriginals
      && pipeline.context.variants.mayBeStored(pipeline.current(request).key.source)
  }

  func load(
    _ request: ImageRequest, _ receive: @escaping @MainActor (ImageTask.Event) -> Void
  ) -> DisplayLoad {
    let task = pipeline.task(for: request)
    let relay = Task { @MainActor in
      for await event in task.events {
        // The end of a load that is released is in the stream before this task is cancelled.
        if Task.isCancelled { return }
        receive(event)
      }
    }
    return DisplayLoad {
      task.priority = $0
    } stop: {
      task.cancel()
      relay.cancel()
    }
  }
}
