import OzuBase

/// A running load.
///
/// ```swift
/// let task = pipeline.task(for: url)
/// for await progress in task.progress { bar.fraction = progress.fraction ?? 0 }
/// let picture = try await task.image
/// ```
///
/// It runs even if no code awaits it, and ends exactly once. Cancelling a Swift task that awaits it cancels the load.
public final class ImageTask: Sendable {
  let answer: Answer<ImageTask>

  /// Makes a task without starting it.
  ///
  /// - Parameter keyed: the request under the pipeline's key rules; `nil` if they do not change it.
  init(
    _ request: ImageRequest, keyed: ImageRequest?, pipeline: ImagePipeline, start: JobInstant? = nil,
    subscriber: AnswerSubscriber<ImageResponse>? = nil, isInner: Bool = false
  ) {
    answer = Answer(
      request, keyed: keyed, pipeline: pipeline, start: start, subscriber: subscriber, isInner: isInner)
  }

  /// The request.
  public var request: ImageRequest { answer.request }

  // MARK: The result

  /// The picture.
  ///
  /// - Throws: `ImageError`.
  public var image: Picture {
    get async throws(ImageError) {
      // Only the picture is wanted, so no response is built.
      if case .made(let load, _) = answer.state.withLock({ $0.ending }) {
        return load.loaded.picture.at(scale: attempt)
      }
      return try await value.picture
    }
  }

  /// The picture, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public var response: ImageResponse { get async throws(ImageError) { try await value } }

  /// How the load has ended; `nil` while it runs.
  public var result: Result<ImageResponse, ImageError>? { outcome }

  // MARK: Steering

  /// Cancels the load. Work that other requests share continues; a finished task does not change.
  ///
  /// - Complexity: O(1), however many share the work.
  public func cancel() { abandon() }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place. Work that other requests share has the highest of their priorities.
  ///
  /// - Complexity: O(1), however many share the work.
  public var priority: ImagePriority {
    get { level }
    set { level = newValue }
  }

  // MARK: Events

  /// An event of a load.
  public enum Event: Sendable {
    /// Bytes have arrived.
    case progress(LoadProgress)
    /// The size of the upright picture of the source, in pixels and before any recipe, as soon as the received bytes
    /// contain it. Views can reserve space for it. Reported once, before previews; not reported if the picture itself
    /// is available as soon, from a cache, a file or a small body.
    case size(PixelSize)
    /// A preview can be shown (`Picture.isPreview`).
    case preview(ImageResponse)
    /// The end. It comes once and last.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// All events of the load, in order. A stream that begins late first receives the latest progress, the size, the latest
  /// preview and the end, if there have been any. Each call makes a new stream; dropping a stream does not cancel the
  /// load.
  public var events: AsyncStream<Event> {
    stream(.unbounded) { event in
      switch event {
      case .progress(let progress): .progress(progress)
      case .size(let size): .size(size)
      case .preview(let response, _): .preview(response)
      case .finished(let result): .finished(result)
      }
    }
  }

  /// The progress of the download, beginning with the latest value. The stream ends with the task. Each call makes a
  /// new stream. A slow reader misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { progressStream }

  /// The previews of the picture while it loads, beginning with the latest. The stream ends with the task, without
  /// the finished picture. A slow reader misses intermediate previews.
  public var previews: AsyncStream<ImageResponse> {
    stream(.bufferingNewest(1)) { if case .preview(let response, _) = $0 { response } else { nil } }
  }

  /// The size of the upright picture of the source, in pixels and before any recipe; `nil` while it is not known.
  public var sourceSize: PixelSize? {
    let (work, size, ending) = answer.state.withLock { ($0.work, $0.sideState?.size, $0.ending) }
    if let size = work?.progressEvents.latest.size ?? size { return size }
    guard let ending, case .success(let response) = outcome(of: ending) else { return nil }
    return response.picture.header?.size
  }

  /// The latest progress of the download; `nil` before it began, or if nothing had to be downloaded.
  public var currentProgress: LoadProgress? { latestProgress }

  /// The status of a task.
  public struct Status: Sendable {
    /// The state of a task: running, finished, failed or cancelled.
    public enum State: String, Hashable, Sendable {
      /// It waits or its work runs.
      case running
      /// It has its picture.
      case finished
      /// It has an error.
      case failed
      /// It was cancelled.
      case cancelled
    }

    /// The state.
    public let state: State
    /// The latest progress of the download.
    public let progress: LoadProgress?
    /// The priority.
    public let priority: ImagePriority
    /// The time since the start of a running task, or the duration of a finished one. `nil` for a task that failed or
    /// was cancelled.
    public let duration: Duration?
  }

  /// The current status of the task.
  public var status: Status {
    let now = start.duration(to: pipeline.context.instant)
    let (state, duration): (Status.State, Duration?) =
      switch result {
      case nil: (.running, now)
      case .success(let response): (.finished, response.timings[.total])
      case .failure(let error): (error.isCancellation ? .cancelled : .failed, nil)
      }
    return Status(state: state, progress: currentProgress, priority: priority, duration: duration)
  }
}

extension ImageTask: Answering {
  typealias Value = ImageResponse
  typealias Work = LoadImage

