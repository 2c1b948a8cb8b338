import OzuBase

/// The job of one step from a source to a finished picture, shared by all requests that need it.
///
/// A result is made in a chain of steps: decode, then one step for each processor. Each step is a job. Its key is the
/// origin of the chain and the recipe up to the step, and it depends on the job of the step before. When a thread has
/// finished a step, it continues with a step that depends on it, because a half-finished picture holds memory that is
/// not yet useful.
///
/// `Sendable`: a mutable member is written by one call of the runner and read by later calls, or after the job is
/// over. The lock of the runner is taken between these.
final class StepWork: JobWork, @unchecked Sendable {
  /// A chain of steps. The last step is stored separately from the earlier ones, because most chains have only one
  /// step.
  final class Chain: Sendable {
    /// The object from which the steps start. Each step holds it, so that its address is not reused for another
    /// object.
    let origin: any AnyObject & Sendable
    let source: ImageSource
    let context: LoadContext
    /// When the load began the chain.
    let start: JobInstant
    private let last: (step: RenderStep, recipe: CacheKey)
    private let earlier: [(step: RenderStep, recipe: CacheKey)]
    private let number: Int
    /// Keeps the result of the first step for later chains; nil if it is not kept.
    let resultStore: FetchedData?

    /// - Parameters:
    ///   - last: the last step, and the recipe of the result.
    ///   - earlier: the steps before it, with the recipes of their results.
    ///   - number: not zero if the work is not shared.
    init(
      from origin: any AnyObject & Sendable, of source: ImageSource, _ context: LoadContext,
      last: (RenderStep, CacheKey),
      earlier: [(RenderStep, CacheKey)] = [], start: JobInstant, number: Int = 0,
      resultStore: FetchedData? = nil
    ) {
      self.origin = origin
      self.source = source
      self.context = context
      self.start = start
      self.last = last
      self.earlier = earlier
      self.number = number
      self.resultStore = resultStore
    }

    var lastIndex: Int { earlier.count }

    func step(_ index: Int) -> RenderStep { index == earlier.count ? last.step : earlier[index].step }

    func recipe(_ index: Int) -> CacheKey { index == earlier.count ? last.recipe : earlier[index].recipe }

    func key(_ index: Int) -> JobKey { JobKey.step(recipe(index), of: origin, number: number) }
  }

  let chain: Chain
  private let index: Int
  private(set) var outcome: Result<Rendered, ImageError> = .failure(.unfinished)
  /// The stage of waiting in the queue, as reported to observers.
  private var waiting: ObservedStage?

  init(_ chain: Chain, at index: Int) {
    self.chain = chain
    self.index = index
  }

  private var context: LoadContext { chain.context }

  /// The dependence on the last step of a chain.
  static func dependence(on chain: Chain, deadline: JobDeadline?) -> JobDependence {
    // Not `start` alone: a closure that captures a single object needs no allocation, and `Self` would be a second.
    JobDependence(key: chain.key(chain.lastIndex), deadline: deadline) {
      StepWork.start(chain.lastIndex, of: chain)
    }
  }

  private static func start(_ index: Int, of chain: Chain) -> JobStart {
    let work = StepWork(chain, at: index)
    // The first step enters its queue at once, unless there are observers: those must be notified first, outside the
    // lock.
    guard index == 0, !chain.context.events.isObserved else { return JobStart(work) }
    return JobStart(work, in: .decode, size: work.step.byteCount)
  }

  private var step: RenderStep { chain.step(index) }

  override var title: (kind: PipelineDiagnostics.Kind, name: String)? { (.render, chain.source.name) }

