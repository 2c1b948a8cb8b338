import OzuCodecs
import OzuImaging

extension JPEGFile {
  /// Makes the result out of a part of the file, or of the whole where none can be cut out.
  func render(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let excerpt = try JPEGExcerpt.file(
      data, outline, cut: cut, renderByteCount: plan.byteCount, context: context)
    guard let excerpt else {
      let plan = plan.uncut(of: self, context)
      try context.limits.checkDecodedByteCount(plan.byteCount)
      try context.reserve(atLeast: plan.byteCount)
      return try render(plan, context: context)
    }
    var header = header
    header.storedSize = cut.size
    let file = JPEGFile(excerpt, try JPEGOutline(excerpt, limits: context.limits), header: header)
    return try file.render(plan.onCut, context: context)
  }
}
