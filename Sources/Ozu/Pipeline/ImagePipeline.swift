import Foundation

/// Loads pictures: from memory, else from disk, else from their source; decoded no larger than needed, each
/// piece of work done once for all who want it.
///
/// ```swift
/// let photo = try await ImagePipeline.shared.image(for: url)
/// let thumbnail = try await ImagePipeline.shared.image(
///   for: url, size: PixelSize(320, 240), mode: .aspectFill)
/// ```
///
/// A pipeline may be used from any thread and any actor. What memory has is answered on the spot, without
/// suspending. Everything else runs on the pipeline's own bounded queues; the caller's executor and Swift's
/// cooperative pool are never blocked.
public final class ImagePipeline: Sendable {
  /// The pipeline for apps that need only one, with every default.
  public static let shared = ImagePipeline()

  let parts: PipelineParts

  /// The parts and limits this pipeline was made with.
  public var configuration: Configuration { parts.configuration }

  /// Makes a pipeline. Nothing is opened or started before the first request.
  public init(_ configuration: Configuration = Configuration()) {
    parts = PipelineParts(configuration)
  }

  /// Makes a pipeline from the default configuration with changes: `ImagePipeline { $0.diskStorage = .none }`.
  public convenience init(_ configure: (inout Configuration) -> Void) {
    var configuration = Configuration()
    configure(&configuration)
    self.init(configuration)
  }

  /// The picture of a URL at its own size.
  ///
  /// - Throws: `ImageError`. Cancelling the calling task cancels the load, unless others want it too.
  public func image(for url: URL) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(url: url))
  }

  /// The picture of a URL, brought to a size.
  ///
  /// - Parameters:
  ///   - size: in pixels of the upright picture.
  ///   - mode: how the picture is brought to the size; inside it by default.
  ///   - crops: whether what `aspectFill` leaves outside the size is cut off, centred.
  ///   - allowsUpscaling: whether a smaller picture is enlarged.
  /// - Throws: `ImageError`.
  public func image(
    for url: URL, size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = false,
    allowsUpscaling: Bool = false
  ) async throws(ImageError) -> Picture {
    let resize = Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling)
    return try await image(for: ImageRequest(url: url, resize: resize))
  }

  /// The picture of a request.
  ///
  /// - Throws: `ImageError`.
  public func image(for request: ImageRequest) async throws(ImageError) -> Picture {
    try await response(for: request).picture
  }

  /// The picture of a request, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public func response(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
    try await response(for: request, priority: .fixed(request.priority), onProgress: nil)
  }

  func response(
    for request: ImageRequest, priority: LivePriority, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    do throws(ImageError) {
      return try await answer(for: request, priority: priority, onProgress: onProgress)
    } catch {
      guard !error.isCancellation else { throw error }
      for source in request.substitutes(after: error) {
        do throws(ImageError) {
          return try await answer(
            for: request.alternative(source), priority: priority, onProgress: onProgress)
        } catch let other {
          if other.isCancellation { throw other }
        }
      }
      throw error
    }
  }

  private func answer(
    for request: ImageRequest, priority: LivePriority, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    let start = parts.configuration.now()
    try request.validate()
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    if let format = request.format { parts.formats.noteRequest(in: format) }
    if let response = memoryResponse(for: request, start: start) { return response }
    let (loaded, isShared) = try await parts.loads.value(
      for: PipelineParts.JobKey(request.key.rendition, request),
      priority: priority, cancellation: .cancelled(request.source.name), onProgress: onProgress,
      operation: { [parts] job in await LoadImage(parts: parts, request: request, job: job).run() })
    var timings = loaded.timings
    timings.add(.total, start.duration(to: parts.configuration.now()))
    return ImageResponse(
      picture: loaded.picture, request: request, source: loaded.source, isCoalesced: isShared,
      encodedByteCount: loaded.encodedByteCount, timings: timings, verdict: loaded.verdict)
  }

  /// What memory has, if it may be served without asking. A stale picture is left to the load, which validates it.
  private func memoryResponse(
    for request: ImageRequest, start: ContinuousClock.Instant
  ) -> ImageResponse? {
    guard request.cachePolicy.readsCaches, let cached = parts.caches.cachedPicture(for: request) else {
      return nil
    }
    let date = parts.configuration.currentDate()
    let isFresh = request.mayServe(cached.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    if request.format != nil { parts.formats.noteHit(of: cached, for: request) }
    var timings = StageTimings()
    timings.add(.total, start.duration(to: parts.configuration.now()))
    return ImageResponse(
      picture: cached.picture, request: request, source: isFresh ? .memory : .stale, isCoalesced: false,
      encodedByteCount: 0, timings: timings, verdict: ImageResponse.Verdict(cached.validity, now: date))
  }

  /// The picture of a request if memory has it: synchronous, without any waiting. For a request of a local
  /// file the file's date and size are looked at, so that a picture of a changed file is never shown.
  ///
  /// A picture from the web is given also past its lifetime: it is better to show than a placeholder, and
  /// `image(for:)`, which validates it, brings the newer one.
  public func cachedImage(for request: ImageRequest) -> Picture? {
    guard request.cachePolicy.readsCaches else { return nil }
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    guard let cached = parts.caches.cachedPicture(for: request) else { return nil }
    if request.format != nil { parts.formats.noteHit(of: cached, for: request) }
    return cached.picture
  }

  /// The picture of a URL at its own size if memory has it.
  public func cachedImage(for url: URL) -> Picture? {
    cachedImage(for: ImageRequest(url: url))
  }

  /// Starts to load a request and returns its task.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request: request, pipeline: self)
  }

  /// Starts to load a URL at its own size and returns its task.
  public func task(for url: URL) -> ImageTask {
    task(for: ImageRequest(url: url))
  }
}
