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
  private(set) var outcome: Result<Rendered, ImageError> = .failure(.cancelled(""))
  /// The stage of waiting in the queue, as reported to observers.
  private var waiting: ObservedStage?

  init(_ chain: Chain, at index: Int) {
    self.chain = chain
    self.index = index
  }

  private var context: LoadContext { chain.context }

  /// The dependence on the last step of a chain.
  static func dependence(on chain: Chain, deadline: JobDeadline?) -> JobDependence {
    JobDependence(key: chain.key(chain.lastIndex), deadline: deadline) { start(chain.lastIndex, of: chain) }
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
      submitted: index == 0 ? chain.start : context.configuration.instant)
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
