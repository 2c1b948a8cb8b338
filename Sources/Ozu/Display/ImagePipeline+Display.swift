extension ImagePipeline {
  /// The picture that a view would show at once: what memory has of a request, brought to the view. Synchronous, and
  /// changes nothing.
  ///
  /// For toolkits that ask for a view's content anew with every change: with this they never begin with a placeholder
  /// for a picture that memory has.
  ///
  /// - Parameters:
  ///   - size: of the place for the picture, in points; `nil` when it is not known.
  ///   - scale: how many pixels make a point.
  ///   - mode: how the picture is brought to the size.
  ///   - cacheFormat: the view's own format; `nil` (the default) for the automatic one.
  /// - Returns: `nil` when memory has none, or when it depends on a size that is not known.
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
