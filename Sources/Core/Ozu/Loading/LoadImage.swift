import OzuBase
import OzuHTTP

/// The job that answers a request that the memory cache could not answer.
///
/// It tries the cheapest answer first: memory, a stored rendition, a picture from which this one can be made, the
/// source. Its `State` says for what it waits, and `next` goes on from there. A load holds no thread and no Swift task
/// while it waits for a place or for another job, so a load that is cancelled before it starts has cost only a few
/// table entries.
///
/// Stored data is trusted only if it decodes: a rendition or an original that does not decode is removed, and the
/// load continues with the next source.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class LoadImage: ReportingWork, AnswerWork, @unchecked Sendable {
  /// The states of a load, by the thing that it waits for. Cases that hold much are separate objects, because
  /// thousands of loads wait in queues.
  enum State {
    /// To be asked for the first time.
    case begin
    /// A place to read its rendition.
    case readingRendition(ImageCaches.Tiers, since: JobInstant)
    /// The pixels of its rendition.
    indirect case decodingRendition(StoredAnswer)
    /// A place to read a larger picture.
    indirect case readingLarger(Larger, ImageCaches.Tiers, since: JobInstant)
    /// The pixels of a larger picture.
    indirect case decodingLarger(Larger, ImageCaches.Rendition, Derivation, StageTimings)
    /// The load of a larger picture.
    case waitingForLarger
    /// The steps from another picture. The timings are those of reading and decoding it.
    indirect case deriving(CachedPicture, StageTimings)
    /// The bytes of its source; again if the stored ones did not decode.
    case fetching, fetchingAgain
    /// The steps from its source.
    case making(FetchedData, isAgain: Bool)
    /// Room in the backlog for the writes of its results.
    indirect case writing(LoadedPicture, [JobDependence])
    /// Nothing more.
    case over
  }

  let request: ImageRequest
  let context: LoadContext
  /// The epochs in which the load was asked for.
  let epoch: LoadEpoch
  let previewState = Mutex(PreviewState())

  private var result: Result<FinishedLoad, ImageError>?
  var cachedResult = CachedResult()
  /// Whether the bytes come from an earlier fetch that another load still holds.
  var isFetchReused = false
  /// The origin of its download, if only that can answer.
  var origin: JobOrigin?
  /// Its identifier in `KnownVariants`, if smaller pictures can be derived from the result.
  var variantID: Int?
  private(set) var id: SlotID?
  private var state = State.begin

  /// The bytes of the source from which the picture was made, for code that holds the work itself. Before the load
  /// begins: bytes that it need not fetch.
  var fetched: FetchedData?

  init(_ request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, fetched: FetchedData? = nil) {
    self.request = request
    self.epoch = epoch
    self.fetched = fetched
    self.context = context
  }

  /// The dependence on the load of a request.
  static func dependence(
    on request: ImageRequest, _ context: LoadContext, _ epoch: LoadEpoch, fetched: FetchedData? = nil
  ) -> JobDependence {
    JobDependence(key: .load(request, number: context.resultSharingNumber(epoch, request))) {
      JobStart(LoadImage(request, context, epoch, fetched: fetched))
    }
  }

  var outcome: Result<FinishedLoad, ImageError> { result ?? .failure(.unfinished) }
  var configuration: ImagePipeline.Configuration { context.configuration }
  var storagePolicy: StoragePolicy { context.storagePolicy(of: request) }

  override var title: (kind: PipelineDiagnostics.Kind, name: String)? { (.load, request.label) }
  override var awaitedAs: PipelineDiagnostics.Waiting { .larger }

  override func stage(in station: StationID?, isRunning: Bool) -> ImageStage {
    station == .disk || station == .levels ? .read : .total
  }

  // MARK: From state to state

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    let former = state
    state = .over
    if case .slot = event, cancellation.isRaised { return fail(.cancelled(request.source.name)) }
    switch former {
    case .begin:
      id = job.id
      if canBeDerivedFrom { variantID = context.variants.begin(request, epoch) }
      return lookIntoMemory() ?? lookForRendition() ?? makeNew()
    case .readingRendition(let tiers, let start): return readRendition(from: tiers, since: start) ?? makeNew()
    case .decodingRendition(let answer): return finish(answer, rendered(by: event))
    case .readingLarger(let larger, let tiers, let start): return read(larger, from: tiers, since: start)
    case .decodingLarger(let larger, let rendition, let derivation, let timings):
      return derive(from: larger, rendition, by: derivation, rendered(by: event), timings)
    case .waitingForLarger: return derive(afterLarger: event)
    case .deriving(let cached, let timings): return finish(from: cached, rendered(by: event), timings)
    case .fetching: return make(from: fetched(by: event))
    case .fetchingAgain: return makeAgain(from: fetched(by: event))
    case .making(let fetched, let isAgain):
      return finish(from: fetched, rendered(by: event), isAgain: isAgain)
    case .writing(let loaded, let writes): return finish(loaded, after: writes)
    case .over: return fail(.cancelled(request.source.name))
    }
  }

  /// Goes on as `next` when the job has a place in a station.
  func go(_ station: StationID, _ next: State) -> JobStep {
    state = next
    return .go(station, size: 0)
  }

  /// Goes on as `next` when another job is over.
  func wait(for other: JobDependence, _ next: State) -> JobStep {
    state = next
    return .depend(other)
  }

  /// Runs a first step and then processors, and goes on as `next`. The last step makes the picture of the request; the
  /// results of the steps before it can be shared with other requests.
  func render(
    _ first: RenderStep, _ processors: ArraySlice<any ImageProcessing> = [],
    from origin: any AnyObject & Sendable, _ next: State
  ) -> JobStep {
    var (last, earlier) = (first, [(RenderStep, CacheKey)]())
    if let processor = processors.last {
      let steps = [first] + processors.dropLast().map(RenderStep.process)
      earlier = Array(zip(steps, request.recipeKeys(beforeLast: steps.count)))
      last = .process(processor)
    }
    let sharing = context.sharingNumber()
    let number = sharing == 0 && request.recipe.hasHooks ? request.formatNumber : sharing
    let chain = StepWork.Chain(
      from: origin, of: request.source, context, last: (last, request.key.rendition), earlier: earlier,
      start: context.instant, number: number,
      resultStore: isForEncoding ? origin as? FetchedData : nil)
    return wait(for: StepWork.dependence(on: chain, deadline: context.deadline(.wait)), next)
  }

  /// The result of the steps that the load has waited for.
  private func rendered(by event: JobEvent) -> Result<Rendered, ImageError> {
    switch event {
    case .finished(let step as StepWork): step.outcome
    case .overdue: .failure(.deadlineExceeded(request.source.name, stage: .wait))
    default: .failure(.cancelled(request.source.name))
    }
  }

  /// Whether the picture is made for an encoded image (`EncodingGoal`). Other files of the same source often follow
  /// at once.
  private var isForEncoding: Bool {
    configuration.isCoalescingEnabled && request.readLayers == .originals && request.writeLayers == .originals
      && !request.recipe.hasHooks
  }

  /// An origin of steps that no other load shares.
  final class Origin: Sendable {}

  // MARK: Beginning and end

  /// Finishes with the picture, after the writes for which the backlog has no room yet.
  func finish(_ loaded: LoadedPicture, after writes: [JobDependence] = []) -> JobStep {
    if let first = writes.first { return wait(for: first, .writing(loaded, Array(writes.dropFirst()))) }
    result = .success(FinishedLoad(loaded, at: context.instant))
    end()
    return .finish(succeeded: true)
  }

  func fail(_ error: ImageError) -> JobStep {
    removePreview()
    result = .failure(error)
    end()
    return .finish(succeeded: false)
  }

  override func didLeaveGraph() {
    end()
    progressEvents.close()
    state = .over
  }

  private func end() {
    endPreviews()
    if let variantID { context.variants.end(variantID, of: request.key.source) }
    variantID = nil
  }

  /// Whether smaller pictures may be derived from this one.
  private var canBeDerivedFrom: Bool {
    configuration.caching.isDerivationEnabled && request.resize != nil && request.recipe.servesOthers
      && request.cachePolicy == .useCaches && request.writesMemory
  }

  /// Subscribes to the progress of the download, or of the load of a larger picture.
  override func waits(for other: JobWork) {
    switch other {
    case let fetch as FetchWork:
      progressEvents.setSizeSource(fetch)
      fetch.progressEvents.add(self)
      beginPreviews(of: fetch)
    case let larger as LoadImage:
      progressEvents.setSizeSource(larger)
      larger.progressEvents.add(self)
    default: break
    }
  }
}

