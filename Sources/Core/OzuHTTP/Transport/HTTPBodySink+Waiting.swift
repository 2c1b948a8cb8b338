import OzuBase

extension HTTPBodySink {
  /// Waits until the sink is ready for the next piece. For clients that bring a body from a task of their own.
  ///
  /// - Throws: `HTTPError.Reason.cancelled` at once if the task is cancelled.
  public func untilReady() async throws(HTTPError) {
    while true {
      guard !Task.isCancelled else { throw HTTPError(.cancelled) }
      let waiter = ReadinessWaiter()
      if isReady(HTTPBodyResumption(waiter)) { return }
      await waiter.wait()
    }
  }
}

/// One task that waits to be resumed or cancelled. Either may happen before it waits.
private final class ReadinessWaiter: HTTPBodyResuming {
  private struct State {
    var isOver = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.continuation = continuation }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      resumeBody()
    }
  }

  func resumeBody() {
    let continuation = state.withLock { state in
      state.isOver = true
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume()
  }
}
