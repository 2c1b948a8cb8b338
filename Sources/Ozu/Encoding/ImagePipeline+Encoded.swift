import Foundation
import OzuHTTP
import OzuSynchronization

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
    try await observing(request, byteCount: \.data.count) { () async throws(ImageError) in
      let image =
        hasInterceptors
        ? try await interceptedEncoded(for: request, as: format)
        : try await ownEncoded(for: request, as: format)
      context.events.counters.encodedAnswers.increment()
      return image
    }
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
    return EncodedImage(
      EncodedAnswer(
        entry: entry, source: goal.request.mayServe(validity, at: date) ? .memory : .stale, isNew: false,
        timings: StageTimings(), verdict: ImageResponse.Verdict(validity, now: date)),
      total: .zero, isCoalesced: false)
  }

  /// The load inside the interceptors. The alternatives are tried one after the other; if all fail, the error is that
  /// of the first.
  private func ownEncoded(
    for request: ImageRequest, as format: OutputFormat
  ) async throws(ImageError) -> EncodedImage {
    let start = configuration.instant
    let first: ImageError
    do throws(ImageError) {
      return try await encoded(EncodingGoal(keyed(request), format), since: start)
    } catch {
      first = error
    }
    guard request.hasAlternatives, !first.isCancellation else { throw first }
    for source in request.substitutes(after: first) {
      do throws(ImageError) {
        return try await encoded(EncodingGoal(keyed(request.alternative(source)), format), since: start)
      } catch {
        if error.isCancellation { throw error }
        if error.kind == .deadlineExceeded { throw error }
      }
    }
    throw first
  }

  private func encoded(
    _ goal: EncodingGoal, since start: JobInstant
  ) async throws(ImageError) -> EncodedImage {
    let request = goal.request
    try request.validate()
    try configuration.check(request.source)
    // A file that needs no revalidation needs no job.
    if let image = encodedInMemory(goal), image.source == .memory || request.cachePolicy == .cacheOnly {
      return image
    }
    if Task.isCancelled { throw .cancelled(request.source.name) }
    let limit = request.deadline ?? configuration.stageTimeouts[.total]
    let hasMadeJob = Atomic(false)
    let awaiter = JobAwaiter(context.runner, request.priority)
    let epoch = context.epochs.epoch(of: request)
    let work = await awaiter.work(
      of: .encoding(goal, number: context.resultSharingNumber(epoch, request)),
      deadline: limit.map { JobDeadline(instant: start.advanced(by: $0), tag: ImageStage.total.tag) }
    ) {
      hasMadeJob.store(true, ordering: .relaxed)
      return JobStart(EncodeImage(goal, context, context.epochs.beginJob(for: request, askedIn: epoch)))
    }
    guard let work = work as? EncodeImage, awaiter.overdueStage == nil else {
      throw awaiter.failure(request.source.name)
    }
    return EncodedImage(
      try work.outcome.get(), total: start.duration(to: configuration.instant),
      isCoalesced: !hasMadeJob.load(ordering: .relaxed))
  }

  private func interceptedEncoded(
    for request: ImageRequest, as format: OutputFormat
  ) async throws(ImageError) -> EncodedImage {
    let chain = ImageLoadChain<EncodedImage>(configuration.interceptors) {
      (interceptor, request, rest) async throws(ImageError) in
      try await interceptor.interceptEncoded(request, as: format, next: rest)
    } load: { (request) async throws(ImageError) in
      try await self.ownEncoded(for: request, as: format)
    }
    return try await chain.load(request)
  }
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
    let fetch = try await fetch(request, urgency: DataUrgency(request.priority))
    let fetched = try fetch.outcome.get()
    guard fetched.allowsStoring else { return nil }
    await storeIfPicture(fetched, for: request, fetch.epoch)
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
