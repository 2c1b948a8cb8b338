import OzuImaging

extension PNGEncoder: AnimationEncoding {
  /// Begins an animated PNG: RGB in 8 bits, with alpha if a frame has it, lossless. Readers that do not support
  /// animation show the first frame.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` if memory is short.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(ImageEncodingError) -> any AnimationWriting {
    try PNGAnimationWriter(canvas: canvas, loopCount: loopCount, options: options)
  }
}
