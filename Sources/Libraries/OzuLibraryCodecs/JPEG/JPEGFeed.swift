import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A JPEG that is decoded while it is downloaded: row by row, or scan by scan if there are several.
///
/// Between two scans, the picture is that of the last complete scan, which libjpeg smooths while only the mean
/// colours of blocks are known. CMYK is shown as if inks were ideal until the file is complete.
///
/// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
final class JPEGFeed: PictureFeed, @unchecked Sendable {
  private static let stepRows = 32

  private let session: JPEGSession
  private let header: ImageHeader
  private let plan: DecodePlan
  private let memoryLimit: Int
  /// For a file with one scan.
  private let pixels: IncrementalPixels?
  private var isOpen = false
  private var isWhole = false
  private var shownRows = 0
  private var shownScans = 0

  /// - Throws: `limitExceeded` if pixels and coefficients take too much memory.
  init(_ outline: JPEGOutline, plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) {
    let pixelByteCount = plan.decodedSize.bitmapByteCount(as: .bgra8)
    let coefficientByteCount = outline.coefficientByteCount
    try context.limits.checkDecodedByteCount(
      pixelByteCount.saturatingSum(pixelByteCount).saturatingSum(coefficientByteCount))
    session = try JPEGSession()
    header = outline.header
    self.plan = plan
    memoryLimit = outline.libraryByteCount
    pixels = outline.details.hasSeveralScans ? nil : IncrementalPixels(size: plan.decodedSize)
  }

  /// Decodes the bytes that are there; `nil` if there is nothing new to show.
  func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
    try data.withBytes { (bytes) throws(ImageDecodingError) in
      ozu_jpeg_decoder_lend(
        session.decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, false)
      defer { ozu_jpeg_decoder_take_back(session.decoder) }
      try read(context)
    }
    guard isOpen else { return nil }
    return try pixels == nil ? scans(context) : rows(context)
  }

  private func read(_ context: DecodingContext) throws(ImageDecodingError) {
    if !isOpen {
      guard try session.readHeader(plan: plan, memoryLimit: memoryLimit) else { return }
      isOpen = true
    }
    switch ozu_jpeg_decoder_start(session.decoder) {
    case .done, .more: break
    case .truncated: return
    case .failed: throw session.failure(stage: JPEGHeader.stage)
    }
    while !isWhole {
      try context.checkpoint()
      guard try pixels == nil ? readBlocks(context) : readRows() else { return }
    }
  }

  /// Whether there were bytes for the next rows.
  private func readRows() throws(ImageDecodingError) -> Bool {
    guard let pixels else { return false }
    let first = Int(ozu_jpeg_decoder_rows(session.decoder))
    let end = min(first + Self.stepRows, plan.decodedSize.height)
    let step = OzuRows(
      first..<end, of: pixels.memory, bytesPerRow: pixels.bytesPerRow, width: pixels.size.width)
    guard ozu_jpeg_decoder_read_rows(session.decoder, step) != .failed else {
      throw session.failure(stage: JPEGFile.scanStage)
    }
    isWhole = end == plan.decodedSize.height && Int(ozu_jpeg_decoder_rows(session.decoder)) == end
    return Int(ozu_jpeg_decoder_rows(session.decoder)) == end
  }

  /// Whether there were bytes for the next blocks, or the next scan.
  private func readBlocks(_ context: DecodingContext) throws(ImageDecodingError) -> Bool {
    let status = ozu_jpeg_decoder_consume(session.decoder, Int32(Self.stepRows))
    try context.limits.checkScanCount(
      Int(ozu_jpeg_decoder_scans_begun(session.decoder)), size: header.storedSize)
    switch status {
    case .more: return true
    case .done: isWhole = true
    case .truncated: return false
    case .failed: throw session.failure(stage: JPEGFile.scanStage)
    }
    return true
  }

  private func rows(_ context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
    let rows = Int(ozu_jpeg_decoder_rows(session.decoder))
    guard rows > shownRows, let pixels else { return nil }
    shownRows = rows
    return pixels.copy(rows: rows, isOpaque: true, colorSpace: colorSpace, pool: context.pool)
  }

  private func scans(_ context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
    let scans = Int(ozu_jpeg_decoder_scans(session.decoder))
    guard scans > shownScans else { return nil }
    guard ozu_jpeg_decoder_start_output(session.decoder) == .done else {
      throw session.failure(stage: JPEGFile.scanStage)
    }
    let size = plan.decodedSize
    let bitmap = try Bitmap(size: size, isOpaque: true, colorSpace: colorSpace, pool: context.pool) {
      (pixels, bytesPerRow) throws(ImageDecodingError) in
      for y in stride(from: 0, to: size.height, by: Self.stepRows) {
        try context.checkpoint()
        let rows = OzuRows(
          y..<min(y + Self.stepRows, size.height), of: pixels, bytesPerRow: bytesPerRow, width: size.width)
        // The scan is complete: no bytes are missing for its rows, though the data may have been truncated.
        guard ozu_jpeg_decoder_read_rows(session.decoder, rows) != .failed else {
          throw session.failure(stage: JPEGFile.scanStage)
        }
      }
    }
    shownScans = scans
    return bitmap
  }

  private var colorSpace: ColorSpaceTag { header.colorModel == .cmyk ? .sRGB : header.storedColorSpace }
}
