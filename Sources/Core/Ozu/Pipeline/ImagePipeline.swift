import OzuBase

/// Loads pictures: from memory, else from disk, else from their source; decoded no larger than needed, each
/// piece of work done once for all who want it.
///
/// ```swift
/// let photo = try await ImagePipeline.shared.image(for: url)
/// let thumbnail = try await ImagePipeline.shared.image(
///   for: url, size: PixelSize(width: 320, height: 240), mode: .aspectFill)
/// ```
///
/// A pipeline may be used from any thread and any actor. A picture in memory is returned at once, without
/// suspending. Everything else runs on the pipeline's own bounded queues, which never block the caller's executor or Swift's
/// cooperative pool. Downloads and fetchers of the app run in Swift tasks, so they need that pool: an app that blocks all of its
/// threads stops them.
public final class ImagePipeline: Sendable {
  /// The pipeline for apps that need only one; with every default, until another is set. Views, prefetchers and the
  /// like take it when they are made, so an app that wants another sets it as it starts.
  public static var shared: ImagePipeline {
    get {
      sharedPipeline.withLock { pipeline in
        if let pipeline { return pipeline }
        let standard = ImagePipeline()
        pipeline = standard
        return standard
      }
    }
    set {
      // The former one is released outside of the lock.
      let former = sharedPipeline.withLock { pipeline in
        defer { pipeline = newValue }
        return pipeline
      }
      withExtendedLifetime(former) {}
    }
  }

  private static let sharedPipeline = Mutex<ImagePipeline?>(nil)

  /// The parts and limits this pipeline was made with.
  public let configuration: Configuration
  let context: LoadContext
  let caches: ImageCaches
  // The same as in `caches`. Stored here too, because a hit that reaches it through other objects retains each of them.
  let memory: MemoryLevel
  let formatStore: FormatStore
  let idleSignal: IdleSignal
  let networkReturn: NetworkReturn
  let isolation: IsolationReport?
  let hasInterceptors: Bool
  let checksSources: Bool
  /// Whether requests get other keys: there are rules for URLs, or a treatment of colours that is not the platform's standard.
  private let adjustsKeys: Bool
  /// Whether requests are used unchanged: they keep their keys, and there are no observers.
  let takesRequestsAsTheyAre: Bool

  /// Makes a pipeline. No cache, connection or library is opened before the first request; only the memory pressure of the system
  /// is watched from now on (`caching.memoryCache`).
  public init(_ configuration: Configuration = Configuration()) {
    var configuration = configuration
    isolation = configuration.decoding.codecs.isolate(configuration.decoding.isolation)
    self.configuration = configuration
    let idleSignal = IdleSignal()
    self.idleSignal = idleSignal
    networkReturn = NetworkReturn(
      configuration.network.networkMonitor, now: configuration.testing.now, sleep: configuration.testing.sleep
    )
    context = LoadContext(configuration) { idleSignal.send() }
    caches = context.caches
    memory = caches.memory
    formatStore = FormatStore(context)
    hasInterceptors = !configuration.interceptors.isEmpty
    adjustsKeys =
      !configuration.caching.cacheKeyRules.isEmpty || configuration.decoding.colorPolicy != .standard
    checksSources = configuration.checksSources
    takesRequestsAsTheyAre = !adjustsKeys && !context.events.isObserved
    // A resolver may return the fetcher of a canvas, which requests for its addresses do not tell.
    if configuration.sources.hasResolvers { context.pipeline.set(self) }
  }

  /// Makes a pipeline.
  public convenience init(configuration: Configuration) { self.init(configuration) }

