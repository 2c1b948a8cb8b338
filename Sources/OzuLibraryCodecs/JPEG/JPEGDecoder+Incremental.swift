import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGDecoder: IncrementalDecoding {
  /// Begins a picture that is decoded while its file comes: row by row, or scan by scan where there are several.
  ///
  /// Between two scans the picture is that of the last whole one, which libjpeg smooths while only the mean colours of
  /// blocks are known. CMYK is shown as if inks were ideal until the file is whole.
  ///
  /// - Returns: `nil` for arithmetic codes, in which libjpeg cannot pause, and for what it does not read at all.
  /// - Throws: `limitExceeded` when the coefficients take too much.
  public func incrementalSession(
    of data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> (any IncrementalSession)? {
    let details = try JPEGHeader(data.span)
    guard !details.isArithmeticCoded, details.unsupportedReason == nil else { return nil }
    return try JPEGIncrementalSession(data, details, header: header, plan: plan, context: context)
  }
}

/// A JPEG that is decoded while it comes.
///
/// `@unchecked Sendable`: one thread at a time calls it.
private final class JPEGIncrementalSession: IncrementalSession, @unchecked Sendable {
  private static let stepRows = 32
  private static let scanStage = "scan data"

  private let feed: OpaquePointer
  private let header: ImageHeader
  private let plan: DecodePlan
  /// Of a file of one scan.
  private let pixels: IncrementalPixels?
  private var isWhole = false
  private var shownRows = 0
  private var shownScans = 0

  /// - Parameter data: the bytes so far; those of the header are read.
  init(
    _ data: Data, _ details: JPEGHeader, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) {
    let coefficientByteCount = details.hasSeveralScans ? details.coefficientByteCount : 0
    try context.limits.checkDecodedByteCount(
      2 * plan.decodedSize.byteCount(as: .bgra8) + coefficientByteCount)
    guard let feed = ozu_jpeg_feed_new() else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "out of memory")
    }
    self.feed = feed
    self.header = header
    self.plan = plan
    pixels = details.hasSeveralScans ? nil : IncrementalPixels(size: plan.decodedSize)
    // What the library needs besides the coefficients is some rows of blocks and tables.
    try open(data, memoryLimit: coefficientByteCount + (32 << 20))
  }

  deinit {
    ozu_jpeg_feed_free(feed)
  }

  func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
    try read(data, context)
    return try pixels == nil ? scans(context) : rows(context)
  }

  /// Reads the header again, by the library, and makes sure that both agree.
  private func open(_ data: Data, memoryLimit: Int) throws(DecodingError) {
    var width: Int32 = 0
    var height: Int32 = 0
    let status = data.withBytes { bytes in
      ozu_jpeg_feed_open(
        feed, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(plan.eighths), memoryLimit,
        &width, &height)
    }
    switch status {
    case .done: break
    case .truncated, .more: throw .truncated(.jpeg, stage: JPEGHeader.stage)
    case .failed: throw failure(JPEGHeader.stage)
    }
    guard plan.decodedSize == PixelSize(Int(width), Int(height)) else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "it declares two sizes")
    }
  }

  /// Reads as far as the bytes reach.
  private func read(_ data: Data, _ context: DecodingContext) throws(DecodingError) {
    while !isWhole {
      try context.checkpoint()
      let status = data.withBytes { bytes in
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard var rows = pixels?.rows else {
          return ozu_jpeg_feed_read(feed, start, bytes.count, nil, Int32(Self.stepRows))
        }
        return ozu_jpeg_feed_read(feed, start, bytes.count, &rows, Int32(Self.stepRows))
      }
      try context.limits.checkScanCount(Int(ozu_jpeg_feed_scans_begun(feed)), size: header.storedSize)
      switch status {
      case .more: continue
      case .done: isWhole = true
      case .truncated: return
      case .failed: throw failure(Self.scanStage)
      }
    }
  }

  private func rows(_ context: DecodingContext) throws(DecodingError) -> Bitmap? {
    let rows = Int(ozu_jpeg_feed_rows(feed))
    guard rows > shownRows, let pixels else { return nil }
    shownRows = rows
    return pixels.copy(rows: rows, isOpaque: true, colorSpace: colorSpace, pool: context.pool)
  }

  private func scans(_ context: DecodingContext) throws(DecodingError) -> Bitmap? {
    let scans = Int(ozu_jpeg_feed_scans(feed))
    guard scans > shownScans else { return nil }
    guard ozu_jpeg_feed_start_painting(feed) == .done else { throw failure(Self.scanStage) }
    let size = plan.decodedSize
    let bitmap = try Bitmap(size: size, isOpaque: true, colorSpace: colorSpace, pool: context.pool) {
      (pixels, bytesPerRow) throws(DecodingError) in
      for y in stride(from: 0, to: size.height, by: Self.stepRows) {
        try context.checkpoint()
        let rows = OzuRows(
          y..<min(y + Self.stepRows, size.height), of: pixels, bytesPerRow: bytesPerRow, width: size.width)
        guard ozu_jpeg_feed_paint(feed, rows) == .done else {
          throw failure(Self.scanStage)
        }
      }
    }
    shownScans = scans
    return bitmap
  }

  private var colorSpace: ColorSpaceTag { header.colorModel == .cmyk ? .sRGB : header.storedColorSpace }

  private func failure(_ stage: String) -> DecodingError {
    .corrupt(.jpeg, stage: stage, reason: String(cString: ozu_jpeg_feed_message(feed)))
  }
}
