extension Resize: ImageProcessing {
  /// Resamples the picture.
  ///
  /// For a picture from a file, the request's own `resize` is better: then no more is decoded than needed.
  ///
  /// - Throws: `invalidParameters` for an empty size or one over the limits, and for a region outside the picture.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    BGRABitmap(try resized(bitmap.bitmap, context), pool: context.pool)
  }

  /// Resamples 16 bits in the same way.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    try resized(bitmap, context)
  }

  /// The bitmap under the rules of a decode, so that a step and a request for the same size fail for the same pictures.
  private func resized(_ bitmap: Bitmap, _ context: ProcessingContext) throws(ProcessingError) -> Bitmap {
    guard mode == .none || !size.isEmpty else {
      throw .invalidParameters(identifier, reason: "nothing would be left of the picture")
    }
    do throws(ImageDecodingError) {
      // A budget of its own, for which it never waits: a step may run while a share of the pipeline's is held.
      let decoding = DecodingContext(
        limits: context.limits, pool: context.pool,
        budget: DecodedByteBudget(byteLimit: context.limits.decodedByteCount))
      return try Picture(bitmap).resized(self, context: decoding).bitmap
    } catch {
      throw .invalidParameters(identifier, reason: "\(error)")
    }
  }
}

extension ImageProcessing where Self == Resize {
  /// Resizes the picture. `crops` says whether `aspectFill` cuts off the parts outside the size; it has no effect on other
  /// modes.
  public static func resize(
    _ size: PixelSize, mode: ScaleMode = .aspectFit, crops: Bool = true, allowsUpscaling: Bool = false
  ) -> Self {
    Resize(size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling)
  }

  /// Resizes the picture to a width, with the height that follows from its proportions.
  public static func resize(width: Int, allowsUpscaling: Bool = false) -> Self {
    Resize(width: width, allowsUpscaling: allowsUpscaling)
  }

  /// Resizes the picture to a height, with the width that follows from its proportions.
  public static func resize(height: Int, allowsUpscaling: Bool = false) -> Self {
    Resize(height: height, allowsUpscaling: allowsUpscaling)
  }
}
