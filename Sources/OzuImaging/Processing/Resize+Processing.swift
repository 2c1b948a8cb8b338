extension Resize: ImageProcessing {
  /// Resamples the picture.
  ///
  /// For a picture from a file, the request's own `resize` is better: then no more is decoded than needed.
  ///
  /// - Throws: `invalidParameters` for an empty size or one over the limits, and for a region outside the picture.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    try check(bitmap.size, context)
    return BGRABitmap(Picture(bitmap.bitmap).resized(self, pool: context.pool).bitmap, pool: context.pool)
  }

  /// Resamples 16 bits in the same way.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    try check(bitmap.size, context)
    return Picture(bitmap).resized(self, pool: context.pool).bitmap
  }

  private func check(_ source: PixelSize, _ context: ProcessingContext) throws(ProcessingError) {
    if let region, !region.overlaps(source) {
      throw .invalidParameters(identifier, reason: "the region lies outside the picture of \(source)")
    }
    guard mode != .none else { return }
    guard !size.isEmpty else {
      throw .invalidParameters(identifier, reason: "nothing would be left of the picture")
    }
    // Not the size itself, a side of which may be open. A long and narrow picture that covers a size is far larger than the size.
    try context.check(ResizeGeometry(source: source, resize: self).outputSize, for: self)
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
