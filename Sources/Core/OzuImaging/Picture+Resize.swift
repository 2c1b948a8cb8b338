import OzuBase

extension Picture {
  /// The picture after a recipe; `self` if the recipe changes nothing.
  ///
  /// For pictures that are already in memory. It is better to decode a file at its target size:
  /// `CodecRegistry.picture(from:resize:context:)`.
  ///
  /// An animation becomes a still picture of its first frame.
  ///
  /// No limits are checked. A recipe from outside belongs to a request, or is a processor (`processed(by:context:)`):
  /// these refuse a result that is too large.
  ///
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`, and the result fits into memory.
  public func resized(_ resize: Resize, pool: PixelBufferPool = .shared) -> Picture {
    let geometry = ResizeGeometry(source: size, resize: resize)
    guard !geometry.isIdentity else { return self }
    let resampled = resize.resampler.resample(
      bitmap.format == .gray8 ? bitmap.converted(to: .bgra8, pool: pool) : bitmap, region: geometry.region,
      to: geometry.outputSize, pool: pool)
    return Picture(
      resampled, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }

  /// The picture after a recipe, under the rules of a decode: the same regions and limits, the same budget.
  ///
  /// - Throws: `ImageDecodingError`: `regionOutside`, `limitExceeded`, `cancelled`.
  package func resized(_ resize: Resize, context: DecodingContext) throws(ImageDecodingError) -> Picture {
    let geometry = try ResizeGeometry(of: resize, in: size)
    guard !geometry.isIdentity else { return self }
    return try resampled(geometry.region, to: geometry.outputSize, by: resize.resampler, context: context)
  }

  /// A part of the picture at a size, made within the limits of a context after its memory is reserved.
  ///
  /// - Throws: `ImageDecodingError`: `limitExceeded`, `cancelled`.
  package func resampled(
    _ region: PixelRegion, to outputSize: PixelSize, by resampler: Resampler, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    let source = bitmap
    let isWide = source.format == .rgba16
    let working =
      isWide
      ? resampler.wideWorkingByteCount(of: size, region: region, to: outputSize)
      : resampler.workingByteCount(of: size, region: region, to: outputSize)
    let copy = isWide || source.format == .bgra8 ? 0 : size.bitmapByteCount(as: .bgra8)
    let price = outputSize.bitmapByteCount(as: isWide ? .rgba16 : .bgra8).saturatingSum(working)
      .saturatingSum(copy)
    try context.limits.checkSide(of: outputSize)
    try context.limits.checkDecodedByteCount(price)
    let context = try context.reserving(price)
    defer { withExtendedLifetime(context) {} }
    let made = try resampler.resample(source, region: region, to: outputSize, pool: context.pool) {
      () throws(ImageDecodingError) in
      try context.checkpoint()
    }
    return Picture(
      made, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }
}

extension Resize {
  /// The filter, and the values that it weights.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }
}
