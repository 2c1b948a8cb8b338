extension Picture {
  /// The picture after a recipe; `self` if the recipe changes nothing.
  ///
  /// For pictures that are already in memory. It is better to decode a file at its target size:
  /// `CodecRegistry.picture(from:resize:context:)`.
  ///
  /// An animation becomes a still picture of its first frame.
  ///
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`.
  public func resized(_ resize: Resize, pool: PixelBufferPool = .shared) -> Picture {
    let geometry = ResizeGeometry(source: size, resize: resize)
    guard !geometry.isIdentity else { return self }
    let resampled = Resampler(kernel: resize.kernel, light: resize.light).resample(
      bitmap.format == .gray8 ? bitmap.converted(to: .bgra8, pool: pool) : bitmap, region: geometry.region,
      to: geometry.outputSize, pool: pool)
    return Picture(
      resampled, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }
}
