import OzuSynchronization

/// The cancellation flag of a job's work, raised when nobody wants it any more. It also cancels the Swift task in which the work runs, and lets that task
/// wait for a new place in the middle of its work.
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
