/// One step of the way from a source to a finished picture, done once for all who want it.
///
/// A result is made in steps: decode, then one step for each processor. Each is a job, known by what the first of them
/// starts from and by the recipe up to it, that depends on the job of the step before. When a thread has finished a step
/// it goes on at once with one that follows from it, because a picture half way through is memory that nobody can use
/// yet.
final class StepWork: JobWork {
  /// A way of steps; `keys` has a key for each.
  final class Way: Sendable {
    /// What the steps start from: held by each, so that its address is not given to another object.
    let origin: any AnyObject & Sendable
    let source: ImageSource
    let keys: [JobKey]
    let steps: [RenderStep]

    /// - Parameters:
    ///   - recipes: of the pictures after each step.
    ///   - number: not zero where work is not shared.
    init(
      from origin: any AnyObject & Sendable, of source: ImageSource, recipes: [CacheKey],
      steps: [RenderStep], number: Int = 0
    ) {
      self.origin = origin
      self.source = source
      keys = recipes.map { JobKey.step($0, of: origin, number: number) }
      self.steps = steps
    }
  }

  let cancellation = JobCancellation()
  let way: Way
  private let index: Int
  private let context: LoadContext
  // All are written by one call of the runner and read by later ones, or when the job is over (`JobWork`).
  nonisolated(unsafe) private(set) var outcome: Result<Rendered, ImageError> = .failure(.cancelled(""))
  nonisolated(unsafe) private var submission: ContinuousClock.Instant?
  /// The stage of standing in line, as observers are told of it.
  nonisolated(unsafe) private var waiting: ObservedStage?

  init(_ way: Way, at index: Int, _ context: LoadContext) {
    self.way = way
    self.index = index
    self.context = context
  }

  /// The job of the last step of a way.
  static func dependence(
    on way: Way, _ context: LoadContext, deadline: JobDeadline?
  ) -> JobDependence {
    dependence(on: way, at: way.steps.count - 1, context, then: nil, deadline: deadline)
  }

  private static func dependence(
    on way: Way, at index: Int, _ context: LoadContext, then: StationID?, deadline: JobDeadline? = nil
  ) -> JobDependence {
    JobDependence(key: way.keys[index], then: then, deadline: deadline) {
      JobStart(StepWork(way, at: index, context))
    }
  }

  private var step: RenderStep { way.steps[index] }

  /// Whether it is a processor's step, for who asks what a load waits for.
  var isProcessing: Bool { if case .process = step { true } else { false } }

  func resume(_ job: RunningJob, overdue: Int?) -> JobStep {
    if let previous = job.input as? StepWork, case .failure(let error) = previous.outcome {
      // A failure is that of every step that would have followed.
      outcome = .failure(error)
      return .finish(succeeded: false)
    }
    guard index == 0 else {
      return .depend(Self.dependence(on: way, at: index - 1, context, then: .decode))
    }
    submission = context.configuration.now()
    waiting = context.events.stageBegan(.wait, of: way.source.name)
    return .go(.decode, size: step.byteCount)
  }

  func run(_ job: RunningJob) -> JobStep {
    context.events.stageEnded(waiting)
    waiting = nil
    let previous = job.input as? StepWork
    let surroundings = RenderStep.Context(
      configuration: context.configuration, events: context.events, source: way.source,
      cancellation: cancellation, submitted: submission ?? context.configuration.now())
    do throws(ImageError) {
      outcome = .success(try step.run(after: previous?.outcome.get(), surroundings))
      return .finish(succeeded: true)
    } catch {
      outcome = .failure(error)
      return .finish(succeeded: false)
    }
  }

  func left() {
    context.events.stageEnded(waiting)
    waiting = nil
  }
}