extension LoadImage: ProgressListener, SizeSource {
  func sizeIsWanted() { progressEvents.sizeIsWanted() }

  func receive(_ event: ProgressEvent) { progressEvents.relay(event) }

  var wantsSize: Bool { progressEvents.wantsSize }
}

/// Previews of a picture while it is downloaded.
extension LoadImage {
  /// A running preview maker, and its subscription to the bytes of the download.
  struct Previews: Sendable {
    let maker: PreviewMaker
    let bodyObserver: BodyObserver
    let listener: Int

    func end() {
      bodyObserver.removeListener(listener)
      maker.end()
    }
  }

  /// The previews of the download that the load waits for. They begin and end on different threads, in either order:
  /// the download may finish before its load knows that it waits for it.
  struct PreviewState {
    var active: Previews?
    /// The download that has finished.
    var ended: ObjectIdentifier?
    var isClosed = false
  }

  /// Begins to make previews of a download, if the configuration allows it: the request's own recipe for the part that is there.
  /// Closures of a format see finished pictures alone, so its pictures have no previews.
  func beginPreviews(of fetch: FetchWork) {
    guard let bodyObserver = fetch.bodyObserver, configuration.decoding.dataTransformation == nil,
      !request.recipe.hasHooks,
      let make = configuration.decoding.makeProgressiveDecoder
    else { return }
    let maker = PreviewMaker(make(configuration.decoding.codecs, request.resize), for: self)
    let previews = Previews(
      maker: maker, bodyObserver: bodyObserver, listener: bodyObserver.listen { maker.append($0) })
    let isOver = previewState.withLock { state in
      if state.isClosed || state.ended == ObjectIdentifier(fetch) { return true }
      state.active = previews
      return false
    }
    if isOver { previews.end() }
  }

