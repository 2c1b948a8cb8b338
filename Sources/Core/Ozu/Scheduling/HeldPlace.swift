import OzuBase

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