  /// Makes a pipeline from the default configuration with changes: `ImagePipeline { $0.caching.diskStorage = .none }`.
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
  ///   - crops: whether `aspectFill` cuts off the parts outside the size, so that the picture has exactly the size; on by default.
  ///   - allowsUpscaling: whether a smaller picture is enlarged.
  /// - Throws: `ImageError`.
  public func image(
    for url: URL, size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true,
    allowsUpscaling: Bool = false
  ) async throws(ImageError) -> Picture {
    let resize = Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling)
    return try await image(for: ImageRequest(url: url, resize: resize))
  }

  /// The picture of a URL, at most this wide, with the height that follows from its proportions.
  ///
  /// - Throws: `ImageError`.
  public func image(for url: URL, width: Int) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(url: url, resize: Resize(width: width)))
  }

  /// `image(for: ImageRequest(data: …))` decodes a file in memory.
  @available(*, unavailable, message: "use 'image(for: ImageRequest(data: …))'")
  public func image(for data: Data) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(data: data))
  }

  /// The picture of a request. A picture in memory is returned at once, without suspending.
  ///
  /// - Throws: `ImageError`. Cancelling the calling task cancels the load, unless others want it too.
  public func image(for request: ImageRequest) async throws(ImageError) -> Picture {
    if hasObserversOrInterceptors { return try await response(for: request).picture }
    let keyed = keyed(request)
    if let cached = servablePicture(for: keyed) { return cached.picture.at(scale: keyed) }
    return try await load(request, keyed: keyed, start: nil).picture
  }

  /// The picture of a request, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public func response(for request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let start = context.instant
    let keyed = keyed(request)
    if !hasObserversOrInterceptors, let response = memoryResponse(for: keyed, start: start) {
      return response
    }
    return try await load(request, keyed: keyed, start: start)
  }

  /// The picture of a URL at its own size, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public func response(for url: URL) async throws(ImageError) -> ImageResponse {
    try await response(for: ImageRequest(url: url))
  }

  private func load(
    _ request: ImageRequest, keyed: ImageRequest, start: JobInstant?
  ) async throws(ImageError) -> ImageResponse {
    try await value(of: ImageTask(request, keyed: keyed, pipeline: self, start: start), request)
  }

  /// Runs an answer, which is not made if the calling task is cancelled, and waits for its value.
  func value<Asked: Answering>(
    of answer: @autoclosure () -> Asked, _ request: ImageRequest
  ) async throws(ImageError) -> Asked.Value {
    if Task.isCancelled { throw .cancelled(request.source.name) }
    let answer = answer()
    answer.run()
    return try await answer.value
  }

  /// Starts to load a request and returns its task. If memory has the picture, the task has it at once.
  public func task(for request: ImageRequest) -> ImageTask {
    task(for: request, subscriber: nil)
  }

  /// Starts to load a URL at its own size and returns its task.
  public func task(for url: URL) -> ImageTask {
    task(for: ImageRequest(url: url))
  }

  func task(for request: ImageRequest, subscriber: AnswerSubscriber<ImageResponse>?) -> ImageTask {
    let start = context.instant
    let (isUnchanged, keyed) = (request.needsNoAdjustment && !adjustsKeys, self.keyed(request))
    let task = ImageTask(
      request, keyed: isUnchanged ? nil : keyed, pipeline: self, start: start, subscriber: subscriber)
    if !hasObserversOrInterceptors, let response = memoryResponse(for: keyed, start: start) {
      task.finish(.value(EndBox(response)))
    } else {
      task.run()
    }
    return task
  }
}

extension ImagePipeline {
  var hasObserversOrInterceptors: Bool { hasInterceptors || context.events.isObserved }

  /// The request with the pipeline's cache-key rules applied, in the format that has the name of its own.
  func current(_ request: ImageRequest) -> ImageRequest {
    if request.needsNoAdjustment, !adjustsKeys { return request }
    return formatStore.current(request.keyed(by: configuration))
  }

  /// The same for a request that is being answered. Its format is noted: the first request registers the format, and
  /// ends its preload.
  func keyed(_ request: ImageRequest) -> ImageRequest {
    var current = current(request)
    if current.needsNoAdjustment { return current }
    // Another thread may have taken the name for another format since.
    while let format = current.format, !formatStore.noteRequest(in: format) {
      current = formatStore.current(current)
    }
    return current
  }

  /// Whether the rules for sources allow one. Memory may be shared with a pipeline that has others. The load of a source that is
  /// refused says why.
  private func allowsSource(of request: ImageRequest) -> Bool {
    !checksSources || (try? configuration.check(request.source)) != nil
  }

  /// The picture in memory, if it may be served without asking the origin. A stale picture is left to the load, which
  /// revalidates it.
  func servablePicture(for request: ImageRequest) -> CachedPicture? {
    guard request.readsMemory, allowsSource(of: request) else { return nil }
    guard let cached = caches.finishedPicture(for: request) else {
      if context.events.isObserved { context.events.lookedIntoMemory(nil, for: request) }
      return nil
    }
    // Most entries never expire, so the clock is read only if there is a validity.
    let isServable =
      !cached.isFromWeb || request.cachePolicy == .cacheOnly
      || request.mayServe(cached, at: configuration.testing.currentDate())
    guard isServable else { return nil }
    if !request.needsNoAdjustment { formatStore.noteHit(of: cached, for: request) }
    if context.events.isObserved { context.events.lookedIntoMemory(cached, for: request) }
    return cached
  }

  /// The response from memory, if it may be served without asking the origin.
  func memoryResponse(for request: ImageRequest, start: JobInstant) -> ImageResponse? {
    servablePicture(for: request).map { response(of: $0, for: request, start: start) }
  }

  /// The picture of a request in memory, stale or not; its source tells which.
  package func memoryResponse(for request: ImageRequest) -> ImageResponse? {
    let start = context.instant
    let request = current(request)
    // A preview of a running load does not count.
    guard request.readsMemory, allowsSource(of: request), let cached = caches.finishedPicture(for: request)
    else { return nil }
    formatStore.noteHit(of: cached, for: request)
    return response(of: cached, for: request, start: start)
  }

