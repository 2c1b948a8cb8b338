import OzuBase

/// The job that produces the encoded image of a request.
///
/// It looks into memory, then into the stores, and then makes the picture from its source and encodes it, with a
/// place among the decodes, because a caller waits for it. A stale file is held while the origin is asked; it is
/// served again if the origin confirms it or cannot be reached.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class EncodeImage: JobWork, AnswerWork, @unchecked Sendable {
  /// The states of the job, by the thing that it waits for.
  enum State {
    /// To be asked for the first time.
    case begin
    /// A place to read the stores.
    case reading(ImageCaches.Tiers)
    /// The origin's bytes, to compare them with a cached file that may not be served without asking, and where that was.
    case confirming(EncodedEntry, ImageResponse.Source)
    /// The picture.
    case loading
    /// The animation without processors, to process each frame.
    case loadingAnimation(LoadedPicture, FetchedData)
    /// A place to encode.
    case encoding(LoadedPicture, PictureAnimation?, FetchedData)
    /// Room in the backlog for the writes.
    case writing
    /// Nothing more. The job may be retained for long, so it holds no pictures then.
    case over
  }

  let goal: EncodingGoal
  let context: LoadContext
  /// The epochs in which the file was asked for.
  let epoch: LoadEpoch
  /// The bytes of the source, if the caller has fetched them.
  private let given: FetchedData?
  private(set) var outcome: Result<EncodedAnswer, ImageError> = .failure(.unfinished)
  private var state = State.begin
  private var timings = StageTimings()
  /// Where the bytes came from, if a load of the picture is given them: to the load they are no download.
  private var origin: (source: ImageResponse.Source, verdict: ImageResponse.Verdict)?
  /// Whether colours are converted although the format asks to keep them.
  private var converts = false
  /// Whether the gain map is not applied although the request asks for it.
  private var isDimmed = false

  init(_ goal: EncodingGoal, _ context: LoadContext, _ epoch: LoadEpoch, fetched: FetchedData? = nil) {
    self.goal = goal
    given = fetched
    self.epoch = epoch
    self.context = context
  }

  private var loadRequest: ImageRequest {
    let policy = converts ? .convertToSRGB : goal.format.colorProfile.colorPolicy
    return goal.load.with {
      $0.colorPolicy = policy
      if isDimmed { $0.headroomStops = nil }
    }
  }

  private var request: ImageRequest { goal.request }
  private var configuration: ImagePipeline.Configuration { context.configuration }
  private var name: String { request.source.name }

  override var title: (kind: PipelineDiagnostics.Kind, name: String)? { (.load, request.label) }

  override func stage(in station: StationID?, isRunning: Bool) -> ImageStage {
    if isRunning, station == .decode { return .encode }
    return station == .disk || station == .levels ? .read : .total
  }

  // MARK: From state to state

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    let former = state
    state = .over
    if case .slot = event, cancellation.isRaised { return fail(.cancelled(name)) }
    switch (former, event) {
    case (.begin, _): return look()
    case (.reading(let tiers), _): return read(from: tiers)
    case (.confirming, .overdue): return fail(.deadlineExceeded(name, stage: .network))
    case (.confirming(let stale, let place), .finished(let fetch as FetchWork)):
      return confirm(stale, from: place, fetch.outcome)
    case (.loading, .finished(let load as LoadImage)):
      switch load.outcome {
      case .failure(let error): return fail(error)
      case .success(let end):
        guard let fetched = load.fetched else { return fail(.cancelled(name)) }
        return prepare(end.loaded, fetched)
      }
    case (.loadingAnimation(let loaded, let fetched), .finished(let load as LoadImage)):
      switch load.outcome {
      case .failure(let error): return fail(error)
      case .success(let end): return queue(loaded, end.loaded.picture.animation, fetched)
      }
    case (.encoding(let loaded, let animation, let fetched), _):
      return encode(loaded, animation, fetched)
    case (.writing, _): return .finish(succeeded: true)
    case (.over, _): return fail(.cancelled(name))
    case (.confirming, _), (.loading, _), (.loadingAnimation, _): return fail(.waitsForItself(name))
    }
  }

  private func look() -> JobStep {
    // Not when the job is made, under the lock of the runner: encoders may be code of the app.
    let codecs = configuration.decoding.codecs
    (converts, isDimmed) = (!goal.format.mayEmbed(codecs), !goal.format.mayBeBright(codecs))
    if goal.readsMemory, let entry = context.caches.encodedInMemory(goal.key, of: request) {
      return serve(entry, .memory)
    }
    guard goal.readsStores else { return load(given) }
    guard context.caches.mayHave(.encoded(goal.key, request)) else {
      context.caches.noteAbsence(.encoded(goal.key, request))
      return load(given)
    }
    return go(.disk, .reading(.near))
  }

  private func read(from tiers: ImageCaches.Tiers) -> JobStep {
    let start = context.instant
    let entry = context.caches.encoded(goal.key, of: request, from: tiers)
    timings.add(.read, start.duration(to: context.instant))
    if let entry { return serve(entry, .rendition) }
    guard tiers == .near, context.caches.mayHave(.encoded(goal.key, request), in: .far) else {
      return load(given)
    }
    return go(.levels, .reading(.far))
  }

  /// Answers with a cached file if it is fresh; otherwise asks the origin.
  private func serve(_ entry: EncodedEntry, _ source: ImageResponse.Source) -> JobStep {
    let date = configuration.testing.currentDate()
    let validity = entry.record.rendition.validity
    let isFresh = request.mayServe(validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else {
      if let given { return confirm(entry, from: source, .success(given)) }
      if let error = context.failure(ofPicture: goal.load) { return serve(entry, after: error) }
      return wait(for: FetchWork.dependence(on: goal.load, context, epoch), .confirming(entry, source))
    }
    if source == .rendition { keepInMemory(entry) }
    return finish(entry, isFresh ? source : .stale, ImageResponse.Verdict(validity, now: date))
  }

  // MARK: The origin: its bytes compared with a stale file, and the picture

  private func confirm(
    _ stale: EncodedEntry, from place: ImageResponse.Source, _ outcome: Result<FetchedData, ImageError>
  ) -> JobStep {
    switch outcome {
    case .failure(let error): return serve(stale, after: error)
    case .success(let fetched):
      timings.add(fetched.timings)
      guard let validity = fetched.validity, fetched.allowsStoring,
        validity.hasBody(of: stale.record.rendition.validity)
      else {
        // A file made from other bytes is removed, even if no new one may be stored.
        forget()
        let now = configuration.testing.currentDate()
        origin = (source: fetched.source, verdict: ImageResponse.Verdict(fetched.http, now: now))
        return load(fetched)
      }
      let renewed = EncodedEntry(stale.data, stale.record.renewed(validity), of: request)
      let source = fetched.source == .original ? place : fetched.source
      finish(
        renewed, source, ImageResponse.Verdict(fetched.http, now: configuration.testing.currentDate()),
        of: fetched)
      return write(renewed, fetched)
    }
  }

  /// Serves the stale file if its origin cannot be reached.
  private func serve(_ stale: EncodedEntry, after error: ImageError) -> JobStep {
    guard let validity = stale.record.rendition.validity,
      context.mayServeStale(validity, to: request, after: error)
    else { return fail(error) }
    return finish(
      stale, .stale, .servedStale(validity, now: configuration.testing.currentDate()))
  }

  /// Makes the picture from its source.
  ///
  /// - Parameter fetched: the bytes of the source, if they are already fetched.
  private func load(_ fetched: FetchedData?) -> JobStep {
    wait(for: LoadImage.dependence(on: loadRequest, context, epoch, fetched: fetched), .loading)
  }

  // MARK: Encoding: the picture becomes a file, whose record tells how it was made

  /// An animation is processed frame by frame, so it is loaded without processors.
  private func prepare(_ loaded: LoadedPicture, _ fetched: FetchedData) -> JobStep {
    let moves = goal.format.keepsAnimation && (loaded.picture.header?.frameCount ?? 1) > 1
    let canMove =
      moves
      && goal.format.types.contains(where: configuration.decoding.codecs.encodableAnimationTypes.contains)
    guard canMove, !request.decodedSteps.isEmpty else {
      return queue(loaded, canMove ? loaded.picture.animation : nil, fetched)
    }
    let plain = loadRequest.with { $0.processors = [] }
    return wait(
      for: LoadImage.dependence(on: plain, context, epoch, fetched: fetched),
      .loadingAnimation(loaded, fetched))
  }

  private func queue(
    _ loaded: LoadedPicture, _ animation: PictureAnimation?, _ fetched: FetchedData
  ) -> JobStep {
    let size = loaded.picture.byteCount / 16 * (animation?.frameCount ?? 1)
    return go(.decode, .encoding(loaded, animation, fetched), size: size)
  }

  private func encode(
    _ loaded: LoadedPicture, _ animation: PictureAnimation?, _ fetched: FetchedData
  ) -> JobStep {
    timings.add(loaded.timings)
    let (start, stage) = (context.instant, context.events.stageBegan(.encode, of: name))
    let maker = EncodedFileMaker(
      loaded: loaded, animation: animation, fetched: fetched, goal: goal, configuration: configuration,
      isCancelled: { [self] in cancellation.isRaised })
    let result = Result { () throws(ImageError) in try maker.make() }
    context.events.stageEnded(stage, byteCount: (try? result.get())?.data.count ?? 0)
    let file: EncodedFile
    switch result {
    case .failure(.encodingFailed) where !(converts && isDimmed) && loaded.picture.bitmap.colorSpace != .sRGB:
      // The encoder does not accept the profile. The picture is encoded without it, with converted colours.
      (converts, isDimmed) = (true, true)
      origin = origin ?? (source: loaded.source, verdict: loaded.verdict)
      return load(fetched)
    case .failure(let error): return fail(error)
    case .success(let made): file = made
    }
    context.events.counters.encodes.increment()
    timings.add(.encode, start.duration(to: context.instant))
    let record = EncodedRecord(
      type: file.type, size: file.size, frameCount: file.frameCount, checksum: CacheKey(hashing: file.data),
      notes: loaded.picture.notes + dimming(loaded.picture, file.type) + file.notes,
      rendition: RenditionRecord(
        header: loaded.picture.header, stamp: fetched.stamp, validity: fetched.validity, notes: []),
      sourceByteCount: loaded.encodedByteCount)
    let entry = EncodedEntry(file.data, record, of: request)
    let (source, verdict) = origin ?? (source: loaded.source, verdict: loaded.verdict)
    finish(entry, source, verdict, isNew: true, of: fetched)
    if !fetched.allowsStoring || context.epochs.replaces(request, in: epoch) { forget() }
    return fetched.allowsStoring ? write(entry, fetched) : .finish(succeeded: true)
  }

  private func dimming(_ picture: Picture, _ type: ImageType) -> [String] {
    guard isDimmed, request.headroomStops != nil, picture.header?.gainMap != nil else { return [] }
    return [
      "its gain map was not applied: a file as \(type.displayName) was possible, which cannot state the brightness"
    ]
  }

  // MARK: Storing

  /// Stores a file, and the source's bytes if they are new. Waits if the backlog has no room.
  private func write(_ entry: EncodedEntry, _ fetched: FetchedData) -> JobStep {
    var waits = context.storeOriginal(fetched, for: goal.load, epoch)
    keepInMemory(entry)
    if goal.writesStores, !context.caches.stores.isEmpty {
      let wait = context.backlog.add(byteCount: entry.data.count) { [context, goal, right] _ in
        context.caches.store(entry, goal.key, for: goal.request, by: right)
      }
      if let wait { waits.append(wait) }
    }
    // Writes happen in order: when the last is done, all are done.
    return waits.last.map { wait(for: $0, .writing) } ?? .finish(succeeded: true)
  }

  /// Puts a file into memory, unless its source has been removed since the request.
  private func keepInMemory(_ entry: EncodedEntry) {
    guard goal.writesMemory else { return }
    context.caches.keepEncoded(entry, goal.key, by: right)
  }

  private var right: EpochRight { context.epochs.right(to: request, in: epoch) }

  /// Removes the former file, unless a later job may have stored another one. What a reload replaces goes in any case.
  private func forget() {
    let replaces = context.epochs.replaces(request, in: epoch)
    guard request.cachePolicy.writesCaches, replaces || right.isValid else { return }
    context.caches.encodedMemory.removeValue(forKey: goal.key)
    context.backlog.enqueue { [context, goal, right] in
      guard replaces || right.isValid else { return }
      context.caches.removeEncoded(goal.key, of: goal.request)
    }
  }

  // MARK: The next step and the end

  private func go(_ station: StationID, _ next: State, size: Int = 0) -> JobStep {
    state = next
    return .go(station, size: size)
  }

  private func wait(for other: JobDependence, _ next: State) -> JobStep {
    state = next
    return .depend(other)
  }

  /// Sets the outcome. A file that is to be stored goes on after that.
  @discardableResult
  private func finish(
    _ entry: EncodedEntry, _ source: ImageResponse.Source, _ verdict: ImageResponse.Verdict,
    isNew: Bool = false, of fetched: FetchedData? = nil
  ) -> JobStep {
    outcome = .success(
      EncodedAnswer(
        entry: entry, source: source, isNew: isNew, allowsStoring: fetched?.allowsStoring ?? true,
        freshUntil: fetched?.http?.freshUntil, timings: timings, verdict: verdict, end: context.instant))
    return .finish(succeeded: true)
  }

  private func fail(_ error: ImageError) -> JobStep {
    outcome = .failure(error)
    return .finish(succeeded: false)
  }
}

/// The goal of an encoding: the picture of a request in an output format.
struct EncodingGoal: Sendable {
  /// The request of the app, under the pipeline's key rules.
  let request: ImageRequest
  let format: OutputFormat
  let key: CacheKey

  init(_ request: ImageRequest, _ format: OutputFormat) {
    self.request = request
    self.format = format
    key = request.key.rendition.derived(format.identifier)
  }

  /// The load of the picture. It uses only the bytes of the source, because a rendition may have losses, and stores
  /// only those bytes.
  var load: ImageRequest {
    request.with {
      $0.readLayers = request.readLayers.intersection(.originals)
      $0.writeLayers = request.writeLayers.intersection(.originals)
    }
  }

  var readsStores: Bool { request.readsRenditions && !isPassing }
  var writesStores: Bool { request.writesRenditions && !isPassing }
  var readsMemory: Bool { request.readsMemory && !isPassing }
  var writesMemory: Bool { request.writesMemory && !isPassing }

  /// Whether the next file may differ, so that this one is not cached: the result of closures is unknown.
  private var isPassing: Bool { request.format?.hasHooks ?? false }
}
