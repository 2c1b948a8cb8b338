import OzuSynchronization

/// Tells work, and the Swift task that it may be in, that nobody wants it any more; and lets that task wait for a place
/// again, in the middle of its work.
struct JobCancellation: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  struct State {
    var task: Task<Void, Never>?
    /// The task has given its place back and waits for another.
    var isPaused = false
    /// Unchecked: it is resumed by whoever takes it from here, under the lock. The size of a checked one is known at run time
    /// only, which makes every job slow that has room for one.
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

  /// Has a Swift task cancelled with the work.
  func bind(_ task: Task<Void, Never>) {
    state.withLock { $0.task = task }
    // Who raises the flag after this look finds the task.
    if isOver.load(ordering: .sequentiallyConsistent) { state.withLock { $0.task.take() }?.cancel() }
  }

  // MARK: Pauses

  /// Waits for the place that `ask` asks for; false when nobody wants the work any more.
  func waitForPlace(_ ask: () -> Void) async -> Bool {
    await withUnsafeContinuation { continuation in
      state.withLock { $0 = State(task: $0.task, isPaused: true, waiter: continuation) }
      ask()
      if isOver.load(ordering: .sequentiallyConsistent) { dropWaiter() }
    }
  }

  /// Lets a paused task go on: its job has a place.
  ///
  /// - Returns: whether the work is in the middle of a task, which has been told, or is being told that it is over.
  func endPause() -> Bool {
    let (isPaused, waiter) = state.withLock { state in
      defer { state.isPaused = false }
      return (state.isPaused, state.waiter.take())
    }
    waiter?.resume(returning: true)
    return isPaused
  }

  /// Tells a paused task that its job will have no place.
  func dropWaiter() {
    state.withLock { $0.waiter.take() }?.resume(returning: false)
  }
}
