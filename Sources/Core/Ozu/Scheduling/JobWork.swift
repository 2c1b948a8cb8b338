import OzuBase

/// The work of a job: a machine whose `next` the runner calls with each event, outside its lock, one call at a time.
/// The answer says where the job goes then.
///
/// Work of several steps keeps an enum of its states, whose cases hold what the job needs to go on, and `next` is one
/// switch over them.
///
/// The work stores its own result; subscribers read it when they are notified that the job is over. The runner takes
/// its lock between two calls and before it notifies subscribers, so each call and each subscriber sees all writes of
/// the calls before it.
///
/// A class, so that a job and its work are one allocation. It is `Sendable` because its only member is; each subclass
/// is final and states why its own members are safe.
class JobWork: @unchecked Sendable {
  /// Raised when the job has lost its last subscriber.
  final let cancellation = JobCancellation()

  /// Goes on after an event.
  ///
  /// After `slot` it does the work for which the job has its place, on a thread. After all others it must only decide
  /// and return quickly, because it is called on any thread, also on a caller's or on one of Swift's cooperative pool.
  func next(_ event: JobEvent, _ job: RunningJob) -> JobStep { .finish(succeeded: false) }

  /// The same after `slot` in a station whose work suspends instead of blocking a thread.
  func perform(_ job: RunningJob) async -> JobStep { next(.slot(after: nil), job) }

  /// Called when the job begins to wait for another job.
  func waits(for other: JobWork) {}

  /// Called when the job has left the graph: it has finished, or was removed before.
  func didLeaveGraph() {}

  // What diagnosis and the error of a deadline know of the job. It is constant, so any thread may read it.

  /// The kind of the work and its name; `nil` for work without a request: writes, and internal work of the pipeline.
  var title: (kind: PipelineDiagnostics.Kind, name: String)? { nil }

  var awaitedAs: PipelineDiagnostics.Waiting { .step }

  /// The stage of a load that the work is, in a station or in none.
  func stage(in station: StationID?, isRunning: Bool) -> ImageStage { .total }
}

/// The reason why a job goes on.
enum JobEvent: Sendable {
  /// The job is new and has no station yet.
  case begin
  /// The job has a place in its station. It waited before for the job that is given here, if its dependence said where
  /// it goes then (`JobDependence.then`).
  case slot(after: JobWork?)
  /// The job that it waited for is over.
  case finished(JobWork)
  /// The deadline of its wait has passed.
  case overdue
  /// The job that it would wait for waits for this one.
  case circular
}

/// The identity and the context of a job, passed to its work.
struct RunningJob: Sendable {
  let id: SlotID
  let station: StationID?
  /// Its priority when it received its place.
  var level = ImagePriority.normal
  let runner: JobRunner
  /// The origin under which it takes its place again after a pause.
  var origin = JobOrigin.none
}

/// The next step of a job.
enum JobStep: Sendable {
  /// The job needs a place in a station. It has a size in bytes.
  case go(StationID, size: Int, origin: JobOrigin = .none)
  /// The job waits for the job of a key, which is made if it does not exist, and then needs a place.
  case depend(JobDependence)
  /// The job is over. The jobs that depend on it continue if it succeeded; otherwise each decides itself.
  case finish(succeeded: Bool)
}

/// The job that another job waits for.
struct JobDependence: Sendable {
  /// `nil` for work that is not shared.
  var key: JobKey?
  /// The station where the waiting job goes when the other one has succeeded; `nil` if it decides itself.
  var then: StationID?
  var deadline: JobDeadline?
  /// Makes the work of a new job. Called under the runner's lock, so it must only construct objects.
  var make: @Sendable () -> JobStart
}

/// The work of a new job, and the station where it begins. Without a station, its work decides after `begin`.
struct JobStart: Sendable {
  let work: JobWork
  var station: StationID?
  var size = 0
  var origin = JobOrigin.none

  init(_ work: JobWork, in station: StationID? = nil, size: Int = 0, origin: JobOrigin = .none) {
    (self.work, self.station, self.size, self.origin) = (work, station, size, origin)
  }

  var placement: JobGraph<JobKey, JobWork, any JobWaiter>.Placement {
    station.map { .station($0, size: size, origin: origin) } ?? .nowhere
  }
}

/// A subscriber of a job. It is notified once, outside all locks of the scheduler.
protocol JobWaiter: AnyObject, Sendable {
  func jobEnded(_ work: JobWork)
  /// Called when the deadline of its subscription has passed.
  ///
  /// - Parameter standing: the progress of the work.
  func jobOverdue(_ standing: JobStanding<JobWork>)
}

extension JobWaiter {
  func jobOverdue(_ standing: JobStanding<JobWork>) {}
}

