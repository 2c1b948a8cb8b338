extension ImageBinding {
  /// Whether a load of the same target is running and has not finished. One from before a removal of its picture does not count.
  func isLoadingFirst(
    _ request: ImageRequest, _ options: DisplayOptions, _ view: any ImageDisplaying
  ) -> Bool {
    guard let current, current.load != nil, !current.isAnswered, let asked = current.target,
      let target = DisplayTarget(
        request, view: view, cacheFormat: cacheFormat, automatic: options.automaticFormat,
        pipeline: pipeline)
    else { return false }
    return target.request.key == asked.request.key
      && target.request.cachePolicy == asked.request.cachePolicy
      && epoch(of: target.request) == current.loadEpoch
  }

  /// The number of the epoch in which a load that begins now would ask.
  private func epoch(of request: ImageRequest) -> Int {
    let request = request.keyed(by: pipeline.configuration)
    return pipeline.context.epochs.epoch(of: request).resultNumber(request.cachePolicy)
  }

  func target(of current: Current, in view: any ImageDisplaying) -> DisplayTarget? {
    DisplayTarget(
      current.request, view: view, cacheFormat: current.cacheFormat,
      automatic: current.options.automaticFormat, pipeline: pipeline)
  }

  func resume() {
    guard let current, current.isCancelled else { return }
    self.current?.isCancelled = false
    start()
  }

  @discardableResult
  func start() -> Bool {
    guard let current, let view else { return false }
    guard let target = target(of: current, in: view) else {
      // A larger picture, whose load was cancelled: the next layout asks for it again.
      if current.isAnswered { self.current?.target = nil } else { begin(.waitingForLayout) }
      return false
    }
    return ask(target)
  }

  /// Shows the picture from memory, or begins to load it.
  ///
  /// - Returns: whether memory had it.
  @discardableResult
  func ask(_ target: DisplayTarget) -> Bool {
    guard let number = current?.number else { return false }
    let target = current?.hasShown == true ? target.afterReload : target
    current?.target = target
    if let format = target.request.format { pipeline.use(format) }
    let hit = loader.cached(target.request)
    current?.isBeginning = hit?.isFresh != true
    defer { if current?.number == number { current?.isBeginning = false } }
    if let hit {
      current?.retiring = nil
      endProgress()
      guard current?.number == number else { return false }
      show(hit.response, isSynchronous: true)
      if hit.isFresh { return true }
    } else if current?.isAnswered == false {
      begin(.loading)
    }
    guard current?.number == number else { return false }
    if current?.isCancelled == false { load(target.request) }
    if case .shown = phase { return true }
    return false
  }

  /// Enters a phase without the picture, and makes room for it in the view.
  private func begin(_ phase: DisplayPhase) {
    let number = current?.number
    self.phase = phase
    guard let current, current.number == number else { return }
    self.current?.occasion = .sameSource
    change(current.occasion, current.options)
  }

  private func load(_ request: ImageRequest) {
    lastNumber += 1
    let number = lastNumber
    current?.loadNumber = number
    current?.loadEpoch = epoch(of: request)
    current?.load = loader.load(request) { [weak self] event in self?.receive(event, ofLoad: number) }
  }
}

// Restarts a picture that failed without a network, when the network returns.
extension ImageBinding {
  func waitForNetwork(_ current: Current) {
    let number = current.number
    self.current?.networkTicket = pipeline.networkReturn.wait(restartCount: current.restartCount) {
      [weak self] in
      Task { @MainActor in self?.networkReturned(number) }
    }
  }

  private func networkReturned(_ number: Int) {
    guard let current, current.number == number, current.networkTicket != nil, view != nil else { return }
    self.current?.networkTicket = nil
    if isVisible || !current.options.cancelsWhenHidden {
      restart()
    } else {
      self.current?.isRestartDue = true
    }
  }

  func restart() {
    guard case .failed = phase else { return }
    current?.restartCount += 1
    retry()
  }
}
