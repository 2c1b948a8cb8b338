import OzuSynchronization

/// The task as a subscriber of the job that does its work.
extension ImageTask {
  /// Subscribes to the job of the load. The caller has already looked into memory.
  func begin() {
    let request = attempt
    do throws(ImageError) {
      try request.validate()
      if pipeline.checksSources { try pipeline.configuration.check(request.source) }
    } catch {
      return fail(error)
    }
    let (number, place) = state.withLock { state -> (Int?, HeldPlace?) in
      state.attemptCount += 1
      return (state.ending == nil ? state.attemptCount : nil, state.sideState?.place)
    }
    guard let number else { return }
    hasMadeJob.store(false, ordering: .relaxed)
    let (context, level) = (pipeline.context, priority)
    let epoch = context.epochs.epoch(of: request)
    let key = JobKey.load(request, number: context.resultSharingNumber(epoch, request))
    let subscription = context.runner.subscribe(
      self, to: key, within: place?.job(in: context.runner), priority: level, deadline: deadline
    ) {
      hasMadeJob.store(true, ordering: .relaxed)
      return JobStart(LoadImage(request, context, context.epochs.beginJob(for: request, askedIn: epoch)))
    }
    guard let subscription else { return fail(.waitsForItself(request.source.name)) }
    note(subscription, number)
    if priority != level { context.runner.setPriority(subscription.id) { priority } }
  }

  /// Stores a subscription, unless the task has ended or tries another source by now.
  private func note(_ subscription: JobRunner.Subscription, _ attempt: Int) {
    guard let work = subscription.work as? LoadImage else { return }
    let (isOver, isListening) = state.withLock { state in
      if state.ending == nil, state.attemptCount == attempt {
        state.subscription = subscription.id
        state.work = work
      }
      return (state.ending != nil, state.isListening)
    }
    if isOver {
      pipeline.context.runner.unsubscribe(subscription.id)
    } else if isListening {
      work.progressEvents.add(self)
    }
  }

  /// Tries the next source, if there is one. If all fail, the task ends with the error of the first.
  func fail(_ error: ImageError) {
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error)) }
    let (triedCount, first) = state.withLock { state in
      let sideState = state.makeSideState()
      let (first, triedCount) = sideState.failure ?? (error, 0)
      sideState.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first)) }
    let next = request.alternative(alternatives[triedCount]).keyed(
      by: pipeline.configuration.caching.cacheKeyRules)
    // Late events of the former job may still arrive, so this is under the lock. The former alternative is released
    // outside the lock.
    let former = state.withLock { _ in
      defer { alternative = next }
      return alternative
    }
    withExtendedLifetime(former) {}
    if let response = pipeline.memoryResponse(for: next, start: start) {
      finish(.success(response))
    } else {
      begin()
    }
  }

  /// Applies an event, and queues it for the subscribers. Called under the lock, so that all subscribers receive
  /// everything in order.
  ///
  /// - Parameter now: the time. The caller reads it before it takes the lock, because the clock may be code of the
  ///   app.
  func receive(_ event: ProgressEvent, at now: JobInstant, _ state: inout State) {
    guard state.ending == nil, event.number > state.lastEventNumber else { return }
    if let progress = event.progress, progress != state.progress {
      state.progress = progress
      state.sideState?.enqueue(progress, preview: nil)
    }
    if let size = event.size, size != state.sideState?.size { state.makeSideState().enqueue(size: size) }
    if let preview = event.preview, preview.number > state.lastEventNumber {
      let response = ImageResponse(
        picture: preview.picture.at(scale: attempt), request: attempt, source: .network,
        isCoalesced: false, encodedByteCount: state.progress?.receivedByteCount ?? 0,
        timings: StageTimings(), total: start.duration(to: now), verdict: .none)
      let sideState = state.makeSideState()
      sideState.preview = response
      sideState.enqueue(state.progress, preview: response)
    }
    state.lastEventNumber = event.number
  }

  /// The current time, if the event needs it.
  func readClock(for event: ProgressEvent?) -> JobInstant {
    event?.preview == nil ? start : pipeline.configuration.instant
  }
}

extension ImageTask: JobWaiter, ProgressListener {
  var wantsSize: Bool { true }

  func receive(_ event: ProgressEvent) {
    let now = readClock(for: event)
    state.withLock { receive(event, at: now, &$0) }
    deliverEvents()
  }

  func jobEnded(_ work: JobWork) {
    guard let load = work as? LoadImage else { return }
    switch load.outcome {
    case .success(let end):
      let isCoalesced = !hasMadeJob.load(ordering: .relaxed)
      if !isCoalesced, end.loaded.source == .network {
        pipeline.downloads.report(end.loaded.picture, attempt)
      }
      finish(.loaded(end, isCoalesced: isCoalesced), after: load.progressEvents.latest)
    case .failure(let error): fail(error)
    }
  }

  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>) { expire(ImageStage(standing)) }
}

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
