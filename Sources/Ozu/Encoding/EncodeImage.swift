import Foundation

/// The job that produces the encoded image of a request.
///
/// It looks into memory, then into the stores, and then makes the picture from its source and encodes it, with a
/// place among the decodes, because a caller waits for it. A stale file is held while the origin is asked; it is
/// served again if the origin confirms it or cannot be reached.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class EncodeImage: JobWork, @unchecked Sendable {
  /// The next action of the job.
  enum Action {
    case look
    case read(isFar: Bool)
    /// Waits for the origin's bytes, to compare them with the stale file.
    case confirm
    /// Waits for the picture.
    case load
    /// Waits for the animation without processors, to process each frame.
    case loadAnimation(LoadedPicture, FetchedData)
    case encode(EncodingInput)
    /// Waits until the backlog has room for the writes.
    case wait
  }

  let goal: EncodingGoal
  let context: LoadContext
  /// The epochs in which the file was asked for.
  let epoch: LoadEpoch
  private(set) var outcome: Result<EncodedAnswer, ImageError> = .failure(.cancelled(""))
  var next = Action.look
  /// A cached file that may not be served without asking the origin.
  var stale: EncodedEntry?
  var timings = StageTimings()
  /// Whether colours are converted although the format asks to keep them.
  var converts: Bool
  /// Whether the gain map is not applied although the request asks for it.
  var isDimmed: Bool

  init(_ goal: EncodingGoal, _ context: LoadContext, _ epoch: LoadEpoch) {
    self.goal = goal
    self.epoch = epoch
    self.context = context
    converts = !goal.format.mayEmbed(context.configuration.decoding.codecs)
    isDimmed = !goal.format.mayBeBright(context.configuration.decoding.codecs)
  }

  var loadRequest: ImageRequest {
    let load = converts ? goal.convertedLoad : goal.load
    return isDimmed ? load.with { $0.headroomStops = nil } : load
  }

  var request: ImageRequest { goal.request }
  var configuration: ImagePipeline.Configuration { context.configuration }
  var name: String { request.source.name }

  // MARK: Steps

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    switch next {
    case .look: return look()
    case .confirm:
      if overdue != nil { return fail(.deadlineExceeded(name, stage: .network)) }
      guard let fetch = job.input as? FetchWork else { return fail(.waitsForItself(name)) }
      return confirm(fetch.outcome)
    case .load:
      guard let load = job.input as? LoadImage else { return fail(.waitsForItself(name)) }
      switch load.outcome {
      case .failure(let error): return fail(error)
      case .success(let end):
        guard let fetched = load.fetched else { return fail(.cancelled(name)) }
        return prepare(end.loaded, fetched)
      }
    case .loadAnimation(let loaded, let fetched):
      guard let load = job.input as? LoadImage else { return fail(.waitsForItself(name)) }
      switch load.outcome {
      case .failure(let error): return fail(error)
      case .success(let end): return encode(loaded, end.loaded.picture.animation, fetched)
      }
    case .wait: return .finish(succeeded: true)
    case .read, .encode: preconditionFailure("these have a place in a station")
    }
  }

  override func run(_ job: RunningJob) -> JobStep {
    if cancellation.isRaised { return fail(.cancelled(name)) }
    switch next {
    case .read(let isFar): return read(isFar: isFar)
    case .encode(let input): return encode(input)
    case .look, .confirm, .load, .loadAnimation, .wait: preconditionFailure("these need no place")
    }
  }

  private func look() -> JobStep {
    if goal.readsMemory, let entry = context.caches.encodedInMemory(goal.key, of: request) {
      return serve(entry, .memory)
    }
    guard goal.readsStores else { return load(nil) }
    guard context.caches.mayHave(.encoded(goal.key, request)) else {
      context.caches.noteAbsence(.encoded(goal.key, request))
      return load(nil)
    }
    return go(.read(isFar: false), in: .disk)
  }

  private func read(isFar: Bool) -> JobStep {
    let start = configuration.instant
    let entry = context.caches.encoded(goal.key, of: request, from: isFar ? .far : .near)
    timings.add(.read, start.duration(to: configuration.instant))
    if let entry { return serve(entry, .rendition) }
    if !isFar, context.caches.mayHave(.encoded(goal.key, request), in: .far) {
      return go(.read(isFar: true), in: .levels)
    }
    return load(nil)
  }

  /// Answers with a cached file if it is fresh; otherwise asks the origin.
  private func serve(_ entry: EncodedEntry, _ source: ImageResponse.Source) -> JobStep {
    let date = configuration.testing.currentDate()
    let validity = entry.record.rendition.validity
    let isFresh = request.mayServe(validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else {
      stale = entry
      let (context, load, epoch) = (context, goal.load, epoch)
      let number = context.sharingNumber(epoch, load)
      next = .confirm
      return .depend(
        JobDependence(key: .fetch(load, number: number), deadline: context.deadline(.network)) {
          JobStart(FetchWork(load, context, epoch))
        })
    }
    if source == .rendition { keepInMemory(entry) }
    return finish(entry, isFresh ? source : .stale, ImageResponse.Verdict(validity, now: date))
  }

  // MARK: The next step and the end

  func go(_ action: Action, in station: StationID, size: Int = 0) -> JobStep {
    next = action
    return .go(station, size: size)
  }

  func finish(
    _ entry: EncodedEntry, _ source: ImageResponse.Source, _ verdict: ImageResponse.Verdict
  ) -> JobStep {
    finish(entry, source, verdict, isNew: false)
    return .finish(succeeded: true)
  }

  func finish(
    _ entry: EncodedEntry, _ source: ImageResponse.Source, _ verdict: ImageResponse.Verdict, isNew: Bool,
    allowsStoring: Bool = true
  ) {
    outcome = .success(
      EncodedAnswer(
        entry: entry, source: source, isNew: isNew, allowsStoring: allowsStoring, timings: timings,
        verdict: verdict))
    // The job may be retained for long, so it releases its pictures.
    (next, stale) = (.wait, nil)
  }

  func fail(_ error: ImageError) -> JobStep {
    outcome = .failure(error)
    return .finish(succeeded: false)
  }
}
