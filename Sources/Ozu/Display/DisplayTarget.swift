/// What a view asks for: a request, brought to the view.
struct DisplayTarget {
  let request: ImageRequest
  /// The view's pixels and mode, when they made the request's format.
  let fit: Fit?

  struct Fit: Hashable {
    let size: PixelSize
    let mode: ScaleMode
  }

  /// Works out what to ask for; `nil` as long as that depends on a size the view does not have.
  ///
  /// A request with a recipe of its own is asked for as it is. Others get the view's format, or the automatic one;
  /// a view that shows pictures at their own size needs none.
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
    // The one that is registered, so that views of one size have one format, whose capacity the app may change.
    let known = pipeline.formatStore.format(named: AutomaticFormat.name(size, mode))
    let format = known.flatMap { automatic.made($0) ? $0 : nil } ?? automatic.format(size, mode)
    self.init(request: request.inFormat(format), fit: Fit(size: size, mode: mode))
  }

  private init(request: ImageRequest, fit: Fit?) {
    self.request = request
    self.fit = fit
  }

  /// Whether a picture made for another target is too small for this one, or of another mode.
  func outgrows(_ other: DisplayTarget) -> Bool {
    guard let fit, let old = other.fit else { return false }
    return fit.mode != old.mode || fit.size.width > old.size.width || fit.size.height > old.size.height
  }
}
