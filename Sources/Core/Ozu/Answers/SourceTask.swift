/// A running load of the bytes of a source, or of its header alone, with what is known about them: alternatives, the deadline and
/// observers count as for every answer.
///
/// Interceptors are passed by, because what they see is bytes without that knowledge.
final class SourceTask: Answering {
  typealias Value = FetchedData
  typealias Work = LoadBytes

  let answer: Answer<SourceTask>
  private let isForHeader: Bool

  init(_ request: ImageRequest, isForHeader: Bool = false, pipeline: ImagePipeline, isInner: Bool = false) {
    self.isForHeader = isForHeader
    answer = Answer(request, keyed: pipeline.keyed(request), pipeline: pipeline, isInner: isInner)
  }

  var wantsSize: Bool { false }

  func inMemory(_ request: ImageRequest) -> FetchedData? { nil }

  func jobKey(for request: ImageRequest, _ epoch: LoadEpoch) throws(ImageError) -> JobKey? { nil }

  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> LoadBytes {
    LoadBytes(request, pipeline.context, epoch, isForHeader: isForHeader)
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
    SourceTask(request, isForHeader: isForHeader, pipeline: pipeline, isInner: true)
  }

  func count(_ fetched: FetchedData, isCoalesced: Bool) { count(fetched) }

  func count(_ fetched: FetchedData) { pipeline.context.events.counters.dataAnswers.increment() }

  static func observed(_ fetched: FetchedData) -> RequestOutcome {
    guard case .data(let data) = fetched.content else { return .data(byteCount: 0) }
    return .data(byteCount: data.count)
  }
}
