import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes JPEG: baseline, progressive, arithmetic-coded; grey, YCbCr, RGB, CMYK, YCCK.
///
/// What becomes several times smaller takes a way of its own (see the article "How reduced decoding works" of `OzuCodecs`); all else goes
/// through libjpeg-turbo, at 8, 4, 2 or 1 eighths of its size: to luma and chroma where the result is no more than
/// half as large on each side, else to pixels. The header is read without the library. CMYK
/// becomes RGB by its profile, or without one as if inks were ideal.
public struct JPEGDecoder: ImageDecoding {
  /// Rows, or rows of blocks, between two questions whether to go on.
  private static let stepRows = 32
  static let scanStage = "scan data"

  /// Makes a decoder.
  public init() {}

  /// JPEG.
  public var types: [ImageType] { [.jpeg] }

  /// An eighth, a quarter, a half and the whole.
  public var scales: [Int] { [1, 2, 4, 8] }

  /// Reads the marker segments up to the first scan, and counts the scans where there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels that they
  ///   go over.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    try JPEGHeader.imageHeader(of: data, limits: limits)
  }

  /// Makes the result: through planes of a few eighths where the plan has a reduction and the file is one of
  /// those for it, through pixels otherwise.
  ///
  /// - Throws: `DecodingError`, as `decode` does.
  public func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    if let bitmap = try ReducedJPEGDecoder.render(data, header: header, plan: plan, context: context) {
      return bitmap
    }
    if let averaging = plan.averaging,
      let planes = try wholePlanes(of: data, plan: plan, averaging: averaging, context: context)
    {
      return try plan.rendered(planes, header: header, context: context)
    }
    return try renderFromPixels(data, header: header, plan: plan, context: context)
  }

  /// Decodes the picture at the plan's scale.
  ///
  /// A file of several scans needs the coefficients of the whole picture in memory, whatever the scale: they
  /// count towards `decodedByteCount`.
  ///
  /// - Throws: `DecodingError`; `unsupportedType` for lossless and 12-bit files; `truncated` when data are
  ///   missing, unless the context allows it: then grey stands where they are missing.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let details = try JPEGHeader(data.span)
    if let reason = details.unsupportedReason { throw .unsupportedType(.jpeg, reason: reason) }
    // The header may be another file's; libjpeg writes these two formats alone.
    let format: PixelFormat = header.pixelFormat(under: context.pixelFormats) == .gray8 ? .gray8 : .bgra8
    let outputByteCount = plan.decodedSize.byteCount(as: format)
    let coefficientByteCount = details.hasSeveralScans ? details.coefficientByteCount : 0
    try context.limits.checkDecodedByteCount(outputByteCount + coefficientByteCount)
    let end = details.hasSeveralScans ? details.scans(in: data.span).end : data.count
    return try data.withBytes { (bytes) throws(DecodingError) in
      let session = try JPEGSession(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      // What the library needs besides the coefficients is some rows of blocks and tables.
      try session.open(
        plan: plan, memoryLimit: coefficientByteCount + (32 << 20), keepsGray: format == .gray8)
      try readScans(of: session, context)
      // Ink goes to light here, not at the size of the result: a bitmap has no room for four inks.
      let inks = Self.inkTransform(header, context)
      if inks != nil { ozu_jpeg_decoder_keep_cmyk(session.decoder) }
      return try Bitmap(
        size: plan.decodedSize, format: format, isOpaque: true,
        colorSpace: header.colorModel == .cmyk ? .sRGB : header.storedColorSpace, pool: context.pool
      ) { (pixels, bytesPerRow) throws(DecodingError) in
        try readRows(of: session, plan.decodedSize, format, into: pixels, bytesPerRow, context)
        guard let inks, let start = pixels.baseAddress else { return }
        for y in 0..<plan.decodedSize.height {
          // Rows are `bytesPerRow` apart; the decoder has written each of them.
          let row = start + y * bytesPerRow
          inks.apply(to: row, count: plan.decodedSize.width)
          Premultiplication.makeOpaque(row, width: plan.decodedSize.width)
        }
      }
    }
  }

  private static func inkTransform(_ header: ImageHeader, _ context: DecodingContext) -> ColorTransform? {
    guard header.colorModel == .cmyk, context.colorPolicy == .convertToSRGB,
      let encoding = header.colorEncoding
    else { return nil }
    return ColorTransformStore.shared.transform(encoding, .CMYK)
  }

  func readScans(
    of session: borrowing JPEGSession, _ context: DecodingContext
  ) throws(DecodingError) {
    while true {
      try context.checkpoint()
      switch ozu_jpeg_decoder_consume(session.decoder, Int32(Self.stepRows)) {
      case .more: continue
      case .done: return
      case .truncated:
        guard context.allowsTruncation else { throw .truncated(.jpeg, stage: Self.scanStage) }
        return
      case .failed: throw session.failure(stage: Self.scanStage)
      }
    }
  }

  private func readRows(
    of session: borrowing JPEGSession, _ size: PixelSize, _ format: PixelFormat,
    into pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int, _ context: DecodingContext
  ) throws(DecodingError) {
    for y in stride(from: 0, to: size.height, by: Self.stepRows) {
      try context.checkpoint()
      let count = min(Self.stepRows, size.height - y)
      let rows = OzuRows(
        y..<y + count, of: pixels, bytesPerRow: bytesPerRow, width: size.width, format: format)
      switch ozu_jpeg_decoder_read_rows(session.decoder, rows) {
      case .done, .more: continue
      case .truncated:
        guard context.allowsTruncation else { throw .truncated(.jpeg, stage: Self.scanStage) }
      case .failed: throw session.failure(stage: Self.scanStage)
      }
    }
  }
}