/// The cancellation flag of a job's work, raised when nobody wants it any more. It also cancels the Swift task in which the work
/// runs, and lets that task wait for a new place in the middle of its work.
struct JobCancellation: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  struct State {
    var task: Task<Void, Never>?
    /// The task has given its place back and waits for a new one.
    var isPaused = false
    /// Unchecked: the code that takes it from here, under the lock, resumes it exactly once. The size of a checked
    /// continuation is known at run time only, which would slow down every job.
    var waiter: UnsafeContinuation<Bool, Never>?
  }

  private let isOver = Atomic(false)
  private let state = Mutex(State())

  var isRaised: Bool { isOver.load(ordering: .acquiring) }

  func raise() {
    isOver.store(true, ordering: .sequentiallyConsistent)
    let (task, waiter) = state.withLock { ($0.task.take(), $0.waiter.take()) }
    task?.cancel()
    waiter?.resume(returning: false)
  }

  /// Registers the Swift task to cancel when the flag is raised.
  func bind(_ task: Task<Void, Never>) {
    state.withLock { $0.task = task }
    // If the flag is raised after this check, `raise` finds the task.
    if isOver.load(ordering: .sequentiallyConsistent) { state.withLock { $0.task.take() }?.cancel() }
  }

  // MARK: Pauses

  /// Waits for the place that `ask` requests; returns false when the job has lost its last subscriber.
  func waitForPlace(_ ask: () -> Void) async -> Bool {
    await withUnsafeContinuation { continuation in
      state.withLock { $0 = State(task: $0.task, isPaused: true, waiter: continuation) }
      ask()
      if isOver.load(ordering: .sequentiallyConsistent) { dropWaiter() }
    }
  }

  /// Resumes a paused task because its job has a place again.
  ///
  /// - Returns: whether a task was paused. It has been resumed here, or is being resumed by a cancellation.
  func endPause() -> Bool {
    let (isPaused, waiter) = state.withLock { state in
      defer { state.isPaused = false }
      return (state.isPaused, state.waiter.take())
    }
    waiter?.resume(returning: true)
    return isPaused
  }

  /// Resumes a paused task with the answer that its job gets no place.
  private func dropWaiter() {
    state.withLock { $0.waiter.take() }?.resume(returning: false)
  }
}

/// The place that a job holds while code of the app does its work, as that code knows it: by a task-local value.
///
/// Code that waits for another job of a pipeline gives its place back meanwhile (`lend`); otherwise jobs that wait
/// could take all places of a station, and those that they wait for would never get one. Several tasks of the code may
/// wait at once: the place is given back when the first begins, and taken again when the last ends.
///
/// One lock guards the state. It is not held while a place is moved: one task at a time does that, until the place is
/// where it should be.
final class HeldPlace: Sendable {
  @TaskLocal static var current: HeldPlace?

  private struct State {
    /// Nil when the work has returned; tasks that it leaves behind then have no place to give back.
    var holder: Holder?
    /// The number of tasks that wait.
    var waitCount = 0
    var hasPlace = true
    var isMoving = false
    var closer: UnsafeContinuation<Void, Never>?
  }

  private struct Holder {
    let job: RunningJob
    let work: JobWork
  }

  private let state: Mutex<State>

  private init(_ holder: Holder) { state = Mutex(State(holder: holder)) }

  /// Runs code of the app that does the work of a running job.
  static func hold<Value: Sendable>(
    _ job: RunningJob, of work: JobWork, _ body: () async -> Value
  ) async -> Value {
    let place = HeldPlace(Holder(job: job, work: work))
    let value = await $current.withValue(place, operation: body)
    await place.close()
    return value
  }

  /// Waits; the current place, if there is one, is given back meanwhile.
  static func lend<Value: Sendable>(while wait: () async -> Value) async -> Value {
    guard let current else { return await wait() }
    await current.change { $0.waitCount += 1 }
    let value = await wait()
    await current.change { $0.waitCount -= 1 }
    return value
  }

  /// The job of the place, if it is one of this runner.
  func job(in runner: JobRunner) -> SlotID? {
    state.withLock { state in
      guard let job = state.holder?.job, job.runner === runner else { return nil }
      return job.id
    }
  }

  private func change(_ change: @Sendable (inout State) -> Void) async {
    state.withLock { change(&$0) }
    while let (holder, isWanted) = state.withLock({ Self.beginMove(&$0) }) {
      if isWanted {
        _ = await holder.job.runner.takeAgain(holder.job, of: holder.work)
      } else {
        _ = holder.job.runner.giveBack(holder.job)
      }
      let closer = state.withLock { state in
        (state.hasPlace, state.isMoving) = (isWanted, false)
        return state.closer.take()
      }
      closer?.resume()
    }
  }

  /// The next move; nil if the place is where it should be, or is being moved.
  private static func beginMove(_ state: inout State) -> (holder: Holder, isWanted: Bool)? {
    let isWanted = state.waitCount == 0
    guard let holder = state.holder, !state.isMoving, state.hasPlace != isWanted else { return nil }
    state.isMoving = true
    return (holder, isWanted)
  }

  /// Ends all moves before the job goes on. A task that the work has left behind may be in the middle of one.
  private func close() async {
    let former = state.withLock { $0.holder.take() }
    await withUnsafeContinuation { continuation in
      let isMoving = state.withLock { state in
        if state.isMoving { state.closer = continuation }
        return state.isMoving
      }
      if !isMoving { continuation.resume() }
    }
    withExtendedLifetime(former) {}
  }
}
