import OzuBase

/// Asynchronous functions that wait for a job.
extension JobRunner {
  /// Runs a closure in a station and waits for its end. The wait is not cancelled with the calling task.
  func run<Value: Sendable>(
    on station: StationID, priority: ImagePriority, size: Int = 0, _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      enqueue(on: station, priority: priority, size: size) { continuation.resume(returning: body()) }
    }
  }

  /// Runs a closure in a station, without waiting for it.
  ///
  /// - Returns: the identifier with which `unsubscribe` removes it from the queue, if it has not begun.
  @discardableResult
  func enqueue(
    on station: StationID, priority: ImagePriority, size: Int = 0, _ body: @escaping @Sendable () -> Void
  ) -> SlotID {
    subscribe(IgnoringWaiter(), to: nil, priority: priority) {
      JobStart(ClosureWork(body), in: station, size: size)
    }.id
  }

  /// Runs an asynchronous closure in a station whose work suspends, and waits for its end.
  func perform(
    on station: StationID, origin: JobOrigin = .none, priority: ImagePriority,
    _ body: @escaping @Sendable () async -> Void
  ) async {
    await withCheckedContinuation { continuation in
      _ = subscribe(IgnoringWaiter(), to: nil, priority: priority) {
        let work = SuspendingWork {
          await body()
          continuation.resume()
        }
        return JobStart(work, in: station, origin: origin)
      }
    }
  }

  private final class IgnoringWaiter: JobWaiter {
    func jobEnded(_ work: JobWork) {}
  }
}

/// Work that runs a closure. Its member is constant, so it is `Sendable`.
private final class ClosureWork: JobWork, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  override func next(_ event: JobEvent, _ job: RunningJob) -> JobStep {
    body()
    return .finish(succeeded: true)
  }
}

/// Work that runs an asynchronous closure. Its member is constant, so it is `Sendable`.
private final class SuspendingWork: JobWork, @unchecked Sendable {
  private let body: @Sendable () async -> Void

  init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

  override func perform(_ job: RunningJob) async -> JobStep {
    await body()
    return .finish(succeeded: true)
  }
}

/// A Swift task that waits for a job. If the task is cancelled, its subscription is removed.
final class JobAwaiter: JobWaiter {
  private struct State {
    var subscription: SlotID?
    var continuation: CheckedContinuation<Void, Never>?
    var work: JobWork?
    var isOver = false
  }

  private let runner: JobRunner
  private let level: ImagePriority
  private let state = Mutex(State())

  init(_ runner: JobRunner, _ level: ImagePriority) {
    self.runner = runner
    self.level = level
  }

  /// Waits for the job of a key and returns its work; `nil` if the calling task is cancelled before that, or if the job
  /// waits for the caller.
  func work(of key: JobKey?, make: () -> JobStart) async -> JobWork? {
    let nester = HeldPlace.current?.job(in: runner)
    guard let subscription = runner.subscribe(self, to: key, within: nester, priority: level, make: make)
    else { return nil }
    state.withLock { $0.subscription = subscription.id }
    await HeldPlace.lend {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
          }
          if isOver { continuation.resume() }
        }
      } onCancel: {
        if let subscription = end(nil) { runner.unsubscribe(subscription) }
      }
    }
    return state.withLock { $0.work }
  }

  func jobEnded(_ work: JobWork) { end(work) }

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
