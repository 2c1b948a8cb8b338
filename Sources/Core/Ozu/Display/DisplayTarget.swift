import OzuBase

/// The request of a view, with the view's size and mode applied.
struct DisplayTarget {
  let request: ImageRequest
  /// The size and mode of the view, if the format was made from them.
  let fit: Fit?

  struct Fit: Hashable {
    let size: PixelSize
    let mode: ScaleMode
  }
}

extension DisplayTarget {
  /// Computes the request to load; `nil` if it depends on the size of the view, which is not known yet.
  ///
  /// A request with its own resize or format is not changed. Others get the view's format, or the automatic one. A
  /// view that shows pictures at their own size needs no format. The lengths of processors are points of the view.
  @MainActor
  init?(
    _ request: ImageRequest, view: any ImageDisplaying, cacheFormat: CacheFormat?, automatic: AutomaticFormat,
    pipeline: ImagePipeline
  ) {
    self.init(
      request, mode: view.displayMode, size: view.displaySize, scale: view.displayScale,
      cacheFormat: cacheFormat, automatic: automatic, pipeline: pipeline)
  }

  init?(
    _ request: ImageRequest, mode: ScaleMode, size: DisplaySize?, scale: Double, cacheFormat: CacheFormat?,
    automatic: AutomaticFormat, pipeline: ImagePipeline
  ) {
    let request = request.withLengths(inPointsOf: scale)
    if request.resize != nil || request.format != nil {
      self.init(request: request, fit: nil)
      return
    }
    if let cacheFormat {
      self.init(request: request.inFormat(cacheFormat), fit: nil)
      return
    }
    guard mode != .none else {
      self.init(request: request, fit: Fit(size: PixelSize(0, 0), mode: mode))
      return
    }
    guard let size = AutomaticFormat.pixelSize(of: size, scale: scale) else { return nil }
    // Uses the registered format if there is one, so that views of one size share a format, whose capacity the app
    // may change.
    let known = pipeline.formatStore.format(named: automatic.name(size, mode))
    let format = known ?? automatic.format(size, mode)
    self.init(request: request.inFormat(format), fit: Fit(size: size, mode: mode))
  }

  /// The target of a view that has shown its picture: a larger one is no reason to reload again.
  var afterReload: DisplayTarget { DisplayTarget(request: request.afterReload, fit: fit) }

  /// Whether a picture made for another target is too small for this one, or of another mode.
  func outgrows(_ other: DisplayTarget) -> Bool {
    guard let fit, let old = other.fit else { return false }
    return fit.mode != old.mode || fit.size.width > old.size.width || fit.size.height > old.size.height
  }
}

/// Loading ahead for a view, in its pixels.
extension ImagePrefetcher {
  /// Starts to load the pictures that a view would show, in the size, the mode and the format of that view: for a cell that comes
  /// next, any visible one. Before the view has a size, pictures are loaded in their own.
  @MainActor
  @discardableResult
  public func start(
    _ urls: [URL], in view: some ImagePresenting, processors: [any ImageProcessing] = [],
    budget: PrefetchBudget = PrefetchBudget()
  ) -> Outcomes {
    start(urls.map { ImageRequest(url: $0, processors: processors) }, in: view, budget: budget)
  }

  /// The same for requests, which keep their keys, their treatments and sizes of their own.
  @MainActor
  @discardableResult
  package func start(
    _ requests: [ImageRequest], in view: some ImagePresenting, budget: PrefetchBudget = PrefetchBudget()
  ) -> Outcomes {
    start(requests.map { view.target(of: $0, pipeline) }, budget: budget)
  }

  /// Starts requests for a view in place of those that were started before: what is in both lists goes on, and the rest is stopped.
  @MainActor
  @discardableResult
  package func replace(with requests: [ImageRequest], in view: some ImagePresenting) -> Outcomes {
    let next = requests.map { view.target(of: $0, pipeline) }
    stopAll(but: next)
    return start(next)
  }

  /// Stops the pictures that were started for a view, if it still has the size that it had then.
  @MainActor
  public func stop(_ urls: [URL], in view: some ImagePresenting, processors: [any ImageProcessing] = []) {
    stop(urls.map { view.target(of: ImageRequest(url: $0, processors: processors), pipeline) })
  }
}

extension ImagePresenting {
  /// The request that the view would load, at a low priority.
  @MainActor
  fileprivate func target(of request: ImageRequest, _ pipeline: ImagePipeline) -> ImageRequest {
    let request = request.with { $0.priority = .low }
    guard let view = images.view else { return request }
    let target = DisplayTarget(
      request, view: view, cacheFormat: images.cacheFormat, automatic: images.options.automaticFormat,
      pipeline: pipeline)
    guard let target else { return request }
    // Requests are known by their formats, and one that is unknown is a new one each time.
    if let format = target.request.format { pipeline.registerIfUnknown(format) }
    return target.request
  }
}
