import OzuSynchronization

/// What may stand around the load of a task: the interceptors, and the time that it has.
extension ImageTask {
  /// Starts to load what memory does not have, inside the interceptors and within the deadline.
  func run() {
    if let limit = request.deadline ?? parts.configuration.stageTimeouts[.total] { limitTime(limit) }
    if parts.hasInterceptors { intercept() } else { load() }
  }

  /// Memory first: a task that is observed or intercepted has not looked there.
  private func load() {
    if parts.isSurrounded, let response = parts.memoryResponse(for: attempt, start: start) {
      finish(.success(response))
    } else {
      begin()
    }
  }

  // MARK: Interceptors

  private func intercept() {
    surround(
      Task.detached { [self, interceptors = parts.configuration.interceptors] in
        let chain = ImageLoadChain(interceptors) { await self.loadInside($0) }
        do throws(ImageError) {
          finish(.success(try await chain.load(request)))
        } catch {
          finish(.failure(error))
        }
      })
  }

  /// The load behind the interceptors, whose news are those of this task.
  private func loadInside(_ request: ImageRequest) async -> Outcome {
    let keyed = parts.keyed(request)
    let inner = ImageTask(
      request, keyed: keyed, parts: parts, start: parts.configuration.now(), follower: .outer(self),
      isInner: true)
    // Who changes the priority of the request means the load's, whatever has become of the task's meanwhile.
    if request.priority == self.request.priority { inner.priority = priority }
    let isOver = setInner(inner)
    if isOver || Task.isCancelled { return .failure(.cancelled(request.source.name)) }
    inner.load()
    do throws(ImageError) {
      return .success(try await inner.response)
    } catch {
      return .failure(error)
    }
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

  private func limitTime(_ limit: Duration) {
    surround(
      Task.detached { [weak self, sleep = parts.configuration.sleep] in
        // A sleep that is cancelled says nothing: the task has ended.
        guard (try? await sleep(limit)) != nil, let self else { return }
        let stage = self.parts.stage(of: self.request.keyed(by: self.parts.configuration.cacheKeyRules))
        let news = self.parts.loads.leave(self)
        self.finish(.failure(.deadlineExceeded(self.request.source.name, stage: stage)), after: news)
      })
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
