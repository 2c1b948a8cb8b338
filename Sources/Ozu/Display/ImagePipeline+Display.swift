extension ImagePipeline {
  /// The picture that a view would show at once: the picture in memory for a request with the view's size.
  /// Synchronous, and changes nothing.
  ///
  /// For toolkits that build a view's content again after every change: with this they never begin with a placeholder
  /// for a picture in memory.
  ///
  /// - Parameters:
  ///   - size: the size of the picture's area, in points; `nil` if it is not known.
  ///   - scale: the number of pixels per point.
  ///   - mode: how the picture is scaled to the size.
  ///   - cacheFormat: the view's own cache format; `nil` (the default) for the automatic one.
  /// - Returns: `nil` if memory has no such picture, or if it depends on an unknown size.
  @MainActor
  public func cachedImage(
    for request: ImageRequest, in size: DisplaySize?, scale: Double, mode: ScaleMode,
    cacheFormat: CacheFormat? = nil, automaticFormat: AutomaticFormat = AutomaticFormat()
  ) -> Picture? {
    let target = DisplayTarget(
      request, mode: mode, size: size, scale: scale, cacheFormat: cacheFormat, automatic: automaticFormat,
      pipeline: self)
    return target.flatMap { cachedImage(for: $0.request) }
  }
}
