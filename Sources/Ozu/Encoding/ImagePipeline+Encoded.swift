import Foundation

extension ImagePipeline {
  /// The encoded image of a request: from memory, else from the disk cache, else encoded once for all requests that
  /// want it.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url).resized(to: PixelSize(width: 640, height: 480))
  /// let file = try await pipeline.encoded(for: request, as: .webp)
  /// try file.data.write(to: destination)
  /// ```
  ///
  /// The bytes are the same in every state of the caches: they are made from the original, never from a rendition,
  /// which may have losses. The file is as fresh as its source and is stored under `ImageStoreKind.encoded`. In the
  /// cache layers of the request, `memory` and `renditions` mean the file, and `originals` its source.
  ///
  /// - Throws: `ImageError`; `encodingFailed` if the picture cannot be written in this format. Cancelling the calling
  ///   task cancels the work, unless other requests want it too.
  public func encoded(
    for request: ImageRequest, as format: OutputFormat
  ) async throws(ImageError) -> EncodedImage {
    if !hasObserversOrInterceptors, let image = servableEncoded(EncodingGoal(keyed(request), format)) {
      context.events.counters.encodedAnswers.increment()
      return image
    }
    return try await value(of: EncodingTask(request, as: format, pipeline: self), request)
  }

  /// The encoded image of a URL, at the picture's own size.
  ///
  /// - Throws: `ImageError`.
  public func encoded(for url: URL, as format: OutputFormat) async throws(ImageError) -> EncodedImage {
    try await encoded(for: ImageRequest(url: url), as: format)
  }

  /// The encoded image of a request if memory has it: synchronous, without waiting. Stale files are returned too, as
  /// by `cachedImage(for:)`; `encoded(for:as:)` revalidates them.
  public func cachedEncoded(for request: ImageRequest, as format: OutputFormat) -> EncodedImage? {
    encodedInMemory(EncodingGoal(current(request), format))
  }

  func encodedInMemory(_ goal: EncodingGoal) -> EncodedImage? {
    guard goal.readsMemory, let entry = caches.encodedInMemory(goal.key, of: goal.request) else { return nil }
    let (validity, date) = (entry.record.rendition.validity, configuration.testing.currentDate())
    let now = configuration.instant
    return EncodedImage(
      EncodedAnswer(
        entry: entry, source: goal.request.mayServe(validity, at: date) ? .memory : .stale, isNew: false,
        timings: StageTimings(), verdict: ImageResponse.Verdict(validity, now: date), end: now),
      since: now, isCoalesced: false)
  }

  /// The encoded image in memory, if it may be served without asking the origin.
  fileprivate func servableEncoded(_ goal: EncodingGoal) -> EncodedImage? {
    guard let image = encodedInMemory(goal),
      image.source == .memory || goal.request.cachePolicy == .cacheOnly
    else { return nil }
    return image
  }
}

/// A request for an encoded file.
private final class EncodingTask: Answering {
  typealias Value = EncodedImage
  typealias Work = EncodeImage

  let answer: Answer<EncodingTask>
  private let format: OutputFormat

  init(
    _ request: ImageRequest, as format: OutputFormat, pipeline: ImagePipeline,
    subscriber: AnswerSubscriber<EncodedImage>? = nil, isInner: Bool = false
  ) {
    self.format = format
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
    EncodeImage(EncodingGoal(request, format), pipeline.context, epoch)
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
    EncodingTask(request, as: format, pipeline: pipeline, subscriber: subscriber, isInner: true)
  }

  func count(_ made: EncodedAnswer, isCoalesced: Bool) { countAnswer() }

  func count(_ image: EncodedImage) { countAnswer() }

  private func countAnswer() { pipeline.context.events.counters.encodedAnswers.increment() }

  static func observed(_ image: EncodedImage) -> RequestOutcome { .data(byteCount: image.data.count) }
}

/// Functions of a pipeline for the image service.
extension ImagePipeline {
  /// The key under which the file of a request is stored, the same on every machine. Machines use it to agree which
  /// one makes the file.
  package func storeKey(for request: ImageRequest, as format: OutputFormat) -> ImageStoreKey {
    ImageStoreKey(.encoded, EncodingGoal(keyed(request), format).key)
  }

  /// A request for a file with its computed key; for repeated requests for the same file.
  package struct FileRequest: Sendable {
    fileprivate let goal: EncodingGoal

    /// The key under which the file is stored, as of `storeKey(for:as:)`.
    package var storeKey: ImageStoreKey { ImageStoreKey(.encoded, goal.key) }
  }

  /// The request for the file of an image. It can be kept: if it is out of date, `cachedEncoded` finds nothing.
  package func fileRequest(for request: ImageRequest, as format: OutputFormat) -> FileRequest {
    FileRequest(goal: EncodingGoal(keyed(request), format))
  }

  /// The same as `cachedEncoded(for:as:)`, without computing the key.
  package func cachedEncoded(_ request: FileRequest) -> EncodedImage? { encodedInMemory(request.goal) }

  /// The state of a source's bytes.
  package struct SourceState: Sendable {
    /// The identity of the bytes, the same on every machine.
    package let identity: String
    /// The time until which the origin need not be asked again.
    package let freshUntil: Date
  }

  /// The state of a source's bytes. The source is loaded as by a request, without decoding, and the bytes are kept
  /// for a load that may follow. `nil` if the origin forbids storing, and for sources that are not from the web.
  ///
  /// - Throws: `ImageError`.
  package func sourceState(of request: ImageRequest) async throws(ImageError) -> SourceState? {
    try request.validate()
    try configuration.check(request.source)
    let request = request.keyed(by: configuration.caching.cacheKeyRules)
    let fetched = try await bytes(for: request, priority: request.priority).outcome.get()
    guard fetched.allowsStoring else { return nil }
    guard let validity = fetched.validity, !validity.bodyIdentity.isEmpty else { return nil }
    return SourceState(identity: validity.bodyIdentity, freshUntil: validity.freshUntil)
  }

  /// Returns when all files made so far have been written to every store, or after 10 seconds.
  package func storesSettled() async {
    // Writes happen in order, so waiting for this one is enough. Waiting for an empty backlog might never end while
    // others are added.
    await withCheckedContinuation { turn in context.backlog.enqueue { turn.resume() } }
    await caches.flushFurther(sleep: configuration.testing.sleep)
  }
}

extension Picture {
  /// A file of the picture, made on the decoding threads of a pipeline.
  ///
  /// ```swift
  /// try await picture.encoded(as: .png).write(to: file)
  /// ```
  ///
  /// - Throws: `EncodingError`.
  public func encoded(
    as type: ImageType, options: EncodingOptions = EncodingOptions(), by pipeline: ImagePipeline = .shared
  ) async throws(EncodingError) -> Data {
    try await pipeline.encode(self, as: type, options: options)
  }
}
