import CCodecs
import OzuCodecs
import OzuImaging

extension LibraryFile {
  /// Delivers the rows that the library makes, if it can.
  ///
  /// - Throws: the errors of `decode`.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    if let bands = bands(of: plan, context) {
      return try body(
        LibraryBandRows(bands, of: self, size: plan.decodedSize, context: context))
    }
    guard deliversRows else { return nil }
    if let cut = plan.cut {
      return try part(cut, of: plan, context)?.withRows(plan.onCut, context: context, body)
    }
    return try use { (session) throws(ImageDecodingError) in
      try session.withRows(header: header, alpha: library.alpha, context, body)
    }
  }

  /// The means of squares of pixels, made from rows that are not kept.
  func averagedRows(
    _ averaging: PlaneAveraging, _ context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture {
    try use { (session) throws(ImageDecodingError) in
      try session.averagedRows(header: header, step: averaging.luma, alpha: library.alpha, context)
    }
  }
}
