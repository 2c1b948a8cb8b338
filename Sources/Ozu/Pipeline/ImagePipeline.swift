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

  // MARK: Pictures

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
    try await response(for: request, onProgress: nil)
  }

  func response(
    for request: ImageRequest, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    do throws(ImageError) {
      return try await answer(for: request, onProgress: onProgress)
    } catch {
      guard !error.isCancellation else { throw error }
      for source in request.alternatives {
        do throws(ImageError) {
          return try await answer(for: request.alternative(source), onProgress: onProgress)
        } catch let other {
          if other.isCancellation { throw other }
        }
      }
      throw error
    }
  }

  private func answer(
    for request: ImageRequest, onProgress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(ImageError) -> ImageResponse {
    let start = parts.configuration.now()
    try request.validate()
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    if let response = memoryResponse(for: request, start: start) { return response }
    let (loaded, isShared) = try await parts.loads.value(
      for: PipelineParts.JobKey(request.key.rendition, request),
      priority: request.priority, cancellation: .cancelled(request.source.name), onProgress: onProgress,
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
    return parts.caches.cachedPicture(for: request.keyed(by: parts.configuration.cacheKeyRules))?.picture
  }

  /// The picture of a URL at its own size if memory has it.
  public func cachedImage(for url: URL) -> Picture? {
    cachedImage(for: ImageRequest(url: url))
  }

  // MARK: Bytes

  /// The encoded bytes of a source, from the disk cache or the source itself. Any recipe of the request is
  /// left aside; the bytes are not checked to be a picture.
  ///
  /// - Throws: `ImageError`; also when a fetcher brings pixels instead of bytes.
  public func data(for request: ImageRequest) async throws(ImageError) -> Data {
    let request = request.keyed(by: parts.configuration.cacheKeyRules)
    let (fetched, _) = try await parts.fetches.value(
      for: PipelineParts.JobKey(request.key.source, request),
      priority: request.priority, cancellation: .cancelled(request.source.name),
      operation: { [parts] job in await FetchData(parts: parts, request: request, job: job).run() })
    guard case .data(let data) = fetched.content else { throw .emptyData(request.source.name) }
    await storeIfPicture(fetched, for: request)
    return data
  }

  /// The encoded bytes of a URL.
  ///
  /// - Throws: `ImageError`.
  public func data(for url: URL) async throws(ImageError) -> Data {
    try await data(for: ImageRequest(url: url))
  }

  /// What a source says of its picture in its header. No pixel is decoded, and the limits on pixels are left
  /// aside: also a picture that is too large to load has a header.
  ///
  /// - Throws: `ImageError`.
  public func header(for request: ImageRequest) async throws(ImageError) -> ImageHeader {
    let data = try await data(for: request)
    let configuration = parts.configuration
    let outcome = await parts.decodeQueue.run(priority: request.priority) { _ in
      Result { () throws(DecodingError) in
        try configuration.codecs.header(of: data, limits: configuration.limits)
      }
    }
    switch outcome {
    case .success(let header): return header
    case .failure(let error): throw ImageError(error, source: request.source.name)
    }
  }

  /// Encodes a picture, on the pipeline's decoding threads.
  ///
  /// - Throws: `EncodingError`.
  public func encode(
    _ picture: Picture, as type: ImageType, options: EncodingOptions = EncodingOptions()
  ) async throws(EncodingError) -> Data {
    let codecs = parts.configuration.codecs
    let outcome = await parts.decodeQueue.run(priority: .normal) { _ in
      Result { () throws(EncodingError) in
        try codecs.encode(picture.bitmap, as: type, options: options)
      }
    }
    return try outcome.get()
  }

  /// Keeps the bytes as an original if they begin as a picture does; what else a server sends is not ours to
  /// keep.
  private func storeIfPicture(_ fetched: FetchedData, for request: ImageRequest) async {
    guard request.cachePolicy.writesCaches, let original = fetched.claimOriginal() else { return }
    await parts.backlog.add(byteCount: original.byteCount) { [parts] in
      let configuration = parts.configuration
      guard case .data(let data) = fetched.content,
        (try? configuration.codecs.header(of: data, limits: configuration.limits)) != nil
      else { return }
      parts.caches.store(original, for: request)
    }
  }

  // MARK: Tasks

  /// Starts to load a request and returns its task.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request: request, pipeline: self)
  }

  /// Starts to load a URL at its own size and returns its task.
  public func task(for url: URL) -> ImageTask {
    task(for: ImageRequest(url: url))
  }
}
