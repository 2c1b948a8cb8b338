/// The end of a task: its result, and the subscribers that receive it.
extension ImageTask {
  /// How a task has ended. The response is built when it is read.
  enum Ending {
    case loaded(FinishedLoad, isCoalesced: Bool)
    case cancelled
    case other(Answer)

    /// An object, so that tasks are small.
    final class Answer: Sendable {
      let outcome: Outcome

      init(_ outcome: Outcome) { self.outcome = outcome }
    }
  }

  func outcome(of ending: Ending) -> Outcome {
    switch ending {
    case .loaded(let load, let isCoalesced):
      .success(load.response(to: attempt, since: start, isCoalesced: isCoalesced))
    case .cancelled: .failure(.cancelled(request.source.name))
    case .other(let answer): answer.outcome
    }
  }

  /// Ends the task, unless it has ended before.
  func finish(_ outcome: Outcome, after event: ProgressEvent? = nil) {
    finish(.other(Ending.Answer(outcome)), after: event)
  }

  func finish(_ ending: Ending, after event: ProgressEvent? = nil) {
    let now = readClock(for: event)
    var subscription: SlotID?
    let left = state.withLock {
      state -> (waiter: UnsafeContinuation<Void, Never>?, sideState: EndRecipients?)? in
      guard state.ending == nil else { return nil }
      if let event { receive(event, at: now, &state) }
      state.ending = ending
      if case .loaded = ending {} else { subscription = state.subscription }
      defer { (state.waiter, state.subscription, state.work) = (nil, nil, nil) }
      guard let sideState = state.sideState else { return (state.waiter, nil) }
      return (nil, sideState.takeEndRecipients(state.waiter, ending))
    }
    // One that was noted after a cancelled task had left its job: without this the load would run on for nobody.
    if let subscription { pipeline.context.runner.unsubscribe(subscription) }
    guard let left else { return }
    if !isInner { tellEnd(ending, left.sideState) }
    left.waiter?.resume()
    guard let sideState = left.sideState else { return }
    for task in sideState.auxiliaryTasks { task.cancel() }
    for waiter in sideState.waiters { waiter.resume() }
    deliverEvents()
  }

  private func tellEnd(_ ending: Ending, _ sideState: EndRecipients?) {
    switch ending {
    case .loaded(let load, let isCoalesced):
      pipeline.context.events.counters.addAnswer(load.loaded.source, isCoalesced: isCoalesced)
    case .cancelled: pipeline.context.events.counters.cancelled.increment()
    case .other(let answer):
      switch answer.outcome {
      case .success(let response):
        pipeline.context.events.counters.addAnswer(response.source, isCoalesced: response.isCoalesced)
      case .failure(let error): pipeline.context.events.counters.add(error)
      }
    }
    guard let sideState, let observed = sideState.observed else { return }
    switch outcome(of: ending) {
    case .success(let response): pipeline.context.events.requestEnded(observed, .picture(response))
    case .failure(let error): pipeline.context.events.requestEnded(observed, RequestOutcome(error))
    }
  }
}
