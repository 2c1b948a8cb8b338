import Foundation
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
