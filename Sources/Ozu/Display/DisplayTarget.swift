/// The request of a view, with the view's size and mode applied.
struct DisplayTarget {
  let request: ImageRequest
  /// The size and mode of the view, if the format was made from them.
  let fit: Fit?

  struct Fit: Hashable {
    let size: PixelSize
    let mode: ScaleMode
  }

  /// Computes the request to load; `nil` if it depends on the size of the view, which is not known yet.
  ///
  /// A request with its own resize or format is not changed. Others get the view's format, or the automatic one. A
  /// view that shows pictures at their own size needs no format.
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
    // Uses the registered format if there is one, so that views of one size share a format, whose capacity the app
    // may change.
    let known = pipeline.formatStore.format(named: automatic.name(size, mode))
    let format = known ?? automatic.format(size, mode)
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
