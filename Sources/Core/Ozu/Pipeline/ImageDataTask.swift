import OzuBase

/// A running load of bytes, as `loadData(for:queue:progress:completion:)` starts it.
///
/// It runs even if no code awaits it, and ends exactly once. Cancelling a Swift task that awaits it cancels the load.
public final class ImageDataTask: Sendable {
  let answer: Answer<ImageDataTask>

  init(
    _ request: ImageRequest, pipeline: ImagePipeline, subscriber: AnswerSubscriber<Data>? = nil,
    isInner: Bool = false
  ) {
    answer = Answer(
      request, keyed: pipeline.keyed(request), pipeline: pipeline, subscriber: subscriber, isInner: isInner)
  }

  /// The request.
  public var request: ImageRequest { answer.request }

  /// The bytes.
  ///
  /// - Throws: `ImageError`.
  public var data: Data { get async throws(ImageError) { try await value } }

  /// Cancels the load. Work that other requests share continues; a finished task does not change.
  public func cancel() { abandon() }

  /// The progress of the download, beginning with the latest value. The stream ends with the task. Each call makes a
  /// new stream. A slow reader misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { progressStream }

  /// The latest progress of the download; `nil` before it began, or if nothing had to be downloaded.
  public var currentProgress: LoadProgress? { latestProgress }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place.
  public var priority: ImagePriority {
    get { level }
    set { level = newValue }
  }
}

extension ImageDataTask: Answering {
  typealias Value = Data
  typealias Work = LoadBytes

  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> LoadBytes {
    LoadBytes(request, pipeline.context, epoch, .bytes)
  }

  func value(of fetched: FetchedData, isCoalesced: Bool) -> Result<Data, ImageError> {
    guard case .data(let data) = fetched.content else { return .failure(.emptyData(attempt.source.name)) }
    return .success(data)
  }

  func ask(
    _ interceptor: any ImageInterceptor, _ request: ImageRequest, _ rest: ImageLoadChain<Data>
  ) async throws(ImageError) -> Data {
    try await interceptor.interceptData(request, next: rest)
  }

  func makeInner(for request: ImageRequest, _ subscriber: AnswerSubscriber<Data>) -> ImageDataTask {
    ImageDataTask(request, pipeline: pipeline, subscriber: subscriber, isInner: true)
  }

  static func observed(_ data: Data) -> RequestOutcome { .data(byteCount: data.count) }
}

/// Bytes are in no memory, and their jobs are not shared: those of the downloads are.
extension Answering where Work == LoadBytes {
  var wantsSize: Bool { false }
  func inMemory(_ request: ImageRequest) -> Value? { nil }
  func jobKey(for request: ImageRequest, _ epoch: LoadEpoch) throws(ImageError) -> JobKey? { nil }

  func count(_ fetched: FetchedData, isCoalesced: Bool) {
    pipeline.context.events.counters.dataAnswers.increment()
  }

  func count(_ value: Value) { pipeline.context.events.counters.dataAnswers.increment() }
}

/// A running load of the bytes of a source, or of its header alone, with what is known about them: alternatives, the deadline and
/// observers count as for every answer.
///
/// Interceptors are passed by, because what they see is bytes without that knowledge.
final class SourceTask: Answering {
  typealias Value = FetchedData
  typealias Work = LoadBytes

  let answer: Answer<SourceTask>
  private let goal: LoadBytes.Goal

  init(_ request: ImageRequest, _ goal: LoadBytes.Goal, pipeline: ImagePipeline, isInner: Bool = false) {
    self.goal = goal
    answer = Answer(request, keyed: pipeline.keyed(request), pipeline: pipeline, isInner: isInner)
  }

  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> LoadBytes {
    LoadBytes(request, pipeline.context, epoch, goal)
  }

  func value(of fetched: FetchedData, isCoalesced: Bool) -> Result<FetchedData, ImageError> {
    .success(fetched)
  }

  func ask(
    _ interceptor: any ImageInterceptor, _ request: ImageRequest, _ rest: ImageLoadChain<FetchedData>
  ) async throws(ImageError) -> FetchedData {
    try await rest.load(request)
  }

  func makeInner(for request: ImageRequest, _ subscriber: AnswerSubscriber<FetchedData>) -> SourceTask {
    SourceTask(request, goal, pipeline: pipeline, isInner: true)
  }

  static func observed(_ fetched: FetchedData) -> RequestOutcome {
    guard case .data(let data) = fetched.content else { return .data(byteCount: 0) }
    return .data(byteCount: data.count)
  }
}
