import OzuCodecs
import OzuImaging

extension JPEGFile {
  /// Makes the result from a part of the file, or from the whole file if no part can be cut out.
  func render(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    if let file = try excerpt(cut, of: plan, context) {
      return try file.render(plan.onCut, context: context)
    }
    return try renderUncut(plan, context: context)
  }

  /// The pixels of a part at the plan's scale, for a caller that calls `decode` directly.
  func decode(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    if let file = try excerpt(cut, of: plan, context) {
      return try file.decode(plan.onCut, context: context)
    }
    let whole = DecodePlan(of: self, resize: nil, context: context)
    try whole.checkPrice(for: self, context)
    try context.reserve(atLeast: whole.byteCount)
    let bitmap = try decode(whole, context: context)
    return Resampler().resample(
      bitmap, region: PixelRegion(cut), to: plan.decodedSize, pool: context.pool)
  }

  /// A file with a part of this file's blocks; `nil` if it cannot be cut.
  private func excerpt(
    _ cut: PixelRectangle, of plan: DecodePlan, _ context: DecodingContext
  ) throws(ImageDecodingError) -> JPEGFile? {
    let bytes = try JPEGExcerpt.file(
      data, outline, cut: cut, renderByteCount: plan.byteCount, context: context)
    guard let bytes else { return nil }
    var own = header
    own.storedSize = cut.size
    own.regionUnit = nil
    own.hasParts = false
    return JPEGFile(bytes, try JPEGOutline(bytes, limits: context.limits), header: own)
  }
}
