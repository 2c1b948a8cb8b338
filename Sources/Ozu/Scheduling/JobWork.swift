/// What a job does. The runner calls it under no lock, one call at a time; each call says where the job goes next.
///
/// What it has come to is kept in the work itself: those who wait read it when they are told that the job is over. The
/// runner's lock lies between the calls and before the answers, so each sees whole what the one before has written.
///
/// A class, so that a job is one allocation with what all jobs have. It is `Sendable` because its only member is; each
/// subclass is final and says why its own members are.
class JobWork: @unchecked Sendable {
  /// Raised when nobody wants the work any more.
  final let cancellation = JobCancellation()

  /// Begins (a job that was made to begin nowhere), or goes on: the job that this one waited for is over
  /// (`RunningJob.input`), or the time for it is, or the two would have waited for each other.
  ///
  /// Called on any thread, a caller's or one of Swift's own: it decides, and does nothing that takes time.
  ///
  /// - Parameter overdue: the tag of the deadline that has passed.
  func resume(_ job: RunningJob, overdue: Int?) -> JobStep { .finish(succeeded: false) }

  /// Does what the job has a place for, on a thread of the station.
  func run(_ job: RunningJob) -> JobStep { .finish(succeeded: false) }

  /// The same where the station's work suspends instead of blocking.
  func perform(_ job: RunningJob) async -> JobStep { run(job) }

  /// It is more or less urgent now, while it runs.
  func note(_ level: ImagePriority) {}

  /// It waits for the job of other work from now on.
  func waits(for other: JobWork) {}

  /// It is in the graph no more: it has ended, or it was let go before it could.
  func left() {}
}

/// A job that its work speaks of.
struct RunningJob: Sendable {
  let id: SlotID
  let station: StationID?
  /// How urgent it was when it was given its place.
  var level = ImagePriority.normal
  /// The work that it waited for.
  let input: (JobWork)?
  let runner: JobRunner
}

/// What becomes of a job.
enum JobStep: Sendable {
  /// It needs a place in a station, with a size in bytes.
  case go(StationID, size: Int)
  /// It waits for the job of a key, which is made unless it is there, and then needs a place.
  case depend(JobDependence)
  /// It is over, and those who depend on it go on, or decide themselves.
  case finish(succeeded: Bool)
}

/// What a job waits for.
struct JobDependence: Sendable {
  /// `nil` for work that is not shared.
  var key: JobKey?
  /// The place that it needs when the other has succeeded; `nil` to decide.
  var then: StationID?
  var size = 0
  var deadline: JobDeadline?
  /// Makes the work of a new job; called under the runner's lock, so it must only put objects together.
  var make: @Sendable () -> JobStart
}

/// When somebody stops waiting.
struct JobDeadline: Sendable {
  let instant: JobInstant
  /// What is told at that time.
  let tag: Int
  /// Whether it ends when the work begins.
  var endsAtStart = false
}

/// The work of a new job, and where it begins: in a station, or nowhere, and `resume` says where.
struct JobStart: Sendable {
  let work: JobWork
  var station: StationID?
  var size = 0

  init(_ work: JobWork, in station: StationID? = nil, size: Int = 0) {
    (self.work, self.station, self.size) = (work, station, size)
  }

  var placement: JobGraph<JobKey, JobWork, any JobWaiter>.Placement {
    station.map { .station($0, size: size) } ?? .nowhere
  }
}

/// Somebody who waits for a job: told under no lock, once.
protocol JobWaiter: AnyObject, Sendable {
  func jobEnded(_ work: JobWork)
  /// The deadline of its subscription has passed.
  ///
  /// - Parameter standing: where the work has come to.
  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>)
}

extension JobWaiter {
  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>) {}
}