  override func stage(in station: StationID?, isRunning: Bool) -> ImageStage {
    guard isRunning else { return .wait }
    return if case .process = step { .process } else { .decode }
  }

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    switch event {
    case .begin where index > 0:
      return .depend(
        JobDependence(key: chain.key(index - 1), then: .decode) { [chain, index] in
          Self.start(index - 1, of: chain)
        })
    case .begin:
      waiting = context.events.stageBegan(.wait, of: chain.source.name)
      return .go(.decode, size: step.byteCount)
    case .slot(let previous): return run(after: previous as? StepWork)
    case .finished(let previous as StepWork):
      // It has failed, and a failed step fails all steps after it.
      outcome = previous.outcome
      return .finish(succeeded: false)
    case .finished, .overdue, .circular: return .finish(succeeded: false)
    }
  }

  private func run(after previous: StepWork?) -> JobStep {
    context.events.stageEnded(waiting)
    waiting = nil
    let resultStore = index == 0 ? chain.resultStore : nil
    if let made = resultStore?.firstStepResults.result(of: chain.recipe(0)) {
      outcome = .success(made)
      return .finish(succeeded: true)
    }
    let stepContext = RenderStep.Context(
      load: context, source: chain.source, work: self,
      submitted: index == 0 ? chain.start : context.instant)
    do throws(ImageError) {
      let result = try step.run(after: previous?.outcome.get(), stepContext)
      resultStore?.firstStepResults.note(result, of: chain.recipe(0))
      outcome = .success(result)
      return .finish(succeeded: true)
    } catch {
      outcome = .failure(error)
      return .finish(succeeded: false)
    }
  }

  override func didLeaveGraph() {
    context.events.stageEnded(waiting)
    waiting = nil
  }
}

/// One step from a source to a finished picture. It runs on a decoding thread.
enum RenderStep: Sendable {
  /// From an encoded file to pixels at the size of the recipe.
  case decode(Data, Resize?, RequestedDecoding = .plain, FileIdentity? = nil)
  /// From an encoded file to a picture that is decoded when its pixels are first used.
  case deferDecoding(Data)
  /// From pixels that a fetcher returned.
  case resize(Picture, Resize?)
  /// From a larger picture of the same source.
  case derive(Picture, Derivation)
  /// From a picture in memory.
  case begin(Picture)
  /// From the result of the step before.
  case process(any ImageProcessing)

  /// The cost in compressed bytes, by which decodes are scheduled. A photograph has about eight times as many bytes
  /// of pixels, and resampling them is cheaper than decoding.
  var byteCount: Int {
    switch self {
    case .decode(let data, _, _, _): data.count
    case .resize(let picture, _), .derive(let picture, _): picture.byteCount / 16
    case .deferDecoding, .begin, .process: 0
    }
  }
}

/// The result of a step, with the time that all steps have taken so far.
struct Rendered: Sendable {
  let picture: Picture
  let timings: StageTimings
}

extension RenderStep {
  /// The context of a step.
  struct Context: Sendable {
    let load: LoadContext
    let source: ImageSource
    let work: JobWork
    /// When the step was requested.
    let submitted: JobInstant

    /// The name of the source, for errors and observers.
    var name: String { source.name }
    var isCancelled: Bool { work.cancellation.isRaised }
  }

  /// Runs the step on the calling thread.
  ///
  /// - Throws: the `ImageError` of a `ImageDecodingError` or a `ProcessingError`; `deadlineExceeded`.
  func run(after previous: Rendered?, _ context: Context) throws(ImageError) -> Rendered {
    let watch = StageWatch(context, timings: previous?.timings ?? StageTimings())
    if context.isCancelled { throw .cancelled(context.name) }
    switch self {
    case .decode(let data, let resize, let wanted, let file):
      watch.enter(.decode)
      context.load.events.counters.decodes.increment()
      let picture = try Self.decode(watch, wanted) { decodingContext throws(ImageDecodingError) in
        try context.load.configuration.decoding.codecs.picture(
          from: data, resize: resize, context: decodingContext.identified(as: file))
      }
      return Rendered(picture: picture, timings: watch.finish())
    case .deferDecoding(let data):
      watch.enter(.decode)
      let picture = try Self.decode(watch) { decodingContext throws(ImageDecodingError) in
        try context.load.configuration.decoding.codecs.deferredPicture(from: data, context: decodingContext)
      }
      return Rendered(picture: picture, timings: watch.finish())
    case .resize(let picture, let resize):
      watch.enter(.resize)
      try picture.decode(for: context)
      guard let resize else { return Rendered(picture: picture, timings: watch.finish()) }
      let resized = try Self.decode(watch) { resizingContext throws(ImageDecodingError) in
        try picture.resized(resize, context: resizingContext)
      }
      return Rendered(picture: resized, timings: watch.finish())
    case .derive(let picture, let derivation):
      watch.enter(.resize)
      try picture.decode(for: context)
      let smaller = try Self.decode(watch) { resizingContext throws(ImageDecodingError) in
        try derivation.apply(to: picture, context: resizingContext)
      }
      return Rendered(picture: smaller, timings: watch.finish())
    case .begin(let picture):
      return Rendered(picture: picture, timings: previous?.timings ?? StageTimings())
    case .process(let processor):
      watch.enter(.process)
      guard let previous else { throw .cancelled(context.name) }
      // The picture may have been made for a request that wanted it undecoded.
      try previous.picture.decode(for: context)
      let picture: Picture
      do throws(ProcessingError) {
        picture = try previous.picture.processed(
          by: [processor], context: context.load.configuration.processingContext)
      } catch {
        throw .processingFailed(context.name, underlying: error)
      }
      if watch.isLate { throw .deadlineExceeded(context.name, stage: .process) }
      return Rendered(picture: picture, timings: watch.finish())
    }
  }

