/// One step of the way from a source to a finished picture, done once for all who want it.
///
/// A result is made in steps: decode, then one step for each processor. Each is a job, known by what the first of them
/// starts from and by the recipe up to it, that depends on the job of the step before. When a thread has finished a step
/// it goes on at once with one that follows from it, because a picture half way through is memory that nobody can use
/// yet.
///
/// `Sendable`: what is not constant is written by one call of the runner and read by later ones, or when the job is over.
final class StepWork: JobWork, @unchecked Sendable {
  /// A way of steps. What makes the result is apart from those before it, because most ways have one.
  final class Way: Sendable {
    /// What the steps start from: held by each, so that its address is not given to another object.
    let origin: any AnyObject & Sendable
    let source: ImageSource
    let context: LoadContext
    /// When the load came to it.
    let start: JobInstant
    private let last: (step: RenderStep, recipe: CacheKey)
    private let earlier: [(step: RenderStep, recipe: CacheKey)]
    private let number: Int
    /// Where the result of the first step is kept, and looked for.
    let keeper: FetchedData?

    /// - Parameters:
    ///   - last: the last step, and the recipe of the result.
    ///   - earlier: those before it, with the recipes of the pictures after each.
    ///   - number: not zero where work is not shared.
    init(
      from origin: any AnyObject & Sendable, of source: ImageSource, _ context: LoadContext,
      last: (RenderStep, CacheKey),
      earlier: [(RenderStep, CacheKey)] = [], start: JobInstant, number: Int = 0,
      keeper: FetchedData? = nil
    ) {
      self.origin = origin
      self.source = source
      self.context = context
      self.start = start
      self.last = last
      self.earlier = earlier
      self.number = number
      self.keeper = keeper
    }

    var lastIndex: Int { earlier.count }

    func step(_ index: Int) -> RenderStep { index == earlier.count ? last.step : earlier[index].step }

    func recipe(_ index: Int) -> CacheKey { index == earlier.count ? last.recipe : earlier[index].recipe }

    func key(_ index: Int) -> JobKey { JobKey.step(recipe(index), of: origin, number: number) }
  }

  let way: Way
  private let index: Int
  private(set) var outcome: Result<Rendered, ImageError> = .failure(.cancelled(""))
  /// The stage of standing in line, as observers are told of it.
  private var waiting: ObservedStage?

  init(_ way: Way, at index: Int) {
    self.way = way
    self.index = index
  }

  private var context: LoadContext { way.context }

  /// The job of the last step of a way.
  static func dependence(on way: Way, deadline: JobDeadline?) -> JobDependence {
    JobDependence(key: way.key(way.lastIndex), deadline: deadline) { start(way.lastIndex, of: way) }
  }

  private static func start(_ index: Int, of way: Way) -> JobStart {
    let work = StepWork(way, at: index)
    // The first goes to its place at once, unless observers, who are the app's, are to be told of it first.
    guard index == 0, !way.context.events.isObserved else { return JobStart(work) }
    return JobStart(work, in: .decode, size: work.step.byteCount)
  }

  private var step: RenderStep { way.step(index) }

  /// Whether it is a processor's step, for who asks what a load waits for.
  var isProcessing: Bool { if case .process = step { true } else { false } }

  override func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    if let previous = job.input as? StepWork, case .failure(let error) = previous.outcome {
      // A failure is that of every step that would have followed.
      outcome = .failure(error)
      return .finish(succeeded: false)
    }
    guard index == 0 else {
      return .depend(
        JobDependence(key: way.key(index - 1), then: .decode) { [way, index] in Self.start(index - 1, of: way)
        })
    }
    waiting = context.events.stageBegan(.wait, of: way.source.name)
    return .go(.decode, size: step.byteCount)
  }

  override func run(_ job: RunningJob) -> JobStep {
    context.events.stageEnded(waiting)
    waiting = nil
    let keeper = index == 0 ? way.keeper : nil
    if let made = keeper?.firstSteps.result(of: way.recipe(0)) {
      outcome = .success(made)
      return .finish(succeeded: true)
    }
    let previous = job.input as? StepWork
    let surroundings = RenderStep.Context(
      load: context, source: way.source, work: self,
      submitted: index == 0 ? way.start : context.configuration.instant)
    do throws(ImageError) {
      let result = try step.run(after: previous?.outcome.get(), surroundings)
      keeper?.firstSteps.note(result, of: way.recipe(0))
      outcome = .success(result)
      return .finish(succeeded: true)
    } catch {
      outcome = .failure(error)
      return .finish(succeeded: false)
    }
  }

  override func left() {
    context.events.stageEnded(waiting)
    waiting = nil
  }
}
