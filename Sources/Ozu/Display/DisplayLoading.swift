import OzuCaching

/// What a binding loads through: a pipeline, or in tests a script.
@MainActor
protocol DisplayLoading {
  /// What memory has, and whether it may be shown without asking.
  func cached(_ request: ImageRequest) -> (response: ImageResponse, isFresh: Bool)?

  /// The largest picture that memory has of a request's source.
  func otherSize(of request: ImageRequest) -> Picture?

  /// What tells that memory runs short; `nil` where nobody does.
  var memoryPressure: (any MemoryPressureMonitoring)? { get }

  /// Begins a load. It calls back on the main actor, never before this has returned, and nothing after the end.
  func load(
    _ request: ImageRequest, _ receive: @escaping @MainActor (DisplayEvent) -> Void
  ) -> DisplayLoad
}

/// What a load tells.
enum DisplayEvent: Sendable {
  case progress(LoadProgress)
  case size(PixelSize)
  case preview(Picture)
  case finished(Result<ImageResponse, ImageError>)
}

/// A load that is under way; releasing it calls it off.
final class DisplayLoad: Sendable {
  private let stop: @Sendable () -> Void

  init(stop: @escaping @Sendable () -> Void) {
    self.stop = stop
  }

  deinit { stop() }
}

/// Loads through a pipeline.
struct PipelineLoading: DisplayLoading {
  let pipeline: ImagePipeline

  func cached(_ request: ImageRequest) -> (response: ImageResponse, isFresh: Bool)? {
    guard let response = pipeline.memoryResponse(for: request) else { return nil }
    return (response, response.source != .stale || request.cachePolicy == .cacheOnly)
  }

  var memoryPressure: (any MemoryPressureMonitoring)? { pipeline.configuration.caching.memoryCache.pressure }

  func otherSize(of request: ImageRequest) -> Picture? { pipeline.cachedImage(ofSourceOf: request) }

  func load(
    _ request: ImageRequest, _ receive: @escaping @MainActor (DisplayEvent) -> Void
  ) -> DisplayLoad {
    let task = pipeline.task(for: request)
    let relay = Task { @MainActor in
      for await event in task.events {
        switch event {
        case .progress(let progress): receive(.progress(progress))
        case .size(let size): receive(.size(size))
        case .preview(let response): receive(.preview(response.picture))
        case .finished(let outcome): receive(.finished(outcome))
        }
      }
    }
    return DisplayLoad {
      task.cancel()
      relay.cancel()
    }
  }
}

extension ImagePipeline {
  /// What memory has of a request, stale or not; its source tells which.
  package func memoryResponse(for request: ImageRequest) -> ImageResponse? {
    let start = configuration.instant
    let request = current(request)
    // A preview of a load that is still running is not the answer.
    guard request.readsMemory, let cached = caches.finishedPicture(for: request) else { return nil }
    formatStore.noteHit(of: cached, for: request)
    return response(of: cached, for: request, start: start)
  }
}
