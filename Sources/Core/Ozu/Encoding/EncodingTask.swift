final class EncodingTask: Answering {
  typealias Value = EncodedImage
  typealias Work = EncodeImage

  let answer: Answer<EncodingTask>
  private let format: OutputFormat
  /// The source, if the caller has it already.
  private let fetched: FetchedData?

  init(
    _ request: ImageRequest, as format: OutputFormat, pipeline: ImagePipeline, fetched: FetchedData? = nil,
    subscriber: AnswerSubscriber<EncodedImage>? = nil, isInner: Bool = false
  ) {
    (self.format, self.fetched) = (format, fetched)
    answer = Answer(
      request, keyed: pipeline.keyed(request), pipeline: pipeline, subscriber: subscriber, isInner: isInner)
  }

  var wantsSize: Bool { false }

  func inMemory(_ request: ImageRequest) -> EncodedImage? {
    pipeline.servableEncoded(EncodingGoal(request, format))
  }

  func jobKey(for request: ImageRequest, _ epoch: LoadEpoch) throws(ImageError) -> JobKey? {
    try request.validate()
    return .encoding(
      EncodingGoal(request, format), number: pipeline.context.resultSharingNumber(epoch, request))
  }

  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> EncodeImage {
    EncodeImage(EncodingGoal(request, format), pipeline.context, epoch, fetched: fetched)
  }

  func value(of made: EncodedAnswer, isCoalesced: Bool) -> Result<EncodedImage, ImageError> {
    .success(EncodedImage(made, since: start, isCoalesced: isCoalesced))
  }

  func ask(
    _ interceptor: any ImageInterceptor, _ request: ImageRequest, _ rest: ImageLoadChain<EncodedImage>
  ) async throws(ImageError) -> EncodedImage {
    try await interceptor.interceptEncoded(request, as: format, next: rest)
  }

  func makeInner(for request: ImageRequest, _ subscriber: AnswerSubscriber<EncodedImage>) -> EncodingTask {
    // An interceptor may have changed the source, and those are not its bytes.
    let fetched = request.key.source == answer.request.key.source ? fetched : nil
    return EncodingTask(
      request, as: format, pipeline: pipeline, fetched: fetched, subscriber: subscriber, isInner: true)
  }

  func count(_ made: EncodedAnswer, isCoalesced: Bool) { countAnswer() }

  func count(_ image: EncodedImage) { countAnswer() }

  private func countAnswer() { pipeline.context.events.counters.encodedAnswers.increment() }

  static func observed(_ image: EncodedImage) -> RequestOutcome { .data(byteCount: image.data.count) }
}
