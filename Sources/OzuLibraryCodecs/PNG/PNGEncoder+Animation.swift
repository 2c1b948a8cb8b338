import OzuImaging

extension PNGEncoder: AnimationEncoding {
  /// Begins an animated PNG: RGBA in 8 bits, lossless. Readers that know no animation show the first frame.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` when memory is short.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(EncodingError) -> any AnimationWriting {
    try PNGAnimationWriter(canvas: canvas, loopCount: loopCount, effort: options.effort)
  }
}
