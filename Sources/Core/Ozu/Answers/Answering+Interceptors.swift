import OzuBase

/// The interceptors of an answer, and its deadline.
extension Answering {
  /// Runs the interceptors, the last of which runs the load.
  func intercept() {
    let place = answer.state.withLock { $0.sideState?.place }
    keepUntilEnd(
      Task.detached { [self, interceptors = pipeline.configuration.interceptors] in
        let chain = ImageLoadChain<Value>(interceptors[...]) {
          (interceptor, request, rest) async throws(ImageError) in
          try await self.ask(interceptor, request, rest)
        } load: { (request) async throws(ImageError) in
          try await self.loadInside(request)
        }
        finish(
          await HeldPlace.$current.withValue(place) {
            await Result { () async throws(ImageError) in try await chain.load(answer.request) }
          })
      })
  }

  /// Runs the inner answer. Its events are those of this one.
  private func loadInside(_ request: ImageRequest) async throws(ImageError) -> Value {
    let inner = makeInner(for: request, AnswerSubscriber { [self] _ in deliverEvents() })
    inner.answer.state.withLock { $0.makeSideState().outer = self }
    // If an interceptor changed the request's priority, keep that; otherwise use the current one.
    if request.priority == answer.request.priority { inner.level = level }
    let isOver = setInner(inner)
    if isOver || Task.isCancelled { throw .cancelled(request.source.name) }
    inner.load()
    return try await inner.value
  }

  /// Sets the inner answer, unless this one has ended: the two hold each other, and only the end takes them apart. A
  /// former one, which the interceptors tried before, is released outside the lock.
  ///
  /// - Returns: whether the answer has ended.
  private func setInner(_ inner: Self) -> Bool {
    let (isOver, former) = answer.state.withLock { state -> (Bool, Self?) in
      if state.ending != nil { return (true, nil) }
      let sideState = state.makeSideState()
      defer { sideState.inner = inner }
      return (false, sideState.inner)
    }
    return withExtendedLifetime(former) { isOver }
  }

  // MARK: The deadline

  /// The deadline of the answer; an inner one has none of its own.
  var deadline: JobDeadline? {
    guard !answer.isInner,
      let limit = answer.request.deadline ?? pipeline.configuration.stageTimeouts[.total]
    else {
      return nil
    }
    return JobDeadline(instant: start.advanced(by: limit))
  }

  /// Sets a timer. Without interceptors the subscription has the deadline; interceptors have no subscription.
  func limitTime(_ deadline: JobDeadline) {
    let limit = pipeline.context.instant.duration(to: deadline.instant)
    keepUntilEnd(
      Task.detached { [weak self, sleep = pipeline.configuration.testing.sleep] in
        // If the sleep was cancelled, the answer has ended.
        guard (try? await sleep(limit)) != nil, let self else { return }
        self.expire(self.answer.state.withLock({ $0.sideState?.inner })?.stage ?? .total)
      })
  }

  /// Ends the answer because its deadline has passed.
  func expire(_ stage: ImageStage) {
    finish(.failure(.deadlineExceeded(answer.request.source.name, stage: stage)), after: leave())
  }

  /// The current stage of its load.
  private var stage: ImageStage {
    guard let subscription = answer.state.withLock({ $0.subscription }) else { return .total }
    return pipeline.context.runner.look { $0.standing(ofSubscription: subscription)?.stage } ?? .total
  }

  /// Keeps a Swift task, and cancels it when this answer ends.
  private func keepUntilEnd(_ task: Task<Void, Never>) {
    let isOver = answer.state.withLock { state in
      if state.ending == nil { state.makeSideState().auxiliaryTasks.append(task) }
      return state.ending != nil
    }
    if isOver { task.cancel() }
  }
}
