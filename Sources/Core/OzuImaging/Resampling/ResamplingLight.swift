/// The values in which pixels are averaged.
public enum ResamplingLight: String, Hashable, Sendable, CaseIterable {
  /// The stored values, as in nearly all programs. Fast, and works with reduced decoding.
  case asStored
  /// Amounts of light: a fine pattern of black and white becomes the grey that one sees from a distance, which is
  /// lighter. The picture is decoded at full size, and dark lines on a light background become thinner.
  case linear
}

extension Resampler {
  /// Resamples amounts of light: each value is converted by the curve of sRGB before the filter, and back after it.
  ///
  /// The rows become 16-bit numbers, one plane for each colour, and are filtered like the planes of decoders, strip
  /// by strip (`LightRows`). In a plane, 255 is the full light, with the fractional bits of `SamplePlane`: the
  /// darkest values of sRGB are five steps apart.
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
