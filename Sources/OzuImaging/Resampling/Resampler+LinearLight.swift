extension Resampler {
  /// Resamples amounts of light: each value goes through the curve of sRGB before the filter, and back after it.
  ///
  /// The rows become 16-bit numbers, one plane a colour, and go through the filter as the planes of decoders do, strip by
  /// strip (`LightRows`). Between, 255 is all light, with the bits of `SamplePlane` behind the point: the darkest values
  /// of sRGB are five steps apart there.
  func resampleLight<Failure: Error>(
    of pixels: PictureRows, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    let rows = LightRows(of: pixels, step: LightRows.step(region: region, to: size), pool: pool)
    return try resample(
      rows.channels, content: .light(isOpaque: pixels.isOpaque),
      region: region.scaled(
        horizontal: 1 / Double(pixels.size.width), vertical: 1 / Double(pixels.size.height)),
      to: size, colorSpace: pixels.colorSpace, pool: pool, checkpoint: checkpoint)
  }
}
