import OzuBase

extension ImageFile {
  /// The result of a plan from the embedded thumbnail. `nil` if the thumbnail has fewer pixels than the result, or
  /// shows another area: bars above and below, or the picture before it was cropped.
  func renderThumbnail(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    let stored = header.storedSize
    let smallest = plan.smallestSubstitute(for: stored)
    guard smallest.width <= stored.width / 2, smallest.height <= stored.height / 2,
      let bitmap = try embeddedThumbnail(atLeast: smallest, context: context),
      bitmap.size.width >= smallest.width, bitmap.size.height >= smallest.height,
      bitmap.size.hasAspect(of: stored)
    else { return nil }
    context.begin(.resize)
    let result = plan.outputSize.bitmapByteCount(as: .bgra8)
    let shown = plan.sourceRegion.scaled(
      horizontal: Double(bitmap.size.width) / Double(stored.width),
      vertical: Double(bitmap.size.height) / Double(stored.height))
    let working = plan.resampler.workingByteCount(of: bitmap.size, region: shown, to: plan.outputSize)
    // The plan's `byteCount` is for decoding the picture itself, so the memory of this path is reserved here.
    try context.reserve(atLeast: bitmap.byteCount.saturatingSum(working).saturatingSum(result))
    return try plan.resampler.resample(
      bitmap, region: shown, to: plan.outputSize, pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }
}

extension DecodePlan {
  /// The least size of another rendition of the whole picture that still has one pixel for each pixel of the
  /// result.
  func smallestSubstitute(for stored: PixelSize) -> PixelSize {
    func side(_ whole: Int, _ shown: Double, _ output: Int) -> Int {
      Int(clamping: Double(whole) * Double(output) / shown, rounded: .up)
    }
    return PixelSize(
      side(stored.width, sourceRegion.width, outputSize.width),
      side(stored.height, sourceRegion.height, outputSize.height))
  }
}

extension PixelSize {
  /// Whether the sides have the same ratio as those of a larger size, except for the rounding of the shorter side.
  func hasAspect(of other: PixelSize) -> Bool {
    let difference = width * other.height - height * other.width
    return abs(difference) <= max(other.width, other.height)
  }

  /// Whether the ratio of the sides differs from that of another size by a share at most.
  func hasAspect(of other: PixelSize, within share: Double) -> Bool {
    let (own, wanted) = (Double(width) * Double(other.height), Double(other.width) * Double(height))
    return abs(own - wanted) <= share * wanted
  }
}
