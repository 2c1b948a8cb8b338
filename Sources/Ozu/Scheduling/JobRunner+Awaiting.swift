import OzuSynchronization

/// Jobs for those who await them.
extension JobRunner {
  /// Does something in a station; whoever awaits it waits for its end, also when it is cancelled meanwhile.
  func run<Value: Sendable>(
    on station: StationID, priority: ImagePriority, size: Int = 0, _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      enqueue(on: station, priority: priority, size: size) { continuation.resume(returning: body()) }
    }
  }

  /// Has something done in a station; nobody waits for it.
  ///
  /// - Returns: the number by which it is taken out of the queue, if it has not begun (`unsubscribe`).
  @discardableResult
  func enqueue(
    on station: StationID, priority: ImagePriority, size: Int = 0, _ body: @escaping @Sendable () -> Void
  ) -> SlotID {
    subscribe(Nobody(), to: nil, priority: priority) {
      JobStart(ClosureWork(body), in: station, size: size)
    }.id
  }

  /// Waits for work that somebody awaits in a Swift task, within a place of a station whose work suspends.
  func perform(
    on station: StationID, priority: ImagePriority, _ body: @escaping @Sendable () async -> Void
  ) async {
    await withCheckedContinuation { continuation in
      _ = subscribe(Nobody(), to: nil, priority: priority) {
        let work = SuspendingWork {
          await body()
          continuation.resume()
        }
        return JobStart(work, in: station)
      }
    }
  }

  private final class Nobody: JobWaiter {
    func jobEnded(_ work: JobWork) {}
  }
}

/// A closure as work. Its member is constant.
private final class ClosureWork: JobWork, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  override func run(_ job: RunningJob) -> JobStep {
    body()
    return .finish(succeeded: true)
  }
}

/// A closure that suspends, as work. Its member is constant.
private final class SuspendingWork: JobWork, @unchecked Sendable {
  private let body: @Sendable () async -> Void

  init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

  override func perform(_ job: RunningJob) async -> JobStep {
    await body()
    return .finish(succeeded: true)
  }
}

/// A Swift task that waits for a job. It is cancelled with its own task: then the job loses a subscriber.
final class JobAwaiter: JobWaiter {
  private struct State {
    var subscription: SlotID?
    var continuation: CheckedContinuation<Void, Never>?
    var work: JobWork?
    var isOver = false
    var overdueStage: ImageStage?
    var level: ImagePriority
  }

  private let runner: JobRunner
  private let state: Mutex<State>

  init(_ runner: JobRunner, _ level: ImagePriority) {
    self.runner = runner
    state = Mutex(State(level: level))
  }

  /// The work of the job of a key, when it is over; `nil` when the calling task is cancelled before, or the deadline
  /// passes.
  ///
  /// - Parameter begun: told of the work at once.
  func work(
    of key: JobKey?, deadline: JobDeadline? = nil, begun: (JobWork) -> Void = { _ in }, make: () -> JobStart
  ) async -> JobWork? {
    let subscription = runner.subscribe(self, to: key, priority: level, deadline: deadline, make: make)
    begun(subscription.work)
    state.withLock { $0.subscription = subscription.id }
    runner.setPriority(subscription.id) { level }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.continuation = continuation }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    return state.withLock { $0.work }
  }

  /// How urgent the wait is; it may change.
  var level: ImagePriority {
    get { state.withLock { $0.level } }
    set {
      let subscription = state.withLock { state in
        state.level = newValue
        return state.subscription
      }
      if let subscription { runner.setPriority(subscription) { level } }
    }
  }

  /// Where the work was when the deadline passed; `nil` when it has not.
  var overdueStage: ImageStage? { state.withLock { $0.overdueStage } }

  func jobEnded(_ work: JobWork) { end(work) }

  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>) {
    state.withLock { state in
      if !state.isOver { state.overdueStage = ImageStage(standing) }
    }
    cancel()
  }

  private func cancel() {
    if let subscription = end(nil) { runner.unsubscribe(subscription) }
  }

  @discardableResult
  private func end(_ work: JobWork?) -> SlotID? {
    let (continuation, subscription) = state.withLock {
      state -> (CheckedContinuation<Void, Never>?, SlotID?) in
      guard !state.isOver else { return (nil, nil) }
      state.isOver = true
      state.work = work
      return (state.continuation.take(), state.subscription)
    }
    continuation?.resume()
    return subscription
  }
}
