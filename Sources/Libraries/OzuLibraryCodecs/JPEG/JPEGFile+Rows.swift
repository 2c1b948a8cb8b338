import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

extension JPEGFile {
  /// The memory of libjpeg: the coefficients of a file of several scans, and some rows of blocks. The reduced
  /// decoder needs only its planes.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    guard plan.reduction == nil else { return DecodingDemand(isPiecewise: true) }
    // At most 20 rows of luma and half of that of chroma, and two rows of each to enlarge it (jdmainct.c,
    // jdsample.c).
    let rows = 64 * header.storedSize.width
    return DecodingDemand(
      byteCount: outline.coefficientByteCount + rows,
      // The rows of a part come from another file (`excerpt` of `JPEGFile`).
      deliversRows: outline.details.unsupportedReason == nil && plan.cut == nil,
      isPiecewise: !plan.needsNoResampling || plan.cut != nil)
  }

  /// Delivers the rows of the picture at the plan's scale as libjpeg makes them.
  ///
  /// - Throws: the errors of `decode`.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    guard outline.details.unsupportedReason == nil, plan.cut == nil else { return nil }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      let session = try session(bytes, plan, context)
      try readScans(of: session, context)
      let inks = inkTransform(context)
      if inks != nil { ozu_jpeg_decoder_keep_cmyk(session.decoder) }
      return try body(
        JPEGRows(
          session, size: plan.decodedSize,
          colorSpace: header.colorModel == .cmyk ? .sRGB : header.storedColorSpace, inks: inks,
          context: context))
    }
  }
}

/// The rows of a file that libjpeg decodes. Used inside one `withBytes`, like its session.
private final class JPEGRows: PixelRowReading {
  private static let stepRows = 32

  let size: PixelSize
  let isOpaque = true
  let colorSpace: ColorSpaceTag
  private let session: JPEGSession
  private let inks: ColorTransform?
  private let context: DecodingContext
  private var rowCount = 0

  init(
    _ session: consuming JPEGSession, size: PixelSize, colorSpace: ColorSpaceTag, inks: ColorTransform?,
    context: DecodingContext
  ) {
    self.session = session
    self.size = size
    self.colorSpace = colorSpace
    self.inks = inks
    self.context = context
  }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    if rowCount % Self.stepRows == 0 { try context.checkpoint() }
    rowCount += 1
    let width = size.width
    let status = row.withUnsafeMutableBytes { bytes in
      let status = ozu_jpeg_decoder_read_rows(
        session.decoder, OzuRows(bytes, bytesPerRow: bytes.count, size: PixelSize(width, 1)))
      // `OzuRows` has checked that the bytes hold the row.
      if let inks, let start = bytes.baseAddress, status != .failed {
        inks.apply(to: start, count: width)
        Premultiplication.makeOpaque(start, width: width)
      }
      return status
    }
    switch status {
    case .done, .more: break
    case .truncated:
      try context.acceptTruncation(of: .jpeg, stage: JPEGFile.scanStage)
    case .failed: throw session.failure(stage: JPEGFile.scanStage)
    }
  }
}
