import OzuImaging

extension PNGEncoder: AnimationEncoding {
  /// Begins an animated PNG: RGB in 8 bits, with alpha where a frame has it, lossless. Readers that know no animation show the first frame.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` when memory is short.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(EncodingError) -> any AnimationWriting {
    try PNGAnimationWriter(canvas: canvas, loopCount: loopCount, options: options)
  }
}
