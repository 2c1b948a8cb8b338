import OzuImaging

extension DecodePlan {
  /// The last step of a render from planes: resamples to the size of the result, and converts to colours.
  package func rendered(
    _ planes: PlanarPicture, header: ImageHeader, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    try context.checkpoint()
    let stored = header.storedSize
    return try resampler.resample(
      planes,
      region: sourceRegion.scaled(
        horizontal: 1 / Double(stored.width), vertical: 1 / Double(stored.height)),
      to: outputSize, format: pixelFormat(of: header, context), colorSpace: header.storedColorSpace,
      pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }

  /// The same from planes that are made in strips, for a plan that `makesStrips`.
  package func rendered(
    _ strips: any PlaneStripMaker, header: ImageHeader, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    let stored = header.storedSize
    return try resampler.resample(
      strips, content: strips.shapes.count == 3 ? .yCbCr(.jfif) : .gray(.jfif),
      region: sourceRegion.scaled(
        horizontal: 1 / Double(stored.width), vertical: 1 / Double(stored.height)),
      to: outputSize, colorSpace: header.storedColorSpace, pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }
}
