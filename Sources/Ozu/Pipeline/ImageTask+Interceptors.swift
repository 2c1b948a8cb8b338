import OzuSynchronization

/// The interceptors and the deadline of a task.
extension ImageTask {
  /// Starts the load, inside the interceptors and within the deadline.
  func run() {
    guard pipeline.hasInterceptors else { return load() }
    if let deadline { limitTime(deadline) }
    intercept()
  }

  /// Looks into memory first, because an observed or intercepted task has not done so yet.
  private func load() {
    if pipeline.hasObserversOrInterceptors, let response = pipeline.memoryResponse(for: attempt, start: start)
    {
      finish(.success(response))
    } else {
      begin()
    }
  }

  // MARK: Interceptors

  private func intercept() {
    let place = state.withLock { $0.sideState?.place }
    keepUntilEnd(
      Task.detached { [self, interceptors = pipeline.configuration.interceptors] in
        let chain = ImageLoadChain<ImageResponse>(interceptors) {
          (interceptor, request, rest) async throws(ImageError) in
          try await interceptor.intercept(request, next: rest)
        } load: { (request) async throws(ImageError) in
          try await self.loadInside(request)
        }
        finish(
          await HeldPlace.$current.withValue(place) {
            await Result { () async throws(ImageError) in try await chain.load(request) }
          })
      })
  }

  /// Runs the inner task. Its events are those of this task.
  private func loadInside(_ request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let keyed = pipeline.keyed(request)
    let inner = ImageTask(
      request, keyed: keyed, pipeline: pipeline, start: pipeline.configuration.instant,
      subscriber: .outer(self),
      isInner: true)
    // If an interceptor changed the request's priority, keep that; otherwise use the task's current one.
    if request.priority == self.request.priority { inner.priority = priority }
    let isOver = setInner(inner)
    if isOver || Task.isCancelled { throw .cancelled(request.source.name) }
    inner.load()
    return try await inner.response
  }

  /// Sets the inner task, unless the task has ended: the two hold each other, and only the end takes them apart. A
  /// former one, which the interceptors tried before, is released outside the lock.
  ///
  /// - Returns: whether the task has ended.
  private func setInner(_ inner: ImageTask) -> Bool {
    let (isOver, former) = state.withLock { state -> (Bool, ImageTask?) in
      if state.ending != nil { return (true, nil) }
      let sideState = state.makeSideState()
      defer { sideState.inner = inner }
      return (false, sideState.inner)
    }
    return withExtendedLifetime(former) { isOver }
  }

  // MARK: The deadline

  /// The deadline of the task; an inner task has none of its own.
  var deadline: JobDeadline? {
    guard !isInner, let limit = request.deadline ?? pipeline.configuration.stageTimeouts[.total] else {
      return nil
    }
    return JobDeadline(instant: start.advanced(by: limit), tag: ImageStage.total.tag)
  }

  /// Sets a timer. Without interceptors the subscription has the deadline; interceptors have no subscription.
  private func limitTime(_ deadline: JobDeadline) {
    let limit = pipeline.configuration.instant.duration(to: deadline.instant)
    keepUntilEnd(
      Task.detached { [weak self, sleep = pipeline.configuration.testing.sleep] in
        // If the sleep was cancelled, the task has ended.
        guard (try? await sleep(limit)) != nil, let self else { return }
        self.expire(self.state.withLock({ $0.sideState?.inner })?.stage ?? .total)
      })
  }

  /// Ends the task because its deadline has passed.
  func expire(_ stage: ImageStage) {
    finish(.failure(.deadlineExceeded(request.source.name, stage: stage)), after: leave())
  }

  /// The current stage of its load.
  private var stage: ImageStage {
    guard let subscription = state.withLock({ $0.subscription }) else { return .total }
    return pipeline.context.runner.look { $0.standing(ofSubscription: subscription) }.map(ImageStage.init)
      ?? .total
  }

  /// Keeps a Swift task, and cancels it when this task ends.
  private func keepUntilEnd(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if state.ending == nil { state.makeSideState().auxiliaryTasks.append(task) }
      return state.ending != nil
    }
    if isOver { task.cancel() }
  }
}
