import OzuSynchronization

/// A task as the subscriber of the job that does its work.
extension ImageTask {
  func begin(_ request: ImageRequest) {
    do throws(ImageError) {
      try request.validate()
      if pipeline.checksSources { try pipeline.configuration.check(request.source) }
    } catch {
      return fail(error)
    }
    let attempt = state.withLock { state -> Int? in
      state.attemptCount += 1
      return state.ending == nil ? state.attemptCount : nil
    }
    guard let attempt else { return }
    isMaker.store(false, ordering: .relaxed)
    let (context, level) = (pipeline.context, priority)
    let key = JobKey.load(request, number: context.sharingNumber())
    let subscription = context.runner.subscribe(self, to: key, priority: level, deadline: deadline) {
      isMaker.store(true, ordering: .relaxed)
      return JobStart(LoadImage(request, context))
    }
    note(subscription, attempt)
    if priority != level { context.runner.setPriority(subscription.id) { priority } }
  }

  /// Keeps a subscription, unless its job has ended and another source is tried.
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
      work.news.add(self)
    }
  }

  /// Tries the next source, if there is one. The error of the first is the one that is told.
  func fail(_ error: ImageError) {
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error)) }
    let (triedCount, first) = state.withLock { state in
      let company = state.makeCompany()
      let (first, triedCount) = company.failure ?? (error, 0)
      company.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first)) }
    let next = request.alternative(alternatives[triedCount]).keyed(
      by: pipeline.configuration.caching.cacheKeyRules)
    // Late news of the job before may be on its way. The former alternative is released outside of the lock.
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

  /// Takes in what is new, and notes it for the followers. Under the lock, so that all hear everything in order.
  ///
  /// - Parameter now: the time, which is read before: the clock may be the app's.
  func hear(_ news: JobNews, at now: JobInstant, _ state: inout State) {
    guard state.ending == nil, news.number > state.heard else { return }
    if let progress = news.progress, progress != state.progress {
      state.progress = progress
      state.company?.note(progress, preview: nil)
    }
    if let size = news.size, size != state.company?.size { state.makeCompany().note(size: size) }
    if let preview = news.preview, preview.number > state.heard {
      let response = ImageResponse(
        picture: preview.picture.at(scale: attempt), request: attempt, source: .network,
        isCoalesced: false, encodedByteCount: state.progress?.receivedByteCount ?? 0,
        timings: StageTimings(), total: start.duration(to: now), verdict: .none)
      let company = state.makeCompany()
      company.preview = response
      company.note(state.progress, preview: response)
    }
    state.heard = news.number
  }

  /// The time, for news that need one.
  func readClock(for news: JobNews?) -> JobInstant {
    news?.preview == nil ? start : pipeline.configuration.instant
  }
}

extension ImageTask: JobWaiter, NewsListener {
  var wantsSize: Bool { true }

  func hear(_ news: JobNews) {
    let now = readClock(for: news)
    state.withLock { hear(news, at: now, &$0) }
    tellFollowers()
  }

  func jobEnded(_ work: JobWork) {
    guard let load = work as? LoadImage else { return }
    switch load.outcome {
    case .success(let end):
      let isCoalesced = !isMaker.load(ordering: .relaxed)
      if !isCoalesced, end.loaded.source == .network {
        pipeline.downloads.report(end.loaded.picture, attempt)
      }
      finish(.loaded(end, isCoalesced: isCoalesced), after: load.news.latest)
    case .failure(let error): fail(error)
    }
  }

  func jobOverdue(_ tag: Int, _ standing: JobStanding<JobWork>) { expire(ImageStage(standing)) }
}
