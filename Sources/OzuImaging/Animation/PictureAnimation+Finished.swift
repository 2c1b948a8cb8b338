extension PictureAnimation {
  /// An animation whose frames are made elsewhere as they are seen: whole pictures at the size of the result, upright and
  /// in the colours of the context.
  ///
  /// - Parameters:
  ///   - reader: gives the frames, each with the whole canvas as its region.
  ///   - size: of the picture that the frames belong to.
  ///   - encodedByteCount: of the file, which the reader holds.
  ///   - workingByteCount: what making a frame takes elsewhere.
  /// - Returns: `nil` when the frames make no animation of a picture of this size.
  package convenience init?(
    finished reader: any AnimationFrameReading, size: PixelSize, encodedByteCount: Int, workingByteCount: Int,
    context: DecodingContext
  ) {
    guard let composer = try? FrameComposer(reader, of: size, blending: .premultiplied) else { return nil }
    self.init(
      composer, encodedByteCount: encodedByteCount,
      frameByteCount: PixelBufferPool.sizeClass(size.bitmapByteCount(as: .bgra8)),
      finishingByteCount: workingByteCount, limits: context.limits, pool: context.pool,
      colorPolicy: context.colorPolicy, budget: context.budget
    ) { (canvas, _) throws(DecodingError) in canvas }
  }
}
