import OzuBase

/// The answer as a subscriber of the job that does its work.
extension Answering {
  /// Subscribes to the job of the load. The caller has already looked into memory.
  func begin() {
    let (request, context, level) = (attempt, pipeline.context, level)
    let epoch = context.epochs.epoch(of: request)
    let key: JobKey?
    do throws(ImageError) {
      if pipeline.checksSources { try pipeline.configuration.check(request.source) }
      key = try jobKey(for: request, epoch)
    } catch {
      return fail(error)
    }
    let (number, place) = answer.state.withLock { state -> (Int?, HeldPlace?) in
      state.attemptCount += 1
      return (state.ending == nil ? state.attemptCount : nil, state.sideState?.place)
    }
    guard let number else { return }
    answer.hasMadeJob.store(false, ordering: .relaxed)
    let subscription = context.runner.subscribe(
      self, to: key, within: place?.job(in: context.runner), priority: level, deadline: deadline
    ) {
      answer.hasMadeJob.store(true, ordering: .relaxed)
      return JobStart(work(for: request, context.epochs.beginJob(for: request, askedIn: epoch)))
    }
    guard let subscription else { return fail(.waitsForItself(request.source.name)) }
    note(subscription, number)
    if self.level != level { context.runner.setPriority(subscription.id) { self.level } }
  }

  /// Stores a subscription, unless the answer has ended or tries another source by now.
  private func note(_ subscription: JobRunner.Subscription, _ attempt: Int) {
    guard let work = subscription.work as? Work else { return }
    let (isOver, isListening) = answer.state.withLock { state in
      if state.ending == nil, state.attemptCount == attempt {
        state.subscription = subscription.id
        state.work = work
      }
      return (state.ending != nil, state.isListening)
    }
    if isOver {
      pipeline.context.runner.unsubscribe(subscription.id)
    } else if isListening {
      (work as? ReportingWork)?.progressEvents.add(self)
    }
  }

  /// Tries the next source, if there is one. If all fail, the answer ends with the error of the first.
  func fail(_ error: ImageError) {
    let request = answer.request
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error)) }
    let (triedCount, first) = answer.state.withLock { state in
      let sideState = state.makeSideState()
      let (first, triedCount) = sideState.failure ?? (error, 0)
      sideState.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first)) }
    let next = pipeline.keyed(request.alternative(alternatives[triedCount]))
    // The former alternative is released outside the lock.
    let former = answer.state.withLock { state in
      let sideState = state.makeSideState()
      defer { sideState.alternative = next }
      return sideState.alternative
    }
    withExtendedLifetime(former) {}
    if let value = inMemory(next) { finish(.success(value)) } else { begin() }
  }

  func jobEnded(_ work: JobWork) {
    guard let work = work as? Work else { return }
    switch work.outcome {
    case .success(let made):
      finish(
        .made(made, isCoalesced: !answer.hasMadeJob.load(ordering: .relaxed)),
        after: (work as? ReportingWork)?.progressEvents.latest)
    case .failure(let error): fail(error)
    }
  }

  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>) { expire(standing.stage) }
}

/// The end of an answer: its result, and those who receive it.
extension Answering {
  /// Ends the answer, unless it has ended before.
  func finish(_ outcome: Result<Value, ImageError>, after event: ProgressEvent? = nil) {
    finish(.other(.init(outcome)), after: event)
  }

  func finish(_ ending: Answer<Self>.Ending, after event: ProgressEvent? = nil) {
    let now = readClock(for: event)
    var subscription: SlotID?
    let left = answer.state.withLock {
      state -> (waiter: UnsafeContinuation<Void, Never>?, sideState: Answer<Self>.EndRecipients?)? in
      guard state.ending == nil else { return nil }
      if let event { receive(event, at: now, &state) }
      state.ending = ending
      if case .made = ending {} else { subscription = state.subscription }
      defer { (state.waiter, state.subscription, state.work) = (nil, nil, nil) }
      guard let sideState = state.sideState else { return (state.waiter, nil) }
      return (nil, sideState.takeEndRecipients(state.waiter, ending))
    }
    // One that was noted after a cancelled answer had left its job: without this the load would run on for nobody.
    if let subscription { pipeline.context.runner.unsubscribe(subscription) }
    guard let left else { return }
    if !answer.isInner { tellEnd(ending, left.sideState) }
    left.waiter?.resume()
    guard let sideState = left.sideState else { return }
    for task in sideState.auxiliaryTasks { task.cancel() }
    for waiter in sideState.waiters { waiter.resume() }
    deliverEvents()
  }

  private func tellEnd(_ ending: Answer<Self>.Ending, _ sideState: Answer<Self>.EndRecipients?) {
    let counters = pipeline.context.events.counters
    switch ending {
    case .made(let made, let isCoalesced): count(made, isCoalesced: isCoalesced)
    case .cancelled: counters.cancelled.increment()
    case .other(let box):
      switch box.outcome {
      case .success(let value): count(value)
      case .failure(let error): counters.add(error)
      }
    }
    guard let observed = sideState?.observed else { return }
    switch outcome(of: ending) {
    case .success(let value): pipeline.context.events.requestEnded(observed, Self.observed(value))
    case .failure(let error): pipeline.context.events.requestEnded(observed, RequestOutcome(error))
    }
  }
}
