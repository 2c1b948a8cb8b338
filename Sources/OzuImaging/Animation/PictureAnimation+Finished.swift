extension PictureAnimation {
  /// An animation whose frames are finished by somebody else: each is the whole picture at the size of the result,
  /// upright and in the colours of the context.
  ///
  /// - Parameters:
  ///   - reader: gives the frames; the region of each is the whole canvas.
  ///   - size: the size of the picture that the frames belong to.
  ///   - encodedByteCount: the size of the file, which the reader holds.
  ///   - workingByteCount: the memory that one frame takes while it is made elsewhere.
  /// - Returns: `nil` if the frames are not an animation of a picture of this size.
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
