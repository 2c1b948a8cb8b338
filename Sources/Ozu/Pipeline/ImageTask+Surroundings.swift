import OzuSynchronization

/// What may stand around the load of a task: the interceptors, and the time that it has.
extension ImageTask {
  /// Starts to load what memory does not have, inside the interceptors and within the deadline.
  func run() {
    guard pipeline.hasInterceptors else { return load() }
    if let deadline { limitTime(deadline) }
    intercept()
  }

  /// Memory first: a task that is observed or intercepted has not looked there.
  private func load() {
    if pipeline.isSurrounded, let response = pipeline.memoryResponse(for: attempt, start: start) {
      finish(.success(response))
    } else {
      begin()
    }
  }

  // MARK: Interceptors

  private func intercept() {
    surround(
      Task.detached { [self, interceptors = pipeline.configuration.interceptors] in
        let chain = ImageLoadChain<ImageResponse>(interceptors) {
          (interceptor, request, rest) async throws(ImageError) in
          try await interceptor.intercept(request, next: rest)
        } load: { (request) async throws(ImageError) in
          try await self.loadInside(request)
        }
        finish(await Result { () async throws(ImageError) in try await chain.load(request) })
      })
  }

  /// The load behind the interceptors, whose news are those of this task.
  private func loadInside(_ request: ImageRequest) async throws(ImageError) -> ImageResponse {
    let keyed = pipeline.keyed(request)
    let inner = ImageTask(
      request, keyed: keyed, pipeline: pipeline, start: pipeline.configuration.instant,
      follower: .outer(self),
      isInner: true)
    // Who changes the priority of the request means the load's, whatever has become of the task's meanwhile.
    if request.priority == self.request.priority { inner.priority = priority }
    let isOver = setInner(inner)
    if isOver || Task.isCancelled { throw .cancelled(request.source.name) }
    inner.load()
    return try await inner.response
  }

  /// Takes the place of a request that the interceptors have tried before, which is released outside of the lock.
  ///
  /// - Returns: whether the task has ended.
  private func setInner(_ inner: ImageTask) -> Bool {
    let (isOver, former) = state.withLock { state in
      let company = state.makeCompany()
      defer { company.inner = inner }
      return (state.ending != nil, company.inner)
    }
    return withExtendedLifetime(former) { isOver }
  }

  // MARK: The deadline

  /// When it is to be over; a load inside the interceptors has none of its own.
  var deadline: JobDeadline? {
    guard !isInner, let limit = request.deadline ?? pipeline.configuration.stageTimeouts[.total] else {
      return nil
    }
    return JobDeadline(instant: start.advanced(by: limit), tag: ImageStage.total.tag)
  }

  /// The deadline of a load is that of its subscription. Interceptors have no subscription, and take a timer.
  private func limitTime(_ deadline: JobDeadline) {
    let limit = pipeline.configuration.instant.duration(to: deadline.instant)
    surround(
      Task.detached { [weak self, sleep = pipeline.configuration.testing.sleep] in
        // A sleep that is cancelled says nothing: the task has ended.
        guard (try? await sleep(limit)) != nil, let self else { return }
        self.expire(self.state.withLock({ $0.company?.inner })?.stage ?? .total)
      })
  }

  /// Ends because it took too long.
  func expire(_ stage: ImageStage) {
    finish(.failure(.deadlineExceeded(request.source.name, stage: stage)), after: leave())
  }

  /// The stage in which its load is.
  private var stage: ImageStage {
    guard let subscription = state.withLock({ $0.subscription }) else { return .total }
    return pipeline.context.runner.look { $0.standing(ofSubscription: subscription) }.map(ImageStage.init)
      ?? .total
  }

  /// Keeps a Swift task that ends with this one.
  private func surround(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      if state.ending == nil { state.makeCompany().surroundings.append(task) }
      return state.ending != nil
    }
    if isOver { task.cancel() }
  }
}
