/// The job that fetches the bytes of a source, or its header alone, and stores them if they are a picture: other
/// responses of a server are not stored. It waits for room in the backlog, so that a caller that loads one file after
/// the other is never far ahead of the disk.
///
/// It shares the download with other jobs, and is itself not shared.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class LoadBytes: ReportingWork, AnswerWork, @unchecked Sendable {
  /// What is wanted of a source.
  enum Goal {
    /// Its bytes, whatever they are. Pixels fail, so that the next source is tried.
    case bytes
    /// Its bytes or pixels, whatever they are.
    case any
    /// The same, unless they are known not to decode.
    case original
    /// The same if they open as a picture, or its pixels. Anything else fails, so that the next source is tried.
    case picture
    /// Bytes that open as a picture, also if they are known not to decode: their metadata may be whole.
    case metadata
    /// Its header, with no more bytes than that needs.
    case header

    /// Whether it is wanted also of bytes that are known not to decode.
    var ignoresDamage: Bool { self == .bytes || self == .any || self == .metadata }
  }

  /// The states of the job, by the thing that it waits for.
  private enum State {
    /// To be asked for the first time, and for the download.
    case begin, fetching
    /// For a place to read the header of the whole file.
    case reading(FetchedData)
    /// For room in the backlog.
    case writing
  }

  private(set) var outcome: Result<FetchedData, ImageError> = .failure(.unfinished)
  private let request: ImageRequest
  private let context: LoadContext
  private let epoch: LoadEpoch
  private let goal: Goal
  private var state = State.begin

  init(_ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, _ goal: Goal) {
    (self.request, self.context, self.epoch, self.goal) = (request, context, epoch, goal)
  }

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    switch (state, event) {
    case (_, .slot) where cancellation.isRaised: outcome = .failure(.cancelled(request.source.name))
    case (.begin, _):
      if !goal.ignoresDamage, let error = context.failure(ofPicture: request) {
        outcome = .failure(error)
        break
      }
      state = .fetching
      return .depend(FetchWork.dependence(on: request, context, epoch, isForHeader: goal == .header))
    case (.fetching, .finished(let fetch as FetchWork)):
      outcome = fetch.outcome
      guard case .success(let fetched) = outcome, fetched.header == nil else { break }
      switch (goal, fetched.content) {
      case (.bytes, .picture): outcome = .failure(.emptyData(request.source.name))
      case (.bytes, .data), (.any, _), (.original, _), (.picture, .picture): return end(with: fetched)
      case (.header, _), (.metadata, _), (.picture, .data):
        state = .reading(fetched)
        return .go(.decode, size: 0)
      }
    case (.reading(let fetched), _):
      outcome = header(of: fetched)
      return end(with: fetched)
    case (.fetching, .overdue): outcome = .failure(.deadlineExceeded(request.source.name, stage: .network))
    case (.fetching, .circular): outcome = .failure(.waitsForItself(request.source.name))
    case (.fetching, _): outcome = .failure(.cancelled(request.source.name))
    case (.writing, _): break
    }
    return finish()
  }

  private func finish() -> JobStep {
    if case .success = outcome { return .finish(succeeded: true) }
    return .finish(succeeded: false)
  }

  /// Finishes when the bytes are stored, or wait to be.
  private func end(with fetched: FetchedData) -> JobStep {
    guard let write = store(fetched) else { return finish() }
    state = .writing
    return .depend(write)
  }

  /// A whole file with its header. One without fails here, so that the next source is tried.
  private func header(of fetched: FetchedData) -> Result<FetchedData, ImageError> {
    let (decoding, name) = (context.configuration.decoding, request.source.name)
    guard case .data(let data) = fetched.content else { return .failure(.emptyData(name)) }
    return Result { () throws(ImageDecodingError) in
      let header = try decoding.codecs.header(of: data, limits: decoding.limits)
      return FetchedData(fetched.content, source: fetched.source, header: header)
    }.mapError { ImageError($0, source: name) }
  }

  /// Stores the bytes as an original if they open as a picture.
  ///
  /// - Returns: the write to wait for; `nil` while there is room.
  private func store(_ fetched: FetchedData) -> JobDependence? {
    let source = request.key.source
    let right = context.epochs.right(toOriginalOf: source, in: epoch)
    guard !context.caches.stores.isEmpty, request.writesOriginals, right.isValid,
      let original = fetched.claimOriginal()
    else { return nil }
    return context.backlog.add(byteCount: original.byteCount, originalOf: source) { [context, request] _ in
      let decoding = context.configuration.decoding
      guard case .data(let data) = fetched.content,
        (try? decoding.codecs.open(data, limits: decoding.limits)) != nil
      else { return }
      context.caches.store(original, for: request, by: right)
    }
  }

  override func waits(for other: JobWork) { (other as? FetchWork)?.progressEvents.add(self) }

  override func didLeaveGraph() { progressEvents.close() }
}

extension LoadBytes: ProgressListener {
  func receive(_ event: ProgressEvent) { progressEvents.relay(event) }

  var wantsSize: Bool { false }
}
