import OzuBase
import OzuImaging

/// The state of work that another thread does for a decode, which can wait for it, do it itself, or stop it.
final class AssistedWork: Sendable {
  private enum Phase {
    case waiting, running, abandoned, done
  }

  private let state = Mutex((phase: Phase.waiting, isUnwanted: false))
  private let finished = BlockingAnswer<Void>()

  var isUnwanted: Bool { state.withLock { $0.isUnwanted } }

  /// Does the work on the calling thread, unless it was taken back.
  ///
  /// - Parameter body: returns whether the work was done, or given up.
  func run(_ body: () -> Bool) {
    let isWanted = state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = .running
      return true
    }
    guard isWanted else { return }
    let isDone = body()
    state.withLock { $0.phase = isDone ? .done : .abandoned }
    finished.set(())
  }

  /// Waits while the work is being done; `false` if it has not begun, or was given up.
  ///
  /// - Throws: the errors of `checkpoint`, which is called a hundred times a second.
  func wait<Failure: Error>(checkpoint: () throws(Failure) -> Void) throws(Failure) -> Bool {
    while state.withLock({ $0.phase == .running }) {
      if finished.wait(atMost: .milliseconds(10)) != nil { break }
      try checkpoint()
    }
    return state.withLock { $0.phase == .done }
  }

  /// Prevents the work if it has not begun. Otherwise stops it, and returns when it has stopped.
  func end() {
    let isRunning = state.withLock { state in
      state.isUnwanted = true
      if state.phase == .waiting { state.phase = .abandoned }
      return state.phase == .running
    }
    if isRunning { _ = finished.wait() }
  }
}