  private static func decode(
    _ watch: StageWatch, _ wanted: RequestedDecoding = .plain,
    _ decode: (DecodingContext) throws(ImageDecodingError) -> Picture
  ) throws(ImageError) -> Picture {
    let context = watch.context
    let decodingContext = wanted.context(
      context.load.configuration.decoding,
      assistant: DecodingAssistant { [runner = context.load.runner] in runner.lend(.decode, $0) },
      isCancelled: { watch.isOver }
    ).measured { watch.enter($0 == .decode ? .decode : .resize, ago: $1) }
    do throws(ImageDecodingError) {
      return try decode(decodingContext)
    } catch {
      if error == .cancelled, watch.isLate, !context.isCancelled {
        throw .deadlineExceeded(context.name, stage: watch.stage)
      }
      throw ImageError(error, source: context.name)
    }
  }
}

extension Picture {
  /// Decodes the pixels for a step, if they are not decoded yet.
  fileprivate func decode(for context: RenderStep.Context) throws(ImageError) {
    do throws(ImageDecodingError) {
      try decode()
    } catch {
      throw ImageError(error, source: context.name)
    }
  }
}

/// Measures the stages of a render, reports them to observers, and checks their time limits. Used on one thread. For
/// observers the last stage ends when the watch is released, on every path out of the step.
private final class StageWatch {
  let context: RenderStep.Context
  private let limits: [ImageStage: Duration]
  private var timings: StageTimings
  private var current: (stage: ImageStage, start: JobInstant)
  private var observed: ObservedStage?

  init(_ context: RenderStep.Context, timings: StageTimings) {
    self.context = context
    self.timings = timings
    limits = context.load.configuration.stageTimeouts
    current = (.wait, context.submitted)
  }

  deinit { events.stageEnded(observed) }

  private var events: PipelineEvents { context.load.events }
  var stage: ImageStage { current.stage }

  /// Whether the step must stop: nobody wants it any more, or its stage has exceeded its limit.
  var isOver: Bool { context.isCancelled || isLate }

  /// Whether the stage has exceeded its limit. The clock is read only if there is a limit.
  var isLate: Bool {
    guard !limits.isEmpty, let limit = limits[current.stage] else { return false }
    return current.start.duration(to: context.load.instant) > limit
  }

  /// Records that a stage begins, or that it began some time ago, but not before the current stage.
  func enter(_ stage: ImageStage, ago duration: Duration = .zero) {
    let now = context.load.instant
    let time = max(current.start, duration == .zero ? now : now.advanced(by: .zero - duration))
    timings.add(current.stage, current.start.duration(to: time))
    if stage != current.stage, events.isObserved {
      events.stageEnded(observed)
      observed = events.stageBegan(stage, of: context.name)
    }
    current = (stage, time)
  }

  func finish() -> StageTimings {
    enter(current.stage)
    return timings
  }
}
