import OzuSynchronization

/// What a job does. Its owner calls it under no lock; each call says where the job goes next.
///
/// What it has come to is kept in the work itself, by whoever does the part that has a result: those who wait read it
/// when they are told that the job is over. The runner's lock lies between the two, so they see it whole.
protocol JobWork<Key>: AnyObject, Sendable {
  associatedtype Key: Hashable & Sendable

  /// Raised when nobody wants the work any more.
  var cancellation: JobCancellation { get }

  /// Does what the job has a place for, on a thread of the station.
  func run(_ job: RunningJob<Key>) -> JobStep<Key>

  /// The same where the station's work suspends instead of blocking.
  func perform(_ job: RunningJob<Key>) async -> JobStep<Key>

  /// The job that this one waited for is over (`RunningJob.input`), or the time for it is, or the two would have
  /// waited for each other.
  ///
  /// - Parameter overdue: the tag of the deadline that has passed.
  func resume(_ job: RunningJob<Key>, overdue: Int?) -> JobStep<Key>

  /// The work is more or less urgent now.
  func note(_ level: ImagePriority)
}

extension JobWork {
  func note(_ level: ImagePriority) {}
}

/// A job that its work speaks of.
struct RunningJob<Key: Hashable & Sendable>: Sendable {
  let id: SlotID
  let station: StationID?
  /// The work that it waited for.
  let input: (any JobWork<Key>)?
  let runner: JobRunner<Key>
}

/// What becomes of a job.
enum JobStep<Key: Hashable & Sendable>: Sendable {
  /// It needs a place in a station, with a size in bytes.
  case go(StationID, size: Int)
  /// It waits for the job of a key, which is made unless it is there, and then needs a place.
  case depend(JobDependence<Key>)
  /// It is over, and those who depend on it go on, or decide themselves.
  case finish(succeeded: Bool)
}

/// What a job waits for.
struct JobDependence<Key: Hashable & Sendable>: Sendable {
  /// `nil` for work that is not shared.
  var key: Key?
  /// The place that it needs when the other has succeeded; `nil` to decide.
  var then: StationID?
  var size = 0
  var deadline: (instant: ContinuousClock.Instant, tag: Int)?
  /// Makes the work of a new job; called under the runner's lock, so it must only put objects together.
  var make: @Sendable () -> (work: any JobWork<Key>, station: StationID, size: Int)
}

/// Somebody who waits for a job: told under no lock, once.
protocol JobWaiter<Key>: AnyObject, Sendable {
  associatedtype Key: Hashable & Sendable

  func jobEnded(_ work: any JobWork<Key>)
  func jobOverdue(_ tag: Int)
}

/// Tells work, and the Swift task that it may be in, that nobody wants it any more.
final class JobCancellation: Sendable {
  private struct State {
    var isRaised = false
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())

  var isRaised: Bool { state.withLock { $0.isRaised } }

  func raise() {
    let task = state.withLock { state in
      state.isRaised = true
      return state.task.take()
    }
    task?.cancel()
  }

  /// Has a Swift task cancelled with the work.
  func bind(_ task: Task<Void, Never>) {
    let isRaised = state.withLock { state in
      if !state.isRaised { state.task = task }
      return state.isRaised
    }
    if isRaised { task.cancel() }
  }
}