  /// The response for a picture in memory, stale or not; its source tells which.
  func response(
    of cached: CachedPicture, for request: ImageRequest, start: JobInstant
  ) -> ImageResponse {
    var source = ImageResponse.Source.memory
    var verdict = ImageResponse.Verdict.none
    if cached.isFromWeb {
      let date = configuration.testing.currentDate()
      if !request.mayServe(cached, at: date) { source = .stale }
      verdict = cached.verdict(at: date)
    }
    return ImageResponse(
      picture: cached.picture.at(scale: request), request: request, source: source, isCoalesced: false,
      encodedByteCount: 0, timings: StageTimings(), total: start.duration(to: context.instant),
      verdict: verdict)
  }
}

/// Canvases and labels.
extension ImagePipeline {
  /// The picture of a canvas: from a cache, or drawn now after its pictures are loaded (`ImageRequest(canvas:)`).
  ///
  /// - Throws: `ImageError`.
  public func image(for canvas: Canvas) async throws(ImageError) -> Picture {
    try await image(for: ImageRequest(canvas: canvas))
  }

  /// Measures and draws labels with the codecs of the pipeline: in another process if it isolates decoders.
  ///
  /// Its calls block the thread. `picture(of:)` and `Label.size(in:)` do not.
  public var labelDrawing: any LabelDrawing { configuration.decoding.codecs.labelDrawing }

  /// Draws a label on transparent pixels, on the pipeline's decoding threads and within its limits.
  ///
  /// ```swift
  /// let badge = try await pipeline.picture(of: Label("New", size: 24, weight: 700))
  /// ```
  ///
  /// - Returns: a picture whose notes say what is not as it was asked for, such as characters without a glyph in any font.
  /// - Throws: `LabelError`.
  public func picture(of label: Label) async throws(LabelError) -> Picture {
    try await drawing { (drawing, context) throws(LabelError) in
      try drawing.picture(of: label, context: context)
    }
  }

  fileprivate func drawing<Value: Sendable>(
    _ body: @escaping @Sendable (any LabelDrawing, DecodingContext) throws(LabelError) -> Value
  ) async throws(LabelError) -> Value {
    let outcome = await context.runner.run(on: .decode, priority: .normal) {
      [decoding = configuration.decoding] in
      Result { () throws(LabelError) in
        try body(
          decoding.codecs.labelDrawing,
          DecodingContext(
            limits: decoding.limits, pool: decoding.pixelBufferPool, budget: decoding.decodedByteBudget))
      }
    }
    return try outcome.get()
  }

  fileprivate func size(of label: Label) async throws(LabelError) -> PixelSize {
    try await drawing { (drawing, context) throws(LabelError) in try drawing.size(of: label, context: context)
    }
  }
}

extension Label {
  /// The size of the label as a pipeline draws it, with its outline, shadow and background. No pixels are drawn.
  ///
  /// - Throws: `LabelError`.
  public func size(in pipeline: ImagePipeline) async throws(LabelError) -> PixelSize {
    try await pipeline.size(of: self)
  }
}

/// What a pipeline has done, and what it does now.
extension ImagePipeline {
  /// The statistics of this pipeline so far. Reading them does not open the disk cache.
  ///
  /// - Complexity: O(1).
  public var statistics: PipelineStatistics { PipelineStatistics(context) }

  /// The queues of a pipeline.
  public enum QueueKind: String, Hashable, Sendable, CaseIterable {
    /// Downloads, and fetchers of the app.
    case data
    /// Decoding, resampling and processors.
    case decode
    /// Encoding of finished pictures for the disk cache.
    case encode
    /// Reads of the disk cache and of local files.
    case disk
    /// Writes to the disk cache.
    case store

    var stations: [StationID] {
      switch self {
      case .data: [.network]
      case .decode: [.decode]
      case .encode: [.encode]
      case .disk: [.disk, .files]
      case .store: [.store]
      }
    }
  }

  /// The current jobs of the pipeline, and what each of them waits for.
  ///
  /// - Complexity: O(jobs × waiting jobs); for debugging, not for a loop.
  public func diagnostics() -> PipelineDiagnostics { PipelineDiagnostics(context, isolation) }

  /// Suspends or resumes a queue; for tests (`OzuTesting`).
  package func setSuspended(_ isSuspended: Bool, _ kind: QueueKind) {
    for station in kind.stations { context.runner.setSuspended(station, isSuspended) }
  }

  /// The number of jobs that wait in a queue; for tests (`OzuTesting`).
  package func waitingCount(_ kind: QueueKind) -> Int {
    context.runner.look { graph in kind.stations.reduce(0) { $0 + graph.queuedCount(in: $1) } }
  }
}