  var wantsSize: Bool { true }

  func inMemory(_ request: ImageRequest) -> ImageResponse? {
    pipeline.memoryResponse(for: request, start: start)
  }

  func jobKey(for request: ImageRequest, _ epoch: LoadEpoch) throws(ImageError) -> JobKey? {
    try request.validate()
    return .load(request, number: pipeline.context.resultSharingNumber(epoch, request))
  }

  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> LoadImage {
    LoadImage(request, pipeline.context, epoch)
  }

  func value(of made: FinishedLoad, isCoalesced: Bool) -> Result<ImageResponse, ImageError> {
    .success(made.response(to: attempt, since: start, isCoalesced: isCoalesced))
  }

  func ask(
    _ interceptor: any ImageInterceptor, _ request: ImageRequest, _ rest: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse {
    try await interceptor.intercept(request, next: rest)
  }

  func makeInner(for request: ImageRequest, _ subscriber: AnswerSubscriber<ImageResponse>) -> ImageTask {
    ImageTask(
      request, keyed: pipeline.keyed(request), pipeline: pipeline, subscriber: subscriber, isInner: true)
  }

  func count(_ made: FinishedLoad, isCoalesced: Bool) {
    pipeline.context.events.counters.addAnswer(made.loaded.source, isCoalesced: isCoalesced)
  }

  func count(_ response: ImageResponse) {
    pipeline.context.events.counters.addAnswer(response.source, isCoalesced: response.isCoalesced)
  }

  static func observed(_ response: ImageResponse) -> RequestOutcome { .picture(response) }
}

/// The end of a load, shared by all tasks that waited for it. An object, so that ten thousand tasks copy nothing.
final class FinishedLoad: Sendable {
  let loaded: LoadedPicture
  let end: JobInstant

  init(_ loaded: LoadedPicture, at end: JobInstant) {
    self.loaded = loaded
    self.end = end
  }

  /// The response for one of the tasks.
  ///
  /// - Parameter start: when the task began to wait.
  func response(
    to request: ImageRequest, since start: JobInstant, isCoalesced: Bool
  ) -> ImageResponse {
    ImageResponse(
      picture: loaded.picture.at(scale: request), request: request, source: loaded.source,
      isCoalesced: isCoalesced, encodedByteCount: loaded.encodedByteCount, timings: loaded.timings,
      // A task that joined at the last moment may have started after the end.
      total: max(.zero, start.duration(to: end)), verdict: loaded.verdict,
      renditionMiss: loaded.renditionMiss)
  }
}

extension ImageTask: Hashable {
  /// By identity.
  public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Picture {
  /// The same picture at the scale of a request; it shares its pixels.
  func at(scale request: ImageRequest) -> Picture {
    guard request.hasScale, request.scale != scale else { return self }
    return withScale(request.scale)
  }
}

/// The stages that a load can pass through.
public enum ImageStage: String, Hashable, Sendable, CaseIterable {
  /// Reading a file or a cache entry.
  case read
  /// The exchange with the server, or the fetcher's work.
  case network
  /// Waiting for a free decoder.
  case wait
  /// From encoded bytes to pixels, at the reduced scale.
  case decode
  /// Resampling to the target and turning upright.
  case resize
  /// The processors of the request.
  case process
  /// From pixels to an encoded rendition, in the background.
  case encode
  /// Writing to the disk cache, in the background.
  case store
  /// From the request to the answer: the caller's waiting time, including the time between stages.
  case total
}

/// The durations of the stages of one load, in the order in which they began. A stage that ran twice (for example
/// because a damaged rendition was decoded first) counts with its total time.
///
/// They state what the request waited for: a stage that other work delays counts from when the load turned to it, places in queues
/// included. Observers (`ImagePipelineObserving`) receive the work alone.
public struct StageTimings: Hashable, Sendable {
  /// A stage and its duration.
  public struct Entry: Hashable, Sendable {
    /// The stage.
    public let stage: ImageStage
    /// Its duration by the wall clock.
    public fileprivate(set) var duration: Duration
  }

  /// The stages that ran.
  public private(set) var entries: [Entry] = []

  /// The duration of a stage; `nil` if it did not run.
  public subscript(stage: ImageStage) -> Duration? {
    entries.first { $0.stage == stage }?.duration
  }

  mutating func add(_ stage: ImageStage, _ duration: Duration) {
    if let index = entries.firstIndex(where: { $0.stage == stage }) {
      entries[index].duration += duration
    } else {
      // Enough for most loads, in one allocation.
      if entries.isEmpty { entries.reserveCapacity(4) }
      entries.append(Entry(stage: stage, duration: duration))
    }
  }

  mutating func add(_ other: StageTimings) {
    guard !entries.isEmpty else { return entries = other.entries }
    entries.reserveCapacity(entries.count + other.entries.count)
    for entry in other.entries { add(entry.stage, entry.duration) }
  }

  func adding(_ other: StageTimings) -> StageTimings {
    var sum = self
    sum.add(other)
    return sum
  }
}
