import OzuBase
import OzuImaging

extension ReducedJPEGDecoder {
  /// Decodes a file to planes of a few eighths; `nil` for one that takes a full decoder.
  ///
  /// - Parameter lowestBit: of a progressive file, the lowest bit of coefficients that is read from scans of last bits;
  ///   `nil` (the default) to choose one for each component by what can be seen of it.
  /// - Parameter division: where a scan is divided when another thread helps (`DecodingContext.assistant`).
  /// - Throws: `truncated`, `limitExceeded`, `cancelled`.
  package static func planes(
    of data: Data, _ outline: JPEGOutline, eighths: (luma: Int, chroma: Int), lowestBit: Int? = nil,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    guard let frame = outline.frame else { return nil }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      var decoder = ReducedJPEGDecoder(
        file: bytes, outline.details, frame: frame, eighths: eighths, lowestBit: lowestBit,
        division: division, context: context)
      return try decoder.decode()
    }
  }

  /// Makes the result of a plan that has a reduction; `nil` for a plan without one, and for a file that takes a full
  /// decoder.
  ///
  /// - Parameter division: as for `planes`.
  /// - Throws: as `planes` does.
  package static func render(
    _ data: Data, _ outline: JPEGOutline, header: ImageHeader, plan: DecodePlan,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard let reduction = plan.reduction, let frame = outline.frame else { return nil }
    try outline.checkScans(context.limits)
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      var decoder = ReducedJPEGDecoder(
        file: bytes, outline.details, frame: frame, eighths: (reduction.luma, reduction.chroma),
        lowestBit: nil, division: division, context: context)
      guard plan.makesStrips(header, context) else {
        guard let planes = try decoder.decode() else { return nil }
        context.begin(.resize)
        return try plan.rendered(planes, header: header, context: context)
      }
      guard try decoder.readScans() else { return nil }
      let strips = ReducedJPEGStrips(decoder)
      defer { strips.end() }
      let bitmap = try plan.rendered(strips, header: header, context: context)
      // As where rows are resampled while they are decoded.
      context.begin(.resize)
      return bitmap
    }
  }

  /// The same for a file that nobody has opened.
  ///
  /// - Throws: also the errors of `JPEGHeader`.
  package static func planes(
    of data: Data, eighths: (luma: Int, chroma: Int), lowestBit: Int? = nil,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    try planes(
      of: data, JPEGOutline(data, limits: context.limits), eighths: eighths, lowestBit: lowestBit,
      division: division, context: context)
  }
}