  /// Ends the previews of one download; without an argument, ends all previews and allows no new ones.
  func endPreviews(of fetch: FetchWork? = nil) {
    guard configuration.decoding.isProgressiveDecodingEnabled else { return }
    let previews = previewState.withLock { state in
      if let fetch { state.ended = ObjectIdentifier(fetch) } else { state.isClosed = true }
      return state.active.take()
    }
    previews?.end()
  }

  /// The current priority of the load.
  var level: ImagePriority { id.map(context.runner.level(of:)) ?? .normal }

  /// Puts a preview into memory, unless the finished picture is there. Does not notify observers.
  func store(_ preview: Picture) -> Bool {
    guard configuration.caching.isStoringPreviewsInMemoryCache, request.cachePolicy == .useCaches,
      request.writesMemory, context.lookAgain(for: request) == nil
    else { return false }
    return context.caches.insert(preview, stamp: nil, validity: nil, for: request, by: right)
  }

  func show(_ preview: Picture, isStored: Bool) {
    if isStored { context.caches.tellStored(preview, for: request) }
    progressEvents.report(preview: preview)
  }

  /// Removes the preview from memory after the load has failed.
  func removePreview() {
    guard configuration.decoding.isProgressiveDecodingEnabled,
      context.caches.memory.contains(request.key),
      let cached = context.caches.memory.value(forKey: request.key)
    else { return }
    context.events.counters.repeatedHits.increment()
    if cached.picture.isPreview { context.caches.memory.removeValue(forKey: request.key) }
  }
}

/// The result of a load, shared by all requests that wait for it.
struct LoadedPicture: Sendable {
  let picture: Picture
  let source: ImageResponse.Source
  var encodedByteCount = 0
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
  var renditionMiss: ImageResponse.RenditionMiss?
}
