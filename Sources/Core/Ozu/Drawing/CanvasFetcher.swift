import OzuBase
import OzuHTTP

/// A canvas as a source of pictures.
///
/// It is a fetcher that asks its own pipeline for other pictures, which the scheduler supports: it gives its place back while it
/// waits. So a canvas is cached, coalesced, resized, encoded, prefetched and removed as every picture of a fetcher is. What a
/// fetcher of an app cannot do, `FetchWork` does for this one: the result lives as long as the pictures that it was made of.
struct CanvasFetcher: ImageFetching {
  let canvas: Canvas
  /// The name in messages. The identity is the request's key, which is the whole text of the canvas.
  let key: String

  init(_ canvas: Canvas, identifier: String) {
    self.canvas = canvas
    key = "canvas \(canvas.size) \("\(CacheKey(identifier))".prefix(8))"
  }

  /// Draws the canvas with the shared pipeline, for code that asks a fetcher on its own. `FetchWork` uses the other function.
  func fetch() async throws -> FetchedImage {
    .picture(try await drawn(by: .shared, priority: .normal, cachePolicy: .useCaches).picture)
  }

  /// Loads the pictures, all at once and each at the size that is shown, and draws the canvas on a decoding thread.
  ///
  /// - Throws: the `ImageError` of a picture, or that of the canvas.
  func drawn(
    by pipeline: ImagePipeline, priority: ImagePriority, cachePolicy: CachePolicy
  ) async throws -> (picture: Picture, lifetime: SourceLifetime?) {
    do throws(CanvasError) {
      try canvas.check(limits: pipeline.configuration.decoding.limits)
    } catch {
      throw failure(error)
    }
    let (pictures, lifetime) = try await load(from: pipeline, priority, cachePolicy)
    let isCancelled = SharedFlag()
    let outcome = await withTaskCancellationHandler {
      await pipeline.context.runner.run(on: .decode, priority: priority) { [canvas] in
        Result { () throws(CanvasError) in
          let configuration = pipeline.configuration
          return try canvas.drawn(
            pictures: pictures, labels: configuration.decoding.codecs.labelDrawing,
            context: RequestedDecoding(policy: .convertToSRGB).context(configuration.decoding) {
              isCancelled.isRaised
            }
          )
        }
      }
    } onCancel: {
      isCancelled.raise()
    }
    switch outcome {
    case .success(let picture): return (picture, lifetime)
    case .failure(let error): throw failure(error)
    }
  }

  private func load(
    from pipeline: ImagePipeline, _ priority: ImagePriority, _ cachePolicy: CachePolicy
  ) async throws -> ([Canvas.NeededPicture: Picture], SourceLifetime?) {
    try await withThrowingTaskGroup(of: (Canvas.NeededPicture, ImageResponse).self) { group in
      for needed in canvas.neededPictures {
        let request = request(for: needed).with {
          ($0.priority, $0.cachePolicy) = (priority, cachePolicy)
        }
        group.addTask { (needed, try await pipeline.response(for: request)) }
      }
      var pictures: [Canvas.NeededPicture: Picture] = [:]
      var lifetime: SourceLifetime?
      var byteCount = 0
      for try await (needed, response) in group {
        pictures[needed] = response.picture
        // A picture in its own size is in no price, and all of them are held until the canvas is drawn.
        byteCount = byteCount.saturatingSum(response.picture.byteCount)
        do throws(ImageDecodingError) {
          try pipeline.configuration.decoding.limits.checkDecodedByteCount(byteCount)
        } catch {
          throw ImageError(error, source: key)
        }
        lifetime = response.verdict.lifetime.map { $0.shorter(lifetime) } ?? lifetime
      }
      return (pictures, lifetime)
    }
  }

  private func request(for needed: Canvas.NeededPicture) -> ImageRequest {
    let address = needed.source
    var request =
      address.hasPrefix("/")
      ? ImageRequest(url: URL(filePath: address)) : ImageRequest(stringLiteral: address)
    request.resize = needed.resize
    request.colorPolicy = .convertToSRGB
    return request
  }

  private func failure(_ error: CanvasError) -> ImageError {
    switch error {
    case .cancelled: .cancelled(key)
    case .limitExceeded(let violation), .label(_, .limitExceeded(let violation)):
      ImageError(ImageDecodingError.limitExceeded(violation), source: key)
    default: .fetchFailed(key, underlying: error)
    }
  }
}

/// How long a result may be kept that was made of an answer of the web.
struct SourceLifetime: Hashable, Sendable {
  /// The seconds from now until the origin must be asked again.
  let freshSeconds: Double
  /// Whether it may be served after these if the origin cannot be reached.
  let mayUseOffline: Bool
  /// Whether it may be stored at all (RFC 9111 §3).
  let allowsStoring: Bool

  func shorter(_ other: SourceLifetime?) -> SourceLifetime {
    guard let other else { return self }
    return SourceLifetime(
      freshSeconds: min(freshSeconds, other.freshSeconds),
      mayUseOffline: mayUseOffline && other.mayUseOffline, allowsStoring: allowsStoring && other.allowsStoring
    )
  }
}
