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
  private enum Action {
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
  private let context: LoadContext
  private(set) var outcome: Result<EncodedAnswer, ImageError> = .failure(.cancelled(""))
  private var next = Action.look
  /// A cached file that may not be served without asking the origin.
  private var stale: EncodedEntry?
  private var timings = StageTimings()
  /// Whether colours are converted although the format asks to keep them.
  private var converts: Bool
  /// Whether the gain map is not applied although the request asks for it.
  private var isDimmed: Bool

  init(_ goal: EncodingGoal, _ context: LoadContext) {
    self.goal = goal
    self.context = context
    converts = !goal.format.mayEmbed(context.configuration.decoding.codecs)
    isDimmed = !goal.format.mayBeBright(context.configuration.decoding.codecs)
  }

  private var loadRequest: ImageRequest {
    let load = converts ? goal.convertedLoad : goal.load
    return isDimmed ? load.with { $0.headroomStops = nil } : load
  }

  private var request: ImageRequest { goal.request }
  private var configuration: ImagePipeline.Configuration { context.configuration }
  private var name: String { request.source.name }

  // MARK: Steps

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    switch next {
    case .look: return look()
    case .confirm:
      if overdue != nil { return fail(.deadlineExceeded(name, stage: .network)) }
      guard let fetch = job.input as? FetchWork else { return fail(.cancelled(name)) }
      return confirm(fetch.outcome)
    case .load:
      guard let load = job.input as? LoadImage else { return fail(.cancelled(name)) }
      switch load.outcome {
      case .failure(let error): return fail(error)
      case .success(let end):
        guard let fetched = load.fetched else { return fail(.cancelled(name)) }
        return prepare(end.loaded, fetched)
      }
    case .loadAnimation(let loaded, let fetched):
      guard let load = job.input as? LoadImage else { return fail(.cancelled(name)) }
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
    guard context.caches.mayHaveEncoded(goal.key, of: request) else {
      context.caches.noteAbsence(ofEncoded: request)
      return load(nil)
    }
    return go(.read(isFar: false), in: .disk)
  }

  private func read(isFar: Bool) -> JobStep {
    let start = configuration.instant
    let entry = context.caches.encoded(goal.key, of: request, isFar: isFar)
    timings.add(.read, start.duration(to: configuration.instant))
    if let entry { return serve(entry, .rendition) }
    if !isFar, context.caches.mayHaveFarEncoded(goal.key, of: request) {
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
      let (context, load) = (context, goal.load)
      let number = context.sharingNumber()
      next = .confirm
      return .depend(
        JobDependence(key: .fetch(load, number: number), deadline: context.deadline(.network)) {
          JobStart(FetchWork(load, context))
        })
    }
    if source == .rendition, goal.writesMemory { context.caches.keepEncoded(entry, goal.key) }
    return finish(entry, isFresh ? source : .stale, ImageResponse.Verdict(validity, now: date))
  }

  // MARK: The origin

  private func confirm(_ outcome: Result<FetchedData, ImageError>) -> JobStep {
    switch outcome {
    case .failure(let error): return serveStale(after: error)
    case .success(let fetched):
      timings.add(fetched.timings)
      guard let stale, let validity = fetched.validity, fetched.allowsStoring,
        validity.hasBody(of: stale.record.rendition.validity)
      else {
        // A file made from other bytes is removed, even if no new one may be stored.
        forget()
        stale = nil
        return load(fetched)
      }
      let renewed = EncodedEntry(stale.data, stale.record.renewed(validity), of: request)
      let source: ImageResponse.Source = fetched.source == .original ? .rendition : fetched.source
      finish(renewed, source, ImageResponse.Verdict(fetched.http?.decision), isNew: false)
      return write(renewed, fetched)
    }
  }

  /// Serves the stale file if its origin cannot be reached.
  private func serveStale(after error: ImageError) -> JobStep {
    guard error.isDisconnection, request.cachePolicy == .useCaches, let stale,
      let validity = stale.record.rendition.validity, validity.mayOutlive
    else { return fail(error) }
    return finish(
      stale, .stale, .servedStale(validity, now: configuration.testing.currentDate()))
  }

  /// Makes the picture from its source.
  ///
  /// - Parameter fetched: the bytes of the source, if they are already fetched.
  private func load(_ fetched: FetchedData?) -> JobStep {
    next = .load
    return depend(on: loadRequest, fetched)
  }

  private func depend(on load: ImageRequest, _ fetched: FetchedData?) -> JobStep {
    let (context, number) = (context, context.sharingNumber())
    return .depend(
      JobDependence(key: .load(load, number: number)) { JobStart(LoadImage(load, context, fetched: fetched)) }
    )
  }

  // MARK: The file

  /// An animation is processed frame by frame, so it is loaded without processors.
  private func prepare(_ loaded: LoadedPicture, _ fetched: FetchedData) -> JobStep {
    let moves = goal.format.keepsAnimation && (loaded.picture.header?.frameCount ?? 1) > 1
    let canMove =
      moves
      && goal.format.types.contains(where: configuration.decoding.codecs.encodableAnimationTypes.contains)
    guard canMove, !request.decodedSteps.isEmpty else {
      return encode(loaded, canMove ? loaded.picture.animation : nil, fetched)
    }
    next = .loadAnimation(loaded, fetched)
    return depend(on: loadRequest.with { $0.processors = [] }, fetched)
  }

  private func encode(
    _ loaded: LoadedPicture, _ animation: PictureAnimation?, _ fetched: FetchedData
  ) -> JobStep {
    let size = loaded.picture.byteCount / 16 * (animation?.frameCount ?? 1)
    return go(
      .encode(EncodingInput(loaded: loaded, animation: animation, fetched: fetched)), in: .decode, size: size)
  }

  private func encode(_ input: EncodingInput) -> JobStep {
    let (loaded, fetched) = (input.loaded, input.fetched)
    timings.add(loaded.timings)
    let (start, stage) = (configuration.instant, context.events.stageBegan(.encode, of: name))
    let maker = EncodedFileMaker(
      input: input, goal: goal, configuration: configuration, isCancelled: { [self] in cancellation.isRaised }
    )
    let result = Result { () throws(ImageError) in try maker.make() }
    context.events.stageEnded(stage, byteCount: (try? result.get())?.data.count ?? 0)
    let file: EncodedFile
    switch result {
    case .failure(.encodingFailed) where !(converts && isDimmed) && loaded.picture.bitmap.colorSpace != .sRGB:
      // The encoder does not accept the profile. The picture is encoded without it, with converted colours.
      (converts, isDimmed) = (true, true)
      return load(fetched)
    case .failure(let error): return fail(error)
    case .success(let made): file = made
    }
    context.events.counters.encodes.increment()
    timings.add(.encode, start.duration(to: configuration.instant))
    let record = EncodedRecord(
      type: file.type, size: file.size, frameCount: file.frameCount, checksum: CacheKey(hashing: file.data),
      notes: loaded.picture.notes + dimming(loaded.picture, file.type) + file.notes,
      rendition: RenditionRecord(
        header: loaded.picture.header, stamp: fetched.stamp, validity: fetched.validity, notes: []),
      sourceByteCount: loaded.encodedByteCount)
    let entry = EncodedEntry(file.data, record, of: request)
    finish(entry, loaded.source, loaded.verdict, isNew: true, allowsStoring: fetched.allowsStoring)
    guard fetched.allowsStoring else {
      forget()
      return .finish(succeeded: true)
    }
    return write(entry, nil)
  }

  /// The note about a gain map that could not be applied.
  private func dimming(_ picture: Picture, _ type: ImageType) -> [String] {
    guard isDimmed, request.headroomStops != nil, picture.header?.gainMap != nil else { return [] }
    return ["its gain map was not applied: a file as \(type.displayName) was possible, which cannot say so"]
  }

  // MARK: The caches

  /// Stores a file, and the source's bytes if they are given and new. Waits if the backlog has no room.
  private func write(_ entry: EncodedEntry, _ fetched: FetchedData?) -> JobStep {
    var waits = fetched.map { context.storeOriginal($0, for: goal.load) } ?? []
    if goal.writesMemory { context.caches.keepEncoded(entry, goal.key) }
    if goal.writesStores, !context.caches.stores.isEmpty {
      let wait = context.backlog.add(byteCount: entry.data.count) { [context, goal] _ in
        context.caches.store(entry, goal.key, for: goal.request)
      }
      if let wait { waits.append(wait) }
    }
    next = .wait
    // Writes happen in order: when the last is done, all are done.
    return waits.last.map(JobStep.depend) ?? .finish(succeeded: true)
  }

  private func forget() {
    guard request.cachePolicy.writesCaches else { return }
    context.caches.encodedMemory.removeValue(forKey: goal.key)
    context.backlog.enqueue { [context, goal] in context.caches.removeEncoded(goal.key, of: goal.request) }
  }

  // MARK: Ends

  private func go(_ action: Action, in station: StationID, size: Int = 0) -> JobStep {
    next = action
    return .go(station, size: size)
  }

  private func finish(
    _ entry: EncodedEntry, _ source: ImageResponse.Source, _ verdict: ImageResponse.Verdict
  ) -> JobStep {
    finish(entry, source, verdict, isNew: false)
    return .finish(succeeded: true)
  }

  private func finish(
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

  private func fail(_ error: ImageError) -> JobStep {
    outcome = .failure(error)
    return .finish(succeeded: false)
  }
}
